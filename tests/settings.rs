//! Settings about numbers: what the window shows changes immediately, and what is saved does not.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::App;
use jitterscope::{Progress, Settings, SettingsFile};
use jitterscope_engine::report::Metric;
use jitterscope_engine::stats::LowDefinition;
use jitterscope_engine::store::Store;

use super::compare::run;
use super::files::{copied, press_at_once, shows};
use super::window::{step_until, window_with_settings};

/// Additional lateness of one frame in twenty, in nanoseconds: more than 5% of a frame and less than 10%.
const DELAY: i64 = 1_000_000;

/// Opens a window on the list of two runs. Its settings have a late threshold of 10% and another definition
/// of the 1% low than the default.
fn counting_otherwise(folder: &tempfile::TempDir) -> Harness<'static, App> {
    let store = Store::at(folder.path().join("runs"));
    store.save(&run(0xd4, "first", DELAY)).unwrap();
    store.save(&run(0xe5, "second", DELAY)).unwrap();
    let low = LowDefinition::MangoHud;
    let settings = Settings { late_percent: 10, low, is_welcomed: true, ..Settings::default() };
    SettingsFile::at(folder.path()).save(&settings).unwrap();
    let mut harness = window_with_settings(folder);
    step_until(&mut harness, |app| app.session.library.count() == 2);
    press(&mut harness, egui::Key::Num8);
    harness
}

fn press(harness: &mut Harness<'_, App>, key: egui::Key) {
    harness.key_press_modifiers(egui::Modifiers::COMMAND, key);
    harness.run_steps(3);
}

fn reset(harness: &mut Harness<'_, App>) {
    press(harness, egui::Key::Comma);
    harness.get_by_label("Reset all settings").click_accesskit();
    harness.run_steps(3);
    harness.get_by_label("Reset").click();
    harness.run_steps(3);
}

/// Returns the number of late frames of the result on screen; `None` without a result.
fn late(app: &App) -> Option<usize> {
    let shown = app.session.running.test("frame-loop")?.shown.as_ref()?;
    Some(shown.report.rows.first()?.summary.as_ref()?.late_count)
}

/// Returns the share of late frames of each compared run; `None` until the comparison is complete.
fn late_shares(app: &App) -> Option<Vec<Option<f64>>> {
    let Progress::Done(compared) = &app.session.comparing.progress else { return None };
    let mut figures = compared.comparison.rows.first()?.figures.iter();
    Some(figures.find(|figure| figure.metric == Metric::LATE)?.values.clone())
}

#[test]
fn a_result_is_counted_by_the_settings_and_exported_as_it_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let measured = run(0xd4, "first", DELAY).trials[0].samples.late_nanos();
    let over_a_twentieth = measured.iter().filter(|late| 833_333 < **late).count();
    assert!(60 < over_a_twentieth && measured.iter().all(|late| *late < 1_666_667));
    let mut harness = counting_otherwise(&folder);
    harness.get_by_label("Open first").click_accesskit();
    step_until(&mut harness, |app| late(app) == Some(0));
    harness.run_steps(3);
    assert!(shows(&harness, "99% of frames started at most"));
    assert!(shows(&harness, "No frames later than"), "and none is listed");
    assert!(
        shows(&harness, "1% of frames are slower, MangoHud"),
        "the 1 % low names its definition"
    );
    let keys = egui::Modifiers::COMMAND.plus(egui::Modifiers::SHIFT);
    let text = copied(&mut harness, |harness| press_at_once(harness, keys, egui::Key::C));
    assert!(text.contains(&format!("{over_a_twentieth} of 1")), "{text}");
    assert!(text.contains("1% low"), "{text}");
    reset(&mut harness);
    step_until(&mut harness, |app| late(app) == Some(over_a_twentieth));
    press(&mut harness, egui::Key::Num2);
    assert!(shows(&harness, &format!("{over_a_twentieth} of 1")));
    assert!(shows(&harness, "Late threshold"));
    assert!(shows(&harness, "mean of the slowest 1%"));
}

#[test]
fn a_comparison_is_counted_by_the_settings_too_and_again_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = counting_otherwise(&folder);
    for name in ["Select first", "Select second"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    press(&mut harness, egui::Key::D);
    step_until(&mut harness, |app| late_shares(app) == Some(vec![Some(0.0); 2]));
    harness.run_steps(3);
    assert!(shows(&harness, "Not evaluated"), "only the default 1 % low and never Max is judged");
    reset(&mut harness);
    step_until(&mut harness, |app| {
        late_shares(app).is_some_and(|shares| shares.iter().flatten().all(|share| 0.03 < *share))
    });
}
