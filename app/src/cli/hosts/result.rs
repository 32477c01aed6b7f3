//! What a host measured: one line that its process prints for the process that collects all hosts.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::quick::{Conclusion, Scorecard};
use jitterscope_engine::report::{Headline, Report};
use jitterscope_engine::run::Run;
use serde::{Deserialize, Serialize};

use super::super::host::BATCH;
use super::super::names::Place;
use crate::text as words;

/// The beginning of the line.
const PREFIX: &str = "jitterscope-host-result ";
/// Maximum number of characters of a text of another PC.
const MAX_TEXT: usize = 200;

/// The result of one host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::cli) struct HostResult {
    /// The IDs of the runs; of a quick check, in the order of its parts.
    pub(super) run_ids: Vec<String>,
    /// The grade, or the word that replaces it.
    pub(super) verdict: String,
    /// The worst grade that the data allows; `None` without a grade.
    pub(super) grade: Option<String>,
    /// The best grade that the data allows.
    pub(super) grade_best: Option<String>,
    /// The key figure, or the answer of a quick check.
    pub(super) key_figure: String,
    /// The p99 lateness in nanoseconds; of a quick check, under load.
    pub(super) p99_nanos: Option<i64>,
    /// The longest gap in nanoseconds.
    pub(super) longest_gap_nanos: Option<i64>,
    /// What delayed most late frames; empty if nothing is named.
    pub(super) culprit: String,
    /// The result in one sentence.
    pub(super) sentence: String,
}

impl HostResult {
    /// Returns the result of a run.
    pub(in crate::cli) fn of_run(run: &Run, report: &Report) -> Self {
        let headline = Headline::of_report(run, report);
        let nanos = |value: Option<Nanos>| value.map(Nanos::get);
        Self {
            run_ids: vec![run.id.to_string()],
            verdict: headline.word.clone(),
            grade: headline.grade.map(|grade| grade.worst().word().to_owned()),
            grade_best: headline.grade.map(|grade| grade.best().word().to_owned()),
            key_figure: headline.number.clone(),
            p99_nanos: nanos(headline.best_p99),
            longest_gap_nanos: nanos(headline.longest_gap),
            culprit: report.delays.main().map_or_else(String::new, |delay| delay.name.clone()),
            sentence: report.sentence(),
        }
    }

    /// Returns the result of a quick check, of which these are the runs that were measured.
    pub(in crate::cli) fn of_check(card: &Scorecard, runs: &[(&Run, &Report)]) -> Self {
        let each: Vec<Self> = runs.iter().map(|(run, report)| Self::of_run(run, report)).collect();
        let Scorecard { grade, standing, answer, .. } = card;
        let conclusion = Conclusion { grade: *grade, standing: *standing, answer: *answer };
        let culprit = each.iter().rev().find(|result| !result.culprit.is_empty());
        Self {
            run_ids: each.iter().flat_map(|result| result.run_ids.clone()).collect(),
            verdict: words::quick::word(card).to_owned(),
            grade: grade.map(|grade| grade.worst().word().to_owned()),
            grade_best: grade.map(|grade| grade.best().word().to_owned()),
            key_figure: words::quick::short_answer(&conclusion),
            p99_nanos: each.iter().filter_map(|result| result.p99_nanos).max(),
            longest_gap_nanos: each.iter().filter_map(|result| result.longest_gap_nanos).max(),
            culprit: culprit.map_or_else(String::new, |result| result.culprit.clone()),
            sentence: words::quick::sentence(card),
        }
    }

    /// Prints the line, in a process that measures one of several hosts. `of` returns the result with the names that a
    /// destination may contain.
    pub(in crate::cli) fn print_for_batch(of: impl Fn(Place) -> Self) {
        if std::env::var_os(BATCH).is_none() {
            return;
        }
        let both = BothResults { terminal: of(Place::Terminal), file: of(Place::File) };
        if let Ok(json) = serde_json::to_string(&both) {
            // The other process reads until the end, and reports a missing line.
            let _ok = super::super::output::print_output(&format!("{PREFIX}{json}\n"));
        }
    }

    /// Reads the line from the output of a process; `None` if it has none.
    pub(super) fn read(output: &str, place: Place) -> Option<Self> {
        let line = output.lines().rev().find_map(|line| line.strip_prefix(PREFIX))?;
        let BothResults { terminal, file } = serde_json::from_str(line).ok()?;
        let mut result = if place == Place::File { file } else { terminal };
        let Self { verdict, key_figure, culprit, sentence, .. } = &mut result;
        for text in [verdict, key_figure, culprit, sentence] {
            *text = words::cut(&text.replace(words::NARROW_SPACE, " "), MAX_TEXT);
        }
        Some(result)
    }
}

/// The result of a host with the names that each destination may contain.
#[derive(Debug, Serialize, Deserialize)]
struct BothResults {
    terminal: HostResult,
    file: HostResult,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_found_after_the_result_of_the_command() {
        let result = HostResult {
            run_ids: vec!["0a1b2c3d".to_owned()],
            verdict: "Good".to_owned(),
            p99_nanos: Some(12_345),
            culprit: "line\u{2028}break \"quoted\"".to_owned(),
            ..HostResult::default()
        };
        let file = HostResult { culprit: "Program A".to_owned(), ..result.clone() };
        let both = BothResults { terminal: result.clone(), file: file.clone() };
        let json = serde_json::to_string(&both).unwrap();
        let output = format!("table\n\nGood: it is.\n{PREFIX}{json}\n");
        assert_eq!(HostResult::read(&output, Place::Terminal), Some(result));
        assert_eq!(HostResult::read(&output, Place::File), Some(file));
        assert_eq!(HostResult::read("table\n", Place::File), None);
        assert_eq!(HostResult::read(&format!("{PREFIX}{{\n"), Place::File), None);
    }
}
