//! Further tables of a capture: the percentiles that were requested, what limits the frames, and what else the file has of
//! each frame.

use std::borrow::Cow;

use super::{
    CaptureFigures, FrameFigures, LimitedFrames, QuantityFigures, RecordingFigures, quantity_words,
};
use crate::nanos::Nanos;
use crate::report::model::table::{Cell, Column, Table, TableBuilder};
use crate::stats::Quantile;

/// A row of a table about recordings: the name of the recording, and what the row is about.
type DetailRow<'a, T> = (&'a str, &'a T);

/// Returns the tables that have rows; `caption` states of which frames they are.
pub(super) fn tables(recordings: &[RecordingFigures], caption: &str) -> Vec<Table> {
    let percentiles = rows(recordings, |it| &it.percentiles);
    let limits = rows(recordings, |it| &it.limits);
    let quantities = rows(recordings, |it| &it.per_frame);
    let tables = [
        percentile_table(&percentiles, caption),
        limit_table(&limits, caption),
        quantity_table(&quantities, caption),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn rows<T>(
    recordings: &[RecordingFigures],
    of: impl for<'a> Fn(&'a FrameFigures) -> &'a [T],
) -> Vec<DetailRow<'_, T>> {
    let all = recordings.iter().filter_map(|one| match &one.figures {
        CaptureFigures::Frames(figures) => Some((one.label.as_str(), of(figures))),
        _ => None,
    });
    all.flat_map(|(label, items)| items.iter().map(move |item| (label, item))).collect()
}

fn builder<'a, T>(
    key: &'static str,
    title: &'static str,
    rows: &'a [DetailRow<'a, T>],
    caption: &str,
) -> TableBuilder<'a, DetailRow<'a, T>> {
    TableBuilder::new(key, title, caption.to_owned(), rows)
        .column(Column::text("label", "Recording", "Name of the recording."), |(label, _)| {
            Cell::text_of(*label)
        })
}

fn percentile_table(rows: &[DetailRow<'_, (Quantile, Option<Nanos>)>], caption: &str) -> Table {
    builder("percentiles", "Percentiles", rows, caption)
        .column(
            Column::text("percentile", "Percentile", "Share of frames at or below the frame time."),
            |(_, (quantile, _))| Cell::text_of(percentile_name(*quantile)),
        )
        .column(
            Column::time(
                "frame_time_nanos",
                "Frame time",
                "The percentile of the frame times, interpolated by R type 7.",
            )
            .lower_is_better(),
            |(_, (_, time))| time.map_or(Cell::Absent(Cow::Borrowed("too few frames")), Cell::from),
        )
        .column(
            Column::rate("rate_fps", "Frame rate", "FPS", "1 / this frame time.")
                .higher_is_better(),
            |(_, (_, time))| match time {
                Some(time) => Cell::Rate(1.0 / time.as_secs()),
                None => Cell::Absent(Cow::Borrowed("too few frames")),
            },
        )
        .finish()
}

/// Returns the name of a percentile: "p99.5".
fn percentile_name(quantile: Quantile) -> String {
    let text = format!("{:.3}", quantile.share() * 100.0);
    format!("p{}", text.trim_end_matches('0').trim_end_matches('.'))
}

fn limit_table(rows: &[DetailRow<'_, LimitedFrames>], caption: &str) -> Table {
    builder("limits", "What limits the frames", rows, caption)
        .column(
            Column::text("limit", "Limited by", "What was busy for at least 95% of the frame."),
            |(_, limit)| Cell::text_of(limit.by.label()),
        )
        .column(Column::count("frames_count", "Frames", "Frames with this limit."), |(_, limit)| {
            limit.count.into()
        })
        .column(
            Column::share("frames_share", "Share", "Share of the frames with busy times."),
            |(_, limit)| Cell::Share(limit.share),
        )
        .column(
            Column::time("p50_nanos", "p50 frame time", "Median of their frame times."),
            |(_, limit)| limit.p50.map_or(Cell::Absent(Cow::Borrowed("no such frame")), Cell::from),
        )
        .column(
            Column::count("stutter_count", "Stutter frames", "How many of them stutter."),
            |(_, limit)| limit.stutter_count.into(),
        )
        .column(Column::text("rule", "Rule", "When a frame is counted here."), |(_, limit)| {
            Cell::text_of(limit.by.rule())
        })
        .finish()
}

fn quantity_table(rows: &[DetailRow<'_, QuantityFigures>], caption: &str) -> Table {
    let table = builder("per-frame", "Times of each frame", rows, caption)
        .column(
            Column::text("quantity", "Time", "What the file has of each frame."),
            |(_, figures)| Cell::text_of(quantity_words(figures.quantity)[0]),
        )
        .column(Column::count("frames_count", "Frames", "Frames with a value."), |(_, figures)| {
            figures.spread.count.into()
        })
        .column(Column::time("mean_nanos", "Mean", "Mean of the values."), |(_, figures)| {
            Cell::Time(figures.spread.mean_nanos)
        })
        .column(Column::time("p50_nanos", "p50", "Median of the values."), |(_, figures)| {
            figures.spread.p50.into()
        })
        .column(
            Column::time("p99_nanos", "p99", "99% of the values are at or below this one."),
            |(_, figures)| {
                figures.spread.p99.map_or(Cell::Absent(Cow::Borrowed("too few frames")), Cell::from)
            },
        )
        .column(Column::time("max_nanos", "Max", "The highest value."), |(_, figures)| {
            figures.spread.max.into()
        });
    table
        .column(Column::text("definition", "From, to", "What the time is."), |(_, figures)| {
            Cell::text_of(quantity_words(figures.quantity)[1])
        })
        .finish()
}
