//! What a person says of the ticked runs: name, note and tags of one, a tag for several.

use std::path::{Path, PathBuf};

use eframe::egui::{TextEdit, Ui};
use jitterscope_engine::store::edit::Edit;

use super::{MOST_COMPARED, committed};
use crate::session::{Action, LibraryItem, RunLine};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Button, Severity, Spans, VerdictStrip, field_block, series_chip, tag_chip};

/// After so many seconds without a key, a note is saved.
const SAVES_AFTER: f64 = 1.0;

/// What is being typed about runs.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// Whose it is.
    path: Option<PathBuf>,
    name: String,
    note: String,
    tags: String,
    /// When the note was last typed in, where it is not saved yet.
    typed_at: Option<f64>,
    /// The tag for several runs.
    tag: String,
    /// Whether the keyboard is wanted in the name.
    pub(super) wants_name: bool,
}

/// Tags as they are typed, with commas between.
fn split(tags: &str) -> Vec<String> {
    tags.split(',').map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
}

impl Draft {
    /// Follows the one ticked run; what was typed of another is saved first.
    pub(super) fn follow(
        &mut self,
        ui: &Ui,
        only: Option<&Path>,
        items: &[LibraryItem],
        actions: &mut Vec<Action>,
    ) {
        let now = ui.input(|input| input.time);
        let is_other = self.path.as_deref() != only;
        if let (Some(typed), Some(path)) = (self.typed_at, &self.path) {
            if is_other || SAVES_AFTER <= now - typed {
                actions.push(Action::EditRun(path.clone(), Edit::Note(self.note.clone())));
                self.typed_at = None;
            } else {
                let left = (SAVES_AFTER - (now - typed)).clamp(0.0, SAVES_AFTER);
                let left = std::time::Duration::try_from_secs_f64(left).unwrap_or_default();
                ui.ctx().request_repaint_after(left);
            }
        }
        if is_other {
            self.path = only.map(Path::to_owned);
            let run = items
                .iter()
                .find(|item| Some(item.path.as_path()) == only)
                .and_then(|item| item.run.as_ref().ok());
            self.name = run.map_or(String::new(), |run| run.name.clone());
            self.note = run.map_or(String::new(), |run| run.note.clone());
            self.tags = run.map_or(String::new(), |run| run.tags.join(", "));
            self.tag.clear();
        }
    }

    /// Draws one run.
    pub(super) fn one_ui(&mut self, ui: &mut Ui, item: &LibraryItem, actions: &mut Vec<Action>) {
        let tokens = Tokens::of(ui);
        let run = match &item.run {
            Ok(run) => run,
            Err(why) => {
                Spans::new(Type::Strong)
                    .text(Type::Strong, "Cannot be read", tokens.poor)
                    .label(ui);
                let path = item.path.display().to_string();
                for line in [why, &path] {
                    ui.label(Type::Small.text(line).color(tokens.t2));
                }
                return;
            }
        };
        let width = ui.available_width();
        field_block(ui, "Name", None, |ui| {
            let field = committed(ui, "Name of the run", &mut self.name, &run.name, width);
            if std::mem::take(&mut self.wants_name) {
                ui.memory_mut(|memory| memory.request_focus(field.id));
            }
            // The usual name is no name of its own.
            if field.is_done && self.name != run.name {
                actions.push(Action::EditRun(item.path.clone(), Edit::Name(self.name.clone())));
            }
        });
        field_block(ui, "Tags, with commas between", None, |ui| {
            let field = committed(ui, "Tags of the run", &mut self.tags, "Add", width);
            if field.is_done && split(&self.tags) != run.tags {
                actions.push(Action::EditRun(item.path.clone(), Edit::Tags(split(&self.tags))));
            }
        });
        field_block(ui, "Note", None, |ui| {
            let edit = TextEdit::multiline(&mut self.note)
                .hint_text(Type::Body.text("Add a note").color(tokens.t3))
                .desired_rows(4)
                .desired_width(width);
            if ui.add(edit).accessible_name("Note of the run").changed() {
                self.typed_at = Some(ui.input(|input| input.time));
            }
        });
        facts_ui(ui, item, run);
        if ui.add(Button::new("Open").icon(icons::ARROW_SQUARE_OUT)).clicked() {
            actions.push(Action::OpenRun(item.path.clone()));
        }
    }

