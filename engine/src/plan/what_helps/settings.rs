//! The settings of the test "What helps" in a form, and the checks of their values.

use super::{Form, Problem, SettingChange, WhatHelps};
use crate::plan::form::parts::{self, Problems};
use crate::plan::form::{ChoiceValue, Field, Number, Parameter, choose_several};
use crate::plan::frame_loop::settings as frame_loop;

const CHANGES: Field = Field::new(
    "change",
    "Change",
    "What is changed, one at a time. What the baseline has already is omitted. Changes that help are \
     measured together afterward.",
)
.named("Changes");
const BLOCK: Number = Field::new(
    "block",
    "Block length",
    "How long the baseline and each change are measured per round, after the warm-up; at least as long as 100 \
     frames take.",
)
.number(Parameter::secs(1.0, 60.0));
const ROUNDS: Number = Field::new(
    "rounds",
    "Rounds",
    "How often the baseline and every change are measured, in a new randomized order each time.",
)
.number(Parameter::count(3, 30, "rounds"));

/// Passes every setting to the form, in the order of the screen. The form shows or changes the values.
pub(super) fn show(plan: &mut WhatHelps, form: &mut dyn Form) {
    let mut cell = plan.cell();
    let baseline = &mut plan.baseline;
    form.group("Baseline");
    form.value(&frame_loop::FPS, &mut baseline.fps);
    frame_loop::work(form, &mut baseline.work);
    frame_loop::wait(form, &mut baseline.wait);
    parts::priority(form, &mut cell.priority);
    parts::cpu(form, &mut cell.cpu);
    parts::switched_load(form, &mut baseline.load);
    form.group("Changes to test");
    let options = SettingChange::ALL.map(|change| (ChoiceValue::Plain(change), change.choice()));
    choose_several(form, &CHANGES, &mut plan.changes, &options);
    form.note(
        "Only Jitterscope's own threads are changed, and only during the test. No deep idle affects the \
         whole PC during its blocks.",
    );
    form.group("More");
    form.value(&ROUNDS, &mut baseline.rounds);
    form.value(&BLOCK, &mut baseline.time_each);
    form.value(&frame_loop::WARM_UP, &mut baseline.warm_up);
    frame_loop::on_miss(form, &mut baseline.on_miss);
    form.switch(&frame_loop::NO_DEEP_IDLE, &mut baseline.no_deep_idle);
    form.value(&parts::LATE, &mut baseline.late_percent);
    frame_loop::order_seed(form, &mut baseline.order_seed);
    if cell != plan.cell() {
        plan.baseline.cells = vec![cell];
    }
}

/// Returns the problems of the baseline, and a problem if no selected change differs from the baseline.
pub(super) fn problems(plan: &WhatHelps) -> Vec<Problem> {
    let mut problems = Problems::default();
    problems.unless(
        0 < plan.measured_changes().count(),
        CHANGES.key,
        "nothing to test; select at least one change that the baseline does not have".to_owned(),
    );
    let mut found = frame_loop::problems(&plan.baseline);
    found.extend(problems.found());
    found
}
