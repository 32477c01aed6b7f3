//! Groups of runs: their cards, and what can become a group: the runs with a tag, or those that a saved filter shows.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Align, Layout, Ui, vec2};
use jitterscope_engine::report::comparison::MAX_GROUPS;
use jitterscope_engine::stats::distinct;

use super::cards::{BASELINE, HEIGHT};
use crate::session::{Action, LibraryItem, LoadedRun, PageId, Session};
use crate::text::{self, compare as words};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::card::plain_card;
use crate::widgets::chip::word_chip;
use crate::widgets::field::combo_ui;
use crate::widgets::{
    Button, Card, Spans, combo, link, quiet_icon_button, right_aligned, right_width, series_chip,
};

/// Number of cards in a row.
const CARDS_A_ROW: usize = 3;
/// Maximum number of groups that are offered.
const MAX_OFFERED: usize = 60;
/// Width of the field of a group, in points.
const FIELD: f32 = 300.0;

/// Runs that can become a group.
#[derive(Clone, Debug, PartialEq)]
struct OfferedGroup {
    /// The key of their test.
    test: &'static str,
    /// What they have in common, and how many they are.
    words: String,
    paths: Vec<PathBuf>,
}

impl OfferedGroup {
    /// Returns the groups of at least two runs of one test: by tag, then by saved filter. Of a test, only if it has two.
    fn all(session: &Session) -> Vec<Self> {
        let items = session.library.items.as_deref().unwrap_or_default();
        let finished: Vec<(&LibraryItem, &'static str, &[String])> = items
            .iter()
            .filter_map(|item| {
                let run = item.run.as_ref().ok()?;
                Some((item, run.test, run.tags.as_slice()))
            })
            .collect();
        let test_name = |test: &str| {
            let mut runs = items.iter().filter_map(|item| item.run.as_ref().ok());
            runs.find(|run| run.test == test).map_or("", |run| run.test_name)
        };
        let mut all: Vec<Self> = Vec::new();
        let mut add = |test: &'static str, what: &str, paths: Vec<PathBuf>| {
            if 2 <= paths.len() {
                let count = words::group_label(paths.len());
                let words = format!("{} · {count} · {}", text::cut(what, 60), test_name(test));
                all.push(Self { test, words, paths });
            }
        };
        for test in distinct(finished.iter().map(|(_, test, _)| *test)) {
            let own = || finished.iter().filter(|(_, of, _)| *of == test);
            let tags = distinct(own().flat_map(|(.., tags)| tags.iter().map(String::as_str)));
            for tag in tags {
                let tagged = own().filter(|(.., tags)| tags.iter().any(|own| own == tag));
                add(test, tag, tagged.map(|(item, ..)| item.path.clone()).collect());
            }
            for saved in &session.settings().filters {
                let shown = own().filter(|(item, ..)| saved.filter.matches(item));
                let what = format!("Filter {}", saved.name);
                add(test, &what, shown.map(|(item, ..)| item.path.clone()).collect());
            }
        }
        let tests: Vec<&str> = all.iter().map(|one| one.test).collect();
        all.retain(|one| 2 <= tests.iter().filter(|test| **test == one.test).count());
        all.truncate(MAX_OFFERED);
        all
    }

    fn has_any(&self, paths: &[PathBuf]) -> bool {
        self.paths.iter().any(|own| paths.contains(own))
    }
}

/// The first two groups that the user selects by what their runs have in common.
#[derive(Debug, Default)]
pub(super) struct GroupChoice {
    /// The version of the list of runs to which the groups belong.
    version: Option<u64>,
    offered: Vec<OfferedGroup>,
    /// The positions of groups A and B among those that are offered.
    selected: [Option<usize>; 2],
    /// Whether other groups are being selected while some are compared.
    pub(super) is_choosing: bool,
}

impl GroupChoice {
    /// Reads the groups again if the list of runs has changed.
    fn update(&mut self, session: &Session) {
        let version = session.library.version;
        if self.version != Some(version) {
            let offered = OfferedGroup::all(session);
            *self = Self {
                version: Some(version),
                offered,
                selected: [None; 2],
                is_choosing: self.is_choosing,
            };
        }
    }