    /// Draws several runs: their letters, whether they can be compared, a tag for all.
    pub(super) fn several_ui(
        &mut self,
        ui: &mut Ui,
        ticked: &[PathBuf],
        items: &[LibraryItem],
        actions: &mut Vec<Action>,
    ) {
        let tokens = Tokens::of(ui);
        let title = format!("{} runs selected", ticked.len());
        Spans::new(Type::Strong).text(Type::Strong, &title, tokens.t1).label(ui);
        let runs: Vec<(&PathBuf, Option<&RunLine>)> = ticked
            .iter()
            .map(|path| {
                let item = items.iter().find(|item| item.path == *path);
                (path, item.and_then(|item| item.run.as_ref().ok()))
            })
            .collect();
        let now = text::local(jiff::Timestamp::now());
        for ((_, run), at) in runs.iter().zip(0..).take(MOST_COMPARED) {
            let Some(run) = run else { continue };
            ui.horizontal(|ui| {
                series_chip(ui, at);
                let when = text::list_date(&text::local(run.started_at), &now);
                Spans::new(Type::Body)
                    .text(Type::Strong, &run.name, tokens.t1)
                    .gap(size::GAP_SMALL)
                    .text(Type::Small, &when, tokens.t2)
                    .label(ui);
            });
        }
        let (severity, sentence) = comparability(&runs);
        VerdictStrip::new(severity, sentence).show(ui, |_| {});
        let width = ui.available_width();
        field_block(ui, "A tag for all", None, |ui| {
            let field = committed(ui, "A tag for all selected runs", &mut self.tag, "Add", width);
            if field.is_done && !self.tag.trim().is_empty() {
                for (path, run) in &runs {
                    let Some(run) = run else { continue };
                    let mut tags = run.tags.clone();
                    tags.extend(split(&self.tag));
                    actions.push(Action::EditRun((*path).clone(), Edit::Tags(tags)));
                }
                self.tag.clear();
            }
        });
    }
}

/// Whether runs can be compared, in a sentence.
fn comparability(runs: &[(&PathBuf, Option<&RunLine>)]) -> (Severity, &'static str) {
    let read: Vec<&RunLine> = runs.iter().filter_map(|(_, run)| *run).collect();
    let is_one =
        |of: &dyn Fn(&RunLine) -> String| read.windows(2).all(|pair| of(pair[0]) == of(pair[1]));
    if read.len() != runs.len() {
        (Severity::Fair, "A file among them cannot be read.")
    } else if !is_one(&|run| run.test.to_owned()) {
        (Severity::Fair, "These runs measure different things and cannot be compared.")
    } else if MOST_COMPARED < read.len() {
        (Severity::Info, "At most 4 runs are compared at once.")
    } else if is_one(&|run| run.machine.clone()) {
        (Severity::Info, "Same test on the same machine: the numbers can be compared.")
    } else {
        (Severity::Info, "Same test on different machines: compare with care.")
    }
}

/// What is known of a run, a line each.
fn facts_ui(ui: &mut Ui, item: &LibraryItem, run: &RunLine) {
    let tokens = Tokens::of(ui);
    ui.horizontal_wrapped(|ui| {
        for tag in &run.tags {
            tag_chip(ui, tag);
        }
    });
    let lines = [
        format!("{} · {}", run.test_name, text::date(&text::local(run.started_at))),
        format!("{} measured · {}", text::sentence_duration(run.measured), text::bytes(item.bytes)),
        run.machine.clone(),
        item.path.display().to_string(),
    ];
    for line in lines {
        Spans::new(Type::Small).text(Type::Small, &line, tokens.t2).label(ui);
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn tags_are_parted_by_commas() {
        assert_eq!(split(" one, two words ,,three"), ["one", "two words", "three"]);
        assert!(split(" , ").is_empty());
    }
}
