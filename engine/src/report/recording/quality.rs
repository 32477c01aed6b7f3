//! The quality of a recording: what it contains, how exact it is, and what it cost.

use super::cause::Analysis;
use super::cycles;
use super::words::not_recorded;
use crate::nanos::Nanos;
use crate::run::recording::Recording;
use crate::units::{format_bytes, format_count, format_long_time, format_share, format_time};

/// CPU time of the recorder, as a share of one CPU, from which on it is a warning.
const MAX_COST: f64 = 0.01;

/// Returns the facts about the quality of a recording: whether each is good, its name, and its value.
pub(in crate::report) fn quality(
    recording: &Recording,
    analysis: &Analysis,
) -> Vec<(bool, &'static str, String)> {
    let mut facts = Vec::new();
    let tier = &recording.tier;
    let missing = not_recorded(tier);
    let recorded = match (tier.sentence.as_str(), missing.as_slice()) {
        (sentence, []) => sentence.to_owned(),
        ("", missing) => format!("not recorded: {}", missing.join(", ")),
        (sentence, missing) => format!("{sentence} Not recorded: {}.", missing.join(", ")),
    };
    facts.push((missing.is_empty(), "Detail", recorded));
    if let Some(followed) = cycles::followed(recording) {
        facts.push((true, "Followed", followed));
        let ordinary = format_count(analysis.ordinary_count);
        facts.push((100 <= analysis.ordinary_count, "Cycles on time with detail", ordinary));
    } else if !analysis.is_of_stalls {
        let presenters = analysis.presenters.iter();
        let mut presenters: Vec<String> = presenters
            .map(|presenter| format!("{}, thread {}", presenter.name, presenter.thread))
            .collect();
        // Another log of the same game has the same one.
        presenters.dedup();
        facts.push(if presenters.is_empty() {
            (false, "Presents the frames", "no thread was found".to_owned())
        } else {
            (true, "Presents the frames", presenters.join("; then "))
        });
        let off = uncertainty(recording);
        let is_known = off.is_some();
        let off = off.unwrap_or_else(|| "not known".to_owned());
        facts.push((is_known, "Clock of the log", off));
        let ordinary = format_count(analysis.ordinary_count);
        facts.push((100 <= analysis.ordinary_count, "Ordinary frames with detail", ordinary));
    }
    let costs = &recording.costs;
    let length = recording.length.as_f64().max(1.0);
    let share = costs.recorder_cpu.as_f64() / length;
    let mut cost = format!("the recorder used {} of one CPU", format_share(share));
    if let Some(per_record) = costs.per_record {
        #[expect(clippy::cast_precision_loss, reason = "a share is a rounded number")]
        let records = costs.record_count as f64;
        let share = per_record.as_f64() * records / length;
        cost.push_str(&format!(
            "; writing records took {} of one CPU in the recorded threads, {} each",
            format_share(share),
            format_time(per_record)
        ));
    }
    facts.push((share <= MAX_COST, "Cost", cost));
    if let Some(ring) = costs.ring {
        let held = format!("{} in {}", format_long_time(ring), format_bytes(costs.ring_bytes));
        facts.push((true, "Detail in memory", held));
    }
    if 0 < analysis.added_switch_count {
        let count = format_count(analysis.added_switch_count);
        let words = format!("{count} not recorded; each thread is taken to run from its wake-up");
        facts.push((false, "Switches from idle", words));
    }
    let omitted = recording.all_stalls_count() - recording.stalls.len();
    let losses = [
        (u64::try_from(omitted).unwrap_or(u64::MAX), "short stalls only counted (too many)"),
        (tier.lost_count, "records lost"),
        (tier.bad_row_count, "rows of the log not read"),
        (recording.unsaved.disk_limit_count, "events without detail (disk limit)"),
        (recording.unsaved.gone_count, "events without detail (too late)"),
        (recording.unsaved.deleted_count, "events whose detail was deleted"),
    ];
    let losses = losses.iter().filter(|(count, _)| 0 < *count);
    let losses: Vec<String> =
        losses.map(|(count, what)| format!("{} {what}", format_count(*count))).collect();
    let is_whole = losses.is_empty();
    let losses = if is_whole { "none".to_owned() } else { losses.join(", ") };
    facts.push((is_whole, "Losses", losses));
    facts
}

/// Returns by how much the times of the frames may be off, in words: "± 80.0 µs". `None` without frames.
pub fn uncertainty(recording: &Recording) -> Option<String> {
    let off = |off: Nanos| format!("± {}", format_time(off));
    let all = recording.frame_uncertainty?;
    let exact = recording.details.iter().filter_map(|detail| detail.frame_uncertainty).max();
    Some(match exact.filter(|exact| *exact < all) {
        Some(exact) => format!("{} where detail shows it, {} elsewhere", off(exact), off(all)),
        None => off(all),
    })
}
