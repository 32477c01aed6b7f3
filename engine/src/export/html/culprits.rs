//! The sources of delay, and the worst frame with its lateness broken down by cause.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html};
use super::fluid::Fluid;
use super::section;
use super::timeline::glyph;
use crate::nanos::Nanos;
use crate::report::{
    Account, Cause, Configuration, Delay, Delays, LateSample, SHOWN_REMAINDER, chart, late_samples,
};
use crate::run::Run;
use crate::units::{count_text, format_count, format_share, format_time};

/// Maximum number of sources with a separate row.
const MAX_SOURCES: usize = 6;
/// A segment of the bar has a label if it is longer than this share of the lateness.
const WORDS_FROM: f64 = 0.18;
/// Maximum number of segments with a separate row: the longest ones.
const MAX_SEGMENTS: usize = 6;

/// Formats a time in milliseconds, with `decimals` decimals and without the unit.
fn millis(time: Nanos, decimals: usize) -> String {
    format!("{:.decimals$}", time.as_millis())
}

/// Writes a section with a table of the sources of delay, ranked. `samples` is a noun for the
/// samples: `frames`.
pub(super) fn ranking(delays: &Delays, samples: &str, to: &mut dyn Write) -> io::Result<()> {
    let all = delays.ranked.iter().fold(Nanos::ZERO, |sum, one| sum + one.total);
    let (count, total) = (format_count(delays.late_count), format_time(all));
    let late = if samples == "gaps" { samples.to_owned() } else { format!("late {samples}") };
    let title = format!("Who delayed {samples}");
    let late = count_text(delays.late_count, &late);
    section(&title, &format!("{late}, {total} in all"), "", to)?;
    let mut head = samples.to_owned();
    if let Some(first) = head.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    writeln!(
        to,
        "<table><caption class=\"hide\">Sources of delay, ranked</caption><thead><tr><th scope=\"col\">Name</th>\
         <th scope=\"col\" class=\"opt\">Kind</th><th scope=\"col\" class=\"n\" title=\"Late {samples} of which \
         this source caused the largest part.\">{head}</th><th scope=\"col\" style=\"width:31%\" title=\"Share of \
         all lateness that this source caused.\">Share of lateness</th><th scope=\"col\" class=\"n opt\" \
         title=\"Lateness that this source caused, in ms.\">Total ms</th><th scope=\"col\" class=\"n opt\" \
         title=\"Longest time that this source caused in one of them, in ms.\">Max ms</th></tr></thead><tbody>"
    )?;
    let most = delays.ranked.iter().map(|one| one.share).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    // Remaining sources share a row only if there are at least two of them.
    let shown = match delays.ranked.len() {
        count if count <= MAX_SOURCES + 1 => count,
        _ => MAX_SOURCES,
    };
    let (own, others) = delays.ranked.split_at(shown);
    for one in own {
        let name = format!("{}<bdi>{}</bdi>", glyph(one.cause), html(&one.title(), NAME));
        let bar = one.share / most;
        source(&name, one.kind, &format!("k-{}", one.cause.row().look.0), bar, one, to)?;
    }
    if !others.is_empty() {
        let sum = Delay {
            name: String::new(),
            kind: "",
            program: None,
            is_own: false,
            cause: Cause::NotObservable,
            sample_count: others.iter().map(|one| one.sample_count).sum(),
            total: others.iter().fold(Nanos::ZERO, |sum, one| sum + one.total),
            worst: others.iter().map(|one| one.worst).max().unwrap_or_default(),
            share: others.iter().map(|one| one.share).sum(),
            period: None,
        };
        let who = html(&Delays::describe_others(others), NOTE);
        let name = format!("<span class=\"mk\"></span>{who}");
        source(&name, "", "k-unseen", sum.share / most, &sum, to)?;
    }
    writeln!(
        to,
        "</tbody><tfoot><tr><th scope=\"row\">Total</th><td class=\"opt\"></td><td class=\"n\">{count}</td><td></td>\
         <td class=\"n opt\">{}</td><td class=\"n opt\"></td></tr></tfoot></table></section>",
        millis(all, 2)
    )
}

fn source(
    name: &str,
    kind: &str,
    class: &str,
    bar: f64,
    one: &Delay,
    to: &mut dyn Write,
) -> io::Result<()> {
    let (total, worst) = (millis(one.total, 2), millis(one.worst, 2));
    writeln!(
        to,
        "<tr><th scope=\"row\">{name}<span class=\"sub\">{total} ms, worst {worst} ms</span></th><td \
         class=\"opt\">{kind}</td><td class=\"n\">{}</td><td><div class=\"share\"><span><i class=\"bar {class}\" \
         style=\"width:{:.1}%\"></i></span><span>{}</span></div></td><td class=\"n opt\">{total}</td><td class=\"n \
         opt\">{worst}</td></tr>",
        format_count(one.sample_count),
        bar.clamp(0.0, 1.0) * 100.0,
        format_share(one.share),
    )
}

/// Returns the sample with the max lateness of a configuration; `None` if no sample is late.
pub(super) fn worst(run: &Run, row: &Configuration) -> Option<LateSample> {
    let most = row.summary.as_ref()?.lateness.max;
    let above = row.late_limit.max(most - Nanos::new(1));
    chart::trials(run, row).find_map(|trial| late_samples(trial, above).into_iter().next())
}

