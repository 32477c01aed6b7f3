//! Asks for a path inside the window if the system has no file dialog: a text field with
//! completion.

use std::path::{Path, PathBuf};

use eframe::egui::{Context, Id, Key, TextEdit, Ui};

use crate::session::{Action, PathKind, PathQuestion, Session};
use crate::theme::{Tokens, Type, size};
use crate::widgets::button::word_button;
use crate::widgets::{Button, dialog, right_row};

/// Maximum number of suggested paths.
const MAX_SUGGESTED: usize = 8;
/// Maximum number of entries of a folder that are read for suggestions.
const MAX_READ: usize = 2_000;

/// State of the dialog that asks for a path.
#[derive(Debug, Default)]
pub struct PathDialog {
    of: Option<u64>,
    text: String,
    /// An entered text, and the paths suggested to complete this text.
    suggested: Option<(String, Vec<PathBuf>)>,
    was_focused: bool,
}

impl PathDialog {
    /// Shows the dialog while a path is requested.
    pub fn show(&mut self, ctx: &Context, session: &Session, actions: &mut Vec<Action>) {
        let Some(question) = session.dialogs.question() else {
            *self = Self::default();
            return;
        };
        if self.of != Some(question.number) {
            let text = question.path.display().to_string();
            *self = Self { of: Some(question.number), text, ..Self::default() };
        }
        let id = Id::unique("path-dialog");
        let mut modal = dialog::modal(ctx, id).show(ctx, |ui| self.ui(ui, &question));
        let answer = modal.inner.take();
        let cancel = || modal.should_close().then_some(Action::AnswerPath(None));
        actions.extend(answer.or_else(cancel));
    }

    /// Draws the dialog; returns the action once the user answered.
    fn ui(&mut self, ui: &mut Ui, question: &PathQuestion) -> Option<Action> {
        let tokens = Tokens::of(ui);
        ui.set_width((1.5 * size::DIALOG_WIDTH).min(ui.ctx().content_rect().width() - 40.0));
        dialog::title(ui, &question.title);
        let label = ui.label(Type::Body.text("Path").color(tokens.t2));
        let field = TextEdit::singleline(&mut self.text).desired_width(f32::INFINITY);
        let field = ui.add(field).labelled_by(label.id);
        if !self.was_focused {
            field.request_focus();
            self.was_focused = true;
        }
        let path = expanded(&self.text);
        if self.suggested.as_ref().is_none_or(|(of, _)| *of != self.text) {
            let found = suggestions(&path, &self.text, question.kind);
            self.suggested = Some((self.text.clone(), found));
        }
        let mut taken = None;
        for one in self.suggested.iter().flat_map(|(_, found)| found) {
            if word_button(ui, "", &shown(one), ui.available_width()).clicked() {
                taken = Some(shown(one));
            }
        }
        if !question.recent.is_empty() {
            ui.add_space(size::GAP_SMALL);
            ui.label(Type::Small.text("Recent folders").color(tokens.t3));
            for folder in &question.recent {
                if word_button(ui, "", &shown(folder), ui.available_width()).clicked() {
                    taken = Some(match (question.kind, Path::new(&self.text).file_name()) {
                        (PathKind::NewFile, Some(name)) => folder.join(name).display().to_string(),
                        _ => shown(folder),
                    });
                }
            }
        }
        if let Some(taken) = taken {
            self.text = taken;
            field.request_focus();
        }
        let (problem, note) = check(&path, question.kind);
        ui.add_space(size::GAP_LABEL);
        ui.label(Type::Small.text(problem.or(note).unwrap_or_default()).color(tokens.t2));
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let answer = right_row(ui, "path-answers", |ui| {
            let cancel = ui.add(Button::new("Cancel").shortcut("Esc")).clicked();
            let primary = Button::primary(question.kind.button()).shortcut("Enter");
            let is_confirmed = ui.add_enabled(problem.is_none(), primary).clicked();
            (cancel, is_confirmed)
        });
        match answer {
            (true, _) => Some(Action::AnswerPath(None)),
            (_, true) => Some(Action::AnswerPath(Some(path))),
            _ if is_entered && problem.is_none() => Some(Action::AnswerPath(Some(path))),
            _ => None,
        }
    }
}