    /// Draws the fields of groups A and B, and the button that compares them; nothing if no two groups can be compared.
    pub(super) fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        self.update(session);
        if self.offered.is_empty() {
            return;
        }
        let note = "runs with the same tag, or those of a saved filter";
        Card::new("Compare groups").note(note).show_plain(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                for (side, name) in [(0, "Group A"), (1, "Group B")] {
                    self.field_ui(ui, side, name);
                }
                let compare = Button::primary("Compare groups").icon(icons::COLUMNS);
                let chosen = self.chosen();
                let button = ui.add_enabled(chosen.is_some(), compare);
                if button.clicked() {
                    actions.extend(chosen.map(Action::CompareGroups));
                }
                button.on_disabled_hover_text("Select two groups of the same test.");
            });
        });
    }

    fn field_ui(&mut self, ui: &mut Ui, side: usize, name: &str) {
        let own = self.selected.get(side).copied().flatten();
        let other = self.selected.get(1 - side).copied().flatten();
        let other = other.and_then(|other| self.offered.get(other));
        // A run is in one group only, and both are of one test.
        let fits = |one: &OfferedGroup| {
            other.is_none_or(|other| one.test == other.test && !one.has_any(&other.paths))
        };
        let mut options = vec![(None, "Select")];
        let fitting = (0..).zip(&self.offered).filter(|(at, one)| own == Some(*at) || fits(one));
        options.extend(fitting.map(|(at, one)| (Some(at), one.words.as_str())));
        let mut selected = own;
        series_chip(ui, side);
        combo(ui, name, &mut selected, &options, FIELD);
        if let Some(place) = self.selected.get_mut(side) {
            *place = selected;
        }
    }

    fn chosen(&self) -> Option<Vec<Vec<PathBuf>>> {
        let [a, b] = self.selected;
        let [a, b] = [self.offered.get(a?)?, self.offered.get(b?)?];
        Some(vec![a.paths.clone(), b.paths.clone()])
    }

    /// Draws a card per group: its letter, its size, and the names of its runs; and a card that adds one.
    pub(super) fn cards_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        groups: &[&[Arc<LoadedRun>]],
        actions: &mut Vec<Action>,
    ) {
        self.update(session);
        let files = session.comparing.groups().unwrap_or_default();
        let has_room = groups.len() < MAX_GROUPS;
        let count = groups.len() + usize::from(has_room);
        let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
        let a_row = if is_wide { count.min(CARDS_A_ROW) } else { 1 };
        let columns = f32::from(u16::try_from(a_row).unwrap_or(1));
        let gaps = (columns - 1.0) * size::GAP_CARD;
        let width = ((ui.available_width() - gaps) / columns).floor();
        for first in (0..count).step_by(a_row) {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_CARD;
                for at in first..count.min(first + a_row) {
                    let down = Layout::top_down(Align::Min);
                    ui.allocate_ui_with_layout(vec2(width, HEIGHT + 26.0), down, |ui| match groups
                        .get(at)
                    {
                        Some(group) => group_ui(ui, group, at, &files, actions),
                        None => self.add_ui(ui, groups, &files, actions),
                    });
                }
            });
        }
    }

    /// Draws the card that adds a group.
    fn add_ui(
        &self,
        ui: &mut Ui,
        groups: &[&[Arc<LoadedRun>]],
        files: &[Vec<PathBuf>],
        actions: &mut Vec<Action>,
    ) {
        let tokens = Tokens::of(ui);
        let test = groups.iter().find_map(|group| Some(group.first()?.run.subject.key()));
        plain_card(ui, |ui| {
            ui.set_min_height(HEIGHT);
            let letter = words::letter(groups.len());
            Spans::new(Type::Small)
                .icon(icons::PLUS, size::ICON_SMALL, tokens.t2)
                .text(Type::Small, &format!("Group {letter}: runs with a tag"), tokens.t2)
                .label(ui);
            let width = ui.available_width().min(FIELD);
            combo_ui(ui, "Add a group", "Add a group", width, |ui| {
                let used = files.concat();
                let fits = |one: &&OfferedGroup| Some(one.test) == test && !one.has_any(&used);
                let mut has_any = false;
                for one in self.offered.iter().filter(fits) {
                    has_any = true;
                    if ui.selectable_label(false, Type::Body.text(&one.words)).clicked() {
                        let mut all = files.to_vec();
                        all.push(one.paths.clone());
                        actions.push(Action::CompareGroups(all));
                    }
                }
                if !has_any {
                    let none = "No other tag or saved filter has runs of this test";
                    ui.label(Type::Body.text(none).color(tokens.t2));
                }
            });
            if link(ui, "Select runs").clicked() {
                actions.push(Action::GoTo(PageId::Runs));
            }
        });
    }
}

fn group_ui(
    ui: &mut Ui,
    group: &[Arc<LoadedRun>],
    at: usize,
    files: &[Vec<PathBuf>],
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    plain_card(ui, |ui| {
        ui.set_min_height(HEIGHT);
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            series_chip(ui, at);
            let label = words::group_label(group.len());
            let room = ui.available_width() - right_width(ui, ("group", at)) - size::GAP_SMALL;
            Spans::plain(Type::Strong, &label, tokens.t1).label_within(ui, room.max(40.0));
            if at == 0 {
                word_chip(ui, BASELINE);
            }
            right_aligned(ui, ("group", at), |ui| {
                let remove = format!("Remove group {}", words::letter(at));
                if 2 < files.len() && quiet_icon_button(ui, icons::X, &remove).clicked() {
                    let mut rest = files.to_vec();
                    rest.remove(at);
                    actions.push(Action::CompareGroups(rest));
                }
            });
        });
        // What all runs of the group have in common is what tells it from the others.
        let tags = group.first().map_or(&[][..], |shown| shown.run.tags.as_slice());
        let shared = |tag: &&String| group.iter().all(|shown| shown.run.tags.contains(*tag));
        let tags: Vec<&str> = tags.iter().filter(shared).map(String::as_str).collect();
        let names = distinct(group.iter().map(|shown| text::run_name(&shown.run)));
        let machine = group.first().map_or_else(String::new, |shown| shown.run.machine_name());
        for line in [tags.join(", "), names.join(" · "), machine] {
            if !line.is_empty() {
                let words = Spans::plain(Type::Small, &line, tokens.t2);
                words.label_within(ui, ui.available_width()).on_hover_text(&line);
            }
        }
        ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 0.0;
            let mut rotated = files.to_vec();
            let words = match (files.len(), at) {
                (2, 0) => "Swap A and B".to_owned(),
                (_, 0) | (2, _) => return,
                _ => format!("Make {} the baseline", words::letter(at)),
            };
            if link(ui, &words).clicked() {
                if let Some(first) = rotated.get_mut(..=at.max(1)) {
                    first.rotate_right(1);
                }
                actions.push(Action::CompareGroups(rotated));
            }
        });
    });
}
