//! The comparison of groups of runs: before they are selected, and with four of them.

use egui::Key;
use egui_kittest::kittest::Queryable as _;
use jitterscope::Progress;
use jitterscope_engine::store::Store;

use super::super::compare::run;
use super::super::groups::pick;
use super::super::window::step_until;
use super::{Album, go, window};

#[test]
fn groups_before_and_after_they_are_compared() {
    let mut album = Album::new();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    for (group, delay) in (0_u32..).zip([500_000, 520_000, 2_000_000, 100_000]) {
        for (number, varied) in (0_u32..).zip([0, 9_000, 17_000]) {
            let name = format!("driver 58{group}.1, run {number}");
            let mut run = run(0x100 * group + number + 1, &name, delay + varied);
            run.tags = vec![format!("driver:58{group}.1"), "weekly".to_owned()];
            store.save(&run).unwrap();
        }
    }
    let mut harness = window(folder.path(), true);
    step_until(&mut harness, |app| app.session.library.count() == 12);
    go(&mut harness, Key::Num9);
    album.take(&mut harness, "groups-empty");
    pick(&mut harness, "Group A", "driver:580.1 · 3 runs");
    pick(&mut harness, "Group B", "driver:581.1 · 3 runs");
    album.take(&mut harness, "groups-selected");
    harness.get_by_role_and_label(egui::accesskit::Role::Button, "Compare groups").click();
    for (count, tag) in [(2, "driver:582.1 · 3 runs"), (3, "driver:583.1 · 3 runs")] {
        step_until(&mut harness, |app| match &app.session.comparing.progress {
            Progress::Done(compared) => compared.comparison.count == count,
            _ => false,
        });
        harness.run_steps(3);
        pick(&mut harness, "Add a group", tag);
    }
    step_until(&mut harness, |app| match &app.session.comparing.progress {
        Progress::Done(compared) => compared.comparison.count == 4,
        _ => false,
    });
    harness.run_steps(3);
    album.take(&mut harness, "groups-compared");
    album.close();
}
