//! Dates, times and durations as people and programs write them: ISO 8601, and short forms such as `36h`. Knows no clock.

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since 1970 began, in UTC.
    pub seconds: i64,
    /// Thousandths of a second after that.
    pub millis: u32,
}

impl Moment {
    /// Reads `2025-01-20T15:30:00Z`, with a fraction or an offset if there is one.
    pub fn parse(text: &str) -> Option<Moment> {
        let (date, time) = text.split_once('T')?;
        let (clock, offset) = match time.find(['Z', '+', '-']) {
            Some(at) => time.split_at(at),
            None => return None,
        };
        let (clock, millis) = match clock.split_once('.') {
            Some((clock, fraction)) => (clock, fraction_millis(fraction)?),
            None => (clock, 0),
        };
        let mut parts = clock.split(':');
        let hours = digits(parts.next()?, 2).filter(|hours| *hours < 24)?;
        let minutes = digits(parts.next()?, 2).filter(|minutes| *minutes < 60)?;
        let seconds = digits(parts.next()?, 2).filter(|seconds| *seconds < 61)?;
        if parts.next().is_some() {
            return None;
        }
        let clock = hours * 3600 + minutes * 60 + seconds;
        Some(Moment { seconds: days(date)? * 86_400 + clock - offset_seconds(offset)?, millis })
    }

    /// Reads a date alone as its midnight.
    pub fn parse_date(text: &str) -> Option<Moment> {
        Some(Moment { seconds: days(text)? * 86_400, millis: 0 })
    }

    /// The point so many milliseconds after 1970 began.
    pub fn from_millis(millis: u64) -> Moment {
        let seconds = i64::try_from(millis / 1_000).unwrap_or(i64::MAX);
        Moment { seconds, millis: u32::try_from(millis % 1_000).unwrap_or(0) }
    }

    /// Milliseconds since 1970 began; none before that.
    pub fn to_millis(self) -> Option<u64> {
        u64::try_from(self.seconds).ok()?.checked_mul(1_000)?.checked_add(u64::from(self.millis))
    }

    /// As `2025-01-20T15:30:00.000Z`.
    pub fn to_text(self) -> String {
        let (year, month, day) = date_of(self.seconds.div_euclid(86_400));
        let clock = self.seconds.rem_euclid(86_400);
        let (hours, minutes, seconds) = (clock / 3600, clock / 60 % 60, clock % 60);
        format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{:03}Z", self.millis)
    }

    /// The year and the week of ISO 8601 it lies in.
    pub fn iso_week(self) -> (i64, i64) {
        let day = self.seconds.div_euclid(86_400);
        // The week belongs to the year its Thursday lies in; 1970 began on a Thursday.
        let thursday = day - (day + 3).rem_euclid(7) + 3;
        let (year, _, _) = date_of(thursday);
        let first = days_of(year, 1, 1);
        (year, (thursday - first) / 7 + 1)
    }
}

/// Milliseconds of a duration as people type it: `90s`, `15m`, `25h`, `36d`, `1d12h`, `500ms`; a number alone is seconds.
pub fn span_ms(text: &str) -> Option<u64> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse::<u64>().ok()?.checked_mul(1_000);
    }
    let mut rest = text;
    let mut total = 0_u64;
    while !rest.is_empty() {
        let unit_at = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let (number, after) = rest.split_at(unit_at);
        let unit_end = after.find(|letter: char| letter.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let factor = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 604_800_000,
            _ => return None,
        };
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(factor)?)?;
        rest = next;
    }
    (!text.is_empty()).then_some(total)
}

/// Seconds of an ISO 8601 duration such as `P14D`, `PT45S` or `P1DT12H`; months and years have no fixed length.
pub fn duration_seconds(text: &str) -> Option<u64> {
    let rest = text.strip_prefix('P')?;
    let (date, time) = rest.split_once('T').map_or((rest, None), |(date, time)| (date, Some(time)));
    if time == Some("") || rest.is_empty() {
        return None;
    }
    let days = units(date, &[('W', 604_800), ('D', 86_400)])?;
    days.checked_add(units(time.unwrap_or_default(), &[('H', 3600), ('M', 60), ('S', 1)])?)
}

