//! The list of saved runs: search, sort, filter, rename, tag, delete, open, and compare.

mod deleted;
mod details;
mod filter;
mod saved_filters;
mod selection;
mod table;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use eframe::egui::{FocusDirection, Frame, Id, Key, Margin, Panel, Response, ScrollArea, Ui};

use jitterscope_engine::store::edit::Edit;

use super::doors::further_doors_ui;
use super::examples::examples_ui;
use super::page_frame;
use crate::run_list::trend::{self, figure_of};
use crate::run_list::{RunFilter, RunListEntry};
use crate::session::{Action, Library, LibraryItem, PageId, Session, Subject};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Command, EmptyState, FollowFocus as _, Region, Spans, icon_button, key_text,
    keys::{is_covered, is_typing, pressed},
    link, region, right_aligned,
};

use deleted::DeletedList;
use details::{Draft, SelectedRuns, run_preview};
use filter::{Facets, filter_ui};
use selection::Selection;
use table::{Controls, Row, Sort};

/// Window height below which the whole page scrolls, in points.
const LOW: f32 = 600.0;
/// Width of the row of filters, and of the buttons to the right of the filters, in points.
const FILTERS: f32 = 764.0;
const BUTTONS: f32 = 330.0;
/// Height of the details of the selected runs, below the list.
const BELOW: f32 = 186.0;
/// Min width at which the buttons for selected runs show labels and keyboard shortcuts.
const WIDE_BAR: f32 = 692.0;
/// Min width at which some of these buttons show labels; below, all have icons only.
const NARROW_BAR: f32 = 490.0;
/// Additional width for the label of the baseline button.
const BASELINE_WORDS: f32 = 148.0;
/// Min width at which the link reads "Clear selection" instead of "Clear".
const CLEAR_SELECTION: f32 = 120.0;
/// Width of the two buttons that make the selected runs group A or B.
const GROUPS: f32 = 80.0;
/// Width of the button of the next group.
const NEXT_GROUP: f32 = 40.0;
/// Why a button for selected runs is disabled.
const NONE_SELECTED: &str = "Select at least one run.";
/// Maximum number of compared runs.
const MAX_COMPARED: usize = 4;

/// State of the Runs page.
#[derive(Debug, Default)]
pub struct RunsPage {
    filter: RunFilter,
    /// The name being typed for a filter; `None` unless the user is saving or renaming a filter.
    filter_name: Option<String>,
    sort: Sort,
    /// Whether the sort order and selection of the last session were restored.
    has_sort: bool,
    selection: Selection,
    /// The quick checks whose parts are shown.
    expanded: HashSet<PathBuf>,
    draft: Draft,
    deleted: DeletedList,
    /// The listed runs, updated only when the list, the filter, or the order changes.
    listed: Option<Listed>,
}

/// The rows of the runs that pass the filter, and the inputs (`of`) from which they were computed.
#[derive(Debug)]
struct Listed {
    of: (u64, RunFilter, Sort, HashSet<PathBuf>),
    rows: Vec<Row>,
    /// How many runs pass the filter.
    count: usize,
    facets: Facets,
}

