//! Draws the settings of any test as fields in the setup column. The test describes its settings to
//! a [`Form`]; this form draws them.

mod choice;
mod matrix;

use eframe::egui::{Rect, Ui, UiBuilder, pos2, vec2};
use jitterscope_engine::plan::Problem;
use jitterscope_engine::plan::conditions::Cell;
use jitterscope_engine::plan::form::{Choice, Field, Form, Number, Selection};

use super::field::{field_block, group_caption, number_field};
use super::help::Help;
use super::segmented::segmented_wide;
use super::{Severity, Spans, right_aligned, toggle};
use crate::theme::{Tokens, Type, size};

/// The machine facts that the form needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormContext<'a> {
    /// The CPUs to which a thread can be pinned.
    pub cpus: &'a [u32],
    /// The CPU on which a thread runs if it is pinned to "a performance core"; `None` if unknown.
    pub performance_cpu: Option<u32>,
    /// Whether this system can pin threads to CPUs.
    pub can_pin: bool,
}

/// A form in which the user edits the settings of a test.
pub struct SettingForm<'a> {
    ui: &'a mut Ui,
    /// Name of the test, with which every accessible name begins.
    test: &'a str,
    group: &'static str,
    problems: &'a [Problem],
    context: FormContext<'a>,
    /// The free right half of the current row; `None` unless only its left half has a field.
    right_half: Option<Rect>,
    has_group: bool,
    /// The rectangle of the current group's caption, as wide as the column.
    caption_row: Rect,
    /// Whether the group is switched off, which hides its settings.
    is_group_off: bool,
}

impl std::fmt::Debug for SettingForm<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SettingForm").field("test", &self.test).finish_non_exhaustive()
    }
}

impl<'a> SettingForm<'a> {
    /// Creates a form in the column `ui`. `test` is the name of the test; `problems` are the
    /// invalid settings, which the form marks.
    pub fn new(
        ui: &'a mut Ui,
        test: &'a str,
        problems: &'a [Problem],
        context: FormContext<'a>,
    ) -> Self {
        ui.spacing_mut().item_spacing.y = size::GAP_FIELD;
        Self {
            ui,
            test,
            group: "",
            problems,
            context,
            right_half: None,
            has_group: false,
            caption_row: Rect::NOTHING,
            is_group_off: false,
        }
    }

    /// Begins a group, with a separator after the previous one.
    fn begin_group(&mut self, title: &'static str) {
        self.right_half = None;
        self.is_group_off = false;
        self.group = title;
        if self.has_group {
            self.ui.separator();
        }
        self.has_group = true;
    }

    fn name(&self, field: &Field) -> String {
        format!("{}, {}, {}", self.test, self.group.to_lowercase(), field.label.to_lowercase())
    }

    /// Draws a field of full width.
    fn whole(&mut self, field: &Field, draw: impl FnOnce(&mut Ui)) {
        if self.is_group_off {
            return;
        }
        self.right_half = None;
        block(self.ui, field, self.problems, draw);
    }

    fn half_width(&self) -> f32 {
        ((self.ui.available_width() - size::GAP_FIELD) / 2.0).max(40.0)
    }

    /// Draws a field half as wide as the column, unless its group is switched off. Two such fields
    /// share a row.
    fn half(&mut self, field: &Field, draw: impl FnOnce(&mut Ui)) {
        if self.is_group_off {
            return;
        }
        let width = self.half_width();
        if let Some(rect) = self.right_half.take() {
            let mut child = self.ui.new_child(UiBuilder::new().max_rect(rect));
            block(&mut child, field, self.problems, draw);
            let below = child.min_rect().bottom() - self.ui.min_rect().bottom();
            if 0.0 < below {
                self.ui.add_space(below - size::GAP_FIELD);
            }
            return;
        }
        let top = self.ui.cursor().min;
        let builder = UiBuilder::new().max_rect(Rect::from_min_size(top, vec2(width, 400.0)));
        self.ui.scope_builder(builder, |ui| {
            ui.set_width(width);
            block(ui, field, self.problems, draw);
        });
        let right = pos2(top.x + width + size::GAP_FIELD, top.y);
        self.right_half = Some(Rect::from_min_size(right, vec2(width, 400.0)));
    }
}

/// Draws the caption of a field, the field, and below it the problem of the value, if any. `draw`
/// draws the field itself.
fn block(ui: &mut Ui, field: &Field, problems: &[Problem], draw: impl FnOnce(&mut Ui)) {
    let help = Help::new(field.label, field.help);
    field_block(ui, field.label, Some(&help), |ui| {
        draw(ui);
        problem_ui(ui, field, problems);
    });
}

