//! The table of imported recordings, with one row per recording.

use std::borrow::Cow;
use std::convert::identity;

use super::view::caption_of;
use super::{
    CaptureFigures, FrameFigures, HistogramFigures, Limiter, LogFigures, RecordingFigures,
    TickLogFigures, details, format_factor,
};
use crate::nanos::Nanos;
use crate::report::model::capture_view::CaptureView;
use crate::report::model::table::{
    Cell, Column, SpreadOf, Table, TableBuilder, average_frame_rate,
};
use crate::stats::{Lows, Spread, Statistic};
use crate::units::format_time;

/// Shown in place of a statistic that is unknown because it is above the highest bin of a
/// histogram.
const ABOVE: &str = "above the histogram";
/// Shown in place of a statistic of a file that states only min, mean, and max.
const NO_HISTOGRAM: &str = "no histogram in the file";

const FRAME_TIMES: SpreadOf =
    SpreadOf { title: "{}", values: "the frame times", samples: "frames" };
const TICK_TIMES: SpreadOf =
    SpreadOf { title: "{}", values: "the times of the ticks", samples: "ticks" };
const READINGS: SpreadOf =
    SpreadOf { title: "{}", values: "the readings of the frame time", samples: "readings" };
const TICK_READINGS: SpreadOf =
    SpreadOf { title: "{}", values: "the readings of the tick time", samples: "readings" };
const VALUES: SpreadOf =
    SpreadOf { title: "{}", values: "all values, by nearest rank of the bins", samples: "values" };

type CaptureTable<'a> = TableBuilder<'a, RecordingFigures>;

/// Returns the times of the frames or ticks of a recording, and its length; `None` for another kind of recording.
type ReadTimes = fn(&RecordingFigures) -> Option<(&Spread, Option<Nanos>)>;

/// Returns the table of an imported run, whose recordings are all of the same kind.
pub(in crate::report) fn tables(recordings: &[RecordingFigures]) -> Vec<Table> {
    let Some(first) = recordings.first() else { return Vec::new() };
    let caption = caption_of(recordings);
    let view = first.scope.as_ref().map(|scope| (*scope.view).clone()).unwrap_or_default();
    let table = TableBuilder::new("recordings", "Recordings", caption.clone(), recordings)
        .group("Recording")
        .column(
            Column::text("label", "Recording", "Name of the recording, thread, or CPU."),
            |recording| Cell::text_of(recording.label.clone()),
        );
    let table = match &first.figures {
        CaptureFigures::Frames(_) => {
            limit_columns(frame_columns(rate_columns(table, &view), &view), recordings)
        }
        CaptureFigures::SampledLog(first) => log_columns(table, first),
        CaptureFigures::Ticks(first) => tick_columns(table, first.limit),
        CaptureFigures::Histogram(_) => histogram_columns(table),
    };
    let mut tables = vec![table.finish()];
    tables.extend(details::tables(recordings, &caption));
    tables
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

fn rate_columns<'a>(table: CaptureTable<'a>, view: &CaptureView) -> CaptureTable<'a> {
    let low = view.low;
    let factor = format_factor(view.stutter_factor);
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
                format!("Share of the time in frames above {factor} × the moving median."),
            )
            .lower_is_better(),
            |one| frames(one, |frames| Cell::Share(frames.stutter.share)),
        )
        .column(
            Column::count(
                "stutter_count",
                "Stutter frames",
                format!("Frames above {factor} × the moving median; pauses above 2 s are none."),
            )
            .lower_is_better()
            .optional(),
            |one| frames(one, |frames| frames.stutter.count.into()),
        )
}

