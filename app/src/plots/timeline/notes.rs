//! Annotations of a timeline: notes at a time or over a range, which are added, edited, and deleted
//! below the plot.

use std::collections::BTreeMap;

use eframe::egui::{Key, Ui};
use egui_plot::{PlotUi, Span, VLine};
use jitterscope_engine::run::Annotation;

use super::super::plane::{Move, ask};
use super::Timeline;
use super::range::nanos_of;
use crate::text;
use crate::theme::{Tokens, icons, size};
use crate::widgets::field::{EntryEnd, entry_end};
use crate::widgets::{Button, text_field};

/// Maximum number of characters of an annotation on its button and in the margin.
const MAX_LETTERS: usize = 28;
/// Maximum number of annotations that are drawn: more cannot be distinguished.
const MAX_DRAWN: usize = 200;
/// Number of parts of a plot, in each of which one annotation is drawn where there are more than [`MAX_DRAWN`].
const PARTS: i64 = 200;
/// Maximum number of annotations that are listed below the plot.
const MAX_LISTED: usize = 40;
/// Opacity of an annotated range.
const SHADE: f32 = 0.1;

/// The annotations of the displayed trial.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// Position of the displayed trial, to which new annotations belong; `None` if annotations
    /// cannot be added.
    trial: Option<usize>,
    /// All annotations of the run.
    all: Vec<Annotation>,
    /// The annotation that is being edited.
    pub(super) editing: Option<Editing>,
    has_changed: bool,
}

/// An annotation that is being edited.
#[derive(Clone, Debug)]
pub(super) struct Editing {
    annotation: Annotation,
    /// Position among all annotations of the run; `None` for a new annotation.
    position: Option<usize>,
    is_focused: bool,
}

impl Notes {
    /// Whether annotations can be added.
    pub(super) const fn is_possible(&self) -> bool {
        self.trial.is_some()
    }

    pub(super) fn cancel(&mut self) {
        self.editing = None;
    }

    /// Starts editing a new annotation of a time range, in seconds.
    pub(super) fn begin(&mut self, (from, to): (f64, f64)) {
        let Some(trial) = self.trial else { return };
        let (from, to) = (nanos_of(from), nanos_of(to));
        let annotation = Annotation { trial, from, to, text: String::new() };
        self.editing = Some(Editing { annotation, position: None, is_focused: false });
    }

    /// Starts editing the text of an annotation.
    fn edit(&mut self, position: usize) {
        let annotation = self.all.get(position).cloned();
        self.editing = annotation.map(|annotation| Editing {
            annotation,
            position: Some(position),
            is_focused: false,
        });
    }

    /// Saves the edited annotation; an empty text or `is_deleted` deletes it.
    fn finish(&mut self, is_deleted: bool) {
        let Some(Editing { annotation, position, .. }) = self.editing.take() else { return };
        let is_empty = is_deleted || annotation.text.trim().is_empty();
        match position {
            Some(at) if is_empty && at < self.all.len() => drop(self.all.remove(at)),
            Some(at) => {
                if let Some(one) = self.all.get_mut(at) {
                    *one = annotation;
                }
            }
            None if is_empty => return,
            None => self.all.push(annotation),
        }
        self.has_changed = true;
    }

    /// Returns the annotations of the displayed trial, each with its position among all annotations
    /// of the run.
    fn own(&self) -> impl Iterator<Item = (usize, &Annotation)> {
        self.all.iter().enumerate().filter(|(_, one)| Some(one.trial) == self.trial)
    }

    /// Returns the annotations to draw in a range of time, in seconds: those in it, and the longest of each part of the
    /// range where they are more than [`MAX_DRAWN`].
    fn visible(&self, (from, to): (f64, f64)) -> Vec<(usize, &Annotation)> {
        let is_seen = |one: &Annotation| from <= one.to.as_secs() && one.from.as_secs() <= to;
        let seen = || self.own().filter(|(_, one)| is_seen(one));
        if seen().nth(MAX_DRAWN).is_none() {
            return seen().collect();
        }
        let (begin, end) = (nanos_of(from), nanos_of(to));
        let part_length = ((end - begin).get() / PARTS).max(1);
        let mut parts: BTreeMap<i64, (usize, &Annotation)> = BTreeMap::new();
        for (at, one) in seen() {
            let part = (one.from.max(begin).min(end) - begin).get() / part_length;
            let longest = parts.entry(part).or_insert((at, one));
            if longest.1.to - longest.1.from < one.to - one.from {
                *longest = (at, one);
            }
        }
        parts.into_values().collect()
    }

