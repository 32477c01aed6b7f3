//! The table of imported recordings, with one row per recording.

use std::borrow::Cow;
use std::convert::identity;

use super::{CaptureFigures, FrameFigures, HistogramFigures, LogFigures, RecordingFigures};
use crate::nanos::Nanos;
use crate::report::model::table::{
    Cell, Column, SpreadOf, Table, TableBuilder, average_frame_rate,
};
use crate::stats::{LowDefinition, Lows, Statistic};

/// Shown in place of a statistic that is unknown because it is above the highest bin of a
/// histogram.
const ABOVE: &str = "above the histogram";
/// Shown in place of a statistic of a file that states only min, mean, and max.
const NO_HISTOGRAM: &str = "no histogram in the file";

const FRAME_TIMES: SpreadOf =
    SpreadOf { title: "{}", values: "the frame times", samples: "frames" };
const READINGS: SpreadOf =
    SpreadOf { title: "{}", values: "the readings of the frame time", samples: "readings" };
const VALUES: SpreadOf =
    SpreadOf { title: "{}", values: "all values, by nearest rank of the bins", samples: "values" };

type Builder<'a> = TableBuilder<'a, RecordingFigures>;

/// Returns the table of an imported run, whose recordings are all of the same kind.
pub(in crate::report) fn tables(recordings: &[RecordingFigures]) -> Vec<Table> {
    let Some(first) = recordings.first() else { return Vec::new() };
    let table = TableBuilder::new("recordings", "Recordings", String::new(), recordings)
        .group("Recording")
        .column(
            Column::text("label", "Recording", "Name of the recording, thread, or CPU."),
            |recording| Cell::text_of(recording.label.clone()),
        );
    let table = match &first.figures {
        CaptureFigures::Frames(_) => frame_columns(rate_columns(table)),
        CaptureFigures::SampledLog(_) => log_columns(table),
        CaptureFigures::Histogram(_) => histogram_columns(table),
    };
    vec![table.finish()]
}

fn or_absent(cell: Option<impl Into<Cell>>, reason: &'static str) -> Cell {
    cell.map_or(Cell::Absent(Cow::Borrowed(reason)), Into::into)
}

/// Returns the empty cell of a recording whose kind differs from the kind of the first recording,
/// which decides the columns.
const fn other_kind() -> Cell {
    Cell::Absent(Cow::Borrowed("not in this kind of file"))
}

fn frames(recording: &RecordingFigures, read: impl Fn(&FrameFigures) -> Cell) -> Cell {
    match &recording.figures {
        CaptureFigures::Frames(frames) => read(frames),
        _ => other_kind(),
    }
}

fn log(recording: &RecordingFigures, read: impl Fn(&LogFigures) -> Cell) -> Cell {
    match &recording.figures {
        CaptureFigures::SampledLog(log) => read(log),
        _ => other_kind(),
    }
}

fn histogram(recording: &RecordingFigures, read: impl Fn(&HistogramFigures) -> Cell) -> Cell {
    recording.figures.histogram().map_or_else(other_kind, read)
}

