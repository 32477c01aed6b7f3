//! Verdicts of runs of sleeps, spins, gaps, real-time policies, and game cycles, in sentences.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::work::CycleKind;
use jitterscope_engine::report::{Finding, KeyResult, Measure, Report, TickFinding};
use jitterscope_engine::stats::Grade;

use crate::text::{count, duration, fps_measured, percent, ratio, sentence_duration};

/// The grade in words: idle and load apart, workloads apart, ratings of real-time.
pub(super) fn grade_word(report: &Report) -> String {
    let grade = report.verdict.grade;
    match &report.verdict.finding {
        Finding::Sleep { grades, .. } | Finding::Spin { grades, .. } => match grades {
            (Some(idle), Some(load)) if idle == load => idle.word().to_owned(),
            (Some(idle), Some(load)) => {
                format!("{} under load, {} when idle", load.word(), idle.word())
            }
            _ => grade.map_or("No verdict", Grade::word).to_owned(),
        },
        Finding::RealTime { .. } => match grade {
            Some(Grade::Fair) => "Modest".to_owned(),
            Some(Grade::Poor) => "Limited".to_owned(),
            other => other.map_or("No verdict", Grade::word).to_owned(),
        },
        Finding::Tick { kinds, .. } => {
            let words: Vec<String> = kinds
                .iter()
                .filter_map(|kind| Some(format!("{} {}", kind.kind.name(), kind.grade?.word())))
                .collect();
            if words.is_empty() { "No verdict".to_owned() } else { words.join(", ") }
        }
        _ => grade.map_or("No verdict", Grade::word).to_owned(),
    }
}

pub(super) fn sentence(report: &Report) -> String {
    match &report.verdict.finding {
        Finding::Sleep { tail, .. } => match (report.verdict.grade, tail) {
            (Some(Grade::Excellent | Grade::Good), _) => {
                "Sleep is accurate enough for a frame limiter.".to_owned()
            }
            (Some(Grade::Fair), Some(tail)) => {
                format!("Sleep until {} before the next frame, then spin.", duration(*tail))
            }
            _ => "Sleep is not accurate enough for a frame limiter on this PC.".to_owned(),
        },
        Finding::Spin { best, measured, avoid, .. } => {
            let names: Vec<&str> = best.iter().map(|strategy| strategy.phrase()).collect();
            let mut sentence = match names.as_slice() {
                [only] if *measured < 2 => format!("Only {only} was measured. Measure at least two strategies to compare them."),
                names if 1 < names.len() && names.len() == *measured => {
                    format!("No clear difference between {}.", names.join(" and "))
                }
                names => format!("Use {} for waits up to 1 ms.", names.join(" or ")),
            };
            if !avoid.is_empty() {
                let names: Vec<&str> = avoid.iter().map(|strategy| strategy.phrase()).collect();
                sentence.push_str(&format!(" Do not use {} on this PC.", names.join(" or ")));
            }
            sentence
        }
        Finding::Gaps { label, longest, runtime, limits, .. } => {
            if *longest <= limits.1 {
                format!(
                    "The longest gap on any CPU was {} in {}.",
                    duration(*longest),
                    sentence_duration(*runtime)
                )
            } else {
                format!(
                    "{label} had a {} gap: not suitable for hosting real-time programs.",
                    duration(*longest)
                )
            }
        }
        Finding::RealTime { is_nothing_to_gain: true, .. } => {
            "There is nothing to gain: lateness and its variation are below 0.1 ms without real-time \
             scheduling, too."
                .to_owned()
        }
        Finding::RealTime { rests_on, share, late_shares, .. } => {
            let changed = if 0.0 < *share { "reduced" } else { "increased" };
            let by = percent(share.abs());
            match rests_on {
                None => "Real-time scheduling made no clear difference.".to_owned(),
                Some(Measure::StdDev) if 0.0 < *share => {
                    format!("Real-time scheduling made frame times {by} steadier.")
                }
                Some(Measure::StdDev) => {
                    format!("Real-time scheduling made frame times {by} less steady.")
                }
                Some(Measure::P99) => {
                    format!("Real-time scheduling {changed} p99 lateness by {by}.")
                }
                Some(Measure::LateShare) => format!(
                    "Real-time scheduling {changed} the share of late frames from {} to {}.",
                    percent(late_shares.0),
                    percent(late_shares.1)
                ),
            }
        }
        Finding::Tick { kinds, .. } => kinds.first().map_or_else(String::new, |kind| {
            let threads = if kind.threads == 1 { "thread" } else { "threads" };
            format!(
                "A cycle with {} takes {} on {} {threads}.",
                who(kind),
                with_error(kind),
                kind.threads
            )
        }),
        _ => String::new(),
    }
}

fn who(finding: &TickFinding) -> String {
    let name = match finding.kind {
        CycleKind::Players => "players",
        CycleKind::Npcs => "NPCs",
    };
    format!("{} {name}", count(u64::from(finding.count)))
}

fn with_error(finding: &TickFinding) -> String {
    match finding.error {
        Some(error) => format!("{:.1} ± {:.1} ms", finding.mean.as_millis(), error.as_millis()),
        None => format!("{:.1} ms", finding.mean.as_millis()),
    }
}

