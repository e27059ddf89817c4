//! The small functions the Python layer stands on: only those that a design needs. Knows no entities.

use super::super::code::{MARKED, Operation, Program};
use super::text;

const PLAIN: &str = r#"

def _plain(value: Any) -> Any:
    """Floats become decimals, because boto3 takes no floats; None inside an item stays NULL."""
    if isinstance(value, float):
        return Decimal(str(value))
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


def _native(value: Any) -> Any:
    """Whole decimals become integers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else value
    if isinstance(value, dict):
        return {name: _native(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_native(inner) for inner in value]
    if isinstance(value, set):
        return {_native(inner) for inner in value}
    return value


def _text(value: Any) -> str:
    """A value as it stands in a key."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, Decimal)):
        return format(Decimal(str(value)).normalize(), "f")
    return str(value)
"#;

const PADDED: &str = r#"

def _padded(value: Any, width: int, decimals: Optional[int] = None) -> str:
    """A number with leading zeros and, if asked, a fixed number of decimals."""
    text = _text(value) if decimals is None else f"{Decimal(_text(value)):.{decimals}f}"
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    return sign + digits.rjust(width - len(sign), "0")
"#;

const EPOCH: &str = r#"

def _epoch(value: Any) -> int:
    """Seconds since 1970 of a date-time, a date or a number of seconds."""
    if not isinstance(value, str):
        return int(value)
    moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
    return int((moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp() // 1)


def _iso(value: Any) -> str:
    """The same moment in UTC with milliseconds."""
    return datetime.fromtimestamp(_epoch(value), timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
"#;

const FRESH: &str = r#"

def _is_fresh(item: Optional[Mapping[str, Any]], attribute: str) -> bool:
    """TTL deletes late: whoever reads must look whether an item's time is over."""
    return item is not None and (attribute not in item or item[attribute] > time.time())
"#;

const BATCH: &str = r#"

def _grouped(tables: Mapping[str, str], pairs: Iterable[tuple[str, Record]], size: int) -> Iterable[Dict[str, List[Record]]]:
    """Items or keys by table, at most so many in a request."""
    pairs = list(pairs)
    for start in range(0, len(pairs), size):
        group: Dict[str, List[Record]] = {}
        for table, value in pairs[start:start + size]:
            values = group.setdefault(tables[table], [])
            if _plain(value) not in values:
                values.append(_plain(value))
        yield group
"#;

/// The functions a program needs.
pub(super) fn all(program: &Program<'_>) -> String {
    let mut out = PLAIN.to_owned();
    let mut has_format = false;
    program.each_term(&mut |term| has_format |= term.formats(&|format| !format.is_empty()));
    if has_format {
        out.push_str(PADDED);
    }
    let times = ["year-month", "date", "iso-datetime", "epoch-seconds"];
    if program.has_ttl() || times.iter().any(|time| program.uses(time)) {
        out.push_str(EPOCH);
    }
    if program.has_freshness() {
        out.push_str(FRESH);
    }
    if program.has(Operation::BatchGet) || program.has(Operation::BatchWrite) {
        out.push_str(BATCH);
    }
    for (transform, helper) in [("sha256", "sha256"), ("md5", "md5")] {
        if program.uses(transform) {
            out.push_str(&format!(
                "\n\ndef _{helper}(value: Any) -> str:\n    return hashlib.{helper}(_text(value).encode()).hexdigest()\n"
            ));
        }
    }
    if program.uses("slug") {
        out.push_str(&slug());
    }
    out
}

fn slug() -> String {
    let marked: String = MARKED.iter().map(|(_, marked)| *marked).collect();
    let plain: String = MARKED
        .iter()
        .flat_map(|(plain, marked)| std::iter::repeat_n(*plain, marked.chars().count()))
        .collect();
    format!(
        "\n\n_PLAIN_LETTERS = str.maketrans(\n    {},\n    {},\n)\n\n\ndef _slug(value: Any) -> str:\n    \
         \"\"\"Lower case, letters without their marks, everything else a single hyphen.\"\"\"\n    \
         text = _text(value).lower().translate(_PLAIN_LETTERS)\n    \
         text = \"\".join(letter for letter in text if not \"\\u0300\" <= letter <= \"\\u036f\")\n    \
         words = \"\".join(letter if letter.isalnum() else \" \" for letter in text).split()\n    \
         return \"-\".join(words)\n",
        text(&marked),
        text(&plain)
    )
}
