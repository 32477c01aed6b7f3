//! The ticks of an axis: their positions and labels, the same in the window and in exported files.

use super::Axis;
use crate::nanos::Nanos;
use crate::units::{NARROW_SPACE, format_clock, format_count};

/// Decimal logarithm of the lowest value, in nanoseconds, that has its own position: 100 ns. Lower
/// values are drawn at "0".
pub const FLOOR: f64 = 2.0;
/// Position of the "0" tick on a logarithmic axis, below the lowest decade.
pub const ZERO: f64 = 1.5;

/// The space between two names of rows, as a share of that between other labels. `egui_plot` draws no label at all if
/// labels are closer than they are high: up to 13.5 points, 0.43 of the 32 points for which the window counts one label.
pub const ROW_SHARE: f64 = 0.43;

/// A tick of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The position on the axis.
    pub at: f64,
    /// The approximate distance to the next tick of similar importance: `egui_plot` draws a stronger
    /// line for a larger distance.
    pub step: f64,
    /// The label; empty for a faint grid line.
    pub text: String,
}

/// The values of an axis, which determine its ticks and labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKind {
    /// Seconds since the start.
    Time,
    /// Milliseconds; the unit is in the axis label.
    Millis,
    /// The logarithm of nanoseconds, with a "0".
    LogNanos,
    /// A count.
    Count,
    /// The logarithm of a count.
    LogCount,
    /// The logarithm of a share of 1.
    LogShare,
    /// Nanoseconds; each label has its unit.
    Nanos,
    /// The logarithm of nanoseconds.
    LogTime,
    /// A share of 1.
    Share,
    /// A number without a unit.
    Number,
    /// The logarithm of a ratio, labeled with the relative change.
    Change,
    /// Rows with names; the names are stored in the plot.
    Rows,
}

impl AxisKind {
    /// Returns the ticks between two positions, as [`Axis::ticks`]; none for rows, whose names are not known here.
    pub fn ticks(self, (from, to): (f64, f64), length: f64) -> Vec<Tick> {
        let step = (to - from) / length;
        if !(from.is_finite() && to.is_finite() && from < to && 0.0 < step) {
            return Vec::new();
        }
        match self {
            Self::Time => even(from, to, time_step(step), time_label),
            Self::Millis => even(from, to, nice_step(step), millis_label),
            Self::Count => {
                even(from.max(0.0), to, nice_step(step).max(1.0), |at, _| count_label(at))
            }
            Self::LogNanos => {
                let mut ticks = decades(from.max(FLOOR), to, step, decade_label);
                if from <= ZERO && ZERO <= to {
                    ticks.insert(0, Tick { at: ZERO, step: 1.0, text: "0".to_owned() });
                }
                ticks
            }
            Self::LogCount => decades(from.max(0.0), to, step, count_label),
            Self::LogShare => decades(from, to, step, share_label),
            Self::LogTime => decades(from, to, step, decade_label),
            Self::Nanos => nanos(from, to, step),
            Self::Share => even(from, to, nice_step(step), |at, step| {
                format!("{:.*}%", decimals(step * 100.0), at * 100.0)
            }),
            Self::Number => {
                even(from, to, nice_step(step), |at, step| format!("{at:.*}", decimals(step)))
            }
            Self::Change => changes((from, to), step),
            Self::Rows => Vec::new(),
        }
    }
}

impl Axis {
    /// Returns the ticks between two positions of the axis. `length` is the length of the axis in labels: how many of
    /// them have room on it, with the space between them.
    pub fn ticks(&self, range: (f64, f64), length: f64) -> Vec<Tick> {
        match self.kind() {
            AxisKind::Rows => row_ticks(&self.names, range, length),
            kind => kind.ticks(range, length),
        }
    }

    /// Returns the ticks of the whole axis that have a label: their places, from 0 to 1, and the labels.
    pub fn labels(&self, length: f64) -> Vec<(f64, String)> {
        let (from, to) = (self.position(self.from), self.position(self.to));
        let ticks = self.ticks((from, to), length).into_iter();
        let labeled = ticks.filter(|tick| !tick.text.is_empty());
        labeled.map(|tick| (((tick.at - from) / (to - from)).clamp(0.0, 1.0), tick.text)).collect()
    }
}

