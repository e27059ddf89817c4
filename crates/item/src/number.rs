//! Decimal numbers of up to 38 significant digits: read, print, compare, add.

use std::cmp::Ordering;
use std::fmt;

/// Significant digits a number may have.
const DIGITS_MAX: u32 = 38;
/// Exponent of the first digit of the largest number.
const MAGNITUDE_MAX: i32 = 125;
/// Exponent of the first digit of the smallest positive number.
const MAGNITUDE_MIN: i32 = -130;

/// A number: `mantissa × 10^exponent`.
///
/// INVARIANT: the mantissa has at most 38 digits and does not end in zero, unless the number is zero, which has
/// mantissa and exponent 0. So equal numbers have equal fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Number {
    mantissa: i128,
    exponent: i16,
}

/// Why a text or a sum is not a number of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberError {
    /// Not a decimal number at all.
    NotANumber,
    /// More than 38 significant digits.
    TooPrecise,
    /// Larger than 9.99…E+125.
    Overflow,
    /// Closer to zero than 1E-130.
    Underflow,
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number { mantissa: 0, exponent: 0 };

    /// Reads decimal or scientific notation.
    pub fn parse(text: &str) -> Result<Number, NumberError> {
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, text.get(1..).unwrap_or("")),
            Some(b'+') => (false, text.get(1..).unwrap_or("")),
            _ => (false, text),
        };
        let (digits, scientific) = match rest.find(['e', 'E']) {
            Some(at) => (rest.get(..at).unwrap_or(""), parse_exponent(rest.get(at + 1..).unwrap_or(""))?),
            None => (rest, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(NumberError::NotANumber);
        }
        let mut mantissa: i128 = 0;
        let mut significant = 0;
        let mut zeros: i64 = 0; // Zeros seen since the last significant digit.
        for digit in whole.bytes().chain(fraction.bytes()) {
            match digit {
                b'0' => zeros += 1,
                b'1'..=b'9' => {
                    if mantissa != 0 {
                        significant += zeros;
                        for _ in 0..zeros.min(DIGITS_MAX.into()) {
                            mantissa = mantissa.saturating_mul(10);
                        }
                    }
                    zeros = 0;
                    significant += 1;
                    if significant <= DIGITS_MAX.into() {
                        mantissa = mantissa * 10 + i128::from(digit - b'0');
                    }
                }
                _ => return Err(NumberError::NotANumber),
            }
        }
        if mantissa == 0 {
            return Ok(Number::ZERO);
        }
        let exponent = scientific - i64::try_from(fraction.len()).unwrap_or(i64::MAX / 4) + zeros;
        // OBSERVED: a number outside the range is reported as such before its digits are counted.
        let magnitude = exponent + significant - 1;
        if magnitude > MAGNITUDE_MAX.into() {
            return Err(NumberError::Overflow);
        }
        if magnitude < MAGNITUDE_MIN.into() {
            return Err(NumberError::Underflow);
        }
        if significant > DIGITS_MAX.into() {
            return Err(NumberError::TooPrecise);
        }
        let exponent = i16::try_from(exponent).map_err(|_| NumberError::Overflow)?;
        Ok(Number { mantissa: if negative { -mantissa } else { mantissa }, exponent })
    }

    /// The sum, exact; a sum that needs more than 38 digits is refused.
    pub fn plus(self, other: Number) -> Result<Number, NumberError> {
        if self.mantissa == 0 {
            return Ok(other);
        }
        if other.mantissa == 0 {
            return Ok(self);
        }
        let base = self.exponent.min(other.exponent);
        let span = self.magnitude().max(other.magnitude()) - i32::from(base) + 1;
        if span < DIGITS_MAX as i32 {
            let aligned = |number: Number| {
                number.mantissa * 10_i128.pow((number.exponent - base).unsigned_abs().into())
            };
            return Number::normal(aligned(self) + aligned(other), base.into());
        }
        add_digits(self, other, base)
    }

    /// The difference, as [`Number::plus`].
    pub fn minus(self, other: Number) -> Result<Number, NumberError> {
        self.plus(Number { mantissa: -other.mantissa, exponent: other.exponent })
    }

    /// The digits without sign and trailing zeros.
    pub fn digits(self) -> u32 {
        digit_count(self.mantissa)
    }

    /// The exponent of the first digit: 0 for 1 to 9.99…, -1 for 0.1.
    pub fn magnitude(self) -> i32 {
        if self.mantissa == 0 { 0 } else { i32::from(self.exponent) + self.digits() as i32 - 1 }
    }

    /// Whether the number is below zero.
    pub fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// Mantissa and exponent.
    pub fn parts(self) -> (i128, i16) {
        (self.mantissa, self.exponent)
    }

    /// The number with these parts, brought to its one normal form; none if out of range.
    pub fn from_parts(mantissa: i128, exponent: i16) -> Option<Number> {
        Number::normal(mantissa, exponent.into()).ok()
    }

    /// The number without its fraction, if that fits 64 bits.
    pub fn whole(self) -> Option<i64> {
        match u32::try_from(self.exponent) {
            Ok(_) => self.to_i64(),
            Err(_) => {
                let cut = 10_i128.checked_pow(u32::from(self.exponent.unsigned_abs()))?;
                i64::try_from(self.mantissa / cut).ok()
            }
        }
    }

    /// The number as a whole number of at most 64 bits, if it is one.
    pub fn to_i64(self) -> Option<i64> {
        let shift = u32::try_from(self.exponent).ok()?;
        let whole = self.mantissa.checked_mul(10_i128.checked_pow(shift)?)?;
        i64::try_from(whole).ok()
    }

    /// `mantissa × 10^exponent` in its one form.
    fn normal(mantissa: i128, exponent: i32) -> Result<Number, NumberError> {
        if mantissa == 0 {
            return Ok(Number::ZERO);
        }
        let (mut mantissa, mut exponent) = (mantissa, exponent);
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        let digits = digit_count(mantissa);
        let magnitude = exponent + digits as i32 - 1;
        if magnitude > MAGNITUDE_MAX {
            return Err(NumberError::Overflow);
        }
        if magnitude < MAGNITUDE_MIN {
            return Err(NumberError::Underflow);
        }
        if digits > DIGITS_MAX {
            return Err(NumberError::TooPrecise);
        }
        let exponent = i16::try_from(exponent).map_err(|_| NumberError::Overflow)?;
        Ok(Number { mantissa, exponent })
    }
}

