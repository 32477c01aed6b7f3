//! The contents of a timeline in other forms: a chart for an image, a table, and a sentence.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Chart, chart, table};

use super::super::menu::{PlotTable, plot_rows};
use super::{Quantity, Timeline, TimelineData};
use crate::text;

/// Number of columns into which an image divides the visible time; at most four samples are drawn
/// per column.
const IMAGE_COLUMNS: usize = 900;

impl Timeline {
    /// Returns the samples in a time range, in seconds, as a chart for an image; `None` if the
    /// timeline has no samples.
    pub(super) fn chart(&self, data: &TimelineData, time: (f64, f64)) -> Option<Chart> {
        let (title, pyramid) = match self.quantity {
            Quantity::Period => ("Frame time", &data.periods),
            Quantity::Lateness => ("Lateness", &data.lateness),
        };
        let points = pyramid.query(time.0, time.1, IMAGE_COLUMNS);
        let points: Vec<(f64, f64)> =
            points.into_iter().map(|(secs, nanos)| (secs * 1e9, nanos)).collect();
        let values = || points.iter().map(|point| point.1);
        let (min, most) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        let limit = |at: Nanos, label: &str| chart::Limit::horizontal(at.as_f64(), label);
        let mut limits = match self.quantity {
            Quantity::Period => vec![limit(data.frame, "target")],
            Quantity::Lateness => {
                vec![limit(data.late_limit, "late"), limit(data.frame, "1 frame")]
            }
        };
        let notes = self.note_words(time);
        limits.extend(notes.map(|(secs, label)| chart::Limit::vertical(secs * 1e9, label)));
        let x = chart::Axis::linear("Time", table::Quantity::Time, time.0 * 1e9, time.1 * 1e9);
        let y = chart::Axis::linear(title, table::Quantity::Time, min, most * 1.05);
        (!points.is_empty()).then(|| {
            let marks = chart::Marks::Lines(vec![chart::Series::new(title, points)]);
            let note = "over time".to_owned();
            Chart { note, limits, ..Chart::new(("timeline", title), (x, y), marks) }
        })
    }

    /// Returns the samples in a time range, in seconds, as a table: the range is divided into
    /// `PARTS` parts of equal duration, and each part with samples is a row.
    pub(super) fn table(&self, data: &TimelineData, (from, to): (f64, f64)) -> PlotTable {
        const PARTS: u32 = 60;
        let (title, pyramid) = match self.quantity {
            Quantity::Period => ("Timeline: frame time", &data.periods),
            Quantity::Lateness => ("Timeline: lateness", &data.lateness),
        };
        let (from, to) = (from.max(0.0), to.min(data.end_secs()));
        let rows = plot_rows(pyramid, (from, to), PARTS).map(|row| {
            let missed = text::format_count(data.missed_count(&row.range));
            vec![format!("{:.2} s", row.begins), row.count, row.max, missed]
        });
        PlotTable {
            title: title.to_owned(),
            header: ["From", "Frames", "Max", "Missed"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }
    }

    /// Returns a summary of the plot in one sentence.
    pub(super) fn summary(&self, data: &TimelineData) -> String {
        let (name, pyramid) = match self.quantity {
            Quantity::Period => ("frame time", &data.periods),
            Quantity::Lateness => (data.value_name, &data.lateness),
        };
        let Some((secs, most)) = pyramid.max(0..pyramid.len()) else {
            return format!("Timeline, {name}, no samples yet");
        };
        format!(
            "Timeline, {name}, {:.0} seconds, {} frames, max {} at {secs:.2} seconds, {} late, {} \
             missed",
            data.end_secs(),
            text::format_count(data.len()),
            text::format_time(Nanos::from_nanos_f64(most)),
            text::format_count(data.late_count),
            text::format_count(data.missed_count(&(0..data.len()))),
        )
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::sample::Sample;

    use super::*;

    #[test]
    fn a_missed_last_frame_is_counted_in_the_table() {
        let frame = Nanos::from_millis(10);
        let mut data = TimelineData::new(frame, Nanos::from_millis(1));
        for k in 1..=120 {
            let due = frame * k;
            let work = Nanos::from_millis(if k == 120 { 12 } else { 2 });
            let done = due + work;
            data.push(&Sample {
                began: due,
                due,
                slept: None,
                woke: due,
                done,
                spins: 0,
                cpu: None,
            });
        }
        let table = Timeline::default().table(&data, (0.0, data.end_secs()));
        let sum = |column: usize| -> u64 {
            table.rows.iter().map(|row| row[column].parse::<u64>().unwrap()).sum()
        };
        assert_eq!((sum(1), sum(3)), (120, 1));
        assert_eq!(table.rows.last().unwrap()[3], "1");
    }
}
