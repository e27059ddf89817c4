//! Reads the expressions of `requests.rs` a second time, apart from both servers, and says what is wrong with them whatever
//! the item: so that a refusal is taken for right only where there is something to refuse. Knows no answers.

use serde_json::Value as Json;

/// The types as the service lists them.
const TYPES: &str = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}";
/// What an update's clauses begin with.
const CLAUSES: [&str; 4] = ["SET", "REMOVE", "ADD", "DELETE"];
/// What stands between the parts of a condition. Which parts belong together does not matter to what is wrong in them.
const BETWEEN_PARTS: [&str; 5] = ["(", ")", "AND", "OR", "NOT"];

/// What is wrong with the operands of a condition, from left to right, in the words of the service.
pub(crate) fn faults(expression: &str, request: &Json) -> Vec<String> {
    let mut reader = Reader::new(expression, request);
    while let Some(token) = reader.peek() {
        if BETWEEN_PARTS.contains(&token) {
            reader.next();
        } else {
            reader.part();
        }
    }
    reader.faults
}

/// All paths that an expression names.
pub(crate) fn paths(expression: &str, request: &Json) -> Vec<Path> {
    let mut reader = Reader::new(expression, request);
    let mut paths = Vec::new();
    while let Some(token) = reader.peek() {
        let is_name = token.starts_with(|first: char| first == '#' || first.is_ascii_lowercase());
        let is_call = reader.tokens.get(reader.at + 1).is_some_and(|after| after == "(");
        if is_name && !is_call {
            paths.push(reader.path());
        } else {
            reader.next();
        }
    }
    paths
}

/// The paths of a projection.
pub(crate) fn projected(expression: &str, request: &Json) -> Vec<Path> {
    let mut reader = Reader::new(expression, request);
    let mut paths = Vec::new();
    while reader.peek().is_some() {
        paths.push(reader.path());
        reader.next();
    }
    paths
}

/// The paths that an update changes: each clause here has one.
pub(crate) fn updated(expression: &str, request: &Json) -> Vec<Path> {
    let paths = clauses(expression).into_iter().map(|clause| {
        let mut reader = Reader::new(&clause, request);
        reader.next();
        reader.path()
    });
    paths.collect()
}

/// The clauses of an update, each as an update of its own.
pub(crate) fn clauses(expression: &str) -> Vec<String> {
    let mut clauses: Vec<String> = Vec::new();
    for word in expression.split(' ') {
        match clauses.last_mut() {
            Some(last) if !CLAUSES.contains(&word) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => clauses.push(word.to_string()),
        }
    }
    clauses
}

/// What is wrong with these paths beside each other, in the words of the service. Of paths that overlap, the second that is
/// told is the last different one of all.
pub(crate) fn beside(paths: &[Path]) -> Option<String> {
    let pair = |is_wrong: fn(&Path, &Path) -> bool| {
        let mut pairs = paths
            .iter()
            .enumerate()
            .flat_map(|(place, two)| paths.iter().take(place).map(move |one| (one, two)));
        pairs.find(|(one, two)| is_wrong(one, two))
    };
    let told = |verb: &str, one: &Path, two: &Path| {
        format!(
            "Two document paths {verb} with each other; must remove or rewrite one of these paths; path one: {}, path \
             two: {}",
            one.listed(),
            two.listed()
        )
    };
    if let Some((one, _)) = pair(Path::overlaps) {
        let is_new =
            |(place, path): &(usize, &Path)| !paths.iter().take(*place).any(|before| before == *path);
        let last = paths.iter().enumerate().rfind(is_new).map_or(one, |(_, path)| path);
        return Some(told("overlap", one, last));
    }
    pair(Path::conflicts).map(|(one, two)| told("conflict", one, two))
}

/// A path, as its name and its steps; a place in a list stands in brackets.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(crate) struct Path(Vec<String>);

impl Path {
    /// The attribute that it begins with.
    pub(crate) fn root(&self) -> &str {
        self.0.first().map(String::as_str).unwrap_or_default()
    }

    /// Whether it leads into a list or a map.
    pub(crate) fn is_deep(&self) -> bool {
        self.0.len() > 1
    }

    fn listed(&self) -> String {
        format!("[{}]", self.0.join(", "))
    }

    fn overlaps(&self, other: &Path) -> bool {
        self.0.iter().zip(&other.0).all(|(one, two)| one == two)
    }

    /// Whether they part where one wants a map and the other a list.
    fn conflicts(&self, other: &Path) -> bool {
        let parting = self.0.iter().zip(&other.0).position(|(one, two)| one != two);
        let is_place = |path: &Path, at: usize| path.0.get(at).is_some_and(|step| step.starts_with('['));
        parting.is_some_and(|at| at > 0 && is_place(self, at) != is_place(other, at))
    }
}

