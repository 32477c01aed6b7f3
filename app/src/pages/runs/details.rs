//! Details of the selected runs: an overview, and the fields for name, note, and tags.

mod draft;
pub(super) mod run_preview;
mod trend;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use eframe::egui::text::CCursorRange;
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{Align, Id, Layout, TextEdit, Ui, vec2};

pub(super) use self::draft::Draft;
use super::{MAX_COMPARED, focus};
use crate::session::{Action, LibraryItem, RunListEntry, Session};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::field::is_committed;
use crate::widgets::{
    Button, Spans, VerdictStrip, card, field_block, link, removable_chip, series_chip, text_field,
};

/// Minimum width for overview and fields next to each other.
const TWO_COLUMNS: f32 = 560.0;
/// Number of rows of the note field.
const NOTE_ROWS: usize = 4;

/// The selected runs and their previews.
pub(super) struct SelectedRuns<'a> {
    session: &'a Session,
    items: Vec<&'a LibraryItem>,
}

impl<'a> SelectedRuns<'a> {
    pub(super) fn of(session: &'a Session, items: &'a [LibraryItem], paths: &[PathBuf]) -> Self {
        let places: HashMap<&Path, &LibraryItem> = if paths.is_empty() {
            HashMap::new()
        } else {
            items.iter().map(|item| (item.path.as_path(), item)).collect()
        };
        let of = |path: &PathBuf| places.get(path.as_path()).copied();
        Self { session, items: paths.iter().filter_map(of).collect() }
    }

    /// Returns the selected runs whose files can be read; the first is run A of a comparison.
    fn runs(&self) -> impl Iterator<Item = (&'a Path, &'a RunListEntry)> {
        self.items.iter().filter_map(|item| Some((item.path.as_path(), item.run.as_ref().ok()?)))
    }
}

impl Draft {
    /// Draws the details of the selected runs; at least one run is selected.
    pub(in crate::pages::runs) fn ui(
        &mut self,
        ui: &mut Ui,
        checked: &SelectedRuns<'_>,
        actions: &mut Vec<Action>,
    ) {
        ui.spacing_mut().item_spacing.y = size::GAP_SMALL;
        if let [one] = checked.items.as_slice()
            && let Err(why) = &one.run
        {
            closed_ui(ui, one, why, actions);
            return;
        }
        if ui.available_width() < TWO_COLUMNS {
            self.what_ui(ui, checked, actions);
            self.said_ui(ui, checked, actions);
            return;
        }
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_GROUP;
            let half = ((ui.available_width() - size::GAP_GROUP) / 2.0).floor();
            let down = Layout::top_down(Align::Min);
            ui.allocate_ui_with_layout(vec2(half, 0.0), down, |ui| {
                ui.set_width(half);
                self.what_ui(ui, checked, actions);
            });
            ui.allocate_ui_with_layout(vec2(half, 0.0), down, |ui| {
                ui.set_width(half);
                self.said_ui(ui, checked, actions);
            });
        });
    }

    /// Draws the overview of the runs.
    fn what_ui(&mut self, ui: &mut Ui, checked: &SelectedRuns<'_>, actions: &mut Vec<Action>) {
        if let [one] = checked.items.as_slice() {
            if let Ok(run) = &one.run {
                self.name_ui(ui, &one.path, run, actions);
                run_preview::one_ui(ui, checked.session, one, run, actions);
                if let Some(state) = run.recorded {
                    let recordings = &checked.session.recordings;
                    self.changes.ui(ui, recordings, (&one.path, state), actions);
                }
                trend::trend_ui(ui, checked.session, run, actions);
            }
            return;
        }
        let tokens = Tokens::of(ui);
        let title = format!("{} runs selected", checked.items.len());
        Spans::plain(Type::Strong, &title, tokens.t1).label(ui);
        let runs: Vec<(&Path, &RunListEntry)> = checked.runs().collect();
        let groups = checked.session.comparing.groups.as_slice();
        let has_groups = groups.iter().any(|group| !group.is_empty());
        for (at, (path, run)) in runs.iter().take(MAX_COMPARED).enumerate() {
            let group = groups.iter().position(|group| group.iter().any(|own| own == path));
            run_card(ui, (at, has_groups, group), run);
        }
        run_preview::several_ui(ui, checked.session, &runs);
        let (severity, sentence) =
            run_preview::comparability(checked.session, checked.items.len(), &runs);
        VerdictStrip::new(severity, "").evidence(&sentence).show(ui, |_| {});
    }

    /// Draws the fields for name, note, and tags.
    fn said_ui(&mut self, ui: &mut Ui, checked: &SelectedRuns<'_>, actions: &mut Vec<Action>) {
        let tokens = Tokens::of(ui);
        let width = ui.available_width();
        let count = checked.items.len();
        let label = match count {
            1 => "Note".to_owned(),
            2 => "Note for both".to_owned(),
            count => format!("Note for all {count}"),
        };
        let name = if count == 1 { "Note of the run" } else { "Note of the selected runs" };
        let hint = self.note_hint();
        field_block(ui, &label, None, |ui| {
            // A fixed id preserves the focus when a preview appears above the field.
            let edit = TextEdit::multiline(&mut self.note)
                .id(Id::unique("note-of-runs"))
                .hint_text(Type::Body.text(hint).color(tokens.t3))
                .desired_rows(NOTE_ROWS)
                .desired_width(width);
            if ui.add(edit).accessible_name(name).changed() {
                self.typed_at = Some(ui.input(|input| input.time));
            }
        });
        field_block(ui, "Tags", None, |ui| self.tags_ui(ui, count, actions));
        folder_ui(ui, checked, actions);
    }

    /// Draws the name field of a single run.
    fn name_ui(&mut self, ui: &mut Ui, path: &Path, run: &RunListEntry, actions: &mut Vec<Action>) {
        let width = ui.available_width();
        field_block(ui, "Name", None, |ui| {
            let field = text_field(ui, "Name of the run", &mut self.name, &run.name, width);
            if std::mem::take(&mut self.wants_name) {
                focus(&field);
                // The whole name is selected, so that typing replaces the name.
                let mut state = TextEditState::load(ui.ctx(), field.id).unwrap_or_default();
                state.cursor.set_char_range(Some(CCursorRange::select_all_str(&self.name)));
                state.store(ui.ctx(), field.id);
            }
            // A name that the user did not change is not saved again.
            if is_committed(&field, &mut self.name, &run.name) && self.name != run.name {
                let renamed = self.rename(path);
                actions.push(renamed);
            }
        });
    }

    /// Draws the tags that all selected runs share, each with a remove button, and a field for
    /// another tag.
    fn tags_ui(&mut self, ui: &mut Ui, count: usize, actions: &mut Vec<Action>) {
        let width = ui.available_width();
        let mut removed = None;
        let tags = self.common_tags();
        if !tags.is_empty() {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing = vec2(size::GAP_LABEL, size::GAP_LABEL);
                for tag in &tags {
                    if removable_chip(ui, tag).clicked() {
                        removed = Some(tag.clone());
                    }
                }
            });
        }
        let name = if count == 1 { "Add a tag" } else { "Add a tag to all" };
        let field = text_field(ui, name, &mut self.tag, "Add", width);
        if std::mem::take(&mut self.wants_tag) {
            focus(&field);
        }
        if is_committed(&field, &mut self.tag, "") {
            self.add_tags(actions);
        }
        if let Some(tag) = removed {
            self.remove_tag(&tag, actions);
        }
    }
}