impl RunsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let Some(items) = session.library.items.as_deref() else {
            page_frame().show(ui, |ui| {
                let color = Tokens::of(ui).t2;
                let words = "Reading the saved runs";
                Spans::plain(Type::Body, words, color).label(ui);
            });
            return;
        };
        self.remember_sort(ui);
        self.list(&session.library, items);
        self.keys(ui, items, actions);
        // In a low window, the list and the details scroll together.
        let is_low = ui.content_rect().height() < LOW;
        actions
            .extend(session.request_previews(&run_preview::wanted(items, &self.selection.paths)));
        self.details_ui(ui, session, items, is_low, actions);
        let frame = Frame::new().inner_margin(Margin::symmetric(size::PAGE_PADDING_X, 8));
        // The panel is always shown: if it appeared on the first selection, the list would move
        // under the pointer.
        Panel::bottom("selection")
            .resizable(false)
            .frame(frame)
            .show(ui, |ui| self.selection_ui(ui, session, actions));
        let mut page = |ui: &mut Ui| {
            page_frame().show(ui, |ui| {
                self.bar_ui(ui, session, items, actions);
                self.saved_filters_ui(ui, session, items, actions);
                ui.add_space(size::GAP_SMALL);
                self.rows_ui(ui, session, items, is_low, actions);
                if is_low && !self.selection.paths.is_empty() {
                    ui.add_space(size::GAP_FIELD);
                    self.fields_ui(ui, session, items, actions);
                }
            });
        };
        if is_low {
            ScrollArea::vertical().auto_shrink([false, false]).show_focus(ui, page);
        } else {
            page(ui);
        }
        self.deleted.show(ui, &session.library, actions);
    }

    /// Restores sort order and selection of the last session once, then stores the current ones.
    fn remember_sort(&mut self, ui: &Ui) {
        let id = Id::unique("runs-sort");
        if !self.has_sort {
            self.has_sort = true;
            self.sort = ui.data_mut(|data| data.get_persisted(id)).unwrap_or_default();
            let paths = ui.data_mut(|data| data.get_persisted(id.with("selected")));
            self.selection.paths = paths.unwrap_or_default();
        }
        ui.data_mut(|data| {
            data.insert_persisted(id, self.sort);
            data.insert_persisted(id.with("selected"), self.selection.paths.clone());
        });
    }

    /// Draws the details of the selected runs.
    fn fields_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        items: &[LibraryItem],
        actions: &mut Vec<Action>,
    ) {
        let checked = SelectedRuns::of(session, items, &self.selection.paths);
        self.draft.ui(ui, &checked, actions);
    }

    /// Saves unsaved edits when the user leaves the page.
    pub fn leave(&mut self, actions: &mut Vec<Action>) {
        self.draft.flush(actions);
    }

    /// Updates the listed runs if the saved runs, the filter, the order, or the expanded checks
    /// changed. Runs that were just restored become the selected ones.
    fn list(&mut self, library: &Library, items: &[LibraryItem]) {
        let version = library.version;
        let of = (version, self.filter.clone(), self.sort, self.expanded.clone());
        let listed = self.listed.as_ref().map(|listed| &listed.of);
        if listed == Some(&of) {
            return;
        }
        if !library.restored.is_empty() && listed.is_some_and(|before| before.0 != version) {
            // A quick check is one entry with several files.
            let is_restored =
                |item: &&LibraryItem| item.files.iter().any(|file| library.restored.contains(file));
            let restored = items.iter().filter(is_restored);
            self.selection.set(restored.map(|item| item.path.clone()).collect());
        }
        let mut places: Vec<usize> = (0..items.len())
            .filter(|&place| items.get(place).is_some_and(|item| self.filter.matches(item)))
            .collect();
        let saved = items.iter().map(|item| item.path.as_path()).collect();
        let listed = places.iter().filter_map(|&place| Some(items.get(place)?.path.as_path()));
        self.selection.follow(&saved, &listed.collect());
        self.sort.apply(items, &mut places);
        let rows = Row::all(items, &places, self.sort, &self.expanded);
        self.listed = Some(Listed { of, rows, count: places.len(), facets: Facets::of(items) });
    }

    fn keys(&mut self, ui: &Ui, items: &[LibraryItem], actions: &mut Vec<Action>) {
        // While a menu or dialog is open, the keys belong to it.
        if is_covered(ui.ctx()) {
            return;
        }
        if pressed(ui.ctx(), Command::FindRun) {
            filter::focus_search(ui.ctx(), &self.filter.words);
        }
        if pressed(ui.ctx(), Command::CompareRuns) {
            self.compare(items, actions);
        }
        if !self.selection.paths.is_empty() && pressed(ui.ctx(), Command::Export) {
            self.export(actions);
        }
        // In a text field, the keys below edit the text.
        if is_typing(ui.ctx()) {
            return;
        }
        // If no widget has the focus, such as after a click on a check box, the keys of the list focus it.
        let keys = [Key::ArrowDown, Key::ArrowUp, Key::Home, Key::End, Key::Enter];
        let is_of_list = ui.input(|input| keys.iter().any(|key| input.key_pressed(*key)));
        if is_of_list && ui.memory(|memory| memory.focused().is_none()) {
            ui.memory_mut(|memory| {
                memory.request_focus(Id::unique(table::LIST));
                // Prevents the same key from moving the focus out of the list.
                memory.move_focus(FocusDirection::None);
            });
        }
        if pressed(ui.ctx(), Command::Delete) {
            self.delete(actions);
        }
        if pressed(ui.ctx(), Command::Rename) {
            self.draft.wants_name = self.only(items).is_some();
        }
    }

    /// Returns the selected run if exactly one is selected.
    fn only<'a>(&self, items: &'a [LibraryItem]) -> Option<&'a LibraryItem> {
        let [path] = self.selection.paths.as_slice() else { return None };
        items.iter().find(|item| item.path == *path)
    }

    /// Compares the selected runs if their number is allowed. A run that is marked as baseline
    /// becomes run A, regardless of the order of selection.
    fn compare(&mut self, items: &[LibraryItem], actions: &mut Vec<Action>) {
        if (2..=MAX_COMPARED).contains(&self.selection.paths.len()) {
            let is_baseline = |path: &PathBuf| {
                let item = items.iter().find(|item| item.path == *path);
                item.and_then(|item| item.run.as_ref().ok()).is_some_and(trend::is_baseline)
            };
            self.selection.paths.sort_by_key(|path| !is_baseline(path));
            actions.push(Action::Compare(self.selection.paths.clone()));
        }
    }

    fn export(&self, actions: &mut Vec<Action>) {
        let subject = Subject::Runs(self.selection.paths.clone());
        actions.push(Action::Export { subject, kind: None });
    }

    fn delete(&mut self, actions: &mut Vec<Action>) {
        if !self.selection.paths.is_empty() {
            self.draft.flush(actions);
            actions.push(Action::DeleteRuns(std::mem::take(&mut self.selection.paths)));
        }
    }

    /// Draws the search field, the filters, the number of runs, and the buttons for the folder of
    /// runs.
    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        items: &[LibraryItem],
        actions: &mut Vec<Action>,
    ) {
        let bytes: u64 = items.iter().map(|item| item.bytes).sum();
        let count = match items.len() {
            1 => "1 run".to_owned(),
            count => format!("{} runs", text::format_count(u64::try_from(count).unwrap_or(0))),
        };
        let note = format!("{count} · {}", text::format_bytes(bytes));
        let library = &session.library;
        let deleted = if library.deleted.is_empty() { 0.0 } else { deleted::ROOM };
        let is_one_row = FILTERS + BUTTONS + deleted < ui.available_width();
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        let mut filters = |ui: &mut Ui| {
            if let Some(listed) = &self.listed {
                filter_ui(ui, &mut self.filter, &listed.facets);
            }
        };
        let buttons = |ui: &mut Ui| {
            folder_ui(ui, &note, actions);
            self.deleted.buttons_ui(ui, library, actions);
        };
        if is_one_row {
            ui.horizontal(|ui| {
                filters(ui);
                right_aligned(ui, "runs-buttons", buttons);
            });
        } else {
            ui.horizontal_wrapped(filters);
            ui.horizontal(buttons);
        }
    }

    fn rows_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        items: &[LibraryItem],
        is_low: bool,
        actions: &mut Vec<Action>,
    ) {
        let Some(listed) = &self.listed else { return };
        if items.is_empty() {
            let empty = EmptyState {
                icon: icons::STACK,
                title: "No runs yet",
                text: "Completed tests appear here automatically.",
                button: "Run check",
                sketch: None,
            };
            ScrollArea::vertical().auto_shrink([false, false]).show_focus(ui, |ui| {
                if empty.show(ui).is_some_and(|button| button.clicked()) {
                    actions.push(Action::GoTo(PageId::Quick));
                    actions.push(Action::RunQuick);
                }
                ui.add_space(size::GAP_GROUP);
                further_doors_ui(ui, actions);
                ui.add_space(size::GAP_CARD);
                examples_ui(ui, actions);
            });
            return;
        }
        if listed.count == 0 {
            let empty = EmptyState {
                icon: icons::FUNNEL,
                title: "No matching runs",
                text: "Search covers names, tags, notes, and machines.",
                button: "Clear filters",
                sketch: None,
            };
            if empty.show(ui).is_some_and(|button| button.clicked()) {
                self.filter = RunFilter::default();
            }
            return;
        }
        let height = if is_low {
            size::RUNS_ROW * 5.0
        } else {
            (ui.available_height() - 26.0 - size::TABLE_HEADER).max(size::RUNS_ROW * 4.0)
        };
        let controls = Controls {
            sort: &mut self.sort,
            selection: &mut self.selection,
            expanded: &mut self.expanded,
            groups: &session.comparing.groups,
        };
        let path = table::ui(ui, items, &listed.rows, height, controls);
        actions.extend(path.and_then(|path| opened(items, &path)));
        if let Some(store) = &session.library.store {
            let shown = listed.count;
            // The details of selected runs already show the folder.
            let note = if !self.selection.paths.is_empty() {
                format!("{shown} of {} shown", items.len())
            } else if shown == items.len() {
                format!("Saved in {}", store.folder().display())
            } else {
                format!("{shown} of {} shown · saved in {}", items.len(), store.folder().display())
            };
            let color = Tokens::of(ui).t3;
            Spans::plain(Type::Small, &note, color).label(ui);
        }
    }

    /// Draws the buttons for the selected runs; a disabled button shows the reason on hover.
    fn selection_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let items = session.library.items.as_deref().unwrap_or_default();
        let next_group = session.comparing.next_group();
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            let count = self.selection.paths.len();
            let color = Tokens::of(ui).t1;
            let words = match (count, self.selection.hidden_count()) {
                (0, 0) => "None selected".to_owned(),
                (count, 0) => format!("{count} selected"),
                (count, hidden) => format!("{count} selected, {hidden} hidden"),
            };
            Spans::new(Type::Body).text(Type::Strong, &words, color).whole_label(ui);
            // The group buttons are shown only while runs are selected.
            let groups = GROUPS + if next_group.is_some() { NEXT_GROUP } else { 0.0 };
            let room = ui.available_width() - if 0 < count { groups } else { 0.0 };
            let is_wide = WIDE_BAR <= room;
            let words = |words: &'static str| if NARROW_BAR <= room { words } else { "" };
            let key = |ui: &Ui, command| {
                if is_wide { key_text(ui.ctx(), command) } else { String::new() }
            };
            let enter = if is_wide { "Enter" } else { "" };
            let open = Button::new(words("Open")).icon(icons::ARROW_SQUARE_OUT).shortcut(enter);
            let readable = self.only(items).filter(|item| item.run.is_ok());
            let open = ui.add_enabled(readable.is_some(), open.name("Open selected run"));
            if open.clicked() {
                actions.extend(readable.and_then(|item| opened(items, &item.path)));
            }
            let is_unreadable = self.only(items).is_some();
            let why = if is_unreadable { "This file cannot be read." } else { "Select one run." };
            open.on_disabled_hover_text(why);
            let compare_key = key(ui, Command::CompareRuns);
            let compare = Button::new(words("Compare")).icon(icons::COLUMNS).shortcut(&compare_key);
            let can = (2..=MAX_COMPARED).contains(&count);
            let button = ui.add_enabled(can, compare.name("Compare selected runs"));
            if button.clicked() {
                self.compare(items, actions);
            }
            button.on_disabled_hover_text("Select 2 to 4 runs of the same test.");
            if 0 < count {
                self.groups_ui(ui, next_group, actions);
            }
            let export_key = key(ui, Command::Export);
            let export = Button::new(words("Export…")).icon(icons::EXPORT).shortcut(&export_key);
            let export = ui.add_enabled(0 < count, export.name("Export…"));
            if export.clicked() {
                self.export(actions);
            }
            export.on_disabled_hover_text(NONE_SELECTED);
            let tag = Button::new(if is_wide { "Tag…" } else { "" }).icon(icons::TAG).name("Tag");
            let tag = ui.add_enabled(self.draft.has_runs(), tag).on_hover_text("Add a tag");
            let why = if count == 0 { NONE_SELECTED } else { "Unreadable files cannot be tagged." };
            if tag.on_disabled_hover_text(why).clicked() {
                self.draft.wants_tag = true;
            }
            self.baseline_ui(ui, items, WIDE_BAR + BASELINE_WORDS <= room, actions);
            let delete_key = key(ui, Command::Delete);
            let delete = Button::new(if is_wide { "Delete" } else { "" })
                .icon(icons::TRASH)
                .name("Delete")
                .shortcut(&delete_key);
            let delete = ui.add_enabled(0 < count, delete);
            if delete.clicked() {
                self.delete(actions);
            }
            delete.on_disabled_hover_text(NONE_SELECTED);
            if 0 < count {
                let is_roomy = CLEAR_SELECTION <= ui.available_width();
                right_aligned(ui, "selection-right", |ui| {
                    let words = if is_roomy { "Clear selection" } else { "Clear" };
                    if link(ui, words).clicked() {
                        self.selection.set(Vec::new());
                    }
                });
            }
        });
    }

    /// Draws the buttons that make the selected runs group A or B, or the `next` one; the comparison starts once A and B are
    /// set.
    fn groups_ui(&self, ui: &mut Ui, next: Option<usize>, actions: &mut Vec<Action>) {
        for side in [0, 1].into_iter().chain(next) {
            let letter = text::compare::letter(side);
            let name = format!("Set as {letter}");
            let button = ui.add(Button::new(&letter.to_string()).name(&name));
            let then = match side {
                0 | 1 => {
                    "Once A and B are set, the groups are compared by their own run-to-run variation"
                }
                _ => "It is compared with A as well, by the run-to-run variation of all groups",
            };
            let hint = format!(
                "{name}: makes the selected runs group {letter}. {then}: select at least 2 runs for each."
            );
            if button.on_hover_text(hint).clicked() {
                actions.push(Action::SetGroup { side, paths: self.selection.paths.clone() });
            }
        }
    }

    /// Draws the button that makes the selected run the baseline for runs with the same settings
    /// or, if the run is a baseline already, an ordinary run again.
    fn baseline_ui(
        &self,
        ui: &mut Ui,
        items: &[LibraryItem],
        is_wide: bool,
        actions: &mut Vec<Action>,
    ) {
        let run = self.only(items).and_then(|item| item.run.as_ref().ok());
        let can = run.filter(|run| figure_of(run).is_some());
        let is_set = can.is_some_and(trend::is_baseline);
        let words = if is_set { "Remove baseline" } else { "Set as baseline" };
        let icon = if is_set { icons::STAR_FILL } else { icons::STAR };
        let button = Button::new(if is_wide { words } else { "" }).icon(icon).name(words);
        let button = ui.add_enabled(can.is_some(), button).on_hover_text(
            "Later runs with the same settings on this PC are compared with the baseline; worse ones are marked.",
        );
        if button.clicked()
            && let Some(run) = can
        {
            actions.push(Action::EditRuns(baseline_edits(items, run, !is_set)));
        }
        button.on_disabled_hover_text(
            "Select one finished run with a p99, a longest gap, or a cycle time.",
        );
    }

    fn details_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        items: &[LibraryItem],
        is_low: bool,
        actions: &mut Vec<Action>,
    ) {
        // Unsaved edits of another run are saved before the fields change.
        let versions = (session.library.version, session.library.undone);
        self.draft.follow(ui, &self.selection.paths, items, versions, actions);
        if is_low {
            return;
        }
        // The scroll bar is in the margin, not over the cards.
        let frame = Frame::new().inner_margin(Margin { right: 2, ..Margin::same(12) });
        let width = ui.content_rect().width();
        let panel = if size::MEDIUM_FROM <= width {
            let default = if size::WIDE_FROM <= width { size::DETAILS } else { size::MIN_DETAILS };
            let widths = size::MIN_DETAILS..=size::MAX_DETAILS;
            Panel::right("run-details").resizable(true).default_size(default).size_range(widths)
        } else {
            Panel::bottom("run-details-below").resizable(false).exact_size(BELOW)
        };
        panel.frame(frame).show(ui, |ui| {
            region(ui, Region::Details);
            ScrollArea::vertical().auto_shrink([false, false]).show_focus(ui, |ui| {
                ui.set_max_width(ui.available_width() - size::GAP_CARD);
                if self.selection.paths.is_empty() {
                    let words = "Select a run to see its details.";
                    ui.label(Type::Body.text(words).color(Tokens::of(ui).t2));
                    return;
                }
                self.fields_ui(ui, session, items, actions);
            });
        });
    }
}