fn problem_ui(ui: &mut Ui, field: &Field, problems: &[Problem]) {
    for problem in problems.iter().filter(|problem| problem.key == field.key) {
        let tokens = Tokens::of(ui);
        let message = crate::text::capitalized(&problem.message);
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
            Severity::Poor.icon_ui(ui, size::ICON_SMALL);
            Spans::plain(Type::Small, &message, tokens.poor).paragraph(ui);
        });
    }
}

impl Form for SettingForm<'_> {
    fn group(&mut self, title: &'static str) {
        self.begin_group(title);
        let row = group_caption(self.ui, title).rect;
        self.caption_row = row.with_max_x(self.ui.max_rect().right());
    }

    fn group_with_switch(&mut self, title: &'static str, on: &mut bool) {
        self.begin_group(title);
        let name = format!("{}, {}", self.test, title.to_lowercase());
        self.ui.horizontal(|ui| {
            group_caption(ui, title);
            right_aligned(ui, title, |ui| toggle(ui, on, &name));
        });
        self.is_group_off = !*on;
    }

    fn number(&mut self, number: &Number, value: &mut f64) {
        let Number { field, parameter } = number;
        let name = self.name(field);
        if parameter.common.is_empty() {
            self.half(field, |ui| {
                let width = ui.available_width();
                number_field(ui, &name, value, parameter, width);
            });
            return;
        }
        self.whole(field, |ui| {
            // `own`: whether the user selected "Custom", even if the number is also a common one.
            let id = ui.make_persistent_id(&name);
            let own = ui.data(|data| data.get_temp::<bool>(id)).unwrap_or(false);
            let common = parameter.common;
            let position = common.iter().position(|common| (common - *value).abs() < 1e-9);
            let is_own = own || position.is_none();
            let mut selected = if is_own { common.len() } else { position.unwrap_or(0) };
            let texts: Vec<String> = common.iter().map(|number| format!("{number}")).collect();
            let mut options: Vec<(usize, &str)> =
                texts.iter().enumerate().map(|(at, text)| (at, text.as_str())).collect();
            options.push((common.len(), "Custom"));
            if segmented_wide(ui, &name, &mut selected, &options).changed() {
                if let Some(&number) = common.get(selected) {
                    *value = number;
                }
                ui.data_mut(|data| data.insert_temp(id, selected == common.len()));
            }
            if is_own {
                let width = ui.available_width();
                number_field(ui, &format!("{name}, custom"), value, parameter, width);
            }
        });
    }

    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]) {
        let name = self.name(field);
        let draw = if choice::is_one_line(choices) {
            choice::combo_ui
        } else if choice::has_number(choices) {
            choice::with_number
        } else {
            return self.whole(field, |ui| choice::ui(ui, &name, value, choices));
        };
        // A combo box whose text would be truncated in half a row gets a full row.
        if self.half_width() < choice::combo_width(self.ui, choices) {
            self.whole(field, |ui| draw(ui, &name, value, choices));
        } else {
            self.half(field, |ui| draw(ui, &name, value, choices));
        }
    }

    fn note(&mut self, text: &'static str) {
        self.right_half = None;
        let tokens = Tokens::of(self.ui);
        let width = self.ui.available_width();
        let spans = Spans::plain(Type::Small, text, tokens.t2);
        let galley = spans.wrapped(self.ui, width);
        self.ui.label(galley);
    }

    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]) {
        let name = self.name(field);
        self.whole(field, |ui| choice::several_ui(ui, &name, values, choices));
    }

    fn matrix(&mut self, priority: &Field, cpu: &Field, cells: &mut Vec<Cell>) {
        if self.is_group_off {
            return;
        }
        self.right_half = None;
        matrix::ui(self.ui, self.test, self.caption_row, cells, &self.context);
        for field in [priority, cpu] {
            problem_ui(self.ui, field, self.problems);
        }
    }

    fn switch(&mut self, field: &Field, value: &mut bool) {
        if self.is_group_off {
            return;
        }
        self.right_half = None;
        let name = self.name(field);
        let color = Tokens::of(self.ui).t1;
        let help = Help::new(field.label, field.help);
        let row = self.ui.horizontal(|ui| {
            toggle(ui, value, &name);
            let label = Spans::plain(Type::Body, field.label, color).label(ui);
            help.on(label);
        });
        row.response.on_hover_text(field.help);
        problem_ui(self.ui, field, self.problems);
    }
}
