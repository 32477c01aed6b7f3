//! The table of the changes with their effects.

use super::effect::ChangeEffect;
use super::verdict::recommended;
use crate::nanos::Nanos;
use crate::plan::WhatHelps;
use crate::report::model::table::{
    Cell, Column, NOT_REPORTED, Quantity, Table, TableBuilder, load_label,
};
use crate::stats::Outcome;
use crate::units::{format_count, format_fps, format_setting};

/// Suffix of the verdict of a change whose blocks were disturbed.
pub const DISTURBED: &str = ", disturbed";

/// Returns why a figure of a change is absent.
fn reason(effect: &ChangeEffect) -> &'static str {
    match effect.result {
        Outcome::NotEvaluated => "denied",
        _ => "computed when every round was measured",
    }
}

/// Keys of the columns that a short report shows.
pub(super) const KEY_COLUMNS: &[&str] = &[
    "value",
    "baseline_p99_nanos",
    "with_p99_nanos",
    "effect_share",
    "effect_ci_share",
    "verdict",
];

/// Returns how the changes were measured: frame rate, load, number of rounds, and length of a block.
fn note(plan: &WhatHelps) -> String {
    format!(
        "{}, {}, {} rounds in blocks of {}",
        format_fps(plan.baseline.fps),
        load_label(&plan.baseline.load),
        format_count(plan.baseline.rounds),
        format_setting(plan.baseline.time_each),
    )
}

fn verdict(effect: &ChangeEffect) -> Cell {
    match effect.result {
        Outcome::NotEnoughData => Cell::Absent(reason(effect).into()),
        result if effect.disturbance.is_some() => {
            Cell::text_of(format!("{}{DISTURBED}", result.words().of_setting))
        }
        result => Cell::text_of(result.words().of_setting),
    }
}

/// Builds the table of all changes, one row each, in the order of `effects`.
pub(super) fn changes(plan: &WhatHelps, effects: &[ChangeEffect]) -> Table {
    let best = recommended(effects).map(|best| best.row);
    let p99 = |effect: &ChangeEffect, of: fn((f64, f64)) -> f64| match effect.p99 {
        Some(p99) => Cell::Time(Nanos::from_nanos_f64(of(p99)).as_f64()),
        None => Cell::Absent(reason(effect).into()),
    };
    TableBuilder::new("changes", "Changes, ranked by effect", note(plan), effects)
        .group("Change")
        .column(Column::text("change", "Change", "What differs from the baseline."), |effect| {
            Cell::text_of(effect.name())
        })
        .column(
            Column::text("value", "Value", "The value that was measured, as the system applied it.")
                .optional(),
            |effect| match effect.detail.as_str() {
                "" => Cell::text_of("on"),
                detail => Cell::text_of(detail),
            },
        )
        .group("p99 lateness")
        .column(
            Column::time(
                "baseline_p99_nanos",
                "Baseline",
                "p99 lateness without the change: the geometric mean over the rounds.",
            )
            .lower_is_better(),
            move |effect| p99(effect, |(without, _)| without),
        )
        .column(
            Column::time(
                "with_p99_nanos",
                "With",
                "p99 lateness with the change: the geometric mean over the rounds.",
            )
            .lower_is_better(),
            move |effect| p99(effect, |(_, with)| with),
        )
        .column(
            Column::share("effect_share", "Effect", "Change of p99 lateness; negative is less late.")
                .signed()
                .lower_is_better()
                .key_figure(),
            |effect| match effect.effect {
                Some((share, _)) => Cell::Share(share),
                None => Cell::Absent(reason(effect).into()),
            },
        )
        .column(
            Column::share(
                "effect_ci_share",
                "95% CI",
                "Simultaneous 95% confidence interval of the effect: Student's t over the rounds, with the \
                 deviation pooled over all changes and Holm's correction.",
            )
            .interval(),
            |effect| match effect.effect {
                Some((_, (low, high))) => Cell::Interval(Quantity::Share, low, high),
                None => Cell::Absent(reason(effect).into()),
            },
        )
        .group("Result")
        .column(
            Column::text(
                "verdict",
                "Verdict",
                "Helps: the interval is below 0 and the effect is at least 10%; slightly better: it is smaller. Makes \
                 it worse, slightly worse: the interval is above 0. Same: any effect is below 10%. Denied: not \
                 measured, because the system denied it.",
            ),
            verdict,
        )
        .column(
            Column::share(
                "cpu_cost_share",
                "CPU cost",
                "CPU time of the measuring thread beyond that of the baseline, as a share of one CPU.",
            )
            .lower_is_better(),
            |effect| match (effect.cpu_cost, effect.result) {
                (Some(cost), _) => Cell::Share(cost),
                (None, Outcome::NotEvaluated) => Cell::Absent(reason(effect).into()),
                (None, _) => Cell::Absent(NOT_REPORTED.into()),
            },
        )
        .column(
            Column::count("place", "Rank", "Place among the changes that help, by effect.").optional(),
            |effect| effect.rank.map_or_else(|| Cell::Absent("only changes that help are ranked".into()), Cell::from),
        )
        .each_row(|effect, row| {
            row.configuration = Some(effect.row);
            row.is_key = Some(effect.row) == best;
            if let Some(disturbance) = effect.disturbance {
                row.caution = disturbance.to_string();
            }
            if let Some(refusal) = &effect.refusal {
                row.caution = format!("{refusal}. {}", refusal.remedy);
                row.caution.truncate(row.caution.trim_end().len());
            }
        })
        .finish()
}