/// Draws the card of one of several selected runs: letter, name, start time, and number of
/// configurations.
fn run_card(
    ui: &mut Ui,
    (at, has_groups, group): (usize, bool, Option<usize>),
    run: &RunListEntry,
) {
    let tokens = Tokens::of(ui);
    card::plain_card(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, 2.0);
        ui.horizontal(|ui| {
            // Once there are groups, the list has their letters, which are not those of a comparison of single runs.
            if !has_groups {
                series_chip(ui, at);
            }
            Spans::new(Type::Body).text(Type::Strong, &run.name, tokens.t1).label(ui);
        });
        let now = text::local(text::now());
        let when = text::list_date(&text::local(run.started_at), &now);
        let group = group.map(|group| format!("Group {} · ", text::compare::letter(group)));
        let line = format!("{}{when} · {}", group.unwrap_or_default(), run.parts_text());
        Spans::plain(Type::Small, &line, tokens.t2).label(ui);
    });
}

/// Draws why a file cannot be read, its path, and a button that opens its folder.
fn closed_ui(ui: &mut Ui, item: &LibraryItem, why: &str, actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    Spans::plain(Type::Strong, "Cannot be read", tokens.poor).label(ui);
    let path = item.path.display().to_string();
    for line in [why, &path] {
        ui.label(Type::Small.text(line).color(tokens.t2));
    }
    let show = Button::new("Show file").icon(icons::FOLDER_OPEN);
    if ui.add(show).clicked()
        && let Some(folder) = item.path.parent()
    {
        actions.push(Action::OpenOutside(folder.to_owned()));
    }
}

/// Draws the folder of the runs, and a button that opens it.
fn folder_ui(ui: &mut Ui, checked: &SelectedRuns<'_>, actions: &mut Vec<Action>) {
    let Some(folder) = checked.items.first().and_then(|item| item.path.parent()) else { return };
    let color = Tokens::of(ui).t2;
    let words = format!("Saved in {}", folder.display());
    Spans::plain(Type::Small, &words, color).label(ui);
    if link(ui, "Open folder").clicked() {
        actions.push(Action::OpenOutside(folder.to_owned()));
    }
}
