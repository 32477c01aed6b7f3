//! The page of recordings: starts a recorder, shows what it has so far, and the result of a recording.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Id, Ui};
use jitterscope_engine::export::document::{Block, Level};
use jitterscope_engine::export::run_document;
use jitterscope_engine::machine::{RecordingTier, TierState};
use jitterscope_engine::report::{Chart, RecordingResults};
use jitterscope_engine::run::Run;
use jitterscope_engine::run::recording::Follow;
use jitterscope_engine::store::index::RecordedState;
use jitterscope_engine::store::{RecordCommand, RecordStatus};

use super::export::export_buttons;
use super::export::rendered::RenderedBlocks;
use super::machine::step_ui;
use super::page_frame;
use super::recording_changes::RecordingChanges;
use crate::plots::ChartCard;
use crate::run_list::LibraryItem;
use crate::session::{
    Action, CopiedText, LoadedRun, RecorderAction, RecordingWish, Recordings, Session, Subject,
};
use crate::text::{self, recordings as words};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Card, FollowFocus as _, Severity, Spans, VerdictStrip, field::text_field, result_area,
    segmented,
};

/// The key of the chart of frame times, whose stutters are marked, and that of the lateness of this PC.
const FRAMES: &str = "timeline";
const STALLS: &str = "canaries";
/// What the marks of the chart of frame times are.
const SQUARES: &str = "squares: stutters, or late cycles of a thread";
/// Width of a text field.
const FIELD: f32 = 460.0;
/// How exactly the begin of a recording in another process is known.
const ABOUT: jiff::SignedDuration = jiff::SignedDuration::from_secs(5);
/// Widest text of an explanation.
const WIDEST: f32 = 820.0;

/// What the user does for the answer: a title, and what it is about.
type Steps = [(&'static str, &'static str); 3];
const RECORD: (&str, &str) = (
    "Record",
    "A separate process records in the background. Close this window if you like: a new one finds the recording.",
);
const GAME_STEPS: Steps = [
    (
        "Let the game write a log",
        "On Linux, MangoHud: log_interval=0 and output_folder in its settings, then Shift+F2 in the game. From version 0.6.9 \
         on, it writes each frame at once; other CSV logs of frame times that are written while the game runs are followed \
         as well.",
    ),
    RECORD,
    (
        "Play, and stop the recording afterward",
        "Each stutter is followed back from waker to waker, from the frame to what it waited for. A cause is named only where \
         the kernel's records show it.",
    ),
];
const THREAD_STEPS: Steps = [
    (
        "Start the program, and name its thread",
        "A thread that wakes up at a steady interval: of audio, of a game server, of a control loop. Its program needs no log. \
         Where several threads have the name, enter the number of one.",
    ),
    RECORD,
    (
        "Let it work, and stop the recording afterward",
        "A cycle is late where the thread wakes up or runs more than a tenth of its period after its due time, or is still at \
         work at the next one. Each is followed back from waker to waker, to what the thread waited for. A cause is named \
         only where the kernel's records show it.",
    ),
];

/// What is recorded, and what is not.
const RECORDED: [&str; 2] = [
    "Recorded: names of programs and threads, when they had a CPU, and times of frames or cycles.",
    "Never recorded: arguments, window titles, paths, or contents of files. Nothing is added to a game or another program, and none of its memory is read.",
];

/// What the user wants to follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FollowChoice {
    #[default]
    Log,
    Thread,
}

/// The page of recordings.
#[derive(Debug, Default)]
pub struct RecordPage {
    follow: FollowChoice,
    log: Option<String>,
    process: String,
    thread: String,
    period: String,
    shown: Option<ShownRecording>,
    changes: RecordingChanges,
}

/// The recording on screen, as it is drawn.
#[derive(Debug)]
struct ShownRecording {
    run: Arc<Run>,
    id: String,
    blocks: RenderedBlocks,
    charts: Vec<Chart>,
    /// When each stutter ended, and its frame time, in nanoseconds.
    stutters: Vec<(f64, f64)>,
}

impl ShownRecording {
    fn of(shown: &LoadedRun) -> Self {
        let when = text::local_date(shown.run.started_at);
        let document = run_document(&shown.run, &shown.report, when, Level::Page);
        // The verdict is in the strip above.
        let blocks = document.blocks(Level::Page).filter(|it| !matches!(it, Block::Verdict(_)));
        let blocks: Vec<Block> = blocks.cloned().collect();
        let results = shown.report.results.get::<RecordingResults>();
        let events = results.into_iter().flat_map(|results| &results.analysis.events);
        Self {
            run: Arc::clone(&shown.run),
            id: shown.run.id.to_string(),
            blocks: RenderedBlocks::of(&blocks),
            charts: shown.report.charts(&shown.run),
            stutters: events.map(|event| (event.at.as_f64(), event.length.as_f64())).collect(),
        }
    }