pub(super) fn evidence(report: &Report) -> String {
    match &report.verdict.finding {
        Finding::Sleep { trusted, tail, example, .. } => sleep_evidence(*trusted, *tail, *example),
        Finding::Spin { worst: (label, overshoot), grades, .. } => format!(
            "Worst: {label}, average overshoot {}. Excellent up to 200 ns, Good up to 1 µs, Fair \
             up to 100 µs{}.",
            duration(*overshoot),
            if grades.1 == Some(Grade::Poor) {
                "; under load, every strategy overshot"
            } else {
                ""
            },
        ),
        Finding::Gaps { longest, lost_share, stalls, limits, .. } => {
            let typical = duration(limits.0);
            let first = if *longest <= limits.0 {
                format!(
                    "Within the {typical} typical of physical PCs. Suitable for hosting real-time \
                     programs."
                )
            } else if *longest <= limits.1 {
                format!("Above the {typical} typical of physical PCs.")
            } else {
                format!("The limit is {}.", duration(limits.1))
            };
            let stalls = match stalls {
                0 => "No machine-wide stall".to_owned(),
                1 => "1 machine-wide stall".to_owned(),
                stalls => format!("{stalls} machine-wide stalls"),
            };
            format!("{first} Up to {} of one CPU's time was lost. {stalls}.", percent(*lost_share))
        }
        Finding::RealTime { label, rests_on, interval, deviations, p99s, late_shares, .. } => {
            let of = match rests_on {
                None => "No reduction is clear".to_owned(),
                Some(measure) => format!(
                    "Reduction of {}{}",
                    match measure {
                        Measure::StdDev => "std dev",
                        Measure::P99 => "p99 lateness",
                        Measure::LateShare => "late frames",
                    },
                    interval.map_or(String::new(), |(low, high)| format!(
                        " (95% CI {} to {})",
                        percent(low),
                        percent(high)
                    ))
                ),
            };
            let p99 = p99s.map_or(String::new(), |(normal, policy)| {
                format!(" p99 lateness from {} to {},", duration(normal), duration(policy))
            });
            format!(
                "{label}: std dev from {} to {},{p99} late frames from {} to {}. {of}. Excellent \
                 above 50%, Good above 20%, Modest above 5%.",
                duration(deviations.0),
                duration(deviations.1),
                percent(late_shares.0),
                percent(late_shares.1)
            )
        }
        Finding::Tick { kinds, budget } => tick_evidence(kinds, *budget),
        _ => String::new(),
    }
}

fn sleep_evidence(
    trusted: Option<Nanos>,
    tail: Option<Nanos>,
    example: Option<(Nanos, Option<Nanos>, Option<Nanos>)>,
) -> String {
    let mut text = match example {
        Some((length, Some(idle), Some(load))) => format!(
            "A {} sleep takes {} when idle and {} under load. ",
            duration(length),
            duration(idle),
            duration(load)
        ),
        Some((length, Some(one), None) | (length, None, Some(one))) => {
            format!("A {} sleep takes {}. ", duration(length), duration(one))
        }
        _ => String::new(),
    };
    if let Some(tail) = tail {
        text.push_str(&format!("A frame limiter should spin for the last {}. ", duration(tail)));
    }
    text.push_str(&match trusted {
        Some(length) => {
            format!("Sleeps of {} or longer have a p99 overshoot below 100 µs.", duration(length))
        }
        None => "No tested duration has a p99 overshoot below 100 µs.".to_owned(),
    });
    text
}

fn tick_evidence(kinds: &[TickFinding], budget: Nanos) -> String {
    let mut parts = Vec::new();
    for kind in kinds {
        let share = percent(kind.mean.as_f64() / budget.as_f64().max(1.0));
        let efficiency = kind
            .efficiency
            .filter(|_| 1 < kind.threads)
            .map_or(String::new(), |efficiency| format!(", at {} efficiency", ratio(efficiency)));
        parts.push(format!(
            "{}: {} = {share} of the {} budget{efficiency}",
            who(kind),
            with_error(kind),
            duration(budget)
        ));
    }
    format!("{}. Excellent from 0.90, Good from 0.70, Fair from 0.35.", parts.join("; "))
}

/// The key number of a run, for a list.
pub(super) fn key(key: KeyResult) -> String {
    match key {
        KeyResult::Tail(tail) => format!("spin tail {}", duration(tail)),
        KeyResult::Strategy(strategy) => strategy.name().to_owned(),
        KeyResult::LongestGap(longest) => format!("longest {}", duration(longest)),
        KeyResult::StdDevReduction(share) if share < 0.0 => {
            format!("{} less steady", percent(share.abs()))
        }
        KeyResult::StdDevReduction(share) => format!("{} steadier", percent(share)),
        KeyResult::Cycle(cycle) => format!("{} per cycle", duration(cycle)),
        KeyResult::Fps(fps) => format!("{} on average", fps_measured(fps)),
        KeyResult::Readings(readings) => {
            format!("{} reads", count(u64::try_from(readings).unwrap_or(u64::MAX)))
        }
        KeyResult::Counts(p99) => p99.map_or_else(
            || "p99 above the histogram".to_owned(),
            |p99| format!("p99 {}", duration(p99)),
        ),
    }
}
