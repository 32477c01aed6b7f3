//! The measurement quality, and the requested and applied settings.

use crate::nanos::Nanos;
use crate::platform::Refusal;
use crate::report::document::drawn::Sign;
use crate::report::document::{Block, Fact, FactsLook, Section, Statement, Step, requests};
use crate::report::{Caution, Configuration, PacedFigures, Report, programs_limit, trace_state};
use crate::run::Run;
use crate::stats::distinct;
use crate::units::{format_count, format_share, format_time};

/// Returns the section about the measurement quality; `hidden` are the warnings for which there is no room next to the
/// answer.
pub(super) fn section(
    run: &Run,
    report: &Report,
    has_machine: bool,
    hidden: &[&Caution],
) -> Option<Section> {
    let warning = |caution: &&Caution| Fact::judged(false, "Warning", caution.to_string());
    let facts = lines(run, report, has_machine).into_iter().chain(hidden.iter().map(warning));
    let facts: Vec<Fact> = facts.chain(rebasing(report, true)).collect();
    let is_empty = facts.is_empty();
    let block = Block::Facts(FactsLook::Pairs, facts);
    (!is_empty).then(|| Section::new("Measurement quality", "", vec![block]))
}

fn lines(run: &Run, report: &Report, has_machine: bool) -> Vec<Fact> {
    let lost = run.lost_count();
    let words = if lost == 0 { "none lost".to_owned() } else { format!("{lost} lost") };
    let samples = format!("{}, {words}", format_count(run.sample_count()));
    // Whether the program that wrote a capture lost frames is not known.
    let is_measured = run.recording().is_none() && run.capture().is_none();
    let mut lines: Vec<Fact> =
        is_measured.then(|| Fact::judged(lost == 0, "Samples", samples)).into_iter().collect();
    let shares = report.rows.iter().filter_map(|row| Some((row.foreign_share?, row)));
    let shares = shares.map(|(share, row)| (share, programs_limit(run, row)));
    let most = shares.max_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1)));
    if let Some((share, limit)) = most.filter(|_| has_machine) {
        let is_disturbed = report.rows.iter().any(|row| row.disturbing_share().is_some());
        let (share, limit) = (format_share(share), format_share(limit));
        let text = format!("{share} of one CPU (limit {limit})");
        lines.push(Fact::judged(!is_disturbed, "Other programs", text));
    }
    if let Some(whose) = run.machine.virtualization.as_ref().filter(|_| has_machine) {
        lines.push(Fact::judged(false, "Virtual machine", whose.clone()));
    }
    let info = |name, text: &str| Fact { sign: Some(Sign::Info), ..Fact::new(name, text) };
    if run.plan().is_some() {
        lines.push(match run.window_hidden() {
            Err(why) => info("Window", why),
            Ok(Nanos::ZERO) => Fact::judged(true, "Window", "visible all the time"),
            Ok(hidden) => {
                Fact::judged(false, "Window", format!("hidden for {}", format_time(hidden)))
            }
        });
    }
    if !run.clock.name.is_empty() {
        let read = format!("{:.0}", run.clock.read_cost_nanos);
        let text = format!("{}, {read} ns per read", run.clock.name);
        lines.push(Fact::judged(run.health.clock_backwards_count == 0, "Clock", text));
    }
    lines.extend(trace_state(run).map(|state| match state.source {
        Some(source) => Fact::judged(true, "Trace", source.label()),
        None => info("Trace", "not available"),
    }));
    lines
}

/// Returns for each configuration the lateness that a re-based schedule hid; with `is_all`, also the lateness that
/// re-basing would have hidden.
pub(super) fn rebasing(report: &Report, is_all: bool) -> Vec<Fact> {
    let hidden_of = |row: &Configuration| {
        let figures = row.figures.get::<PacedFigures>()?;
        let hidden = figures.rebasing_text().filter(|_| is_all || figures.is_rebased)?;
        Some(Fact::new(row.label.clone(), hidden))
    };
    report.rows.iter().filter_map(hidden_of).collect()
}

