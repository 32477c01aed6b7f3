//! The result of a quick check as JSON: durations in nanoseconds, shares as fractions of 1.

use serde_json::{Map, Value, json};

use super::exported::CHECK_FORMAT;
use crate::nanos::Nanos;
use crate::report::document::check as words;
use crate::report::quick::{Figure, Measured, Scorecard};
use crate::stats::GradeRange;
use crate::units::NARROW_SPACE;

/// Returns the result as a JSON object.
pub fn check_result(
    parts: &[Measured<'_>],
    card: &Scorecard,
    began: jiff::Timestamp,
) -> Map<String, Value> {
    let plain = |text: String| text.replace(NARROW_SPACE, " ");
    let grade = |grade: Option<GradeRange>| grade.map(|grade| grade.worst().word());
    let best = |grade: Option<GradeRange>| grade.map(|grade| grade.best().word());
    let cards: Vec<Value> = card
        .cards
        .iter()
        .zip(parts)
        .map(|(one, (part, measured))| {
            let (missed, frames, full_load) = match one.figure {
                Some(Figure::Frame { missed, slots, full_load, .. }) => {
                    (Some(missed), Some(slots), full_load)
                }
                _ => (None, None, None),
            };
            let interval = one.scale.and_then(|scale| scale.interval);
            json!({
                "key": part.key(),
                "name": part.name(),
                "run": measured.map(|(run, _)| run.id.to_string()),
                "is_skipped": one.is_skipped,
                "grade": grade(one.grade),
                "grade_best": best(one.grade),
                "verdict": words::card_word(one),
                "value_nanos": one.figure.as_ref().map(|figure| figure.value().get()),
                "value_low_nanos": interval.map(|(low, _)| low.get()),
                "value_high_nanos": interval.map(|(_, high)| high.get()),
                "good_up_to_nanos": one.scale.map(|scale| scale.limits[1].get()),
                "fair_up_to_nanos": one.scale.map(|scale| scale.limits[2].get()),
                "worst_nanos": one.scale.map(|scale| scale.worst.get()),
                "all_cpus_busy_p99_nanos": full_load.map(Nanos::get),
                "missed_count": missed,
                "slots_count": frames,
                "sentence": words::card(one)
                    .map(|said| plain(format!("{}. {}", said.caption, said.sentence))),
            })
        })
        .collect();
    let rates: Vec<Value> = card
        .rates
        .iter()
        .map(|rate| {
            json!({
                "fps": rate.fps,
                "p99_nanos": rate.p99.get(),
                "percent_of_frame": rate.percent,
                "missed_count": rate.missed,
                "slots_count": rate.slots,
                "grade": grade(rate.grade),
                "grade_best": best(rate.grade),
                "is_measured": rate.is_measured,
            })
        })
        .collect();
    let advice: Vec<Value> = words::what_to_do(card)
        .into_iter()
        .map(|said| json!({ "title": plain(said.title), "text": plain(said.text) }))
        .collect();
    let trust: Vec<Value> = card
        .trust
        .iter()
        .map(|trust| {
            let (name, said) = words::trust(trust);
            json!({ "name": name, "text": plain(said), "is_good": trust.is_good() })
        })
        .collect();
    let whole = json!({
        "format": CHECK_FORMAT,
        "format_version": 1,
        "app_version": env!("CARGO_PKG_VERSION"),
        "began_at": began.to_string(),
        "grade": grade(card.grade),
        "grade_best": best(card.grade),
        "verdict": words::word(card),
        "sentence": plain(words::sentence(card)),
        "evidence": plain(words::evidence(card)),
        "measurements": cards,
        "frame_rates": rates,
        "advice": advice,
        "trust": trust,
    });
    match whole {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
