//! The last quick check among the saved runs.

use std::path::PathBuf;

use jitterscope_engine::plan::quick::{LONGEST, Part, TAG};
use jitterscope_engine::report::Doubt;
use jitterscope_engine::stats::Grade;

use super::Library;
use crate::text::nanos_between;

/// The last check among the saved runs.
#[derive(Clone, Debug, PartialEq)]
pub struct LastCheck {
    /// Its runs.
    pub paths: Vec<PathBuf>,
    /// When it began.
    pub began: jiff::Timestamp,
    /// The worst grade; absent where not all five parts have one.
    pub grade: Option<Grade>,
    /// Why there is none, where a part is in doubt.
    pub doubt: Option<Doubt>,
}

impl Library {
    /// The last check: the newest run of one, and those that began little before it.
    pub fn last_check(&self) -> Option<LastCheck> {
        let of_checks = self.items()?.iter().filter_map(|item| {
            let run = item.run.as_ref().ok()?;
            run.tags.iter().any(|tag| tag == TAG).then_some((item, run))
        });
        let mut check: Option<LastCheck> = None;
        let mut newest = jiff::Timestamp::UNIX_EPOCH;
        let mut grades = Vec::new();
        // What was repeated has the same name: the newest counts.
        let mut names: Vec<&str> = Vec::new();
        for (item, run) in of_checks {
            if names.contains(&run.name.as_str()) {
                continue;
            }
            if names.len() == Part::ALL.len() {
                break;
            }
            names.push(&run.name);
            let check = check.get_or_insert_with(|| {
                newest = run.started_at;
                LastCheck { paths: Vec::new(), began: run.started_at, grade: None, doubt: None }
            });
            if LONGEST < nanos_between(run.started_at, newest) {
                break;
            }
            check.paths.push(item.path.clone());
            check.began = check.began.min(run.started_at);
            grades.extend(run.headline.grade);
            check.doubt = check.doubt.or(run.headline.doubt);
        }
        let worst = grades.iter().copied().max().filter(|_| grades.len() == Part::ALL.len());
        check.map(|check| LastCheck { grade: worst, ..check })
    }
}
