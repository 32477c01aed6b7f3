//! The sources of delay, and the worst frame with its lateness broken down by cause.

use crate::nanos::Nanos;
use crate::report::document::drawn::{
    ColumnLook, Drawing, DrawnCell, DrawnColumn, DrawnRow, DrawnTable, Parts, Sign,
};
use crate::report::document::{Block, Section};
use crate::report::{
    Account, Configuration, Delay, Delays, LateSample, SHOWN_REMAINDER, chart, late_samples,
};
use crate::run::Run;
use crate::units::{MISSING, capitalized, count_text, format_count, format_share, format_time};

/// Maximum number of sources with a separate row.
const MAX_SOURCES: usize = 6;
/// Maximum number of segments with a separate row: the longest ones.
const MAX_SEGMENTS: usize = 6;

/// Formats a time in milliseconds, with `decimals` decimals and without the unit.
fn millis(time: Nanos, decimals: usize) -> String {
    format!("{:.decimals$}", time.as_millis())
}

/// Returns a section with a table of the sources of delay, ranked. `samples` is a noun for the
/// samples: `frames`.
pub(super) fn ranking(delays: &Delays, samples: &str) -> Section {
    let all = delays.ranked.iter().fold(Nanos::ZERO, |sum, one| sum + one.total);
    let late = if samples == "gaps" { samples.to_owned() } else { format!("late {samples}") };
    let column = |title: &str, look, definition: &str| {
        DrawnColumn::new(title, look).defined(definition.to_owned())
    };
    let of_which = format!("Late {samples} of which this source caused the largest part.");
    let share = "Share of all lateness that this source caused.";
    let total = "Lateness that this source caused, in ms.";
    let longest = "Longest time that this source caused in one of them, in ms.";
    let columns = vec![
        column("Name", ColumnLook::Text, ""),
        column("Kind", ColumnLook::Text, "").optional(),
        column(&capitalized(samples), ColumnLook::Number, &of_which),
        column("Share of lateness", ColumnLook::Bar, share),
        column("Total ms", ColumnLook::Number, total).optional(),
        column("Max ms", ColumnLook::Number, longest).optional(),
    ];
    let most = delays.ranked.iter().map(|one| one.share).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    // Remaining sources share a row only if there are at least two of them.
    let shown = match delays.ranked.len() {
        count if count <= MAX_SOURCES + 1 => count,
        _ => MAX_SOURCES,
    };
    let row = |name: DrawnCell, one: &Delay, cause| {
        let (total, worst) = (millis(one.total, 2), millis(one.worst, 2));
        let narrow = format!("{total} ms, worst {worst} ms");
        let bar = Some(Drawing::Bar(one.share / most, cause));
        let share = DrawnCell { drawing: bar, ..DrawnCell::from(format_share(one.share)) };
        let count = format_count(one.sample_count);
        let cells = vec![name, one.kind.into(), count.into(), share, total.into(), worst.into()];
        DrawnRow { narrow, ..DrawnRow::new(cells) }
    };
    let (own, others) = delays.ranked.split_at(shown);
    let mut rows: Vec<DrawnRow> = own
        .iter()
        .map(|one| {
            let name = DrawnCell::signed(Some(Sign::Cause(one.cause)), one.title());
            row(name, one, Some(one.cause))
        })
        .collect();
    if let Some(first) = others.first() {
        let sum = Delay {
            kind: "",
            sample_count: others.iter().map(|one| one.sample_count).sum(),
            total: others.iter().fold(Nanos::ZERO, |sum, one| sum + one.total),
            worst: others.iter().map(|one| one.worst).max().unwrap_or_default(),
            share: others.iter().map(|one| one.share).sum(),
            ..first.clone()
        };
        rows.push(row(Delays::describe_others(others).into(), &sum, None));
    }
    let count = format_count(delays.late_count);
    let total = ["Total".to_owned(), String::new(), count, String::new(), millis(all, 2)];
    let total = total.into_iter().chain([String::new()]).map(DrawnCell::from).collect();
    let table = DrawnTable {
        caption: "Sources of delay, ranked".to_owned(),
        columns,
        rows,
        total: Some(DrawnRow::new(total)),
        ..DrawnTable::default()
    };
    let note = format!("{}, {} in all", count_text(delays.late_count, &late), format_time(all));
    Section::new(format!("Who delayed {samples}"), note, vec![Block::Drawn(table)])
}

