//! What can be exported, and from where it is taken.

use std::sync::Arc;

use super::export::Source;
use super::{EXPORTS, ExportKind, Notice, Session, Subject};
use crate::text::export::NOTHING_TO_EXPORT;

impl Session {
    /// As what a run was exported last, over all sessions.
    pub fn last_export(&self) -> Option<ExportKind> {
        ExportKind::of_key(&self.settings().last_export)
    }

    /// Whether there is a result to write.
    pub fn can_export(&self, subject: &Subject) -> bool {
        self.source(subject).is_some()
    }

    fn source(&self, subject: &Subject) -> Option<Source> {
        Some(match subject {
            Subject::Result(key) => Source::Result(Arc::clone(self.shown(key)?)),
            Subject::Runs(paths) if paths.is_empty() => return None,
            Subject::Runs(paths) => match self.library.checks(paths).as_deref() {
                Some([(_, files)]) => Source::Check(files.clone()),
                _ => Source::Runs(self.library.files_of(paths)),
            },
            Subject::Check => {
                let check = self.quick().result()?;
                // Its name and note may have been changed in its files.
                let is_saved = check.runs().all(|shown| shown.path.is_some());
                match check.paths() {
                    paths if is_saved && !paths.is_empty() => Source::Check(paths),
                    _ => Source::FinishedCheck(Arc::clone(check)),
                }
            }
            Subject::Comparison => {
                let compared = Arc::clone(self.comparing.compared()?);
                Source::Comparison(compared, self.store().cloned())
            }
        })
    }

    /// Opens what is to be exported.
    pub(super) fn begin_export(&mut self, subject: Subject, wanted: Option<ExportKind>) {
        match self.source(&subject) {
            Some(source) => self.run(EXPORTS, |part, _, _| part.begin(subject, source, wanted)),
            None => self.notices.push(Notice::info(NOTHING_TO_EXPORT)),
        }
    }

    /// Puts text for a ticket into the clipboard.
    pub(super) fn copy_for_ticket(&mut self, subject: Subject) {
        let source = self.source(&subject);
        self.run(EXPORTS, |part, _, outbox| {
            if !source.is_some_and(|source| part.copy_for_ticket(subject, &source)) {
                outbox.notify(Notice::info(NOTHING_TO_EXPORT));
            }
        });
    }
}