/// Returns the tag edits that make run `of` the only baseline among the runs with the same
/// settings, or that leave these runs without a baseline if `is_set` is `false`.
fn baseline_edits(items: &[LibraryItem], of: &RunListEntry, is_set: bool) -> Vec<(PathBuf, Edit)> {
    let edit = |item: &LibraryItem| {
        let run = item.run.as_ref().ok().filter(|run| trend::is_alike(run, of))?;
        let wants = is_set && run.id == of.id;
        (trend::is_baseline(run) != wants).then(|| {
            let mut tags = run.tags.clone();
            tags.retain(|tag| tag != trend::BASELINE);
            if wants {
                tags.push(trend::BASELINE.to_owned());
            }
            (item.path.clone(), Edit::Tags(tags))
        })
    };
    items.iter().filter_map(edit).collect()
}

/// Returns the action that opens the run or quick check at `path`; `None` if its file cannot be
/// read.
fn opened(items: &[LibraryItem], path: &Path) -> Option<Action> {
    let of_check = |item: &&LibraryItem| item.parts.iter().any(|part| part.path == path);
    let Some(item) = items.iter().find(|item| item.path == path) else {
        return items.iter().find(of_check).map(|_| Action::OpenRun(path.to_owned()));
    };
    item.run.as_ref().ok()?;
    Some(if item.is_check() {
        Action::OpenQuick(item.files.clone())
    } else {
        Action::OpenRun(item.path.clone())
    })
}

/// Draws `note` (number and size of the runs), and the buttons that read the folder again or open a
/// file.
fn folder_ui(ui: &mut Ui, note: &str, actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    Spans::plain(Type::Small, note, tokens.t2).whole_label(ui);
    let refresh = icon_button(ui, icons::ARROWS_CLOCKWISE, "Read folder again");
    if refresh.clicked() {
        actions.push(Action::RefreshLibrary);
    }
    let key = key_text(ui.ctx(), Command::OpenFile);
    let open = Button::new("Open file…").icon(icons::FOLDER_OPEN).shortcut(&key);
    if ui.add(open).clicked() {
        actions.push(Action::AskForFile);
    }
}

/// Focuses a field and scrolls to it.
fn focus(field: &Response) {
    field.request_focus();
    field.scroll_to_me(None);
}