/// What an operator is given.
enum Operand {
    Path(Path),
    /// A value's type and, of a text, the text.
    Value(String, Option<String>),
}

impl Operand {
    /// Its type, if that does not depend on the item.
    fn known(&self) -> Option<&str> {
        match self {
            Operand::Path(_) => None,
            Operand::Value(known, _) => Some(known),
        }
    }
}

struct Reader<'a> {
    tokens: Vec<String>,
    at: usize,
    request: &'a Json,
    faults: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(expression: &str, request: &'a Json) -> Reader<'a> {
        Reader { tokens: tokens(expression), at: 0, request, faults: Vec::new() }
    }

    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned().unwrap_or_default()
    }

    /// A comparison, a test or a function.
    fn part(&mut self) {
        let is_call = self.tokens.get(self.at + 1).is_some_and(|after| after == "(");
        if is_call && self.peek() != Some("size") {
            return self.function();
        }
        let first = self.operand();
        match self.next().as_str() {
            operator @ ("=" | "<>" | "<" | "<=" | ">" | ">=") => {
                let operands = [first, self.operand()];
                if !matches!(operator, "=" | "<>") {
                    self.want_types(operator, &operands, &["S", "N", "B"]);
                }
                self.want_distinct(operator, &operands);
            }
            "BETWEEN" => {
                let low = self.operand();
                self.next();
                let operands = [first, low, self.operand()];
                self.want_types("BETWEEN", &operands, &["S", "N", "B"]);
                self.want_distinct("BETWEEN", &operands);
            }
            "IN" => {
                let mut operands = vec![first];
                operands.extend(self.in_parentheses());
                self.want_distinct("IN", &operands);
            }
            _ => {}
        }
    }

    fn function(&mut self) {
        let name = self.next();
        let operands = self.in_parentheses();
        match name.as_str() {
            "begins_with" => {
                self.want_types("begins_with", &operands, &["S", "B"]);
                self.want_distinct("begins_with", &operands);
            }
            "contains" => self.want_distinct("contains", &operands),
            "attribute_type" => match operands.get(1) {
                Some(Operand::Value(_, Some(text))) => {
                    if !TYPES.trim_matches(['{', '}']).split(',').any(|known| known == text) {
                        self.faults.push(format!(
                            "Invalid attribute type name found; type: {text}, valid types: {TYPES}"
                        ));
                    }
                }
                _ => self.want_types("attribute_type", operands.get(1..).unwrap_or_default(), &[]),
            },
            _ => {}
        }
    }

    fn in_parentheses(&mut self) -> Vec<Operand> {
        let mut operands = Vec::new();
        loop {
            self.next();
            operands.push(self.operand());
            if self.peek() != Some(",") {
                self.next();
                return operands;
            }
        }
    }

    fn operand(&mut self) -> Operand {
        match self.peek() {
            Some("size") => {
                self.next();
                let inner = self.in_parentheses();
                self.want_types("size", &inner, &["S", "B", "SS", "NS", "BS", "L", "M"]);
                Operand::Value("N".to_string(), None)
            }
            Some(token) if token.starts_with(':') => {
                let name = self.next();
                let value =
                    self.request.get("ExpressionAttributeValues").and_then(|values| values.get(&name));
                let member = value.and_then(Json::as_object).and_then(|value| value.iter().next());
                let known = member.map_or_else(String::new, |(known, _)| known.clone());
                let text = member.filter(|(known, _)| *known == "S").and_then(|(_, text)| text.as_str());
                Operand::Value(known, text.map(ToString::to_string))
            }
            _ => Operand::Path(self.path()),
        }
    }

    fn path(&mut self) -> Path {
        let token = self.next();
        let names = self.request.get("ExpressionAttributeNames");
        let name = names.and_then(|names| names.get(&token)).and_then(Json::as_str);
        let mut steps = vec![name.unwrap_or(&token).to_string()];
        while let Some(sign @ ("." | "[")) = self.peek() {
            let is_place = sign == "[";
            self.next();
            let step = self.next();
            if is_place {
                self.next();
            }
            steps.push(if is_place { format!("[{step}]") } else { step });
        }
        Path(steps)
    }

    /// The first operand whose type is known and is none of these is a fault.
    fn want_types(&mut self, operator: &str, operands: &[Operand], wanted: &[&str]) {
        if let Some(found) = operands.iter().filter_map(Operand::known).find(|known| !wanted.contains(known))
        {
            self.faults.push(format!(
                "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {found}"
            ));
        }
    }

    fn want_distinct(&mut self, operator: &str, operands: &[Operand]) {
        let [Operand::Path(first), others @ ..] = operands else { return };
        if others.iter().any(|other| matches!(other, Operand::Path(path) if path == first)) {
            self.faults.push(format!(
                "The first operand must be distinct from the remaining operands for this operator or function; operator: \
                 {operator}, first operand: {}",
                first.listed()
            ));
        }
    }
}