    /// Returns the annotations to list below the plot that shows this range, and how many others there are.
    fn listed(&self, shown: Option<(f64, f64)>) -> (Vec<(usize, &Annotation)>, usize) {
        let count = self.own().count();
        let mut listed = match shown {
            Some(shown) if MAX_LISTED < count => self.visible(shown),
            _ => self.own().take(MAX_LISTED).collect(),
        };
        listed.truncate(MAX_LISTED);
        let others = count - listed.len();
        (listed, others)
    }
}

impl Timeline {
    /// Shows the annotations of a run that belong to one of its trials, and lets the user annotate
    /// this trial.
    pub fn annotate(&mut self, annotations: &[Annotation], trial: usize) {
        let is_same = self.notes.trial == Some(trial) && self.notes.all == annotations;
        if !is_same && !self.notes.has_changed {
            let editing = self.notes.editing.take().filter(|_| self.notes.trial == Some(trial));
            let (trial, all) = (Some(trial), annotations.to_vec());
            self.notes = Notes { trial, all, editing, has_changed: false };
        }
    }

    /// Returns all annotations of the run if the user changed any since the last call.
    pub fn take_annotations(&mut self) -> Option<Vec<Annotation>> {
        std::mem::take(&mut self.notes.has_changed).then(|| self.notes.all.clone())
    }

    /// Returns start time in seconds and shortened text of each annotation of the displayed trial,
    /// for labels in the margin of the plot.
    pub(super) fn note_words(&self, range: (f64, f64)) -> impl Iterator<Item = (f64, String)> {
        let visible = self.notes.visible(range).into_iter();
        visible.map(|(_, one)| (one.from.as_secs(), text::cut(&one.text, MAX_LETTERS)))
    }

    /// Draws a line at each annotated time of a range, and shades each annotated range.
    pub(super) fn add_notes(&self, plot: &mut PlotUi<'_>, tokens: &Tokens, range: (f64, f64)) {
        for (_, one) in self.notes.visible(range) {
            let (from, to) = (one.from.as_secs(), one.to.as_secs());
            if from < to {
                let span = Span::new("", from..=to).fill(tokens.info.gamma_multiply(SHADE));
                plot.span(span.border_color(tokens.info).border_width(1.0));
            } else {
                let line = VLine::new("annotation", from).color(tokens.info).width(1.0);
                plot.vline(line.allow_hover(false));
            }
        }
    }