/// Returns a tick in the middle of each row, or only of some rows if rows are lower than their names.
pub fn row_ticks(names: &[String], (from, to): (f64, f64), length: f64) -> Vec<Tick> {
    // Names of rows have less space between them than other labels.
    let apart = ((to - from) / length * ROW_SHARE).ceil().max(1.0);
    let mut next = f64::NEG_INFINITY;
    let mut ticks = Vec::new();
    for (name, row) in names.iter().zip(0_u32..) {
        let at = f64::from(row) + 0.5;
        if from <= at && at <= to && next <= at {
            next = at + apart - 1e-9;
            ticks.push(Tick { at, step: apart, text: name.clone() });
        }
    }
    ticks
}

/// Returns ticks at multiples of a step.
fn even(from: f64, to: f64, step: f64, label: impl Fn(f64, f64) -> String) -> Vec<Tick> {
    let first = (from / step - 1e-9).ceil();
    (0..200_u32)
        .map(|k| (first + f64::from(k)) * step)
        .take_while(|&at| at <= to + step * 1e-9)
        .map(|at| Tick { at, step, text: label(at, step) })
        .collect()
}

/// Returns ticks of durations, all in the unit that fits the longest duration; from a minute on, in
/// clock format.
fn nanos(from: f64, to: f64, step: f64) -> Vec<Tick> {
    let (unit, name) = match from.abs().max(to.abs()) {
        ..1e3 => (1.0, "ns"),
        1e3..1e6 => (1e3, "µs"),
        1e6..1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    if name == "s" {
        let secs = time_step(step / unit) * unit;
        return even(from, to, secs, |at, step| time_label(at / unit, step / unit));
    }
    even(from, to, nice_step(step), |at, step| {
        let value = if at.abs() < step * 1e-6 { 0.0 } else { at / unit };
        let text = format!("{value:.*}{NARROW_SPACE}{name}", decimals(step / unit));
        text.replace('-', "\u{2212}")
    })
}

/// Returns ticks at powers of ten, and faint lines at 2 to 9 times each. In a short range, 2 and 5
/// are also labeled. If labels would overlap, only some decades are labeled.
fn decades(from: f64, to: f64, step: f64, label: impl Fn(f64) -> String) -> Vec<Tick> {
    let short = to - from < 1.5;
    // A label is less than half as high as `step`, so labels of decades at least 0.45 × `step`
    // apart do not overlap.
    let every = (step * 0.45).ceil().max(1.0);
    let mut ticks = Vec::new();
    let mut decade = from.floor();
    while decade <= to && ticks.len() < 300 {
        for (digit, step) in [
            (1, 1.0),
            (2, 0.18),
            (3, 0.12),
            (4, 0.1),
            (5, 0.08),
            (6, 0.07),
            (7, 0.06),
            (8, 0.05),
            (9, 0.05),
        ] {
            let factor = f64::from(digit);
            let at = decade + factor.log10();
            if at < from - 1e-9 || to + 1e-9 < at {
                continue;
            }
            let is_even = decade.rem_euclid(every) < 0.5;
            let speaks = digit == 1 && is_even || short && (digit == 2 || digit == 5);
            let text = if speaks { label(factor * 10_f64.powf(decade)) } else { String::new() };
            // A label has the room up to the next labeled decade.
            let step = match (speaks, digit) {
                (true, 1) => every,
                (true, _) => 0.3,
                (false, _) => step,
            };
            ticks.push(Tick { at, step, text });
        }
        decade += 1.0;
    }
    ticks
}

/// Returns ticks at relative changes, from 0 outward, as far as there is room. In a range too short for two of them, they
/// are at multiples of a step.
fn changes((from, to): (f64, f64), step: f64) -> Vec<Tick> {
    const LOWER: [f64; 10] = [-0.01, -0.02, -0.05, -0.1, -0.25, -0.5, -0.8, -0.9, -0.95, -0.99];
    const HIGHER: [f64; 14] =
        [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0];
    // A label in the middle of its tick has room if the tick is not at the end.
    let room = (to - from) * 0.03;
    let tick = |at: f64, text: String| {
        (from + room..=to - room).contains(&at).then_some(Tick { at, step, text })
    };
    let side = |changes: &'static [f64]| {
        let mut last = 0.0_f64;
        changes.iter().filter_map(move |&change| {
            let at = change.ln_1p();
            let tick = (step <= (at - last).abs()).then(|| tick(at, change_label(change, 0)));
            last = if tick.is_some() { at } else { last };
            tick.flatten()
        })
    };
    let mut ticks: Vec<Tick> = tick(0.0, "0".to_owned()).into_iter().collect();
    ticks.extend(side(&LOWER).chain(side(&HIGHER)));
    if ticks.len() < 2 {
        let (from, to) = (from.exp_m1(), to.exp_m1());
        let step = nice_step((to - from) * step / (to.ln_1p() - from.ln_1p()));
        ticks = even(from, to, step, |change, step| change_label(change, decimals(step * 100.0)));
        for tick in &mut ticks {
            tick.at = tick.at.ln_1p();
        }
    }
    ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
    ticks
}

