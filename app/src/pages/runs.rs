//! The saved runs: found again, sorted, filtered, named, tagged, deleted, opened and compared.

mod details;
mod filter;
mod table;

use std::collections::HashSet;
use std::path::PathBuf;

use eframe::egui::{Frame, Id, Margin, Panel, Response, ScrollArea, Ui};

use crate::session::{Action, LibraryItem, PageId, Session, Subject};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Command, EmptyState, Spans, icon_button, key_text, keys::pressed, link, right_aligned,
    text_field,
};

use details::{Draft, Ticked, glance};
use filter::{Facets, Filter};
use table::Sort;

/// In a window lower than this, the page is scrolled.
const LOW: f32 = 600.0;
/// The widths of the filters, and of the text next to them if there is room.
const FILTERS: f32 = 764.0;
const BUTTONS: f32 = 330.0;
/// Height of the details of the selected runs, below the list.
const BELOW: f32 = 186.0;
/// Maximum number of compared runs.
const MOST_COMPARED: usize = 4;

/// State of the Runs page.
#[derive(Debug, Default)]
pub struct RunsPage {
    filter: Filter,
    sort: Sort,
    /// The selected runs in the order of selection: the first will be A.
    ticked: Vec<PathBuf>,
    draft: Draft,
    /// The listed runs, updated only when the list, the filter, or the order changes.
    listed: Option<Listed>,
}

/// The runs that pass the filter, in order.
#[derive(Debug)]
struct Listed {
    of: (u64, Filter, Sort),
    /// Places in the library.
    places: Vec<usize>,
    facets: Facets,
}

