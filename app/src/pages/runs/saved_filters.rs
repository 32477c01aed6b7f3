//! Saved filters as a row of buttons, each with its name and the number of matching runs.

use eframe::egui::Ui;

use super::RunsPage;
use crate::run_list::{RunFilter, SavedFilter};
use crate::session::{Action, LibraryItem, Session, Settings, free_name};
use crate::theme::{Tokens, Type, size};
use crate::widgets::field::{EntryEnd, entry_end};
use crate::widgets::{Button, Spans, link, text_field};

/// Maximum length of a filter's name, in characters.
const MAX_NAME: usize = 40;
/// Maximum number of buttons: each counts its matches among all runs in every frame.
const MAX_SHOWN: usize = 60;

impl RunsPage {
    /// Draws the saved filters, and the control that saves the current filter.
    pub(super) fn saved_filters_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        items: &[LibraryItem],
        actions: &mut Vec<Action>,
    ) {
        let saved = &session.settings().filters;
        let is_plain = self.filter == RunFilter::default();
        if saved.is_empty() && is_plain {
            return;
        }
        ui.add_space(size::GAP_SMALL);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            let color = Tokens::of(ui).t2;
            Spans::plain(Type::Small, "Saved filters", color).whole_label(ui);
            let all = SavedFilter { name: "All".to_owned(), filter: RunFilter::default() };
            for one in std::iter::once(&all).chain(saved).take(MAX_SHOWN) {
                let count = items.iter().filter(|item| one.filter.matches(item)).count();
                let words = format!("{} {count}", one.name);
                let runs = if count == 1 { "run" } else { "runs" };
                let name = format!("Filter {}, {count} {runs}", one.name);
                let is_current = one.filter == self.filter;
                let button = if is_current { Button::new(&words) } else { Button::quiet(&words) };
                if ui.add(button.name(&name)).clicked() {
                    self.filter = one.filter.clone();
                    self.filter_name = None;
                }
            }
            if MAX_SHOWN <= saved.len() {
                let color = Tokens::of(ui).t2;
                let words = format!("and {} more", saved.len() + 1 - MAX_SHOWN);
                Spans::plain(Type::Small, &words, color).whole_label(ui);
            }
            let known = saved.iter().position(|one| one.filter == self.filter);
            let settings = session.settings();
            match (known, &mut self.filter_name) {
                (Some(at), None) => {
                    if link(ui, "Rename").clicked() {
                        self.filter_name = saved.get(at).map(|one| one.name.clone());
                    }
                    if link(ui, "Delete this filter").clicked() {
                        let mut filters = saved.clone();
                        filters.remove(at);
                        set(settings, filters, actions);
                        self.filter = RunFilter::default();
                    }
                }
                (None, None) if !is_plain => {
                    if link(ui, "Save this filter").clicked() {
                        self.filter_name = Some(String::new());
                    }
                }
                (_, Some(name)) => {
                    let field = text_field(ui, "Name of the filter", name, "Name", 160.0);
                    if ui.is_enabled() && !field.has_focus() && !field.lost_focus() {
                        field.request_focus();
                    }
                    if let Some(end) = entry_end(&field) {
                        let name: String = name.trim().chars().take(MAX_NAME).collect();
                        if !name.is_empty() && end == EntryEnd::Committed {
                            let mut filters = saved.clone();
                            filters.retain(|one| one.filter != self.filter);
                            let name =
                                free_name(&name, |name| filters.iter().any(|one| one.name == name));
                            filters.push(SavedFilter { name, filter: self.filter.clone() });
                            set(settings, filters, actions);
                        }
                        self.filter_name = None;
                    }
                }
                (None, None) => {}
            }
        });
    }
}

fn set(settings: &Settings, filters: Vec<SavedFilter>, actions: &mut Vec<Action>) {
    actions.push(Action::Set(Box::new(Settings { filters, ..settings.clone() })));
}
