//! Two sections of a report page: the measurement quality, and the requested and applied settings.

use std::io::{self, Write};

use super::super::sanitize::{NAME, NOTE, html};
use super::{icon, section};
use crate::nanos::Nanos;
use crate::report::document::requests::{self, Request};
use crate::report::{Caution, Configuration, Report, programs_limit, trace_state};
use crate::run::Run;
use crate::units::{format_count, format_share, format_time};

/// A line about the measurement quality: name, text, and an icon (good, information, or warning).
struct Line {
    icon: &'static str,
    name: &'static str,
    text: String,
}

impl Line {
    fn of(is_good: bool, name: &'static str, text: String) -> Self {
        Self { icon: if is_good { "good" } else { "fair" }, name, text }
    }
}

/// Writes the section about measurement quality; `hidden` are the warnings that the box with the
/// verdict has no room for.
pub(super) fn write(
    run: &Run,
    report: &Report,
    has_machine: bool,
    hidden: &[&Caution],
    to: &mut dyn Write,
) -> io::Result<()> {
    section("Measurement quality", "", "", to)?;
    writeln!(to, "<dl class=\"pairs\">")?;
    for line in lines(run, report, has_machine) {
        let (icon, text) = (icon(line.icon, line.icon), html(&line.text, NOTE));
        writeln!(to, "<dt>{}</dt><dd>{icon}{text}</dd>", line.name)?;
    }
    for caution in hidden {
        let text = html(&caution.to_string(), NOTE);
        writeln!(to, "<dt>Warning</dt><dd>{}{text}</dd>", icon("fair", "fair"))?;
    }
    writeln!(to, "</dl></section>")
}

fn lines(run: &Run, report: &Report, has_machine: bool) -> Vec<Line> {
    let lost = run.lost_count();
    let words = if lost == 0 { "none lost".to_owned() } else { format!("{lost} lost") };
    let samples = format!("{}, {words}", format_count(run.sample_count()));
    let mut lines = vec![Line::of(lost == 0, "Samples", samples)];
    let shares = report.rows.iter().filter_map(|row| Some((row.foreign_share?, row)));
    let shares = shares.map(|(share, row)| (share, programs_limit(run, row)));
    let most = shares.max_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1)));
    if let Some((share, limit)) = most.filter(|_| has_machine) {
        let is_disturbed = report.rows.iter().any(|row| row.disturbing_share().is_some());
        let (share, limit) = (format_share(share), format_share(limit));
        let text = format!("{share} of one CPU (limit {limit})");
        lines.push(Line::of(!is_disturbed, "Other programs", text));
    }
    if let Some(whose) = run.machine.virtualization.as_ref().filter(|_| has_machine) {
        lines.push(Line::of(false, "Virtual machine", whose.clone()));
    }
    if run.plan().is_some() {
        lines.push(match run.window_hidden() {
            Err(why) => Line { icon: "info", name: "Window", text: why.to_owned() },
            Ok(Nanos::ZERO) => Line::of(true, "Window", "visible all the time".to_owned()),
            Ok(hidden) => Line::of(false, "Window", format!("hidden for {}", format_time(hidden))),
        });
    }
    if !run.clock.name.is_empty() {
        let read = format!("{:.0}", run.clock.read_cost_nanos);
        let text = format!("{}, {read} ns per read", run.clock.name);
        lines.push(Line::of(run.health.clock_backwards_count == 0, "Clock", text));
    }
    if let Some(state) = trace_state(run) {
        let text = state.source.map_or("not available", |source| source.label());
        let icon = if state.source.is_some() { "good" } else { "info" };
        lines.push(Line { icon, name: "Trace", text: text.to_owned() });
    }
    lines
}

/// Writes the requested and applied settings: every request if there is one configuration,
/// otherwise only denied requests.
pub(super) fn requested(run: &Run, report: &Report, to: &mut dyn Write) -> io::Result<()> {
    let started: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.granted.is_some()).collect();
    if started.is_empty() {
        return Ok(());
    }
    let denied: Vec<&Configuration> =
        started.iter().copied().filter(|row| is_denied(row)).collect();
    let note = match denied.len() {
        0 if started.len() == 1 => "everything ran as requested".to_owned(),
        0 => format!("all {} configurations ran as requested", started.len()),
        _ if started.len() == 1 => "not everything ran as requested".to_owned(),
        count => format!("{count} of {} configurations did not run as requested", started.len()),
    };
    section("Requested and applied", &note, "", to)?;
    if let ([row], Some(granted)) =
        (started.as_slice(), started.first().and_then(|row| row.granted.as_ref()))
    {
        single(&requests::of(run, row, granted), to)?;
    }
    for row in denied {
        for refusal in row.granted.iter().flat_map(|granted| &granted.refusals) {
            writeln!(
                to,
                "<p class=\"small\">{} <bdi>{}</bdi>: {}. Ran at {}. {}</p>",
                icon("denied", "fair"),
                html(&row.label, NAME),
                html(&refusal.to_string(), NOTE),
                html(&row.applied_text(), NOTE),
                html(&refusal.remedy, NOTE)
            )?;
        }
    }
    writeln!(to, "</section>")
}

/// Whether a request of the configuration was denied, or was granted and revoked during the run.
fn is_denied(row: &Configuration) -> bool {
    let refused = row.granted.as_ref().is_some_and(|granted| !granted.refusals.is_empty());
    refused || !row.is_as_requested()
}

fn single(requests: &[Request], to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "<dl class=\"req\">")?;
    for one in requests {
        let icon = if one.is_granted { icon("good", "good") } else { icon("denied", "fair") };
        writeln!(
            to,
            "<div><dt>{}</dt><dd><span class=\"hide\">requested </span>{}<span class=\"arrow\" \
             aria-hidden=\"true\">→</span><span class=\"nw\">{icon}<span class=\"hide\">applied </span>{}</span></dd></div>",
            one.name,
            html(&one.requested, NAME),
            html(&one.applied, NAME),
        )?;
    }
    writeln!(to, "</dl>")
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
            lines.into_iter().find(|line| line.name == "Other programs").unwrap().text
        };
        assert!(text(&run).ends_with("(limit 10.0%)"), "{}", text(&run));
        run.trials.push(run.trials[0].clone());
        assert!(text(&run).ends_with("(limit 20.0%)"), "{}", text(&run));
    }
}