impl RunsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let Some(items) = session.library().items() else {
            margin(ui, |ui| {
                let color = Tokens::of(ui).t2;
                let words = "Reading the saved runs";
                Spans::new(Type::Body).text(Type::Body, words, color).label(ui);
            });
            return;
        };
        self.list(session.library().version(), items);
        self.keys(ui, items, actions);
        // In a low window, the list and the details scroll together.
        let is_low = ui.content_rect().height() < LOW;
        actions.extend(session.ask_for_glance(glance::wanted(&self.ticked)));
        self.details_ui(ui, session, items, is_low, actions);
        if !self.ticked.is_empty() {
            let frame = Frame::new()
                .fill(Tokens::of(ui).panel)
                .inner_margin(Margin::symmetric(size::PAGE_PADDING_X, 8));
            Panel::bottom("selection")
                .resizable(false)
                .frame(frame)
                .show(ui, |ui| self.selection_ui(ui, actions));
        }
        let mut page = |ui: &mut Ui| {
            margin(ui, |ui| {
                self.bar_ui(ui, items, actions);
                ui.add_space(size::GAP_SMALL);
                self.rows_ui(ui, session, items, is_low, actions);
                if is_low && !self.ticked.is_empty() {
                    ui.add_space(size::GAP_FIELD);
                    self.fields_ui(ui, session, items, actions);
                }
            });
        };
        if is_low {
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, page);
        } else {
            page(ui);
        }
    }

    /// Details of the selected runs.
    fn fields_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        items: &[LibraryItem],
        actions: &mut Vec<Action>,
    ) {
        let ticked = Ticked::of(session, items, &self.ticked);
        self.draft.ui(ui, &ticked, actions);
    }

    /// Saves edits when another page or none is in view.
    pub fn leave(&mut self, actions: &mut Vec<Action>) {
        self.draft.flush(actions);
    }

    /// Updates the listed runs.
    fn list(&mut self, version: u64, items: &[LibraryItem]) {
        let of = (version, self.filter.clone(), self.sort);
        if self.listed.as_ref().is_some_and(|listed| listed.of == of) {
            return;
        }
        let paths: HashSet<&PathBuf> = items.iter().map(|item| &item.path).collect();
        self.ticked.retain(|path| paths.contains(path));
        let mut places: Vec<usize> = (0..items.len())
            .filter(|&place| items.get(place).is_some_and(|item| self.filter.lets_through(item)))
            .collect();
        self.sort.apply(items, &mut places);
        self.listed = Some(Listed { of, places, facets: Facets::of(items) });
    }

    fn keys(&mut self, ui: &Ui, items: &[LibraryItem], actions: &mut Vec<Action>) {
        // A dialog has the keyboard focus.
        if ui.memory(|memory| memory.top_modal_layer().is_some()) {
            return;
        }
        if pressed(ui.ctx(), Command::FindRun) {
            ui.memory_mut(|memory| memory.request_focus(Id::unique(filter::SEARCH)));
        }
        if pressed(ui.ctx(), Command::CompareRuns) {
            self.compare(actions);
        }
        if !self.ticked.is_empty() && pressed(ui.ctx(), Command::Export) {
            self.export(actions);
        }
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        if pressed(ui.ctx(), Command::Delete) {
            self.delete(actions);
        }
        if pressed(ui.ctx(), Command::Rename) {
            self.draft.wants_name = self.only(items).is_some();
        }
    }

    /// The one selected run.
    fn only<'a>(&self, items: &'a [LibraryItem]) -> Option<&'a LibraryItem> {
        let [path] = self.ticked.as_slice() else { return None };
        items.iter().find(|item| item.path == *path)
    }

    fn compare(&self, actions: &mut Vec<Action>) {
        if (2..=MOST_COMPARED).contains(&self.ticked.len()) {
            actions.push(Action::Compare(self.ticked.clone()));
        }
    }

    fn export(&self, actions: &mut Vec<Action>) {
        let subject = Subject::Runs(self.ticked.clone());
        actions.push(Action::Export { subject, kind: None });
    }

    fn delete(&mut self, actions: &mut Vec<Action>) {
        if !self.ticked.is_empty() {
            self.draft.flush(actions);
            actions.push(Action::DeleteRuns(std::mem::take(&mut self.ticked)));
        }
    }

    /// Search, filters, count, and folder actions.
    fn bar_ui(&mut self, ui: &mut Ui, items: &[LibraryItem], actions: &mut Vec<Action>) {
        let bytes: u64 = items.iter().map(|item| item.bytes).sum();
        let count = match items.len() {
            1 => "1 run".to_owned(),
            count => format!("{} runs", text::count(u64::try_from(count).unwrap_or(0))),
        };
        let note = format!("{count} · {}", text::bytes(bytes));
        let is_one_row = FILTERS + BUTTONS < ui.available_width();
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        let mut filter_ui = |ui: &mut Ui| {
            if let Some(listed) = &self.listed {
                self.filter.ui(ui, &listed.facets);
            }
        };
        if is_one_row {
            ui.horizontal(|ui| {
                filter_ui(ui);
                right_aligned(ui, "runs-buttons", |ui| folder_ui(ui, &note, actions));
            });
        } else {
            ui.horizontal_wrapped(filter_ui);
            ui.horizontal(|ui| folder_ui(ui, &note, actions));
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
                button: "Run the frame loop",
                sketch: None,
            };
            if empty.show(ui).is_some_and(|button| button.clicked()) {
                actions.push(Action::GoTo(PageId::Test("frame-loop")));
            }
            return;
        }
        if listed.places.is_empty() {
            let empty = EmptyState {
                icon: icons::FUNNEL,
                title: "No matching runs",
                text: "Search covers names, tags, notes, and machines.",
                button: "Clear filters",
                sketch: None,
            };
            if empty.show(ui).is_some_and(|button| button.clicked()) {
                self.filter = Filter::default();
            }
            return;
        }
        let height = if is_low {
            size::RUNS_ROW * 5.0
        } else {
            (ui.available_height() - 26.0 - size::TABLE_HEADER).max(size::RUNS_ROW * 4.0)
        };
        let places = &listed.places;
        let opened = table::ui(ui, items, places, height, &mut self.sort, &mut self.ticked);
        if let Some(path) = opened {
            actions.push(Action::OpenRun(path));
        }
        if let Some(store) = session.store() {
            let shown = listed.places.len();
            // The details of selected runs end with their folder.
            let note = if !self.ticked.is_empty() {
                format!("{shown} of {} shown", items.len())
            } else if shown == items.len() {
                format!("Saved in {}", store.folder().display())
            } else {
                format!("{shown} of {} shown · saved in {}", items.len(), store.folder().display())
            };
            let color = Tokens::of(ui).t3;
            Spans::new(Type::Small).text(Type::Small, &note, color).label(ui);
        }
    }

    /// Actions for the selected runs.
    fn selection_ui(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_CARD;
            let count = self.ticked.len();
            let color = Tokens::of(ui).t1;
            let words = format!("{count} selected");
            Spans::new(Type::Body).text(Type::Strong, &words, color).whole_label(ui);
            let key = key_text(ui.ctx(), Command::CompareRuns);
            let compare = Button::primary("Compare").icon(icons::COLUMNS).shortcut(&key);
            let can = (2..=MOST_COMPARED).contains(&count);
            let button = ui.add_enabled(can, compare);
            if button.clicked() {
                self.compare(actions);
            }
            button.on_disabled_hover_text("Select 2 to 4 runs of the same test.");
            let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
            let words = |wide: &'static str| if is_wide { wide } else { "" };
            let key = key_text(ui.ctx(), Command::Export);
            let key = if is_wide { key.as_str() } else { "" };
            let export = Button::new("Export…").icon(icons::EXPORT).shortcut(key);
            if ui.add(export).clicked() {
                self.export(actions);
            }
            let tag = Button::new(words("Tag")).icon(icons::TAG).name("Tag");
            let tag = ui.add_enabled(self.draft.has_runs(), tag).on_hover_text("Add a tag");
            if tag.on_disabled_hover_text("Unreadable files cannot be tagged.").clicked() {
                self.draft.wants_tag = true;
            }
            let key = key_text(ui.ctx(), Command::Delete);
            let key = if is_wide { key.as_str() } else { "" };
            let delete = Button::new("Delete").icon(icons::TRASH).shortcut(key);
            if ui.add(delete).clicked() {
                self.delete(actions);
            }
            right_aligned(ui, "selection-right", |ui| {
                if link(ui, "Clear selection").clicked() {
                    self.ticked.clear();
                }
            });
        });
    }

    fn details_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        items: &[LibraryItem],
        is_low: bool,
        actions: &mut Vec<Action>,
    ) {
        // Edits of another run are saved before the fields change.
        self.draft.follow(ui, &self.ticked, items, actions);
        if self.ticked.is_empty() || is_low {
            return;
        }
        let frame = Frame::new().fill(Tokens::of(ui).panel).inner_margin(Margin::same(12));
        let is_wide = size::WIDE_FROM <= ui.content_rect().width();
        let panel = if is_wide {
            Panel::right("run-details").exact_size(size::DETAILS)
        } else {
            Panel::bottom("run-details-below").exact_size(BELOW)
        };
        panel.resizable(false).frame(frame).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                self.fields_ui(ui, session, items, actions);
            });
        });
    }
}

/// Number of runs, and folder actions.
fn folder_ui(ui: &mut Ui, note: &str, actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    Spans::new(Type::Small).text(Type::Small, note, tokens.t2).whole_label(ui);
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

fn margin(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let margin = Margin::symmetric(size::PAGE_PADDING_X, size::PAGE_PADDING_Y);
    Frame::new().inner_margin(margin).show(ui, contents);
}

/// A text field that reports when its text is committed.
fn committed(ui: &mut Ui, name: &str, value: &mut String, hint: &str, width: f32) -> Committed {
    let response = text_field(ui, name, value, hint, width);
    Committed { is_done: response.lost_focus(), response }
}

/// Outcome of a field.
struct Committed {
    is_done: bool,
    response: Response,
}

impl Committed {
    /// Focuses the field if it is in view.
    fn focus(&self) {
        self.response.request_focus();
        self.response.scroll_to_me(None);
    }
}
