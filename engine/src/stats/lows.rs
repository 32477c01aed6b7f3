//! The "1% low" frame rate by the definitions of several tools.

use super::percentile::{PercentileRule, Quantile, Sorted};
use super::{float, nanos_float};

/// A definition of the low frame rate of a share x of the frames; `N` is the number of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LowDefinition {
    /// 1000 / mean of the ⌈x N⌉ longest frame times in ms.
    #[default]
    MeanOfSlowest,
    /// The x quantile of the frame rates by R type 8: CapFrameX "P1".
    CapFrameXPercentile,
    /// 1000 / mean of all frame times in ms at or above their (1 − x) quantile by R type 8: CapFrameX "1 % low
    /// average". Includes all frame times that are equal to the quantile.
    CapFrameXAverage,
    /// Frame times are added up, the longest first, until their sum is the share x of the total time. The low
    /// is the rate of the last frame added: RTSS, CapFrameX "1 % low integral".
    TimeIntegral,
    /// The rate of the frame at position ⌊x N⌋ − 1, counted from 0 at the slowest frame: MangoHud.
    MangoHud,
    /// The x quantile of the frame rates by R type 7: PresentMon.
    PresentMon,
    /// 1000 / the (1 − x) quantile of the frame times in ms by R type 7.
    InverseOfPercentile,
}

impl LowDefinition {
    /// Every definition, the default one first.
    pub const ALL: [Self; 7] = [
        Self::MeanOfSlowest,
        Self::CapFrameXPercentile,
        Self::CapFrameXAverage,
        Self::TimeIntegral,
        Self::MangoHud,
        Self::PresentMon,
        Self::InverseOfPercentile,
    ];

    /// Returns the name of the definition in files and reports.
    pub const fn label(self) -> &'static str {
        match self {
            Self::MeanOfSlowest => "mean of the slowest 1%",
            Self::CapFrameXPercentile => "CapFrameX P1",
            Self::CapFrameXAverage => "CapFrameX 1% low average",
            Self::TimeIntegral => "RTSS, CapFrameX 1% low integral",
            Self::MangoHud => "MangoHud 1%",
            Self::PresentMon => "PresentMon P1",
            Self::InverseOfPercentile => "1000 / p99 frame time",
        }
    }

    /// Returns the name on the command line.
    pub const fn key(self) -> &'static str {
        match self {
            Self::MeanOfSlowest => "mean-of-slowest",
            Self::CapFrameXPercentile => "capframex-p1",
            Self::CapFrameXAverage => "capframex-average",
            Self::TimeIntegral => "time-integral",
            Self::MangoHud => "mangohud",
            Self::PresentMon => "presentmon",
            Self::InverseOfPercentile => "inverse-of-p99",
        }
    }

    /// Returns the definition with this name on the command line; `None` for an unknown name.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|definition| definition.key() == key)
    }

    /// Returns the low in frames per second from frame times in nanoseconds; `None` if a frame time is 0 or less.
    ///
    /// `share` is 0.01 for the 1% low.
    pub fn of(self, frame_times: &Sorted, share: f64) -> Option<f64> {
        if frame_times.min() <= 0 {
            return None;
        }
        let count = frame_times.count();
        let whole = super::position(share * float(count) * (1.0 + 1e-12));
        let quantile = Quantile::new(100_000 - percent_parts(share));
        Some(match self {
            Self::MeanOfSlowest => {
                let slowest = super::position((share * float(count) - 1e-9).ceil()).clamp(1, count);
                rate(mean(frame_times.values().skip(count - slowest)))
            }
            Self::CapFrameXPercentile => rate_quantile(frame_times, share, PercentileRule::R8),
            Self::PresentMon => rate_quantile(frame_times, share, PercentileRule::R7),
            Self::CapFrameXAverage => {
                let limit = frame_times.percentile(quantile, PercentileRule::R8);
                let first = frame_times.count_while(|time| nanos_float(time) < limit);
                rate(mean(frame_times.values().skip(first.min(count - 1))))
            }
            Self::TimeIntegral => {
                let all: f64 = frame_times.values().map(nanos_float).sum();
                let mut sum = 0.0;
                let slow = frame_times.values().rev().find(|&time| {
                    sum += nanos_float(time);
                    share * all <= sum
                });
                rate(nanos_float(slow.unwrap_or_else(|| frame_times.max())))
            }
            Self::MangoHud => {
                let from_slowest = whole.saturating_sub(1).min(count - 1);
                rate(nanos_float(frame_times.at(count - 1 - from_slowest)))
            }
            Self::InverseOfPercentile => rate(frame_times.percentile(quantile, PercentileRule::R7)),
        })
    }
}

/// A low by every definition, in frames per second, all computed from one list of sorted frame times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lows([f64; LowDefinition::ALL.len()]);