/// Adds digit by digit what is too wide for the machine's integers.
fn add_digits(a: Number, b: Number, base: i16) -> Result<Number, NumberError> {
    let (large, small) = if compare_magnitudes(a, b) == Ordering::Less { (b, a) } else { (a, b) };
    let mut sum = digits_from_last(large, base);
    let mut carry = 0_i8;
    let same_sign = large.is_negative() == small.is_negative();
    let mut other = digits_from_last(small, base).into_iter();
    for digit in &mut sum {
        let addend = other.next().unwrap_or(0);
        let total = *digit + carry + if same_sign { addend } else { -addend };
        carry = total.div_euclid(10);
        *digit = total.rem_euclid(10);
    }
    if carry > 0 {
        sum.push(carry);
    }
    let mut text = String::with_capacity(sum.len() + 8);
    if large.is_negative() {
        text.push('-');
    }
    text.extend(sum.iter().rev().map(|digit| char::from(b'0' + digit.unsigned_abs())));
    Number::parse(&format!("{text}E{base}"))
}

/// The decimal digits down to the place `base`, last one first.
fn digits_from_last(number: Number, base: i16) -> Vec<i8> {
    let mut digits = vec![0_i8; usize::from((number.exponent - base).unsigned_abs())];
    let mut rest = number.mantissa.unsigned_abs();
    while rest > 0 {
        digits.push((rest % 10) as i8);
        rest /= 10;
    }
    digits
}

fn compare_magnitudes(a: Number, b: Number) -> Ordering {
    a.magnitude().cmp(&b.magnitude()).then_with(|| {
        let (a_digits, b_digits) = (a.digits(), b.digits());
        let a = a.mantissa.unsigned_abs() * 10_u128.pow(b_digits.saturating_sub(a_digits));
        let b = b.mantissa.unsigned_abs() * 10_u128.pow(a_digits.saturating_sub(b_digits));
        a.cmp(&b)
    })
}

fn parse_exponent(text: &str) -> Result<i64, NumberError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberError::NotANumber);
    }
    // An exponent of more digits is out of range whatever the mantissa has, unless that is zero.
    let value = digits.parse::<i64>().unwrap_or(i64::MAX / 8).min(i64::MAX / 8);
    Ok(if text.starts_with('-') { -value } else { value })
}

fn digit_count(mantissa: i128) -> u32 {
    mantissa.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1)
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        let by_sign = self.mantissa.signum().cmp(&other.mantissa.signum());
        if by_sign != Ordering::Equal || self.mantissa == 0 {
            return by_sign;
        }
        let by_size = compare_magnitudes(*self, *other);
        if self.mantissa < 0 { by_size.reverse() } else { by_size }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Number {
    fn from(whole: i64) -> Number {
        Number::normal(whole.into(), 0).unwrap_or(Number::ZERO)
    }
}

