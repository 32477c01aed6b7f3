//! Opens an example as what it is: a run, a comparison, or a quick check.

use super::{Action, Example, LIBRARY, Notice, RUNNING, Session};

impl Session {
    /// Opens an example, and offers to save it.
    pub(super) fn open_example(&mut self, example: Example) {
        let files = match self.examples.files(example) {
            Ok(files) => files,
            Err(error) => return self.notices.push(Notice::error(error)),
        };
        let save = Some(("Save to library".to_owned(), Action::OpenFiles(files.clone())));
        match example {
            Example::QuickCheck => {
                self.run(RUNNING, |part, context, outbox| part.open_quick(files, context, outbox));
            }
            Example::Comparison => self.act(Action::Compare(files)),
            Example::FrameLoop | Example::Gaps => {
                self.run(LIBRARY, |part, context, outbox| {
                    for path in files {
                        part.open(path, context, outbox);
                    }
                });
            }
        }
        let notice = Notice::info("This is an example. It is not among your runs.");
        self.notices.push(Notice { action: save, ..notice });
    }
}