    /// Lists the annotations of the displayed trial below the plot. The text field of the edited
    /// annotation is above the list.
    pub(super) fn notes_ui(&mut self, ui: &mut Ui) {
        self.field_ui(ui);
        let (listed, others) = self.notes.listed(self.shown.map(|shown| shown.1));
        let buttons: Vec<(usize, String, String, (f64, f64))> = listed
            .into_iter()
            .map(|(at, one)| {
                let place = one.place();
                let words = format!("{place}: {}", text::cut(&one.text, MAX_LETTERS));
                let name = format!("Annotation at {place}: {}", one.text);
                (at, words, name, (one.from.as_secs(), one.to.as_secs()))
            })
            .collect();
        if buttons.is_empty() {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
            for (at, words, name, (from, to)) in buttons {
                let button = Button::quiet(&words).icon(icons::NOTE_PENCIL).name(&name);
                if ui.add(button).on_hover_text(&name).clicked() {
                    self.notes.edit(at);
                    ask(ui.ctx(), self.id, Move::Center(f64::midpoint(from, to)));
                }
            }
            if 0 < others {
                ui.label(format!("{} more; zoom in to list them", text::format_count(others)));
            }
        });
    }

    /// Draws the text field of the edited annotation.
    fn field_ui(&mut self, ui: &mut Ui) {
        let Some(editing) = &mut self.notes.editing else { return };
        let place = editing.annotation.place();
        let (mut is_done, mut is_deleted, mut is_cancelled) = (false, false, false);
        ui.horizontal_wrapped(|ui| {
            let name = format!("Annotation at {place}");
            let text = &mut editing.annotation.text;
            let hint = format!("Note at {place}");
            let width = (ui.available_width() - 260.0).clamp(120.0, 420.0);
            let field = text_field(ui, &name, text, &hint, width);
            if !std::mem::replace(&mut editing.is_focused, true) {
                field.request_focus();
            }
            let end = entry_end(&field);
            // If the field loses focus without Enter, the field stays open, so that the buttons
            // next to it can be clicked.
            let is_entered = ui.input(|input| input.key_pressed(Key::Enter));
            is_done = is_entered && end == Some(EntryEnd::Committed);
            is_cancelled = end == Some(EntryEnd::Canceled);
            is_done |= ui.add(Button::new("Save").name("Save annotation")).clicked();
            if editing.position.is_some() {
                is_deleted = ui.add(Button::new("Delete").name("Delete annotation")).clicked();
            }
            is_cancelled |= ui.add(Button::quiet("Cancel").name("Cancel annotation")).clicked();
        });
        if is_cancelled {
            self.notes.cancel();
        } else if is_done || is_deleted {
            self.notes.finish(is_deleted);
        }
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;

    use super::*;

    #[test]
    fn annotations_of_other_trials_stay_as_they_are() {
        let note = |trial, text: &str| {
            let at = Nanos::from_secs(5);
            Annotation { trial, from: at, to: at, text: text.to_owned() }
        };
        let other = note(1, "other");
        let mut timeline = Timeline::default();
        timeline.annotate(&[note(0, "own"), other.clone()], 0);
        timeline.notes.edit(0);
        timeline.notes.finish(true);
        assert_eq!(timeline.take_annotations(), Some(vec![other.clone()]));
        assert_eq!(timeline.take_annotations(), None);
        timeline.notes.begin((1.0, 2.0));
        timeline.notes.finish(false);
        assert_eq!(timeline.take_annotations(), None, "an empty one is none");
        timeline.notes.begin((1.0, 1.0));
        if let Some(editing) = &mut timeline.notes.editing {
            editing.annotation.text = "a pause".to_owned();
        }
        timeline.notes.finish(false);
        let made = timeline.take_annotations().unwrap();
        assert_eq!(made[0], other);
        assert_eq!((made[1].text.as_str(), made[1].place()), ("a pause", "1.000 s".to_owned()));
    }

    #[test]
    fn another_run_begins_without_the_annotations_of_the_one_before() {
        let at = Nanos::from_secs(5);
        let note = Annotation { trial: 0, from: at, to: at, text: "own".to_owned() };
        let mut timeline = Timeline::of_lateness();
        timeline.annotate(&[note], 0);
        assert_eq!(timeline.note_words((0.0, 10.0)).count(), 1);
        timeline.reset();
        assert_eq!(timeline.note_words((0.0, 10.0)).count(), 0);
        assert_eq!(timeline.quantity, super::super::Quantity::Lateness, "the view stays");
    }

    #[test]
    fn no_more_annotations_are_drawn_than_can_be_distinguished() {
        let at = |millis| Nanos::from_millis(millis);
        let note = |from, to| Annotation { trial: 0, from, to, text: "x".to_owned() };
        let mut all: Vec<Annotation> = (0..100_000).map(|k| note(at(k), at(k))).collect();
        all.push(note(at(60_000), at(70_000)));
        let mut timeline = Timeline::default();
        timeline.annotate(&all, 0);
        let whole = timeline.notes.visible((0.0, 100.0));
        assert!(whole.len() <= 201, "{}", whole.len());
        assert!(whole.iter().any(|(at, _)| *at == 100_000), "the longest is drawn");
        assert_eq!(timeline.notes.visible((10.0, 10.1)).len(), 101, "each one when zoomed in");
        let (listed, others) = timeline.notes.listed(Some((10.0, 10.01)));
        assert_eq!((listed.len(), others), (11, 99_990));
        let (listed, others) = timeline.notes.listed(None);
        assert_eq!((listed.len(), others), (40, 99_961));
    }
}
