//! One cell of a table: a typed value, or the reason why there is none.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use super::format::{Format, Quantity};
use crate::nanos::Nanos;
use crate::stats::GradeRange;
use crate::units::{
    MISSING, format_count, format_decimal, format_interval, format_share, format_signed_share,
    format_time, format_time_in,
};

/// One cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A time in nanoseconds; a mean has a fraction.
    Time(f64),
    /// A count.
    Count(u64),
    /// A share; 1.0 is 100%.
    Share(f64),
    /// A rate in events per second.
    Rate(f64),
    /// A number without a unit, or with the unit of its column.
    Number(f64),
    /// Text without a number to compute with.
    Text(String),
    /// A grade or a bound, such as Good or better.
    Grade(GradeRange),
    /// The quantity, the low end, and the high end of a 95% confidence interval.
    Interval(Quantity, f64, f64),
    /// No value. The text is the reason in a few words, without a period.
    Absent(Cow<'static, str>),
}

/// The exact value of a cell, for files: neither rounded nor with a unit.
#[derive(Clone, Debug, PartialEq)]
pub enum Exact {
    /// No value.
    Absent,
    /// A count or whole nanoseconds.
    Whole(i64),
    /// A number with a fraction; always finite.
    Fraction(f64),
    /// Text, including the word of a grade.
    Text(String),
}

impl Exact {
    fn of(value: f64) -> Self {
        /// 2^53: an `f64` represents every integer below this value exactly.
        const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;
        if !value.is_finite() {
            return Self::Absent;
        }
        if value.fract() == 0.0 && value.abs() < EXACT_BELOW {
            return Self::Whole(Nanos::from_nanos_f64(value).get());
        }
        Self::Fraction(value)
    }
}

impl fmt::Display for Exact {
    /// Writes plain digits without separators or a unit, as in CSV; nothing if there is no value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => Ok(()),
            Self::Whole(value) => write!(f, "{value}"),
            Self::Fraction(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Cell {
    /// Returns a cell with a text.
    pub fn text_of(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Returns a cell with a grade, or with the reason why there is none.
    pub fn grade(grade: Option<GradeRange>, reason: &'static str) -> Self {
        grade.map_or(Self::Absent(Cow::Borrowed(reason)), Self::Grade)
    }

    /// Returns the number in the cell, for plots and sorting: the midpoint of an interval. `None` for text, grades, and
    /// absent values.
    pub fn value(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "for plots and sorting")]
        match self {
            Self::Time(value) | Self::Share(value) | Self::Rate(value) | Self::Number(value) => {
                Some(*value)
            }
            Self::Count(count) => Some(*count as f64),
            Self::Interval(_, low, high) => Some(f64::midpoint(*low, *high)),
            Self::Text(_) | Self::Grade(_) | Self::Absent(_) => None,
        }
    }

    /// Returns the reason why there is no value; `None` if the cell has a value.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Absent(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns the exact value of the cell; two values (both ends) if `has_ends`, as in columns of intervals or grades.
    pub(super) fn exact(&self, has_ends: bool) -> Vec<Exact> {
        let one = match self {
            Self::Time(value) | Self::Share(value) | Self::Rate(value) | Self::Number(value) => {
                Exact::of(*value)
            }
            Self::Count(count) => Exact::Whole(i64::try_from(*count).unwrap_or(i64::MAX)),
            Self::Text(text) => Exact::Text(text.clone()),
            Self::Grade(grade) => {
                return [grade.worst(), grade.best()]
                    .map(|end| Exact::Text(end.word().to_owned()))
                    .into();
            }
            Self::Interval(_, low, high) => return vec![Exact::of(*low), Exact::of(*high)],
            Self::Absent(_) => Exact::Absent,
        };
        if has_ends { vec![one.clone(), one] } else { vec![one] }
    }

    /// Returns the cell as text in the format of its column, which has the unit and the number of decimals.
    pub fn text(&self, format: &Format) -> String {
        match self {
            Self::Time(value) => number_text(Quantity::Time, *value, format),
            Self::Share(value) => number_text(Quantity::Share, *value, format),
            Self::Rate(value) => number_text(Quantity::Rate, *value, format),
            Self::Number(value) => number_text(Quantity::Number, *value, format),
            Self::Count(count) => format_count(*count),
            Self::Text(text) => text.clone(),
            Self::Grade(grade) if *format == Format::Steps => grade.step().to_owned(),
            Self::Grade(grade) => grade.word().to_owned(),
            Self::Interval(of, low, high) => {
                format_interval(&number_text(*of, *low, format), &number_text(*of, *high, format))
            }
            Self::Absent(_) => MISSING.to_owned(),
        }
    }

    /// Compares two cells of one column for sorting: numbers by value, grades with the best first, and texts as in
    /// `compare_texts`. Absent values come last.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Absent(_), Self::Absent(_)) => Ordering::Equal,
            (Self::Absent(_), _) => Ordering::Greater,
            (_, Self::Absent(_)) => Ordering::Less,
            (Self::Grade(one), Self::Grade(two)) => one.cmp(two),
            (Self::Text(one), Self::Text(two)) => compare_texts(one, two),
            _ => {
                let (one, two) = (self.value(), other.value());
                one.unwrap_or(f64::NAN).total_cmp(&two.unwrap_or(f64::NAN))
            }
        }
    }
}