    /// Draws the charts; those over time share their axis.
    fn charts_ui(&self, ui: &mut Ui) {
        let link = Id::unique(("record-time", &self.id));
        for chart in &self.charts {
            let card = ChartCard::new(("record", &self.id), chart);
            let card = match chart.key {
                FRAMES => ChartCard {
                    link: Some(link),
                    marked: &self.stutters,
                    note: if self.stutters.is_empty() { card.note } else { SQUARES },
                    ..card
                },
                STALLS => ChartCard { link: Some(link), ..card },
                _ => continue,
            };
            card.show(ui, |_| {});
        }
    }
}

impl RecordPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let recorder = &session.recordings;
        if !recorder.is_watched() {
            actions.push(Action::Recorder(RecorderAction::Watch));
        }
        let saved = session.library.items.as_deref().unwrap_or_default();
        if let Some(item) = recorder.ended.and_then(|began| begun_at(saved, began)) {
            actions.push(Action::OpenRun(item.path.clone()));
            actions.push(Action::Recorder(RecorderAction::ShowedResult));
        }
        let shown = session.running.recorded.as_ref();
        let id = shown.map(|shown| shown.run.id.to_string());
        let is_new = self.shown.as_ref().map(|shown| &shown.id) != id.as_ref();
        result_area(is_new).show_focus(ui, |ui| {
            page_frame().show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = size::GAP_CARD;
                match (recorder.status.as_ref(), shown) {
                    (Some(status), _) => running_ui(ui, status, recorder.is_stopping, actions),
                    (None, Some(shown)) => {
                        strip_ui(ui, shown, actions);
                        if let Some((path, recording)) =
                            shown.path.as_deref().zip(shown.run.recording())
                        {
                            let of = (path, RecordedState::of(recording));
                            self.changes.ui(ui, recorder, of, actions);
                        }
                        self.result_ui(ui, shown);
                        self.setup_ui(ui, recorder, actions);
                    }
                    (None, None) => {
                        self.setup_ui(ui, recorder, actions);
                        self.steps_ui(ui);
                    }
                }
                if recorder.status.is_none() {
                    self.needs_ui(ui, recorder, actions);
                }
                recorded_ui(ui);
            });
        });
    }

    /// Draws the result of a recording without its verdict.
    pub(super) fn result_ui(&mut self, ui: &mut Ui, shown: &LoadedRun) {
        if self.shown.as_ref().is_none_or(|known| !Arc::ptr_eq(&known.run, &shown.run)) {
            self.shown = Some(ShownRecording::of(shown));
        }
        let Some(shown) = &self.shown else { return };
        let width = ui.available_width();
        shown.blocks.ui(ui, width);
        shown.charts_ui(ui);
    }

    /// Returns what to record, as the fields have it.
    fn wish(&self) -> RecordingWish {
        match self.follow {
            FollowChoice::Log => {
                let log = self.log.as_deref().unwrap_or_default().trim();
                RecordingWish {
                    log: (!log.is_empty()).then(|| PathBuf::from(log)),
                    process: self.process.clone(),
                    ..RecordingWish::default()
                }
            }
            FollowChoice::Thread => {
                let thread = self.thread.trim();
                RecordingWish {
                    thread: (!thread.is_empty()).then(|| thread.to_owned()),
                    period: self.period.clone(),
                    ..RecordingWish::default()
                }
            }
        }
    }

    fn setup_ui(&mut self, ui: &mut Ui, recorder: &Recordings, actions: &mut Vec<Action>) {
        let is_starting = recorder.is_starting();
        Card::new("Record while you play").show_plain(ui, |ui| {
            let tokens = Tokens::of(ui);
            let choices = [(FollowChoice::Log, "A game's log"), (FollowChoice::Thread, "A thread")];
            Spans::plain(Type::Label, "Follow", tokens.t2).label(ui);
            // What they hold is what is being started.
            ui.add_enabled_ui(!is_starting, |ui| {
                segmented(ui, "Follow", &mut self.follow, &choices);
                ui.add_space(size::GAP_SMALL);
                self.fields_ui(ui);
            });
            let (label, missing) = match self.follow {
                FollowChoice::Log => {
                    ("Record the game", "Name the log of the game, or the folder of its logs.")
                }
                FollowChoice::Thread => {
                    ("Record the thread", "Enter the name or the number of the thread.")
                }
            };
            if let Some(why) = recorder.refused_thread(&self.wish()) {
                let width = ui.available_width().min(WIDEST);
                Spans::new(Type::Body)
                    .severity(Severity::Poor, size::GAP_LABEL, tokens)
                    .text(Type::Body, why, tokens.t1)
                    .paragraph_within(ui, width);
                ui.add_space(size::GAP_SMALL);
            }
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                let wish = self.wish();
                let is_complete = wish.log.is_some() || wish.thread.is_some();
                let record = Button::primary(label).icon(icons::PLAY_FILL);
                let record = ui.add_enabled(!is_starting && is_complete, record);
                if record.clicked() {
                    actions.push(Action::Recorder(RecorderAction::Start(wish)));
                }
                record.on_disabled_hover_text(missing);
                let this_pc = ui.add_enabled(!is_starting, Button::new("Record this PC only"));
                if this_pc.clicked() {
                    let wish = RecordingWish::default();
                    actions.push(Action::Recorder(RecorderAction::Start(wish)));
                }
                this_pc.on_hover_text("Finds out when this PC stalled, without a game.");
                if is_starting {
                    Spans::plain(Type::Small, "Starting", tokens.t2).label(ui);
                }
            });
        });
    }

    /// Draws what the user does for the answer.
    fn steps_ui(&self, ui: &mut Ui) {
        let (title, steps) = match self.follow {
            FollowChoice::Log => ("Why did my game stutter?", GAME_STEPS),
            FollowChoice::Thread => ("Why was my thread late?", THREAD_STEPS),
        };
        Card::new(title).show_plain(ui, |ui| {
            let tokens = Tokens::of(ui);
            let width = ui.available_width().min(WIDEST);
            for ((title, about), number) in steps.into_iter().zip(1..) {
                Spans::plain(Type::Strong, &format!("{number}. {title}"), tokens.t1).label(ui);
                Spans::plain(Type::Body, about, tokens.t2).paragraph_within(ui, width);
            }
        });
    }

    /// Draws the fields of what to follow.
    fn fields_ui(&mut self, ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        let fields = match self.follow {
            FollowChoice::Log => [
                (
                    "Log of the game, or folder of logs",
                    self.log.get_or_insert_with(default_folder),
                    "a CSV, or a folder for its newest CSV",
                ),
                ("Process of the game", &mut self.process, "found by the name of the log"),
            ],
            FollowChoice::Thread => [
                ("Thread", &mut self.thread, "name or number, of any program"),
                ("Period", &mut self.period, "such as 10ms; empty: learned from 200 wake-ups"),
            ],
        };
        let width = FIELD.min(ui.available_width());
        for (name, value, hint) in fields {
            Spans::plain(Type::Label, name, tokens.t2).label(ui);
            text_field(ui, name, value, hint, width);
            ui.add_space(size::GAP_SMALL);
        }
    }

    /// Draws what a recording would show on this PC, and how to allow the rest.
    fn needs_ui(&self, ui: &mut Ui, recorder: &Recordings, actions: &mut Vec<Action>) {
        let Some(needs) = &recorder.needs else { return };
        let args = self.wish().args();
        let args: Vec<String> = args.iter().map(|arg| quoted(&arg.to_string_lossy())).collect();
        let mut tiers = needs.tiers(&format!("jitterscope-cli {}", args.join(" ")));
        // The cycles of a thread need no log.
        tiers.retain(|tier| self.follow == FollowChoice::Log || tier.key != RecordingTier::FRAMES);
        let button = |ui: &mut Ui| {
            let again = Button::new("Check again").icon(icons::ARROW_COUNTER_CLOCKWISE);
            if ui.add(again).clicked() {
                actions.push(Action::Recorder(RecorderAction::Check));
            }
        };
        let mut copied = Vec::new();
        Card::new("Before you start").note("what a recording shows here").show(ui, button, |ui| {
            let tokens = Tokens::of(ui);
            let width = ui.available_width().min(WIDEST);
            for tier in &tiers {
                let severity = match tier.state {
                    TierState::Works => Severity::Good,
                    TierState::Partly => Severity::Fair,
                    TierState::Missing => Severity::Denied,
                };
                Spans::new(Type::Strong)
                    .severity(severity, size::GAP_LABEL, tokens)
                    .text(Type::Strong, tier.name, tokens.t1)
                    .text(Type::Small, &format!("  {}", tier.state.word()), tokens.t2)
                    .whole_label(ui);
                Spans::plain(Type::Small, &tier.about, tokens.t2).paragraph_within(ui, width);
                for step in &tier.steps {
                    step_ui(ui, None, step, &mut copied);
                }
            }
        });
        actions.append(&mut copied);
    }
}

