//! Text to a rule. Knows no items.

use item::{Number, Value};

use super::{Operand, Relation, Rule};

/// Functions of one value that give a value.
const FUNCTIONS: [&str; 6] = ["len", "lower", "upper", "iso_week", "iso_year", "epoch"];

/// How deep a rule may be nested.
const DEPTH_MAX: usize = 32;

/// Reads a rule; the message says what is wrong with it.
pub fn parse(text: &str) -> Result<Rule, String> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, depth: 0 };
    let rule = reader.rule()?;
    match reader.peek() {
        Some(token) => Err(format!("`{}` is one too many", token.shown())),
        None => Ok(rule),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Sign(&'static str),
}

impl Token {
    fn shown(&self) -> &str {
        match self {
            Token::Word(text) | Token::Text(text) => text,
            Token::Sign(sign) => sign,
        }
    }
}

/// Longer signs first, so that `<=>` is not read as `<=`.
const SIGNS: [&str; 13] = ["<=>", "=>", "==", "!=", "<>", "<=", ">=", "=", "<", ">", "(", ")", ","];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
        if let Some(after) = rest.strip_prefix(['\'', '"']) {
            let (inside, tail) = after.split_once(first).ok_or_else(|| format!("{first} is not closed"))?;
            tokens.push(Token::Text(inside.to_owned()));
            rest = tail;
        } else if let Some(sign) = sign {
            tokens.push(Token::Sign(sign));
            rest = rest.strip_prefix(sign).unwrap_or_default();
        } else {
            let is_word = |letter: char| letter.is_alphanumeric() || "_-.[]#".contains(letter);
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            if end == 0 {
                return Err(format!("`{first}` has no meaning here"));
            }
            let (word, tail) = rest.split_at(end);
            tokens.push(Token::Word(word.to_owned()));
            rest = tail;
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Word(text)) if text.eq_ignore_ascii_case(word));
        self.at += usize::from(there);
        there
    }

    fn sign(&mut self, sign: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Sign(text)) if *text == sign);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.sign(sign) { Ok(()) } else { Err(format!("`{sign}` is expected {}", self.here())) }
    }

    fn here(&self) -> String {
        self.peek().map_or_else(|| "at the end".to_owned(), |token| format!("before `{}`", token.shown()))
    }

    fn rule(&mut self) -> Result<Rule, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("nested too deep".to_owned());
        }
        let left = self.or()?;
        let rule = if self.sign("=>") {
            Rule::Implies(Box::new(left), Box::new(self.or()?))
        } else if self.sign("<=>") {
            Rule::Same(Box::new(left), Box::new(self.or()?))
        } else {
            left
        };
        self.depth -= 1;
        Ok(rule)
    }

    fn or(&mut self) -> Result<Rule, String> {
        let mut left = self.and()?;
        while self.word("or") {
            left = Rule::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Rule, String> {
        let mut left = self.not()?;
        while self.word("and") {
            left = Rule::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Rule, String> {
        if self.word("not") {
            self.depth += 1;
            if self.depth > DEPTH_MAX {
                return Err("nested too deep".to_owned());
            }
            let inner = self.not()?;
            self.depth -= 1;
            return Ok(Rule::Not(Box::new(inner)));
        }
        if self.sign("(") {
            let inner = self.rule()?;
            self.expect(")")?;
            return Ok(inner);
        }
        self.test()
    }

    fn test(&mut self) -> Result<Rule, String> {
        for name in ["exists", "attribute_exists"] {
            if self.calls(name) {
                return Ok(Rule::Exists(self.one()?));
            }
        }
        if self.calls("attribute_not_exists") {
            return Ok(Rule::Not(Box::new(Rule::Exists(self.one()?))));
        }
        if self.calls("begins_with") {
            let (left, right) = self.two()?;
            return Ok(Rule::BeginsWith(left, right));
        }
        if self.calls("contains") {
            let (left, right) = self.two()?;
            return Ok(Rule::Contains(left, right));
        }
        let left = self.operand()?;
        if self.word("in") {
            self.expect("(")?;
            let mut choices = vec![self.operand()?];
            while self.sign(",") {
                choices.push(self.operand()?);
            }
            self.expect(")")?;
            return Ok(Rule::In(left, choices));
        }
        let relation = self.relation()?;
        Ok(Rule::Compare(left, relation, self.operand()?))
    }

    /// Whether a call of that function begins here; if so its name and parenthesis are taken.
    fn calls(&mut self, name: &str) -> bool {
        let open = matches!(self.tokens.get(self.at + 1), Some(Token::Sign("(")));
        let there = open && matches!(self.peek(), Some(Token::Word(text)) if text.eq_ignore_ascii_case(name));
        self.at += if there { 2 } else { 0 };
        there
    }

    fn one(&mut self) -> Result<Operand, String> {
        let operand = self.operand()?;
        self.expect(")")?;
        Ok(operand)
    }

    fn two(&mut self) -> Result<(Operand, Operand), String> {
        let left = self.operand()?;
        self.expect(",")?;
        Ok((left, self.one()?))
    }

    fn relation(&mut self) -> Result<Relation, String> {
        let signs = [
            ("=", Relation::Equal),
            ("==", Relation::Equal),
            ("!=", Relation::Different),
            ("<>", Relation::Different),
            ("<", Relation::Less),
            ("<=", Relation::LessOrEqual),
            (">", Relation::More),
            (">=", Relation::MoreOrEqual),
        ];
        for (sign, relation) in signs {
            if self.sign(sign) {
                return Ok(relation);
            }
        }
        Err(format!("a comparison is expected {}", self.here()))
    }

    fn operand(&mut self) -> Result<Operand, String> {
        for name in FUNCTIONS {
            if self.calls(name) {
                return Ok(Operand::Call(name.to_owned(), Box::new(self.one()?)));
            }
        }
        let token = self.peek().cloned();
        self.at += 1;
        match token {
            Some(Token::Text(text)) => Ok(Operand::Constant(Value::S(text))),
            Some(Token::Word(name)) if matches!(self.peek(), Some(Token::Sign("("))) => Err(format!(
                "no function `{name}`; known: {}, exists, begins_with, contains",
                FUNCTIONS.join(", ")
            )),
            Some(Token::Word(word)) => Ok(named(&word)),
            Some(Token::Sign(sign)) => Err(format!("a value is expected before `{sign}`")),
            None => Err("a value is expected at the end".to_owned()),
        }
    }
}

fn named(word: &str) -> Operand {
    match word {
        "true" => Operand::Constant(Value::Bool(true)),
        "false" => Operand::Constant(Value::Bool(false)),
        "null" => Operand::Constant(Value::Null),
        _ => match Number::parse(word) {
            Ok(number) => Operand::Constant(Value::N(number)),
            Err(_) => Operand::Path(steps(word)),
        },
    }
}

/// `lunches[].week` is `lunches`, `[]`, `week`; `a[3]` is `a`, `3`.
fn steps(word: &str) -> Vec<String> {
    let spread = word.replace("[]", ".*").replace('[', ".").replace(']', "");
    let step = |step: &str| if step == "*" { "[]".to_owned() } else { step.to_owned() };
    spread.split('.').filter(|part| !part.is_empty()).map(step).collect()
}
