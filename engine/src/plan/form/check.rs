//! Finds settings whose value is out of range, and lists of choices in which nothing is selected.

use super::{Choice, Field, Form, Number, Parameter, Selection, choices, parts};
use crate::plan::conditions::Cell;
use crate::plan::{CpuFacts, Problem};
use crate::units::format_count;

/// Maximum number of selected configurations in the matrix of priority × pinning, and of selected values in
/// a list that allows any number. A list of CPUs can always have as many values as there are usable CPUs.
const MAX_SELECTED: usize = 256;

/// Visits the settings of a test and collects a [`Problem`] for each value that a machine with `cpus` does not allow.
#[derive(Debug)]
pub(in crate::plan) struct RangeCheck<'a> {
    cpus: &'a CpuFacts,
    pub(in crate::plan) found: Vec<Problem>,
}

impl<'a> RangeCheck<'a> {
    pub(in crate::plan) fn new(cpus: &'a CpuFacts) -> Self {
        Self { cpus, found: Vec::new() }
    }

    fn add(&mut self, field: &Field, message: String) {
        let problem = Problem { key: field.key, message };
        if !self.found.contains(&problem) {
            self.found.push(problem);
        }
    }

    fn check(&mut self, field: &Field, parameter: &Parameter, value: f64) {
        let name = match parameter.label {
            "" => field.name_in_sentence(),
            label => label.to_owned(),
        };
        if let Some(message) = parameter.problem(value, &name, self.cpus) {
            self.add(field, message);
        }
    }
}

impl Form for RangeCheck<'_> {
    fn number(&mut self, number: &Number, value: &mut f64) {
        self.check(&number.field, &number.parameter, *value);
    }

    fn choice(&mut self, field: &Field, value: &mut Selection, choices: &[Choice]) {
        let parameter = choices.get(value.index).and_then(|choice| choice.parameter);
        if let Some((parameter, number)) = parameter.zip(value.number) {
            self.check(field, &parameter, number);
        }
    }

    fn set(&mut self, field: &Field, values: &mut Vec<Selection>, choices: &[Choice]) {
        let (name, count) = (field.name_in_sentence(), values.len());
        if values.is_empty() {
            let available = choices.iter().filter(|choice| choice.is_available());
            let expected: Vec<String> = available.map(Choice::spelling).collect();
            let expected = expected.join(", ");
            self.add(field, format!("{name}: none is selected; select at least one: {expected}"));
        }
        let is_open = choices.iter().any(|choice| choice.parameter.is_some());
        let most = if is_open { MAX_SELECTED.max(self.cpus.usable.len()) } else { choices.len() };
        if most < count {
            let (count, most) = (format_count(count), format_count(most));
            self.add(field, format!("{name}: {count} are selected; expected 1 to {most}"));
            return;
        }
        for value in values {
            self.choice(field, value, choices);
        }
    }

    fn matrix(&mut self, priority: &Field, cpu: &Field, cells: &mut Vec<Cell>) {
        if cells.is_empty() {
            let message =
                "no configuration is selected; select at least one priority and one pinning";
            self.add(priority, message.to_owned());
        }
        if MAX_SELECTED < cells.len() {
            let count = format_count(cells.len());
            let message =
                format!("{count} configurations are selected; expected 1 to {MAX_SELECTED}");
            self.add(priority, message);
            return;
        }
        let (priorities, cpus) = (choices(&parts::PRIORITIES), choices(&parts::CPUS));
        for cell in cells {
            self.choice(priority, &mut parts::of_priority(cell.priority), &priorities);
            self.choice(cpu, &mut parts::of_cpu(cell.cpu), &cpus);
        }
    }

    fn switch(&mut self, _field: &Field, _value: &mut bool) {}
}