fn recorded_ui(ui: &mut Ui) {
    Card::new("What is recorded").show_plain(ui, |ui| {
        let tokens = Tokens::of(ui);
        let width = ui.available_width().min(WIDEST);
        for line in RECORDED {
            Spans::plain(Type::Small, line, tokens.t2).paragraph_within(ui, width);
        }
    });
}

/// Draws what a recorder has so far.
fn running_ui(ui: &mut Ui, status: &RecordStatus, is_stopping: bool, actions: &mut Vec<Action>) {
    let sentence = words::subtitle(status);
    let evidence = if status.label.is_empty() {
        "Stalls of this PC are recorded. The result appears when the recording ends.".to_owned()
    } else {
        let saved = text::count_text(status.detail_count, "details");
        format!(
            "{saved} saved around {}. The result appears when the recording ends.",
            status.stutters_noun()
        )
    };
    let strip = VerdictStrip::new(Severity::Info, "").sentence(&sentence).evidence(&evidence);
    strip.show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        let mark = ui.add(Button::new("Mark").icon(icons::FLAG));
        if mark
            .on_hover_text("Marks this time: the records of the seconds before it are saved.")
            .clicked()
        {
            actions.push(Action::Recorder(RecorderAction::Command(RecordCommand::Mark)));
        }
        let stop =
            Button::stop(if is_stopping { "Stopping" } else { "Stop" }).icon(icons::STOP_FILL);
        if ui.add_enabled(!is_stopping, stop).clicked() {
            actions.push(Action::Recorder(RecorderAction::Command(RecordCommand::Stop)));
        }
    });
}

