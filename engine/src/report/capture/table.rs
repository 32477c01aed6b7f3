//! Imported recordings as a table: one row each.

use std::borrow::Cow;

use super::{CaptureFigures, FrameFigures, HistogramFigures, LogFigures, RecordingFigures};
use crate::nanos::Nanos;
use crate::report::Options;
use crate::report::table::{Cell, Column, Table, TableBuilder};
use crate::stats::Lows;

/// Why a histogram has no percentile.
const ABOVE: &str = "above the histogram";

type Builder<'a> = TableBuilder<'a, RecordingFigures>;

/// The table of an imported run; the recordings of one run are of one kind.
pub(in crate::report) fn tables(recordings: &[RecordingFigures], options: &Options) -> Vec<Table> {
    let Some(first) = recordings.first() else { return Vec::new() };
    let table = TableBuilder::new("recordings", "Recordings", String::new(), recordings).column(
        Column::text("label", "Recording", "Name of the recording, thread, or CPU."),
        |recording| Cell::text_of(recording.label.clone()),
    );
    let table = match &first.figures {
        CaptureFigures::Frames(_) => frame_columns(rate_columns(table, options)),
        CaptureFigures::SampledLog(_) => log_columns(table),
        CaptureFigures::Histogram(_) => histogram_columns(table),
    };
    vec![table.finish()]
}

fn or_absent(cell: Option<impl Into<Cell>>, reason: &'static str) -> Cell {
    cell.map_or(Cell::Absent(Cow::Borrowed(reason)), Into::into)
}

/// The cell of a recording of another kind than the first.
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

fn rate_columns<'a>(table: Builder<'a>, options: &Options) -> Builder<'a> {
    let low = options.low;
    let by = move |lows: Option<Lows>, reason| {
        or_absent(lows.map(|lows| Cell::Rate(lows.by(low))), reason)
    };
    table
        .group("Frame rate")
        .column(Column::count("frames_count", "Frames", "Frames with a frame time."), |one| {
            frames(one, |frames| frames.frame_time.count.into())
        })
        .column(
            Column::rate("average_fps", "Average", "FPS", "Frames divided by their frame times.")
                .higher_is_better()
                .key_figure(),
            |one| frames(one, |frames| Cell::Rate(frames.average_fps)),
        )
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
    let time = |key, title, definition: &'static str, read: fn(&FrameFigures) -> Cell| {
        (Column::time(key, title, definition).lower_is_better(), read)
    };
    let columns = [
        time("min_nanos", "Min", "Shortest frame time.", |it| it.frame_time.min.into()),
        time("p50_nanos", "p50", "Median frame time.", |it| it.frame_time.p50.into()),
        time("p95_nanos", "p95", "95th percentile of frame times; needs 20 frames.", |it| {
            or_absent(it.frame_time.p95, "needs 20 frames")
        }),
        time("p99_nanos", "p99", "99th percentile of frame times; needs 100 frames.", |it| {
            or_absent(it.frame_time.p99, "needs 100 frames")
        }),
        time(
            "p99_9_nanos",
            "p99.9",
            "99.9th percentile of frame times; needs 1\u{202f}000 frames.",
            |it| or_absent(it.frame_time.p99_9, "needs 1\u{202f}000 frames"),
        ),
        time("max_nanos", "Max", "Longest frame time.", |it| it.frame_time.max.into()),
        time("mean_nanos", "Mean", "Mean frame time.", |it| Cell::Time(it.frame_time.mean_nanos)),
        time("std_dev_nanos", "Std dev", "Standard deviation of frame times (n − 1).", |it| {
            or_absent(it.frame_time.std_dev_nanos.map(Cell::Time), "needs 2 frames")
        }),
    ];
    let table = columns.into_iter().fold(table.group("Frame time"), |table, (column, read)| {
        table.column(column, move |one| frames(one, read))
    });
    table
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
    let time = |key, title, definition: &'static str, read: fn(&LogFigures) -> Nanos| {
        (Column::setting(key, title, definition), read)
    };
    let columns = [
        time("elapsed_nanos", "Elapsed", "Length by the file's own clock.", |log| log.elapsed),
        time("frame_time_sum_nanos", "Frame times, sum", "Sum of all readings.", |log| {
            log.frame_time_sum
        }),
        time("min_nanos", "Lowest", "Lowest reading of the frame time.", |log| log.min),
        time("p50_nanos", "Middle", "Middle reading of the frame time.", |log| log.p50),
        time("max_nanos", "Highest", "Highest reading of the frame time.", |log| log.max),
    ];
    let table = table
        .column(Column::count("readings_count", "Readings", "Rows with a frame time."), |one| {
            log(one, |log| log.count.into())
        });
    columns.into_iter().fold(table, |table, (column, read)| {
        table.column(column, move |one| log(one, |it| read(it).into()))
    })
}

fn histogram_columns(table: Builder<'_>) -> Builder<'_> {
    let time = |key, title, definition: &'static str, read: fn(&HistogramFigures) -> Cell| {
        (Column::time(key, title, definition).lower_is_better(), read)
    };
    let columns = [
        time("min_nanos", "Min", "Lowest value.", |it| or_absent(it.min, ABOVE)),
        time(
            "mean_nanos",
            "Mean",
            "Mean of all values; none where values are above the histogram.",
            |it| or_absent(it.mean_nanos.map(Cell::Time), ABOVE),
        ),
        time(
            "p50_nanos",
            "p50",
            "Lowest value that at least half of all values do not exceed.",
            |it| or_absent(it.p50, ABOVE),
        ),
        time("p95_nanos", "p95", "The same for 95% of all values; needs 20 values.", |it| {
            or_absent(it.p95, above_or_few(it, 20))
        }),
        time("p99_nanos", "p99", "The same for 99% of all values; needs 100 values.", |it| {
            or_absent(it.p99, above_or_few(it, 100))
        }),
        time(
            "p99_9_nanos",
            "p99.9",
            "The same for 99.9% of all values; needs 1\u{202f}000 values.",
            |it| or_absent(it.p99_9, above_or_few(it, 1_000)),
        ),
        time("max_nanos", "Max", "Highest value.", |it| or_absent(it.max, ABOVE)),
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
        |one| histogram(one, |it| it.above_count.into()),
    )
}

const fn above_or_few(histogram: &HistogramFigures, needed: u64) -> &'static str {
    if histogram.count < needed { "too few values" } else { ABOVE }
}