/// Returns the sample with the max lateness of a configuration; `None` if no sample is late.
pub(super) fn worst(run: &Run, row: &Configuration) -> Option<LateSample> {
    let most = row.summary.as_ref()?.lateness.max;
    let above = row.late_limit.max(most - Nanos::new(1));
    chart::trials(run, row).find_map(|trial| late_samples(trial, above).into_iter().next())
}

/// Returns a section with the lateness of the worst frame broken down by cause.
pub(super) fn account(late: &LateSample, row: &Configuration) -> Section {
    let (lateness, account) = (late.sample.late(), &late.account);
    let number = format_count(late.index + 1);
    let share = format_share(lateness.as_f64() / row.period.as_f64());
    let note = format!("at {:.2} s, {share} of a frame late", late.sample.woke.as_secs());
    let blocks =
        vec![Block::Parts(parts(account, lateness)), Block::Drawn(table(account, lateness))];
    Section::new(format!("Worst frame: {number}"), note, blocks)
}

fn table(account: &Account, lateness: Nanos) -> DrawnTable {
    let mut lengths: Vec<Nanos> = account.segments.iter().map(|one| one.length).collect();
    lengths.sort_unstable();
    let least = lengths.iter().rev().nth(MAX_SEGMENTS - 1).copied().unwrap_or(Nanos::new(i64::MIN));
    let (mut rows, mut rest, mut count) = (Vec::new(), Nanos::ZERO, 0_usize);
    for segment in &account.segments {
        if segment.length < least || MAX_SEGMENTS <= rows.len() {
            rest += segment.length;
            count += 1;
            continue;
        }
        let culprit = segment.culprit.as_ref();
        let name = segment.title();
        let policy = culprit.map_or_else(String::new, |it| it.policy());
        let start = segment.start.map_or_else(|| MISSING.to_owned(), |start| millis(start, 3));
        let length = millis(segment.length, 3);
        let who = DrawnCell::signed(Some(Sign::Cause(segment.cause)), name);
        rows.push(DrawnRow::new(vec![start.into(), length.into(), who, policy.into()]));
    }
    let line = |length: Nanos, words: &str| {
        DrawnRow::new(vec![MISSING.into(), millis(length, 3).into(), words.into(), "".into()])
    };
    rows.extend((0 < count).then(|| line(rest, &count_text(count, "shorter parts"))));
    let is_shown = SHOWN_REMAINDER < account.remainder;
    rows.extend(is_shown.then(|| line(account.remainder, "Unexplained")));
    let words = if is_shown { "the lateness" } else { "equals the lateness" };
    let total = vec!["Total".into(), millis(lateness, 3).into(), words.into(), "".into()];
    DrawnTable {
        caption: "What the time between its scheduled and its actual start was spent on".to_owned(),
        name: 2,
        columns: vec![
            DrawnColumn::new("Start ms", ColumnLook::Number),
            DrawnColumn::new("Length ms", ColumnLook::Number),
            DrawnColumn::new("Who", ColumnLook::Text),
            DrawnColumn::new("Priority", ColumnLook::Text).optional(),
        ],
        rows,
        total: Some(DrawnRow::new(total)),
        ..DrawnTable::default()
    }
}

/// Returns the lateness of a frame as a bar with one part per segment.
fn parts(account: &Account, lateness: Nanos) -> Parts {
    let whole = lateness.as_f64().max(1.0);
    let part = |name: String, cause, length: Nanos| {
        (name, cause, length.as_f64() / whole, format_time(length))
    };
    let segments = account.segments.iter().map(|one| {
        let culprit = one.culprit.as_ref().map(|it| it.source().to_owned());
        let name = culprit.unwrap_or_else(|| one.title());
        part(name, Some(one.cause), one.length)
    });
    let rest = (SHOWN_REMAINDER < account.remainder)
        .then(|| part("Unexplained".to_owned(), None, account.remainder));
    Parts {
        title: "Parts of the lateness".to_owned(),
        ends: ["scheduled start".to_owned(), format!("started {} late", format_time(lateness))],
        parts: segments.chain(rest).collect(),
    }
}