fn strip_ui(ui: &mut Ui, shown: &LoadedRun, actions: &mut Vec<Action>) {
    let (sentence, evidence) = (shown.report.sentence(), shown.report.evidence());
    let strip = VerdictStrip::new(severity(shown), "").sentence(&sentence).evidence(&evidence);
    strip.show(ui, |ui| {
        let subject = Subject::Result(shown.run.subject.key());
        let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
        let words = if is_wide { "Copy for chat" } else { "" };
        let copy = Button::new(words).icon(icons::COPY).name("Copy for chat");
        let about = "Copies the answer and what to do as text of at most 2 000 characters";
        if ui.add(copy).on_hover_text(about).clicked() {
            actions.push(Action::Copy(subject.clone(), CopiedText::Chat));
        }
        export_buttons(ui, &subject, actions);
    });
}

/// A recording has no grade: a warning where something outside of the game delayed it, good where nothing did.
pub(super) fn severity(shown: &LoadedRun) -> Severity {
    let results = shown.report.results.get::<RecordingResults>();
    let Some((recording, results)) = shown.run.recording().zip(results) else {
        return Severity::Info;
    };
    let analysis = &results.analysis;
    let has_none = if analysis.is_of_stalls {
        // Without a row of the log that was asked for, no frame was seen.
        recording.follow == Follow::ThisPc && recording.all_stalls_count() == 0
    } else {
        analysis.events.is_empty() && !recording.frames.is_empty()
    };
    if analysis.causes.iter().any(|cause| cause.blamed.class.is_outside()) {
        Severity::Fair
    } else if has_none {
        Severity::Good
    } else {
        Severity::Info
    }
}

/// Returns the newest recording that began no earlier than this one, whose begin is known to a few seconds; `None` until it
/// is listed.
fn begun_at(items: &[LibraryItem], began: jiff::Timestamp) -> Option<&LibraryItem> {
    let earliest = began.checked_sub(ABOUT).ok()?;
    items.iter().find(|item| {
        let run = item.run.as_ref().ok();
        run.is_some_and(|run| run.test == "recording" && earliest <= run.started_at)
    })
}

/// Returns the folder in which MangoHud writes by default.
fn default_folder() -> String {
    std::env::home_dir().map_or_else(String::new, |folder| folder.display().to_string())
}

/// Returns an argument as a shell reads it.
fn quoted(arg: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-~".contains(letter);
    if arg.chars().all(is_plain) {
        arg.to_owned()
    } else {
        format!("'{}'", arg.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_quotes_what_a_shell_would_split() {
        assert_eq!(quoted("/home/a/logs"), "/home/a/logs");
        assert_eq!(quoted("/home/a b/it's"), r"'/home/a b/it'\''s'");
    }
}