impl Lows {
    /// Returns the low by every definition; `share` is 0.01 for the 1% low. `None` if the share is less than
    /// one frame, or if a frame time is 0 or less.
    pub fn of(frame_times: &Sorted, share: f64) -> Option<Self> {
        if float(frame_times.count()) * share < 1.0 - 1e-9 {
            return None;
        }
        let mut lows = [0.0; LowDefinition::ALL.len()];
        for (low, definition) in lows.iter_mut().zip(LowDefinition::ALL) {
            *low = definition.of(frame_times, share)?;
        }
        Some(Self(lows))
    }

    /// Returns the low by one definition, in frames per second.
    pub fn by(&self, definition: LowDefinition) -> f64 {
        let [default, ..] = self.0;
        let found = LowDefinition::ALL.into_iter().zip(self.0).find(|(one, _)| *one == definition);
        found.map_or(default, |(_, fps)| fps)
    }
}

fn percent_parts(share: f64) -> u32 {
    u32::try_from(super::position((share * 1e5).round())).unwrap_or(100_000).min(100_000)
}

fn rate(nanos: f64) -> f64 {
    1e9 / nanos
}

fn mean(times: impl ExactSizeIterator<Item = i64>) -> f64 {
    let count = float(times.len());
    times.map(nanos_float).sum::<f64>() / count
}

/// Returns a quantile of the frame rates. The lowest rate is that of the longest frame time, so the sorted frame
/// times are read from the end.
fn rate_quantile(times: &Sorted, share: f64, rule: PercentileRule) -> f64 {
    let count = float(times.count());
    let at = match rule {
        PercentileRule::R8 => (count + 1.0 / 3.0) * share + 1.0 / 3.0 - 1.0,
        _ => (count - 1.0) * share,
    };
    let at = at.clamp(0.0, count - 1.0);
    let below = super::position(at);
    let rate_at = |index: usize| {
        let from_behind = times.count() - 1 - index.min(times.count() - 1);
        rate(nanos_float(times.at(from_behind)))
    };
    rate_at(below) + (rate_at(below + 1) - rate_at(below)) * (at - float(below))
}

/// Returns the number of frames divided by their total time in seconds, which differs from the mean of the frame
/// rates; `None` if the mean frame time is 0 or less.
pub fn average_fps(frame_times: &Sorted) -> Option<f64> {
    let average = mean(frame_times.values());
    (0.0 < average).then(|| rate(average))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[(usize, i64)]) -> Sorted {
        let times = parts.iter().flat_map(|&(count, micros)| vec![micros * 1_000; count]);
        Sorted::of(times.collect()).unwrap()
    }

    fn check(times: &Sorted, average: f64, expected: [f64; 7]) {
        assert!((average_fps(times).unwrap() - average).abs() < 0.006);
        for (definition, fps) in LowDefinition::ALL.into_iter().zip(expected) {
            let found = definition.of(times, 0.01).unwrap();
            assert!((found - fps).abs() < 0.006, "{definition:?}: {found}, not {fps}");
        }
    }

    #[test]
    fn golden_set_a_one_spike() {
        let times = of(&[(999, 8_000), (1, 200_000)]);
        check(&times, 122.07, [36.76, 125.0, 122.07, 5.0, 125.0, 125.0, 125.0]);
    }

    #[test]
    fn golden_set_b_ten_doubled_frames() {
        let times = of(&[(990, 16_667), (10, 33_333)]);
        check(&times, 59.41, [30.0, 40.10, 30.0, 30.0, 30.0, 59.70, 59.40]);
    }

    #[test]
    fn golden_set_c_a_ramp() {
        let times = Sorted::of((1..=1_000).map(|k| 10_000_000 + k * 10_000).collect()).unwrap();
        check(&times, 66.64, [50.11, 50.23, 50.11, 50.18, 50.23, 50.25, 50.25]);
    }

    #[test]
    fn golden_set_d_fifty_frames() {
        let times = of(&[(49, 16_667), (1, 100_000)]);
        check(&times, 54.54, [10.0, 10.0, 10.0, 10.0, 10.0, 34.50, 16.90]);
    }

    #[test]
    fn all_definitions_at_once_are_those_one_by_one() {
        let times = of(&[(990, 16_667), (10, 33_333)]);
        let lows = Lows::of(&times, 0.01).unwrap();
        for definition in LowDefinition::ALL {
            assert_eq!(Some(lows.by(definition)), definition.of(&times, 0.01), "{definition:?}");
        }
        assert_eq!(Lows::of(&of(&[(99, 16_667)]), 0.01), None, "no hundredth of 99 frames");
        assert_eq!(Lows::of(&of(&[(200, 0)]), 0.01), None);
    }

    #[test]
    fn a_frame_of_no_time_has_no_rate() {
        assert_eq!(LowDefinition::MeanOfSlowest.of(&of(&[(5, 0)]), 0.01), None);
    }
}
