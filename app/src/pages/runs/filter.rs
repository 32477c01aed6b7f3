//! Filters of the list of runs: by text, test, machine, verdict, and tag.

use std::collections::BTreeSet;

use eframe::egui::text::CCursorRange;
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{Context, Id, TextEdit, Ui};

use super::FILTERS;
use crate::run_list::{RunFilter, verdict_of};
use crate::session::LibraryItem;
use crate::theme::{Tokens, Type};
use crate::widgets::field::{choice_rows_ui, combo_ui};
use crate::widgets::{Command, key_text};

/// Id of the search field, for the shortcut that focuses it.
const SEARCH: &str = "search-runs";
/// Width of a drop-down list where the row of filters has no room, in points.
const NARROW: f32 = 96.0;

/// The values that each filter offers.
#[derive(Debug, Default)]
pub(super) struct Facets {
    tests: Vec<String>,
    machines: Vec<String>,
    verdicts: Vec<String>,
    tags: Vec<String>,
}

impl Facets {
    pub(super) fn of(items: &[LibraryItem]) -> Self {
        let runs = || items.iter().filter_map(|item| item.run.as_ref().ok());
        let sorted = |values: BTreeSet<&str>| values.into_iter().map(str::to_owned).collect();
        Self {
            tests: sorted(runs().map(|run| run.test_name).collect()),
            machines: sorted(runs().map(|run| run.machine.as_str()).collect()),
            verdicts: sorted(items.iter().map(verdict_of).collect()),
            tags: sorted(runs().flat_map(|run| &run.tags).map(String::as_str).collect()),
        }
    }
}

/// Focuses the search field, with its text selected, so that typing replaces it.
pub(super) fn focus_search(ctx: &Context, words: &str) {
    let id = Id::unique(SEARCH);
    ctx.memory_mut(|memory| memory.request_focus(id));
    let mut state = TextEditState::load(ctx, id).unwrap_or_default();
    state.cursor.set_char_range(Some(CCursorRange::select_all_str(words)));
    state.store(ctx, id);
}

/// Draws the search field, and one drop-down list per filter.
pub(super) fn filter_ui(ui: &mut Ui, filter: &mut RunFilter, facets: &Facets) {
    let tokens = Tokens::of(ui);
    let room = ui.available_width();
    let (search_width, width) = if room < FILTERS {
        let lists = 4.0 * (NARROW + ui.spacing().item_spacing.x);
        ((room - lists - 2.0 * ui.spacing().button_padding.x).clamp(NARROW, 160.0), NARROW)
    } else {
        (252.0, 116.0)
    };
    ui.scope(|ui| {
        ui.visuals_mut().widgets.inactive.bg_stroke.color = tokens.ctl;
        let key = key_text(ui.ctx(), Command::FindRun);
        let hint = format!("Search names, tags, notes ({key})");
        let edit = TextEdit::singleline(&mut filter.words)
            .id(Id::unique(SEARCH))
            .hint_text(Type::Body.text(hint).color(tokens.t3))
            .desired_width(search_width);
        ui.add(edit).accessible_name("Search runs").on_hover_text(
            "Finds runs that match every word. Filters: tag:server, test:frame, machine:ryzen, \
             before:2025-11-19, after:2025-11-01.",
        );
    });
    for (name, all, value, options) in [
        ("Tests", "All tests", &mut filter.test, &facets.tests),
        ("Machines", "All machines", &mut filter.machine, &facets.machines),
        ("Verdicts", "All verdicts", &mut filter.verdict, &facets.verdicts),
        ("Tags", "All tags", &mut filter.tag, &facets.tags),
    ] {
        // A selected value stays in the list even if no run has it anymore.
        let gone = value.as_ref().filter(|value| options.binary_search(value).is_err());
        let rows = std::iter::once((None, all)).chain(
            options.iter().chain(gone).map(|option| (Some(option.as_str()), option.as_str())),
        );
        let mut chosen = None;
        combo_ui(ui, name, value.as_deref().unwrap_or(all), width, |ui| {
            chosen = choice_rows_ui(ui, &value.as_deref(), rows);
        });
        if let Some(chosen) = chosen.map(|chosen| chosen.map(str::to_owned)) {
            *value = chosen;
        }
    }
}