/// Writes the lateness of the worst frame broken down by cause.
pub(super) fn account(
    late: &LateSample,
    row: &Configuration,
    to: &mut dyn Write,
) -> io::Result<()> {
    let (lateness, account) = (late.sample.late(), &late.account);
    let number = format_count(late.index + 1);
    let share = format_share(lateness.as_f64() / row.period.as_f64());
    let note = format!("at {:.2} s, {share} of a frame late", late.sample.woke.as_secs());
    section(&format!("Worst frame: {number}"), &note, "", to)?;
    writeln!(to, "<div class=\"acct\">{}</div>", bar(account, lateness))?;
    writeln!(
        to,
        "<table><caption class=\"hide\">What the time between its scheduled and its actual start was spent on\
         </caption><thead><tr><th scope=\"col\" class=\"n\">Start ms</th><th scope=\"col\" class=\"n\">Length \
         ms</th><th scope=\"col\">Who</th><th scope=\"col\" class=\"opt\">Priority</th></tr></thead><tbody>"
    )?;
    let mut lengths: Vec<Nanos> = account.segments.iter().map(|one| one.length).collect();
    lengths.sort_unstable();
    let least = lengths.iter().rev().nth(MAX_SEGMENTS - 1).copied().unwrap_or(Nanos::new(i64::MIN));
    let (mut shown, mut rest, mut count) = (0, Nanos::ZERO, 0_usize);
    for segment in &account.segments {
        if segment.length < least || MAX_SEGMENTS <= shown {
            rest += segment.length;
            count += 1;
            continue;
        }
        shown += 1;
        let culprit = segment.culprit.as_ref();
        let name = culprit.map_or_else(|| segment.cause.label().to_owned(), |it| it.name.clone());
        let policy = culprit.map_or_else(String::new, |it| it.policy());
        let start = segment.start.map_or_else(|| "–".to_owned(), |start| millis(start, 3));
        writeln!(
            to,
            "<tr><td class=\"n\">{start}</td><td class=\"n\">{}</td><th scope=\"row\">{}<bdi>{}</bdi></th><td \
             class=\"soft opt\">{}</td></tr>",
            millis(segment.length, 3),
            glyph(segment.cause),
            html(&name, NAME),
            html(&policy, NAME),
        )?;
    }
    let mut line = |length: Nanos, words: &str| {
        writeln!(
            to,
            "<tr><td class=\"n\">–</td><td class=\"n\">{}</td><th scope=\"row\" class=\"soft\">{words}</th><td \
             class=\"opt\"></td></tr>",
            millis(length, 3)
        )
    };
    if 0 < count {
        line(rest, &count_text(count, "shorter parts"))?;
    }
    let is_shown = SHOWN_REMAINDER < account.remainder;
    if is_shown {
        line(account.remainder, "Unexplained")?;
    }
    let words = if is_shown { "the lateness" } else { "equals the lateness" };
    writeln!(
        to,
        "</tbody><tfoot><tr><th scope=\"row\" class=\"n\">Total</th><td class=\"n\">{}</td><td colspan=\"2\">{words}\
         </td></tr></tfoot></table></section>",
        millis(lateness, 3)
    )
}

/// Draws the lateness of a frame as a bar with one segment per part of the lateness, in the color
/// of its cause.
fn bar(account: &Account, lateness: Nanos) -> String {
    let whole = lateness.as_f64().max(1.0);
    let mut fluid = Fluid::default();
    let mut from = 0.0;
    let mut parts: Vec<(String, &str, Nanos)> = account
        .segments
        .iter()
        .map(|one| {
            let culprit = one.culprit.as_ref().map(|it| it.source().to_owned());
            (
                culprit.unwrap_or_else(|| one.cause.label().to_owned()),
                one.cause.row().look.0,
                one.length,
            )
        })
        .collect();
    if SHOWN_REMAINDER < account.remainder {
        parts.push(("Unexplained".to_owned(), "unseen", account.remainder));
    }
    for (name, kind, length) in &parts {
        let end = (from + length.as_f64() / whole).min(1.0);
        let is_seen = !matches!(*kind, "none" | "unseen" | "hypervisor");
        let fill = if is_seen { "var(--k)" } else { "url(#hatch);stroke:var(--k)" };
        let words = format!("{name}: {}", format_time(*length));
        fluid.bar(
            &format!("class=\"k-{kind}\" style=\"fill:{fill}\""),
            (from, end),
            (1.0, 28.0),
            &words,
        );
        if 0.0 < from {
            fluid.line("gap", (from, 0.0), (from, 30.0));
        }
        if WORDS_FROM < end - from && is_seen {
            let room = (end - from) * 62.0;
            let short: String = name.split(" (").next().unwrap_or(name).to_owned();
            let text = format!("{short} {}", format_time(*length));
            let text = if text.chars().count()
                < Nanos::from_nanos_f64(room).get().unsigned_abs().try_into().unwrap_or(0)
            {
                text
            } else {
                format_time(*length)
            };
            fluid.word("in", (f64::midpoint(from, end), 0.0), 19.0, "middle", &text);
        }
        from = end;
    }
    fluid.word("", (0.0, 0.0), 43.0, "start", "scheduled start");
    fluid.word("", (1.0, 0.0), 43.0, "end", &format!("started {} late", format_time(lateness)));
    let finding: Vec<String> =
        parts.iter().map(|(name, _, length)| format!("{name} {}", format_time(*length))).collect();
    let finding = html(&finding.join(", "), NOTE);
    fluid.finish(46.0, "Parts of the lateness", &finding)
}