fn units(text: &str, known: &[(char, u64)]) -> Option<u64> {
    let mut total = 0_u64;
    let mut number = String::new();
    let mut left = known.iter();
    for letter in text.chars() {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        let (_, seconds) = left.find(|(unit, _)| *unit == letter)?;
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(*seconds)?)?;
        number.clear();
    }
    number.is_empty().then_some(total)
}

fn digits(text: &str, width: usize) -> Option<i64> {
    let right = text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
    if right { text.parse().ok() } else { None }
}

fn fraction_millis(text: &str) -> Option<u32> {
    let right = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let three: String = text.chars().chain("000".chars()).take(3).collect();
    if right { three.parse().ok() } else { None }
}

fn offset_seconds(text: &str) -> Option<i64> {
    let (sign, rest) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => return (text == "Z").then_some(0),
        },
    };
    let (hours, minutes) = rest.split_once(':')?;
    Some(sign * (digits(hours, 2)? * 3600 + digits(minutes, 2)? * 60))
}

/// Days since 1970 of `2025-01-20`, if there is such a day.
fn days(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-');
    let year = digits(parts.next()?, 4)?;
    let month = digits(parts.next()?, 2)?;
    let day = digits(parts.next()?, 2)?;
    let found = days_of(year, month, day);
    (date_of(found) == (year, month, day)).then_some(found)
}

/// Days since 1970 of a date in the Gregorian calendar; years begin in March so that leap days come last.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_and_written() {
        let cached = Moment::parse("2025-01-20T10:30:00.000Z").unwrap();
        assert_eq!(cached.seconds + 14 * 86_400, 1_738_578_600);
        assert_eq!(Moment { seconds: 1_705_328_955, millis: 0 }.to_text(), "2024-01-15T14:29:15.000Z");
        assert_eq!(Moment::parse("2024-01-15T15:29:15+01:00").unwrap().seconds, 1_705_328_955);
        for text in ["2025-02-30T00:00:00Z", "2025-01-01", "2025-01-01T25:00:00Z", "2025-01-01T00:00:00", "x"]
        {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    #[test]
    fn spans_as_people_type_them() {
        let table = [
            ("90s", 90_000),
            ("15m", 900_000),
            ("25h", 90_000_000),
            ("36d", 3_110_400_000),
            ("1d12h", 129_600_000),
            ("500ms", 500),
            ("7", 7_000),
            ("2w", 1_209_600_000),
        ];
        for (text, expected) in table {
            assert_eq!(span_ms(text), Some(expected), "{text}");
        }
        for text in ["", "s", "5x", "-5s", "1.5h", "5 s", "99999999999999999999d", "d5", "5é"] {
            assert_eq!(span_ms(text), None, "{text}");
        }
    }

    #[test]
    fn weeks_belong_to_the_year_of_their_thursday() {
        let week = |text| Moment::parse_date(text).unwrap().iso_week();
        assert_eq!(week("2024-12-30"), (2025, 1));
        assert_eq!(week("2021-01-01"), (2020, 53));
        assert_eq!(week("2025-01-20"), (2025, 4));
    }

    #[test]
    fn durations_are_seconds() {
        assert_eq!(duration_seconds("P14D"), Some(1_209_600));
        assert_eq!(duration_seconds("PT45S"), Some(45));
        assert_eq!(duration_seconds("P1DT12H"), Some(129_600));
        for text in ["", "P", "PT", "14D", "P1M", "P1Y", "PT5", "PTS", "P1H"] {
            assert_eq!(duration_seconds(text), None, "{text}");
        }
    }
}
