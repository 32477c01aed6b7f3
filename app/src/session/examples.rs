//! Example runs: measured on another machine, opened without being saved.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::run::{Run, RunId};
use jitterscope_engine::store::ScratchFolder;

use super::Session;
use super::action::{Action, Example, Notice, PageId};
use super::shown::LoadedRun;

/// The name and the content of a run file.
type File = (&'static str, &'static [u8]);

macro_rules! file {
    ($name:literal) => {
        (
            concat!($name, ".jitterscope.json"),
            include_bytes!(concat!("../../../assets/examples/", $name, ".jitterscope.json")),
        )
    };
}

const NORMAL: File = file!("frame-loop-normal");
const FIFO: File = file!("frame-loop-fifo");
const GAPS: File = file!("scheduling-gaps");
const CAPTURE: File = file!("capture");
const CHECK: [File; 5] = [
    file!("quick-sleep"),
    file!("quick-frame-idle"),
    file!("quick-frame-load"),
    file!("quick-gaps"),
    file!("quick-spin"),
];

impl Example {
    /// All examples, in the order in which the app lists them.
    pub const ALL: [Self; 5] =
        [Self::QuickCheck, Self::FrameLoop, Self::Comparison, Self::Gaps, Self::Capture];

    /// Returns the title and a one-line description.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::QuickCheck => {
                ("Quick check", "A verdict from five measurements, with recommendations")
            }
            Self::FrameLoop => {
                ("Frame loop with a late frame", "Select the late frame to see what delayed it")
            }
            Self::Comparison => {
                ("Comparison of two runs", "The same loop at Normal and at FIFO 10 priority")
            }
            Self::Gaps => ("Scheduling gaps", "When busy threads were interrupted, on every CPU"),
            Self::Capture => {
                ("Capture of a game", "Every frame of a log by MangoHud, with its stutters")
            }
        }
    }

    /// Returns the text that identifies the example.
    pub const fn key(self) -> &'static str {
        match self {
            Self::QuickCheck => "quick-check",
            Self::FrameLoop => "frame-loop",
            Self::Comparison => "comparison",
            Self::Gaps => "scheduling-gaps",
            Self::Capture => "capture",
        }
    }

    fn files(self) -> Vec<File> {
        match self {
            Self::QuickCheck => CHECK.to_vec(),
            Self::FrameLoop => vec![FIFO],
            Self::Comparison => vec![NORMAL, FIFO],
            Self::Gaps => vec![GAPS],
            Self::Capture => vec![CAPTURE],
        }
    }
}

/// The examples that were opened; their files are in a temporary folder until the window closes.
#[derive(Debug, Default)]
pub(super) struct Examples {
    folder: Option<ScratchFolder>,
    /// The IDs of the runs in opened examples.
    ids: Vec<RunId>,
}

/// The part of a run file that identifies the run.
#[derive(serde::Deserialize)]
struct Named {
    id: String,
}

impl Examples {
    /// Returns the actions that open an example, and the message that offers to save it.
    pub(super) fn open(&mut self, example: Example) -> Result<(Vec<Action>, Notice), String> {
        let files = self.files(example)?;
        let save = Some(("Save to library".to_owned(), Action::OpenFiles(files.clone())));
        let actions = match example {
            Example::QuickCheck => vec![Action::OpenQuick(files)],
            Example::Comparison => vec![Action::Compare(files)],
            Example::FrameLoop | Example::Gaps | Example::Capture => {
                files.into_iter().map(Action::OpenRun).collect()
            }
        };
        let notice = Notice::info("This is an example. It is not among your runs.");
        Ok((actions, Notice { action: save, ..notice }))
    }

    /// Returns whether a run belongs to an opened example.
    pub(super) fn hold(&self, run: &Run) -> bool {
        self.ids.contains(&run.id)
    }

    /// Writes the files of an example to a temporary folder, and returns their paths.
    fn files(&mut self, example: Example) -> Result<Vec<PathBuf>, String> {
        let failed = |error: std::io::Error| format!("This example cannot be opened: {error}");
        if self.folder.as_ref().is_none_or(|folder| !folder.path().is_dir()) {
            self.folder = Some(ScratchFolder::new().map_err(failed)?);
        }
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        let write = |(name, content): File| {
            let named = serde_json::from_slice(content).ok();
            self.ids.extend(named.and_then(|Named { id }| RunId::parse(&id)));
            let path = folder.path().join(name);
            std::fs::write(&path, content).map(|()| path)
        };
        example.files().into_iter().map(write).collect::<Result<_, _>>().map_err(failed)
    }
}

impl Session {
    /// Returns whether a page shows an example.
    pub fn shows_example(&self, page: PageId) -> bool {
        let is_example = |shown: &Arc<LoadedRun>| self.examples.hold(&shown.run);
        match page {
            PageId::Test(test) => self.running.shown(test).is_some_and(is_example),
            PageId::Quick => {
                let result = self.running.quick.result.as_ref();
                let result = result.filter(|_| self.running.quick.check.is_none());
                result.is_some_and(|check| check.runs().any(is_example))
            }
            PageId::Compare => {
                self.comparing.compared().is_some_and(|view| view.runs.iter().any(is_example))
            }
            PageId::Capture => self.running.capture.as_ref().is_some_and(is_example),
            PageId::Record
            | PageId::Runs
            | PageId::Machine
            | PageId::Settings
            | PageId::Welcome => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_small_and_hold_runs_without_private_names() {
        let all: Vec<File> = Example::ALL.into_iter().flat_map(Example::files).collect();
        let bytes: usize = all.iter().map(|(_, content)| content.len()).sum();
        assert!(bytes <= 1_500_000, "{bytes}");
        let mut examples = Examples::default();
        for example in Example::ALL {
            for path in examples.files(example).unwrap() {
                let run = jitterscope_engine::store::load(&path).unwrap();
                assert!(examples.hold(&run), "{path:?}");
                assert!(run.name.contains("example") || run.name.contains("Example"), "{path:?}");
                assert!(run.note.contains("virtual machine"), "{path:?}");
                let text = std::fs::read_to_string(&path).unwrap();
                for private in ["/home/", "/root", "rustc", "cargo"] {
                    assert!(!text.contains(private), "{private} in {path:?}");
                }
            }
        }
    }
}