fn rate_columns(table: Builder<'_>) -> Builder<'_> {
    let low = LowDefinition::default();
    let by = move |lows: Option<Lows>, reason| {
        or_absent(lows.map(|lows| Cell::Rate(lows.by(low))), reason)
    };
    table
        .group("Frame rate")
        .column(Column::count("frames_count", "Frames", "Frames with a frame time."), |one| {
            frames(one, |frames| frames.frame_time.count.into())
        })
        .column(average_frame_rate().key_figure(), |one| {
            frames(one, |frames| Cell::Rate(frames.average_fps))
        })
        .column(
            Column::rate(
                "one_percent_low_fps",
                "1% low",
                "FPS",
                format!("1% low by this definition: {}; needs 100 frames.", low.label()),
            )
            .higher_is_better(),
            move |one| frames(one, |frames| by(frames.one_percent_low, "needs 100 frames")),
        )
        .column(
            Column::rate(
                "tenth_percent_low_fps",
                "0.1% low",
                "FPS",
                "0.1% low by the same definition; needs 1\u{202f}000 frames.",
            )
            .higher_is_better()
            .optional(),
            move |one| {
                frames(one, |frames| by(frames.tenth_percent_low, "needs 1\u{202f}000 frames"))
            },
        )
        .column(
            Column::share(
                "stutter_share",
                "Stutter",
                "Share of the time in frames above 2.5 × the moving median.",
            )
            .lower_is_better(),
            |one| frames(one, |frames| Cell::Share(frames.stutter.share)),
        )
        .column(
            Column::count(
                "stutter_count",
                "Stutter frames",
                "Frames above 2.5 × the moving median.",
            )
            .lower_is_better()
            .optional(),
            |one| frames(one, |frames| frames.stutter.count.into()),
        )
}

fn frame_columns(table: Builder<'_>) -> Builder<'_> {
    table
        .group("Frame time")
        .spread_columns(
            FRAME_TIMES,
            &[
                (Statistic::Min, "min_nanos", identity),
                (Statistic::P50, "p50_nanos", identity),
                (Statistic::P95, "p95_nanos", identity),
                (Statistic::P99, "p99_nanos", identity),
                (Statistic::P99_9, "p99_9_nanos", identity),
                (Statistic::Max, "max_nanos", identity),
                (Statistic::Mean, "mean_nanos", identity),
                (Statistic::StdDev, "std_dev_nanos", identity),
            ],
            |one| match &one.figures {
                CaptureFigures::Frames(frames) => Ok(&frames.frame_time),
                _ => Err(other_kind()),
            },
        )
        .group("File")
        .column(
            Column::setting("elapsed_nanos", "Elapsed", "Length by the file's own clock."),
            |one| frames(one, |it| or_absent(it.elapsed, "the file has no clock")),
        )
        .column(
            Column::count("missing_count", "Missing", "Rows without a frame time.").optional(),
            |one| frames(one, |it| it.missing_count.into()),
        )
}

fn log_columns(table: Builder<'_>) -> Builder<'_> {
    let of = |statistic, key, read: fn(&LogFigures) -> Nanos| {
        (READINGS.column(statistic, key).neutral(), read)
    };
    let columns = [
        of(Statistic::Min, "min_nanos", |log| log.min),
        of(Statistic::P50, "p50_nanos", |log| log.p50),
        of(Statistic::Max, "max_nanos", |log| log.max),
    ];
    let table = table
        .column(Column::count("readings_count", "Readings", "Rows with a frame time."), |one| {
            log(one, |log| log.count.into())
        })
        .column(
            Column::rate(
                "average_fps",
                "Average",
                "FPS",
                "Mean of the frame rates of all readings, each of an interval of the same length.",
            )
            .higher_is_better(),
            |one| log(one, |log| Cell::Rate(log.average_fps)),
        )
        .column(
            Column::setting("elapsed_nanos", "Elapsed", "Length by the file's own clock."),
            |one| log(one, |log| or_absent(log.elapsed, "the file has no clock")),
        )
        .column(
            Column::setting("frame_time_sum_nanos", "Frame times, sum", "Sum of all readings."),
            |one| log(one, |log| log.frame_time_sum.into()),
        );
    columns.into_iter().fold(table, |table, (column, read)| {
        table.column(column, move |one| log(one, |it| read(it).into()))
    })
}

fn histogram_columns(table: Builder<'_>) -> Builder<'_> {
    let of =
        |statistic, key, read: fn(&HistogramFigures) -> Cell| (VALUES.column(statistic, key), read);
    let columns = [
        of(Statistic::Min, "min_nanos", |it| or_absent(it.min, above(it))),
        of(Statistic::Mean, "mean_nanos", |it| or_absent(it.mean_nanos.map(Cell::Time), above(it))),
        of(Statistic::P50, "p50_nanos", |it| or_absent(it.p50, above(it))),
        of(Statistic::P95, "p95_nanos", |it| or_absent(it.p95, above_or_few(it, 20))),
        of(Statistic::P99, "p99_nanos", |it| or_absent(it.p99, above_or_few(it, 100))),
        of(Statistic::P99_9, "p99_9_nanos", |it| or_absent(it.p99_9, above_or_few(it, 1_000))),
        of(Statistic::Max, "max_nanos", |it| or_absent(it.max, above(it))),
    ];
    let table = table.column(
        Column::count("values_count", "Values", "Values, those above the histogram included."),
        |one| histogram(one, |it| it.count.into()),
    );
    let table = columns
        .into_iter()
        .fold(table, |table, (column, read)| table.column(column, move |one| histogram(one, read)));
    table.column(
        Column::count("above_count", "Above", "Values above the histogram.").lower_is_better(),
        |one| {
            let above = |it: &HistogramFigures| it.has_bins.then_some(it.above_count);
            histogram(one, |it| or_absent(above(it), NO_HISTOGRAM))
        },
    )
}

const fn above_or_few(histogram: &HistogramFigures, needed: u64) -> &'static str {
    if histogram.count < needed { "too few values" } else { above(histogram) }
}

const fn above(histogram: &HistogramFigures) -> &'static str {
    if histogram.has_bins { ABOVE } else { NO_HISTOGRAM }
}
