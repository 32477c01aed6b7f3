//! Starts comparisons: of up to four runs or quick checks, or of two to six groups once A and B are set.

use std::path::PathBuf;

use jitterscope_engine::report::comparison::MinEffect;

use super::{COMPARING, Notice, PageId, Session};

/// The message to a user who selects quick checks together with runs of other tests.
const MIXED: &str = "A quick check can be compared only with other quick checks.";

impl Session {
    /// Compares up to four runs or quick checks, and shows the Compare page.
    pub(super) fn compare(&mut self, paths: Vec<PathBuf>) {
        self.go_to = Some(PageId::Compare);
        let checks = self.library.checks(&paths);
        let is_mixed = checks.is_none() && self.has_check(&paths);
        self.run(COMPARING, |part, context| match checks {
            Some(checks) => part.compare_checks(checks, context),
            None if is_mixed => part.refuse(paths, MIXED),
            None => part.compare(paths, context),
        });
    }

    /// Sets the smallest change that matters, and compares again.
    pub(super) fn set_min_effect(&mut self, minimum: MinEffect) {
        self.run(COMPARING, |part, context| part.set_minimum(minimum, context));
    }

    /// Returns whether at least one of these entries is a quick check.
    fn has_check(&self, paths: &[PathBuf]) -> bool {
        paths.iter().any(|path| self.library.checks(std::slice::from_ref(path)).is_some())
    }

    /// Sets runs as group A (`side` 0), B (1), or a further one, and compares the groups once A and B have runs.
    pub(super) fn set_group(&mut self, side: usize, paths: &[PathBuf]) {
        let mut groups = None;
        self.run(COMPARING, |part, _| groups = part.set_group(side, paths));
        if let Some(groups) = groups {
            self.compare_groups(&groups);
            return;
        }
        let runs = crate::text::compare::group_label(paths.len());
        let (this, other) = if side == 0 { ("A", "B") } else { ("B", "A") };
        self.notices.push(Notice::info(format!(
            "Group {this}: {runs}. Select the runs of group {other}, then press Set as {other}."
        )));
    }

    /// Compares groups with the first one, and shows the Compare page.
    pub(super) fn compare_groups(&mut self, groups: &[Vec<PathBuf>]) {
        self.go_to = Some(PageId::Compare);
        let checks: Option<Vec<_>> =
            groups.iter().map(|group| self.library.checks(group)).collect();
        let checks = checks.map(|checks| checks.concat());
        let all = groups.concat();
        if checks.is_none() && self.has_check(&all) {
            self.run(COMPARING, |part, _| part.refuse(all, MIXED));
        } else {
            self.run(COMPARING, |part, context| part.compare_groups(groups, checks, context));
        }
    }
}