/// Returns the section with the requested and applied settings: every request if there is one configuration, otherwise
/// only denied requests. `None` if no configuration started.
pub(super) fn requested(run: &Run, report: &Report) -> Option<Section> {
    let started: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.granted.is_some()).collect();
    let note = match (refused(report), started.len()) {
        (_, 0) => return None,
        (Some(refused), _) => refused.sentence,
        (None, 1) => "everything ran as requested".to_owned(),
        (None, count) => format!("all {count} configurations ran as requested"),
    };
    let mut blocks = Vec::new();
    if let ([row], Some(granted)) =
        (report.rows.as_slice(), started.first().and_then(|row| row.granted.as_ref()))
    {
        blocks.push(Block::Requests(requests::of(run, row, granted)));
    }
    let denied = denied(report);
    blocks.extend((!denied.is_empty()).then_some(Block::Steps(denied)));
    Some(Section::new("Requested and applied", note, blocks))
}

/// Returns which configurations did not run as requested, and why; `None` if all did.
pub fn refused(report: &Report) -> Option<Statement> {
    let refused: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.granted.is_some() && !row.is_as_requested()).collect();
    let first = refused.first()?;
    // Gap probes that could not be pinned are graded nevertheless.
    let is_graded = refused.iter().any(|row| row.grading.is_some());
    let and_not_graded = if is_graded { "" } else { " and not graded" };
    let sentence = match refused.len() {
        1 => {
            format!("{} did not run as requested. It is marked{and_not_graded}.", first.label)
        }
        count => format!(
            "{count} configurations did not run as requested. They are marked{and_not_graded}."
        ),
    };
    let reasons = denied(report).into_iter();
    let reasons =
        reasons.map(|step| format!("{}. {}", step.title, step.text).trim_end().to_owned());
    Some(Statement {
        grade: "Not applied as requested".to_owned(),
        sentence,
        evidence: reasons.collect::<Vec<_>>().join(" "),
        ..Statement::default()
    })
}

/// Returns the warnings about the measurement quality, without those about denied requests, and the lateness that
/// re-basing hides: moving the schedule after a late frame, so that the next frames seem to be on time.
pub fn quality_notes(report: &Report) -> Vec<String> {
    let cautions = report.cautions.iter();
    let cautions = cautions.filter(|caution| !matches!(caution, Caution::Refused { .. }));
    let rebasing = rebasing(report, true).into_iter();
    let rebasing = rebasing.map(|Fact { name, value, .. }| format!("{name}: {value}."));
    cautions.map(ToString::to_string).chain(rebasing).collect()
}

/// Returns each denied request once, with the labels of its configurations, the reason, what was applied, and how to
/// allow it.
pub(super) fn denied(report: &Report) -> Vec<Step> {
    let requests = report.rows.iter().flat_map(|row| {
        let refusals = row.granted.iter().flat_map(|granted| &granted.refusals);
        refusals.map(move |refusal| (row.label.as_str(), row.applied_text(), refusal))
    });
    let mut steps = denied_requests(requests);
    let demoted =
        report.rows.iter().filter(|row| row.granted.as_ref().is_some_and(|it| it.demoted));
    steps.extend(demoted.map(|row| Step {
        sign: Some(Sign::Denied),
        title: format!("{}: the watchdog revoked real-time priority", row.label),
        text: String::new(),
    }));
    steps
}

/// A denied request, with the labels of its configurations and what was applied instead.
struct Denied<'a> {
    line: String,
    refusal: &'a Refusal,
    labels: Vec<&'a str>,
    applied: Vec<String>,
}