/// Words and signs.
pub(crate) fn tokens(expression: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut is_glued = false;
    for letter in expression.chars() {
        let is_word = is_word_letter(letter);
        let ends_sign =
            matches!((tokens.last().map(String::as_str), letter), (Some("<" | ">"), '=') | (Some("<"), '>'));
        match tokens.last_mut() {
            Some(last) if is_glued && (ends_sign || is_word && last.ends_with(is_word_letter)) => {
                last.push(letter)
            }
            _ if letter.is_whitespace() => {}
            _ => tokens.push(letter.to_string()),
        }
        is_glued = !letter.is_whitespace();
    }
    tokens
}

fn is_word_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '#' | ':')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(expression: &str) -> Vec<String> {
        let request = json!({
            "ExpressionAttributeNames": {"#d": "d"},
            "ExpressionAttributeValues": {":s": {"S": "a"}, ":n": {"N": "1"}, ":b": {"BOOL": true}, ":type": {"S": "SS"}}});
        faults(expression, &request)
    }

    #[test]
    fn a_condition_in_order_has_no_faults() {
        for text in [
            "a = b AND NOT (c <> d OR #d[2] < :n)",
            "a BETWEEN :n AND :s OR x IN (:s, l.k)",
            "begins_with(a, :s) AND attribute_type(b, :type) AND attribute_exists(a)",
            "size(a) > :n AND contains(a, :b) AND contains(l[0], l[2])",
            "NOT NOT :b = :b",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn faults_are_told_from_left_to_right() {
        let of_type = |operator: &str, found: &str| {
            format!(
                "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {found}"
            )
        };
        let two = found("NOT (a < :b) OR begins_with(x, :n)");
        assert_eq!(two, [of_type("<", "BOOL"), of_type("begins_with", "N")]);
        let two = found("a BETWEEN :n AND :b AND size(:n) = :b");
        assert_eq!(two, [of_type("BETWEEN", "BOOL"), of_type("size", "N")]);
        assert_eq!(found("begins_with(a, size(b))"), [of_type("begins_with", "N")]);
        assert_eq!(found("attribute_type(a, :n)"), [of_type("attribute_type", "N")]);
        assert_eq!(
            found("attribute_type(a, :s)"),
            [format!("Invalid attribute type name found; type: a, valid types: {TYPES}")]
        );
        let same = found("#d[2] IN (:s, d[2])");
        assert!(same.concat().ends_with("; operator: IN, first operand: [d, [2]]"), "{same:?}");
    }

    #[test]
    fn paths_beside_each_other() {
        let told = |text: &str| {
            let told = beside(&projected(text, &json!({"ExpressionAttributeNames": {"#s": "s"}})));
            told.map(|told| told.replace(" with each other; must remove or rewrite one of these paths", ""))
        };
        let overlap = |one: &str, two: &str| {
            Some(format!("Two document paths overlap; path one: {one}, path two: {two}"))
        };
        assert_eq!(told("a, b.c, b.d, l[0], l[2]"), None);
        assert_eq!(told("#s, s[2], n.k"), overlap("[s]", "[n, k]"));
        assert_eq!(told("b, s, b"), overlap("[b]", "[s]"));
        assert_eq!(told("a.k, b, a"), overlap("[a, k]", "[a]"));
        let conflict = "Two document paths conflict; path one: [a, k], path two: [a, [0]]";
        assert_eq!(told("a.k, x, a[0]"), Some(conflict.to_string()));
    }

    #[test]
    fn clauses_stand_alone() {
        let text = "SET #a.k = if_not_exists(b[0], :v) DELETE c :w";
        assert_eq!(clauses(text), ["SET #a.k = if_not_exists(b[0], :v)", "DELETE c :w"]);
        let paths = updated(text, &json!({"ExpressionAttributeNames": {"#a": "s"}}));
        assert_eq!(paths.iter().map(Path::listed).collect::<Vec<_>>(), ["[s, k]", "[c]"]);
        let paths = super::paths("NOT #a.k < size(b) AND contains(c, :v)", &json!({}));
        assert_eq!(paths.iter().map(Path::listed).collect::<Vec<_>>(), ["[#a, k]", "[b]", "[c]"]);
        assert_eq!(paths.iter().map(Path::is_deep).collect::<Vec<_>>(), [true, false, false]);
    }
}