/// Returns a path as text. A folder ends with a separator, so that its contents are suggested next.
fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    if path.is_dir() && !text.ends_with(std::path::MAIN_SEPARATOR) {
        return format!("{text}{}", std::path::MAIN_SEPARATOR);
    }
    text
}

/// Returns the path for an entered text: a leading `~` is the home folder.
fn expanded(text: &str) -> PathBuf {
    let text = text.trim();
    let rest = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (rest, std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest.trim_start_matches('/')),
        _ => PathBuf::from(text),
    }
}

/// Returns completions of a path: folders before files, each sorted by name.
fn suggestions(path: &Path, text: &str, kind: PathKind) -> Vec<PathBuf> {
    let is_whole = text.ends_with(std::path::MAIN_SEPARATOR);
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let (folder, begin) = match (is_whole, path.parent()) {
        (false, Some(parent)) => (parent, name.unwrap_or_default()),
        _ => (path, String::new()),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(MAX_READ).flatten();
    let mut found: Vec<(bool, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            let is_hidden = name.starts_with('.') && !begin.starts_with('.');
            let is_file = !entry.path().is_dir();
            let fits = name.starts_with(&begin) && !is_hidden;
            (fits && !(is_file && kind == PathKind::Folder)).then(|| (is_file, entry.path()))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).filter(|one| one != path).take(MAX_SUGGESTED).collect()
}

/// Returns the reason why a path cannot be selected, and a note about a path that can be selected;
/// `None` where there is nothing to report.
fn check(path: &Path, kind: PathKind) -> (Option<&'static str>, Option<&'static str>) {
    match kind {
        PathKind::Folder if path.is_dir() => (None, None),
        PathKind::Folder => (Some("Enter an existing folder."), None),
        PathKind::Files if path.exists() => (None, None),
        PathKind::Files => (Some("Enter an existing file or folder."), None),
        PathKind::NewFile if path.is_dir() => (Some("Enter a file name."), None),
        PathKind::NewFile if path.is_file() => {
            (None, Some("This file exists and will be replaced."))
        }
        // A name alone is in the current folder.
        PathKind::NewFile if path.parent() == Some(Path::new("")) => (None, None),
        PathKind::NewFile if path.parent().is_some_and(Path::is_dir) => (None, None),
        PathKind::NewFile => (Some("The folder does not exist."), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_names_are_completed_folders_first() {
        let folder = std::env::temp_dir().join(format!("path-dialog-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("runs")).unwrap();
        std::fs::create_dir_all(folder.join(".hidden")).unwrap();
        std::fs::write(folder.join("Run 1.json"), "{}").unwrap();
        let names = |typed: &str, kind| -> Vec<String> {
            let text = format!("{}/{typed}", folder.display());
            let found = suggestions(&expanded(&text), &text, kind);
            found.iter().map(|path| path.file_name().unwrap().to_string_lossy().into()).collect()
        };
        assert_eq!(names("ru", PathKind::Files), ["runs", "Run 1.json"]);
        assert_eq!(names("ru", PathKind::Folder), ["runs"]);
        assert_eq!(names("", PathKind::Folder), ["runs"]);
        assert_eq!(names(".h", PathKind::Folder), [".hidden"]);
        let of = |name: &str, kind| check(&folder.join(name), kind).0.is_none();
        assert!(of("runs", PathKind::Folder) && !of("none", PathKind::Folder));
        assert!(of("new.json", PathKind::NewFile) && !of("none/new.json", PathKind::NewFile));
        assert!(check(Path::new("a name alone.json"), PathKind::NewFile).0.is_none());
        assert!(check(&folder.join("Run 1.json"), PathKind::NewFile).1.is_some());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