fn frame_columns<'a>(table: CaptureTable<'a>, view: &CaptureView) -> CaptureTable<'a> {
    let table = table.group("Frame time");
    let table = match view.above {
        None => table,
        Some(limit) => table
            .column(
                Column::count(
                    "above_count",
                    format!("Above {}", format_time(limit)),
                    format!("Frames of more than {}.", format_time(limit)),
                )
                .lower_is_better(),
                |one| {
                    frames(one, |it| or_absent(it.above.map(|(_, it)| it.count), "not requested"))
                },
            )
            .column(
                Column::share(
                    "above_time_share",
                    format!("Time above {}", format_time(limit)),
                    format!("Share of the time in frames of more than {}.", format_time(limit)),
                )
                .lower_is_better(),
                |one| {
                    let share =
                        |it: &FrameFigures| it.above.map(|(_, it)| Cell::Share(it.time_share));
                    frames(one, |it| or_absent(share(it), "not requested"))
                },
            ),
    };
    let table = time_columns(table, FRAME_TIMES, |one| match &one.figures {
        CaptureFigures::Frames(frames) => Some((&frames.frame_time, frames.elapsed)),
        _ => None,
    });
    table.column(
        Column::count("missing_count", "Missing", "Rows without a frame time.").optional(),
        |one| frames(one, |it| it.missing_count.into()),
    )
}

/// Adds the statistics of the times of frames or ticks, and the length of the file.
fn time_columns(table: CaptureTable<'_>, values: SpreadOf, times: ReadTimes) -> CaptureTable<'_> {
    table
        .spread_columns(
            values,
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
            move |one| times(one).map(|(spread, _)| spread).ok_or_else(other_kind),
        )
        .group("File")
        .column(
            Column::setting("elapsed_nanos", "Elapsed", "Length by the file's own clock."),
            move |one| match times(one) {
                Some((_, elapsed)) => {
                    or_absent(elapsed, "not in the file, or only a part is shown")
                }
                None => other_kind(),
            },
        )
}

/// Adds how many frames are limited by what, and how many were not presented or not displayed, where a file has it.
fn limit_columns<'a>(table: CaptureTable<'a>, recordings: &[RecordingFigures]) -> CaptureTable<'a> {
    let has = |is: fn(&FrameFigures) -> bool| {
        recordings.iter().any(|one| matches!(&one.figures, CaptureFigures::Frames(it) if is(it)))
    };
    let share = |it: &FrameFigures, by: Limiter| {
        let found = it.limits.iter().find(|limit| limit.by == by);
        or_absent(found.map(|limit| Cell::Share(limit.share)), "the file has not all busy times")
    };
    let mut table = table.group("Limited by");
    if has(|it| !it.limits.is_empty()) {
        table = table
            .column(
                Column::share(
                    "gpu_limited_share",
                    "By GPU",
                    "Share of frames during at least 95% of which the GPU was busy.",
                ),
                move |one| frames(one, |it| share(it, Limiter::Gpu)),
            )
            .column(
                Column::share(
                    "cpu_limited_share",
                    "By CPU",
                    "Share of frames during at least 95% of which the CPU was busy, and not the GPU.",
                ),
                move |one| frames(one, |it| share(it, Limiter::Cpu)),
            );
    }
    table = table.group("Displayed");
    if has(|it| it.dropped_count.is_some()) {
        table = table.column(
            Column::count(
                "dropped_count",
                "Dropped",
                "Frames that were presented, but never displayed.",
            )
            .lower_is_better(),
            |one| frames(one, |it| or_absent(it.dropped_count, "not in the file")),
        );
    }
    if has(|it| it.generated_counts.is_some()) {
        let of = |it: &FrameFigures, at: usize| {
            let counts = it.generated_counts.and_then(|counts| counts.get(at).copied());
            or_absent(counts, "not in the file")
        };
        table = table
            .column(
                Column::count(
                    "generated_count",
                    "Generated",
                    "Displayed frames that a driver or library made, not the application.",
                ),
                move |one| frames(one, |it| of(it, 0)),
            )
            .column(
                Column::count("repeated_count", "Repeated", "Frames that were displayed again.")
                    .optional(),
                move |one| frames(one, |it| of(it, 1)),
            );
    }
    table
}