/// Compares texts letter by letter, but digits by the number that they form: `CPU 2` comes before `CPU 10`.
fn compare_texts(one: &str, two: &str) -> Ordering {
    let (mut one, mut two) = (one, two);
    loop {
        let (number_one, rest_one) = split_number(one);
        let (number_two, rest_two) = split_number(two);
        if let (Some(a), Some(b)) = (number_one, number_two) {
            match a.len().cmp(&b.len()).then_with(|| a.cmp(b)) {
                Ordering::Equal => (one, two) = (rest_one, rest_two),
                unequal => return unequal,
            }
            continue;
        }
        let (mut letters_one, mut letters_two) = (one.chars(), two.chars());
        match (letters_one.next(), letters_two.next()) {
            (Some(a), Some(b)) if a == b => {
                (one, two) = (letters_one.as_str(), letters_two.as_str());
            }
            (a, b) => return a.cmp(&b),
        }
    }
}

/// Splits a text into the digits at its start, without leading zeros, and the rest. The digits are `None` if the text
/// starts with another character.
fn split_number(text: &str) -> (Option<&str>, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    ((!digits.is_empty()).then(|| digits.trim_start_matches('0')), rest)
}

/// Returns a number of this quantity as text. A time includes its unit, unless the format of the column sets one.
fn number_text(quantity: Quantity, value: f64, format: &Format) -> String {
    match (quantity, *format) {
        _ if !value.is_finite() => MISSING.to_owned(),
        (Quantity::Time, Format::Time { unit, decimals }) => {
            format_time_in(Nanos::from_nanos_f64(value), unit, decimals)
        }
        (Quantity::Time, _) => format_time(Nanos::from_nanos_f64(value)),
        (Quantity::Share, Format::Signed) => format_signed_share(value),
        (Quantity::Share, _) => format_share(value),
        (Quantity::Count, _) => format_decimal(value, 0),
        (_, Format::Decimal { decimals, .. }) => format_decimal(value, decimals),
        (Quantity::Rate, _) => format_decimal(value, 1),
        _ => format_decimal(value, 2),
    }
}

impl From<Nanos> for Cell {
    fn from(time: Nanos) -> Self {
        Self::Time(time.as_f64())
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Count(u64::try_from(count).unwrap_or(u64::MAX))
    }
}

impl From<(Nanos, Nanos)> for Cell {
    fn from((low, high): (Nanos, Nanos)) -> Self {
        Self::Interval(Quantity::Time, low.as_f64(), high.as_f64())
    }
}