/// Plain decimal notation without exponent, as the service answers.
impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [b'0'; 40];
        let mut magnitude = self.mantissa.unsigned_abs();
        let mut start = buffer.len();
        while magnitude > 0 || start == buffer.len() {
            start -= 1;
            if let Some(place) = buffer.get_mut(start) {
                *place = b'0' + (magnitude % 10) as u8;
            }
            magnitude /= 10;
        }
        let digits = buffer.get(start..).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("0");
        if self.mantissa < 0 {
            formatter.write_str("-")?;
        }
        let point = digits.len() as i32 + i32::from(self.exponent);
        if self.exponent >= 0 {
            formatter.write_str(digits)?;
            return zeros(formatter, i32::from(self.exponent));
        }
        match usize::try_from(point) {
            Ok(point) if point > 0 => {
                let (whole, fraction) = digits.split_at(point);
                write!(formatter, "{whole}.{fraction}")
            }
            _ => {
                formatter.write_str("0.")?;
                zeros(formatter, -point)?;
                formatter.write_str(digits)
            }
        }
    }
}

fn zeros(formatter: &mut fmt::Formatter<'_>, count: i32) -> fmt::Result {
    for _ in 0..count {
        formatter.write_str("0")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, NumberError>) {
        let got = Number::parse(text).map(|number| number.to_string());
        assert_eq!(got, expected.map(str::to_string), "reading {text}");
    }

    #[test]
    fn reads_and_prints() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("00042", "42"),
            ("1.0", "1"),
            ("3.1400", "3.14"),
            ("1.5E2", "150"),
            ("1e2", "100"),
            (".5", "0.5"),
            ("5.", "5"),
            ("+5", "5"),
            ("-0.00120", "-0.0012"),
            ("10000000000000000000000000000000000000000", "10000000000000000000000000000000000000000"),
            ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
            ("0e999999999999999999999", "0"),
            ("1.0000000000000000000000000000000000000000000000000", "1"),
        ] {
            check(text, Ok(expected));
        }
        let smallest = format!("0.{}1", "0".repeat(129));
        check("1E-130", Ok(&smallest));
        let largest = format!("{}{}", "9".repeat(38), "0".repeat(88));
        check("9.9999999999999999999999999999999999999E+125", Ok(&largest));
    }

    #[test]
    fn refuses() {
        for text in
            ["", "-", "abc", "1e", "1 ", " 1", "0x1", "1.2.3", "NaN", "Infinity", "1e+", "--1", "e5", "."]
        {
            check(text, Err(NumberError::NotANumber));
        }
        check("123456789012345678901234567890123456789", Err(NumberError::TooPrecise));
        check("1E+126", Err(NumberError::Overflow));
        check("-1E+126", Err(NumberError::Overflow));
        check("1E-131", Err(NumberError::Underflow));
        check("1e99999999999999999999", Err(NumberError::Overflow));
    }

    #[test]
    fn adds_exactly() {
        for (a, b, sum) in [
            ("1", "2", "3"),
            ("0.1", "0.2", "0.3"),
            ("-5", "5", "0"),
            ("1E37", "1", "10000000000000000000000000000000000001"),
            ("99999999999999999999999999999999999999", "1", "100000000000000000000000000000000000000"),
            (
                "1E-130",
                "1E-130",
                "0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002",
            ),
            ("99999999999999999999999999999999999999", "-99999999999999999999999999999999999998", "1"),
            ("10000000000000000000000000000000000000", "-0.1", "9999999999999999999999999999999999999.9"),
            ("-10000000000000000000000000000000000000", "0.1", "-9999999999999999999999999999999999999.9"),
            ("100", "-0.5", "99.5"),
        ] {
            let expected = Number::parse(sum).unwrap();
            let (a, b) = (Number::parse(a).unwrap(), Number::parse(b).unwrap());
            assert_eq!(a.plus(b), Ok(expected));
            assert_eq!(b.plus(a), Ok(expected));
        }
        let largest = Number::parse("9.9999999999999999999999999999999999999E+125").unwrap();
        assert_eq!(largest.plus(largest), Err(NumberError::Overflow));
        assert_eq!(largest.plus(Number::from(1)), Err(NumberError::TooPrecise));
    }

    #[test]
    fn loses_its_fraction() {
        for (text, whole) in [
            ("1700000000.9", Some(1_700_000_000)),
            ("-1.5", Some(-1)),
            ("12", Some(12)),
            ("0.4", Some(0)),
            ("1E30", None),
        ] {
            assert_eq!(Number::parse(text).unwrap().whole(), whole, "{text}");
        }
    }

    #[test]
    fn orders() {
        let ordered =
            ["-1E125", "-10", "-9.5", "-1", "-1E-130", "0", "1E-130", "0.5", "1", "9", "10", "10.5", "1E125"];
        for pair in ordered.windows(2) {
            assert!(Number::parse(pair[0]).unwrap() < Number::parse(pair[1]).unwrap(), "{pair:?}");
        }
    }
}
