//! What an imported run shows, in sentences; it is never graded.

use jitterscope_engine::report::Finding;

use super::wide;
use crate::text::{count, duration, fps_measured, percent, sentence_duration};

/// Shown instead of a grade.
pub(super) const WORD: &str = "Imported";

pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Frames { average_fps, one_percent_low, stutter, .. } => {
            let low = one_percent_low
                .map_or_else(String::new, |low| format!("; 1% low {}", fps_measured(low)));
            let average = fps_measured(*average_fps);
            format!(
                "{average} on average{low}. {} of the time was stutter.",
                percent(stutter.share)
            )
        }
        Finding::SampledLog { frame_time_sum, elapsed, .. } => format!(
            "This log holds samples, not every frame: {} of frame times in {}.",
            duration(*frame_time_sum),
            sentence_duration(*elapsed)
        ),
        Finding::Histogram { count: values, p99: Some(p99), .. } => {
            format!("99% of {} values were at most {}.", count(*values), duration(*p99))
        }
        Finding::Histogram { count: values, p99: None, .. } => {
            format!("{} values; their p99 is not in the file.", count(*values))
        }
        _ => String::new(),
    }
}

pub(super) fn evidence(finding: &Finding) -> String {
    match finding {
        Finding::Frames { stutter, .. } if stutter.count == 0 => {
            "No frame took more than 2.5 × the moving median.".to_owned()
        }
        Finding::Frames { count: frames, stutter, .. } => format!(
            "{} of {} frames took more than 2.5 × the moving median.",
            count(wide(stutter.count)),
            count(wide(*frames))
        ),
        Finding::SampledLog { .. } => "Percentiles, lows, and stutter need every frame.".to_owned(),
        Finding::Histogram { max, .. } => max.map_or_else(
            || "The highest values are above the histogram.".to_owned(),
            |max| format!("The highest value was {}.", duration(max)),
        ),
        _ => String::new(),
    }
}