/// Formats a relative change: `+25%`.
fn change_label(change: f64, decimals: usize) -> String {
    if change.abs() < 1e-9 {
        return "0".to_owned();
    }
    format!("{:+.decimals$}%", change * 100.0).replace('-', "\u{2212}")
}

/// Returns the smallest of 1, 2, 5, 10, 20, … that is at least `min`.
fn nice_step(min: f64) -> f64 {
    let power = 10_f64.powf(min.log10().floor());
    [1.0, 2.0, 5.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| min <= *step * 1.000_001)
        .unwrap_or(power * 10.0)
}

/// Returns the smallest step of time, in seconds, that is at least `min`: below a second as in
/// [`nice_step`], above as on a clock (such as 15 s, 30 s, or 1 min).
fn time_step(min: f64) -> f64 {
    const CLOCK: [f64; 13] =
        [1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1_800.0, 3_600.0];
    if min <= 0.5 {
        return nice_step(min);
    }
    let hours = || (min / 3_600.0).ceil() * 3_600.0;
    CLOCK.into_iter().find(|step| min <= *step).unwrap_or_else(hours)
}

/// Formats a time: `6 s`; from a minute on, `1:00`; `6.2 s` if ticks are close together.
fn time_label(secs: f64, step: f64) -> String {
    let secs = if secs.abs() < step * 1e-6 { 0.0 } else { secs };
    if 60.0 <= secs && 1.0 <= step {
        return format_clock(Nanos::from_secs_f64(secs.round()));
    }
    format!("{secs:.*}{NARROW_SPACE}s", decimals(step))
}

/// Formats milliseconds without the unit, which is in the axis label: `17.0`.
fn millis_label(millis: f64, step: f64) -> String {
    let millis = if millis.abs() < step * 1e-6 { 0.0 } else { millis };
    format!("{millis:.*}", decimals(step).max(usize::from(step < 2.0))).replace('-', "\u{2212}")
}

/// Formats a power of ten in nanoseconds: `0.1 µs`, `10 ms`, `1 s`.
fn decade_label(nanos: f64) -> String {
    let (value, unit) = match nanos {
        ..99.0 => (nanos, "ns"),
        99.0..999_000.0 => (nanos / 1e3, "µs"),
        999_000.0..999_000_000.0 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    let decimals = usize::from(value < 0.95);
    format!("{value:.decimals$}{NARROW_SPACE}{unit}")
}

fn count_label(count: f64) -> String {
    format_count(Nanos::from_nanos_f64(count.round()).get())
}

/// Formats a share: `100%`, `0.1%`.
fn share_label(share: f64) -> String {
    let percent = share * 100.0;
    format!("{percent:.*}%", decimals(percent))
}

/// Returns the number of decimals with which multiples of a step have different labels.
fn decimals(step: f64) -> usize {
    (0..9)
        .find(|&decimals| {
            let scaled = step * 10_f64.powi(decimals);
            0.99 <= scaled && (scaled - scaled.round()).abs() < 1e-6 * scaled
        })
        .and_then(|decimals| usize::try_from(decimals).ok())
        .unwrap_or(9)
}

#[cfg(test)]
mod tests;