fn tick_columns(table: CaptureTable<'_>, limit: Nanos) -> CaptureTable<'_> {
    fn ticks(recording: &RecordingFigures, read: impl Fn(&TickLogFigures) -> Cell) -> Cell {
        match &recording.figures {
            CaptureFigures::Ticks(ticks) => read(ticks),
            _ => other_kind(),
        }
    }
    let limit = format_time(limit);
    let table = table
        .group("Ticks")
        .column(Column::count("ticks_count", "Ticks", "Ticks with a time."), |one| {
            ticks(one, |it| it.tick_time.count.into())
        })
        .column(
            Column::rate(
                "ticks_per_second",
                "Rate",
                "ticks/s",
                "Ticks per second by the clock of the file.",
            )
            .higher_is_better(),
            |one| {
                ticks(one, |it| {
                    or_absent(it.per_second.map(Cell::Rate), "the file has no times of its rows")
                })
            },
        )
        .column(
            Column::share(
                "above_share",
                format!("Above {limit}"),
                format!("Share of ticks of more than {limit}."),
            )
            .lower_is_better(),
            |one| ticks(one, |it| Cell::Share(it.above_share)),
        )
        .column(
            Column::count(
                "above_count",
                format!("Ticks above {limit}"),
                format!("Ticks of more than {limit}."),
            )
            .lower_is_better()
            .optional(),
            |one| ticks(one, |it| it.above_count.into()),
        )
        .group("Tick time");
    time_columns(table, TICK_TIMES, |one| match &one.figures {
        CaptureFigures::Ticks(ticks) => Some((&ticks.tick_time, ticks.elapsed)),
        _ => None,
    })
}

fn log_columns<'a>(table: CaptureTable<'a>, first: &LogFigures) -> CaptureTable<'a> {
    let is_of_frames = first.average_fps.is_some();
    let readings = if is_of_frames { READINGS } else { TICK_READINGS };
    let of = |statistic, key, read: fn(&LogFigures) -> Nanos| {
        (readings.column(statistic, key).neutral(), read)
    };
    let columns = [
        of(Statistic::Min, "min_nanos", |log| log.min),
        of(Statistic::P50, "p50_nanos", |log| log.p50),
        of(Statistic::Max, "max_nanos", |log| log.max),
    ];
    let rows = format!("Rows with a {} time.", first.sample());
    let mut table = table.column(Column::count("readings_count", "Readings", rows), |one| {
        log(one, |log| log.count.into())
    });
    if is_of_frames {
        table = table.column(
            Column::rate(
                "average_fps",
                "Average",
                "FPS",
                "Mean of the frame rates of all readings, each of an interval of the same length.",
            )
            .higher_is_better(),
            |one| log(one, |log| log.average_fps.map_or_else(other_kind, Cell::Rate)),
        );
    }
    table = table.column(
        Column::setting("elapsed_nanos", "Elapsed", "Length by the file's own clock."),
        |one| log(one, |log| or_absent(log.elapsed, "the file has no clock")),
    );
    if is_of_frames {
        table = table.column(
            Column::setting("frame_time_sum_nanos", "Frame times, sum", "Sum of all readings."),
            |one| log(one, |log| log.frame_time_sum.into()),
        );
    }
    columns.into_iter().fold(table, |table, (column, read)| {
        table.column(column, move |one| log(one, |it| read(it).into()))
    })
}

fn histogram_columns(table: CaptureTable<'_>) -> CaptureTable<'_> {
    let of =
        |statistic, key, read: fn(&HistogramFigures) -> Cell| (VALUES.column(statistic, key), read);
    let columns = [
        of(Statistic::Min, "min_nanos", |it| or_absent(it.min, above(it))),
        of(Statistic::Mean, "mean_nanos", |it| or_absent(it.mean_nanos.map(Cell::Time), above(it))),
        of(Statistic::P50, "p50_nanos", |it| or_absent(it.p50, above(it))),
        of(Statistic::P95, "p95_nanos", |it| {
            or_absent(it.p95, above_or_few(it, 20, "needs 20 values"))
        }),
        of(Statistic::P99, "p99_nanos", |it| {
            or_absent(it.p99, above_or_few(it, 100, "needs 100 values"))
        }),
        of(Statistic::P99_9, "p99_9_nanos", |it| {
            or_absent(it.p99_9, above_or_few(it, 1_000, "needs 1\u{202f}000 values"))
        }),
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

const fn above_or_few(
    histogram: &HistogramFigures,
    needed: u64,
    few: &'static str,
) -> &'static str {
    if histogram.count < needed { few } else { above(histogram) }
}

const fn above(histogram: &HistogramFigures) -> &'static str {
    if histogram.has_bins { ABOVE } else { NO_HISTOGRAM }
}
