//! The text of a run for a ticket: short for every kind of run, even if the run contains long texts.

use std::path::PathBuf;

use jitterscope_engine::export::ticket::{MAX_LETTERS, MAX_LINES};
use jitterscope_engine::export::{self, Format, Options};
use jitterscope_engine::report::{self, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store;

use crate::tidy::root;

/// Returns a run of every kind, with its file.
pub(super) fn runs() -> Vec<(PathBuf, Run)> {
    let folders = ["tests/older", "assets/examples"].map(|folder| root().join(folder));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap().flatten());
    let files = files.map(|file| file.path());
    let files = files.filter(|path| path.to_string_lossy().ends_with(".jitterscope.json"));
    files.map(|path| (path.clone(), store::load(&path).unwrap())).collect()
}

fn check(run: &Run, what: &str) -> String {
    let report = Report::of(run, &report::Options::default());
    let ticket = export::ticket(run, &report, &Options::default());
    assert!(ticket.lines().count() <= MAX_LINES, "{what}: {ticket}");
    assert!(ticket.chars().count() <= MAX_LETTERS, "{what}: {ticket}");
    for line in ticket.lines() {
        assert!(!line.starts_with('#') && !line.starts_with('<'), "{what}: {line}");
    }
    let mut file = Vec::new();
    export::write(Format::Markdown, run, &report, &Options::default(), &mut file).unwrap();
    let file = String::from_utf8(file).unwrap();
    assert!(file.starts_with(&ticket), "{what}: the file begins with the ticket");
    assert_eq!(file.matches("<details>").count(), 1, "{what}");
    let is_single = report.rows.len() == 1 && report.rows[0].granted.is_some();
    let has_requests = file.contains("| Setting ") && file.contains("| Requested ");
    assert_eq!(has_requests, is_single, "{what}: {file}");
    assert!(file.ends_with("</details>\n") && file.contains("SHA-256"), "{what}: {file}");
    ticket
}

#[test]
fn every_kind_of_run_fits_into_a_ticket() {
    let runs = runs();
    let kinds: std::collections::BTreeSet<&str> =
        runs.iter().map(|(_, run)| run.subject.key()).collect();
    assert!(7 <= kinds.len(), "{kinds:?}");
    for (path, run) in &runs {
        let ticket = check(run, &path.display().to_string());
        for words in ["- Machine: ", "- Run `"] {
            assert!(ticket.contains(words), "{words}: {ticket}");
        }
        // Of a capture, this program knows no quality of the measurement.
        assert_eq!(ticket.contains("- Quality: "), run.plan().is_some(), "{ticket}");
        // All lines of a table have the same width, so that the table can be read as plain text.
        let widths = ticket.lines().filter(|line| line.starts_with('|'));
        let widths: Vec<usize> = widths.map(|line| line.chars().count()).collect();
        assert!(3 <= widths.len() && widths.iter().all(|width| *width == widths[0]), "{ticket}");
    }
}

#[test]
fn long_and_hostile_texts_fit_into_a_ticket() {
    for (path, mut run) in runs() {
        run.name = "<b>*name*</b> | ".repeat(60);
        run.note = "note\n".repeat(400);
        run.machine.cpu_model = Some("_cpu_ ".repeat(200));
        for trial in &mut run.trials {
            trial.trial.label = format!("{} {}", trial.trial.label, "[label](x) | ".repeat(50));
        }
        check(&run, &path.display().to_string());
    }
}