fn denied_requests<'a>(
    requests: impl Iterator<Item = (&'a str, String, &'a Refusal)>,
) -> Vec<Step> {
    let mut reported: Vec<Denied<'_>> = Vec::new();
    for (label, applied, refusal) in requests {
        let line = match refusal.call.as_str() {
            "" => refusal.to_string(),
            call => format!("{refusal}, by {call}"),
        };
        if let Some(known) = reported.iter_mut().find(|known| known.line == line) {
            known.labels.push(label);
            known.applied.push(applied);
        } else {
            let (labels, applied) = (vec![label], vec![applied]);
            reported.push(Denied { line, refusal, labels, applied });
        }
    }
    let step = |Denied { line, refusal, labels, applied }: Denied<'_>| {
        // The line begins with the request, which is also the name of its only row in a test of policies.
        let is_named = labels == [refusal.requested.as_str()];
        let labels = if is_named { String::new() } else { format!("{}: ", labels.join("; ")) };
        let applied = distinct(applied).join("; ");
        let text = format!("Ran at {applied}. {}", refusal.remedy);
        Step {
            sign: Some(Sign::Denied),
            title: format!("{labels}{line}"),
            text: text.trim_end().to_owned(),
        }
    };
    reported.into_iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{FrameLoop, Load, Plan, Wait};
    use crate::report::Options;
    use crate::report::tests::test_run::{run_of, wait};
    use crate::run::counter;

    #[test]
    fn limit_of_other_programs_counts_each_measuring_thread() {
        let plan = FrameLoop { load: Load::NONE, wait: Wait::OsSleep, ..FrameLoop::default() };
        let mut run = run_of(Plan::FrameLoop(plan), |trial| {
            trial.samples = (1..=400).map(|k| wait(k * 10_000_000, 1_000_000, 1_000)).collect();
            trial.counters.insert(counter::FOREIGN_CPU_NANOS.to_owned(), 150_000_000);
            trial.counters.insert(counter::FOREIGN_WINDOW_NANOS.to_owned(), 1_000_000_000);
        });
        let text = |run: &Run| {
            let lines = lines(run, &Report::of(run, &Options::default()), true);
            lines.into_iter().find(|line| line.name == "Other programs").unwrap().value
        };
        assert!(text(&run).ends_with("(limit 10.0%)"), "{}", text(&run));
        run.trials.push(run.trials[0].clone());
        assert!(text(&run).ends_with("(limit 20.0%)"), "{}", text(&run));
    }

    #[test]
    fn a_denied_request_that_names_its_row_is_named_once() {
        let refusal = |requested: &str| Refusal {
            requested: requested.to_owned(),
            call: "sched_setscheduler".to_owned(),
            errno: Some(1),
            error_name: "EPERM".to_owned(),
            reason: "permission denied".to_owned(),
            remedy: "raise the limit".to_owned(),
        };
        let (fifo, pin) = (refusal("FIFO 5"), refusal("CPU 3"));
        let rows = [("FIFO 5", &fifo), ("Normal, CPU 3", &pin), ("Highest, CPU 3", &pin)];
        let rows = rows.map(|(label, refusal)| (label, "nice 0".to_owned(), refusal));
        let titles: Vec<String> =
            denied_requests(rows.into_iter()).into_iter().map(|step| step.title).collect();
        let reason = "permission denied (EPERM, 1), by sched_setscheduler";
        let expected = [
            format!("FIFO 5: {reason}"),
            format!("Normal, CPU 3; Highest, CPU 3: CPU 3: {reason}"),
        ];
        assert_eq!(titles, expected);
    }

    #[test]
    fn a_graded_configuration_is_not_said_to_have_no_grade() {
        let file = "../tests/older/scheduling-gaps.jitterscope.json";
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let report = Report::of(&crate::store::load(&file).unwrap(), &Options::default());
        let mut graded = report.rows[0].clone();
        graded.granted.as_mut().unwrap().pin = crate::platform::RequestOutcome::Refused;
        assert!(graded.grading.is_some() && !graded.is_as_requested());
        let ungraded = Configuration { grading: None, ..graded.clone() };
        let sentence = |rows| refused(&Report { rows, ..report.clone() }).unwrap().sentence;
        assert!(sentence(vec![graded.clone()]).ends_with("It is marked."));
        assert!(sentence(vec![graded, ungraded.clone()]).ends_with("They are marked."));
        assert!(sentence(vec![ungraded]).ends_with("It is marked and not graded."));
    }
}
