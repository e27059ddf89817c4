//! The small functions the TypeScript layer stands on: only those that a design needs. Knows no entities.

use super::super::code::{MARKED, Operation, Program};
use super::text;

const PADDED: &str = r#"
/** A number with leading zeros and, if asked, a fixed number of decimals. */
function padded(value: any, width: number, decimals?: number): string {
  const plain = decimals === undefined ? String(value) : Number(value).toFixed(decimals);
  const sign = plain.startsWith("-") ? "-" : "";
  return sign + plain.slice(sign.length).padStart(width - sign.length, "0");
}
"#;

const EPOCH: &str = r#"
/** Seconds since 1970 of a date-time, a date or a number of seconds. */
function epoch(value: any): number {
  return typeof value === "string" ? Math.floor(Date.parse(value) / 1000) : Number(value);
}
"#;

const ISO: &str = r#"
/** The same moment in UTC with milliseconds. */
function iso(value: any): string {
  return new Date(epoch(value) * 1000).toISOString();
}
"#;

const FRESH: &str = r#"
/** TTL deletes late: whoever reads must look whether an item's time is over. */
function isFresh(item: Item, attribute: string): boolean {
  return item[attribute] === undefined || item[attribute] > Date.now() / 1000;
}
"#;

const BATCH: &str = r#"
/** Items or keys by table, at most so many in a request. */
function* grouped(tables: Record<string, string>, pairs: [string, Item][], size: number): Generator<Record<string, Item[]>> {
  for (let start = 0; start < pairs.length; start += size) {
    const group: Record<string, Item[]> = {};
    for (const [table, value] of pairs.slice(start, start + size)) {
      const values = (group[tables[table] as string] ??= []);
      if (!values.some((known) => JSON.stringify(known) === JSON.stringify(value))) values.push(value);
    }
    yield group;
  }
}
"#;

/// The functions a program needs.
pub(super) fn all(program: &Program<'_>) -> String {
    let mut out = String::new();
    let mut has_format = false;
    program.each_term(&mut |term| has_format |= term.formats(&|format| !format.is_empty()));
    if has_format {
        out.push_str(PADDED);
    }
    let times = ["year-month", "date", "iso-datetime", "epoch-seconds"];
    if program.has_ttl() || times.iter().any(|time| program.uses(time)) {
        out.push_str(EPOCH);
    }
    if ["year-month", "date", "iso-datetime"].iter().any(|time| program.uses(time)) {
        out.push_str(ISO);
    }
    if program.has_freshness() {
        out.push_str(FRESH);
    }
    if program.has(Operation::BatchGet) || program.has(Operation::BatchWrite) {
        out.push_str(BATCH);
    }
    for hash in ["sha256", "md5"] {
        if program.uses(hash) {
            out.push_str(&format!(
                "\nfunction {hash}(value: any): string {{\n  return createHash(\"{hash}\").update(String(value)).digest(\"hex\");\n}}\n"
            ));
        }
    }
    if program.uses("slug") {
        out.push_str(&slug());
    }
    out
}

fn slug() -> String {
    let lines: String =
        MARKED.iter().map(|(plain, marked)| format!("  {plain}: {},\n", text(marked))).collect();
    format!(
        "\nconst markedLetters: Record<string, string> = {{\n{lines}}};\n\n\
         /** Lower case, letters without their marks, everything else a single hyphen. */\nfunction slug(value: any): string {{\n  \
         let plain = String(value).toLowerCase().replace(/[\\u0300-\\u036f]/g, \"\");\n  \
         for (const [letter, marked] of Object.entries(markedLetters)) plain = plain.replace(new RegExp(`[${{marked}}]`, \"g\"), letter);\n  \
         return plain.replace(/[^\\p{{L}}\\p{{N}}]+/gu, \"-\").replace(/^-+|-+$/g, \"\");\n}}\n"
    )
}
