//! Result tables in the window: sorted by every column of every test, used by keyboard, and with their state
//! restored.

use std::cmp::Ordering;

use egui::{Key, Modifiers, accesskit::Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::App;
use jitterscope::PageId;
use jitterscope_engine::export::tsv;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::table::Cell;
use jitterscope_engine::report::{Options, Report, Table};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::Store;

use super::snapshots::made::run_of;
use super::window::step_until;

/// Returns a generated run of a test; that of the frame loop has many priorities and CPUs.
fn made(key: &str) -> Run {
    let mut plan = Plan::all().into_iter().find(|plan| plan.key() == key).unwrap();
    if let Some(matrix) = plan.presets().into_iter().find(|preset| preset.key == "full-matrix") {
        plan = matrix.plan;
    }
    run_of(1, "made", plan, |_| false)
}

/// Opens a window of this width, in points, that shows the result of a run.
fn window_with(run: &Run, width: f32) -> Harness<'static, App> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    store.save(run).unwrap();
    let mut harness = Harness::builder()
        .with_size([width, 1_400.0])
        .build_eframe(move |cc| App::with_store(cc, Some(store)));
    step_until(&mut harness, |app| {
        app.session.machine.facts().is_some() && app.session.library.count() == 1
    });
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Open made").click_accesskit();
    harness.run_steps(2);
    step_until(&mut harness, |app| matches!(app.page, PageId::Test(_) | PageId::Capture));
    harness.run_steps(3);
    harness
}

fn show_all_columns(harness: &mut Harness<'_, App>, table: &Table) {
    let name = format!("Columns of {}", table.title);
    harness.get_by_role_and_label(Role::Button, &name).click_accesskit();
    harness.run_steps(3);
    harness.get_by_label("All columns").click_accesskit();
    harness.run_steps(3);
    harness.key_press(Key::Escape);
    harness.run_steps(3);
}

/// Returns the names of all nodes with a role, from top to bottom and from left to right.
fn names(harness: &Harness<'_, App>, role: Role) -> Vec<String> {
    let mut found: Vec<(f32, f32, String)> = harness
        .query_all_by_role(role)
        .map(|node| {
            let place = node.rect().min;
            (place.y, place.x, node.accesskit_node().label().unwrap_or_default())
        })
        .collect();
    found.sort_by(|one, two| one.0.total_cmp(&two.0).then(one.1.total_cmp(&two.1)));
    found.into_iter().map(|(_, _, name)| name).collect()
}

/// Returns the headings of all visible columns; a column of a group has the name of the group before its
/// heading.
fn headings(harness: &Harness<'_, App>) -> Vec<String> {
    names(harness, Role::ColumnHeader)
        .into_iter()
        .map(|name| name.strip_prefix("Sort by ").unwrap().to_owned())
        .collect()
}

/// Returns the labels of the rows from top to bottom, as the cells of one column name them.
fn labels(harness: &Harness<'_, App>, heading: &str) -> Vec<String> {
    let part = format!(", {heading}: ");
    let cells = names(harness, Role::Cell).into_iter();
    cells.filter_map(|name| Some(name.split_once(&part)?.0.to_owned())).collect()
}

/// Returns the cell of a table with this label of its row and this heading of its column, as the window shows
/// them.
fn cell<'a>(table: &'a Table, keys: &[&str], label: &str, heading: &str) -> Option<&'a Cell> {
    let pivot = table.columns.iter().find_map(|column| column.pivot);
    let (group, heading) = match (keys.is_empty(), heading.split_once(": ")) {
        (false, Some((group, heading))) => (Some(group), heading),
        _ => (None, heading),
    };
    let column = table.columns.iter().position(|column| column.heading() == heading).unwrap();
    let text = |row: usize, key: &str| {
        let column = table.position(key).unwrap();
        table.rows[row].cells[column].text(&table.columns[column].format)
    };
    let row = (0..table.rows.len()).find(|&row| {
        let own = if keys.is_empty() {
            text(row, table.columns[0].key)
        } else {
            keys.iter().map(|key| text(row, key)).collect::<Vec<_>>().join(", ")
        };
        own == label && group.is_none_or(|group| text(row, pivot.unwrap()) == group)
    })?;
    table.rows[row].cells.get(column)
}

/// Sorts by every column in both orders, and checks each order against the values of the cells; returns to
/// the original order.
fn check_sorting(run: &Run, table: &Table, keys: &[&str]) -> usize {
    let mut harness = window_with(run, 12_000.0);
    show_all_columns(&mut harness, table);
    let known: Vec<String> = table.columns.iter().map(|column| column.heading()).collect();
    let of_table = |heading: &String| {
        known.contains(heading)
            || heading.split_once(": ").is_some_and(|(_, rest)| known.iter().any(|one| one == rest))
    };
    let headings: Vec<String> = headings(&harness).into_iter().filter(of_table).collect();
    assert!(table.columns.len() - 1 <= headings.len(), "{headings:?} of {known:?}");
    let mut compared = 0;
    for heading in &headings {
        let original = labels(&harness, heading);
        for state in ["", ", descending", ", ascending"] {
            let name = format!("Sort by {heading}{state}");
            harness.get_by_role_and_label(Role::ColumnHeader, &name).click_accesskit();
            harness.run_steps(2);
            let shown = labels(&harness, heading);
            assert_eq!(shown.len(), original.len(), "{heading}");
            if state == ", ascending" {
                assert_eq!(shown, original, "{heading}");
                continue;
            }
            let cells: Vec<Option<&Cell>> =
                shown.iter().map(|label| cell(table, keys, label, heading)).collect();
            for pair in cells.windows(2) {
                let is_in_order = match (pair[0], pair[1]) {
                    (_, None | Some(Cell::Absent(_))) => true,
                    (None | Some(Cell::Absent(_)), _) => false,
                    (Some(one), Some(two)) if state.is_empty() => {
                        one.compare(two) != Ordering::Less
                    }
                    (Some(one), Some(two)) => one.compare(two) != Ordering::Greater,
                };
                assert!(is_in_order, "{heading}{state}: {:?} before {:?}", pair[0], pair[1]);
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn every_column_of_every_test_sorts_by_its_values() {
    for (key, wide, keys) in [
        ("frame-loop", "configurations", &[][..]),
        ("sleep-accuracy", "configurations", &[]),
        ("spin-strategies", "configurations", &["requested_nanos", "strategy"]),
        ("scheduling-gaps", "configurations", &[]),
        ("real-time", "changes", &["metric"]),
        ("game-tick", "configurations", &["threads_count"]),
    ] {
        let run = made(key);
        let report = Report::of(&run, &Options::default());
        let table = report.tables.iter().find(|table| table.key == wide).unwrap();
        let compared = check_sorting(&run, table, keys);
        println!("{key}: {compared} pairs of cells compared");
        assert!(100 < compared, "{key}: {compared}");
    }
}

/// Returns the last visible columns, each with the distance in points by which it extends beyond the right
/// edge of the page.
fn beyond(run: &Run, table: &Table, width: f32) -> Vec<(String, f32)> {
    let harness = window_with(run, width);
    let known: Vec<String> = table.columns.iter().map(|column| column.heading()).collect();
    let headers = harness.query_all_by_role(Role::ColumnHeader).filter_map(|node| {
        let name = node.accesskit_node().label().unwrap_or_default();
        let heading = name.strip_prefix("Sort by ")?;
        let own = heading.rsplit(": ").next()?;
        known.iter().any(|one| one == own).then(|| (heading.to_owned(), node.rect().right()))
    });
    let cut = headers.map(|(heading, right)| (heading, right - (width - 16.0)));
    cut.filter(|(_, beyond)| 0.0 < *beyond).collect()
}

#[test]
fn no_column_is_cut_at_the_edge_of_its_table() {
    for (key, wide) in [("spin-strategies", "configurations"), ("real-time", "changes")] {
        let run = made(key);
        let report = Report::of(&run, &Options::default());
        let table = report.tables.iter().find(|table| table.key == wide).unwrap();
        for width in [1_440.0, 1_280.0, 1_000.0] {
            let beyond = beyond(&run, table, width);
            assert!(beyond.is_empty(), "{key} at {width}: {beyond:?}");
        }
    }
}

#[test]
fn intervals_of_what_helps_are_in_tooltips_where_there_is_no_room_for_them() {
    let run = made("what-helps");
    let shows =
        |width| headings(&window_with(&run, width)).iter().any(|one| one.starts_with("95% CI"));
    assert_eq!([1_680.0, 1_100.0, 940.0].map(shows), [true, false, true]);
}

/// Returns a frame loop run with so few frames that the higher percentiles are missing.
fn short_matrix() -> Run {
    let mut run = made("frame-loop");
    for trial in &mut run.trials {
        trial.samples = trial.samples.iter().take(150).collect();
    }
    run
}

#[test]
fn an_empty_cell_shows_why() {
    let run = short_matrix();
    let mut harness = window_with(&run, 1_440.0);
    let name = "Normal, p99.9 (µs): none, needs 1\u{a0}000 samples, 150 were measured";
    let name = name.replace('\u{a0}', " ");
    let found = names(&harness, Role::Cell);
    let is_named = |cell: &&String| cell.starts_with("Normal, p99.9") && cell.contains("150 were");
    let cell = found.iter().find(is_named).unwrap_or_else(|| panic!("{name} not in {found:#?}"));
    harness.get_by_role_and_label(Role::Cell, cell).hover();
    harness.run_steps(2);
    for _ in 0..10 {
        harness.input_mut().predicted_dt = 0.2;
        std::thread::sleep(std::time::Duration::from_millis(100));
        harness.step();
    }
    let reason = harness.query_all_by_label_contains("150 were measured.").count();
    assert_eq!(reason, 1, "the tooltip has the reason as a sentence");
}

#[test]
fn the_keyboard_sorts_selects_and_opens() {
    let run = made("frame-loop");
    let mut harness = window_with(&run, 1_440.0);
    let press = |harness: &mut Harness<'_, App>, key: Key| {
        harness.key_press(key);
        harness.run_steps(3);
    };
    let value = |harness: &Harness<'_, App>| {
        harness
            .get_by_role_and_label(Role::Grid, "Configurations table")
            .value()
            .unwrap_or_default()
    };
    harness.get_by_role_and_label(Role::Grid, "Configurations table").focus();
    harness.run_steps(3);
    assert_eq!(value(&harness), "Priority");
    for _ in 0..5 {
        press(&mut harness, Key::ArrowRight);
    }
    assert!(value(&harness).starts_with("p99 ("), "{}", value(&harness));
    let heading = value(&harness);
    press(&mut harness, Key::Enter);
    harness.get_by_label(&format!("Sort by {heading}, descending"));
    press(&mut harness, Key::Enter);
    harness.get_by_label(&format!("Sort by {heading}, ascending"));
    press(&mut harness, Key::ArrowDown);
    let first = labels(&harness, &heading).remove(0);
    assert!(value(&harness).starts_with(&format!("{first}, {heading}: ")), "{}", value(&harness));
    let is_plotted = |harness: &Harness<'_, App>| {
        let name = format!("Plot {first}");
        let toggled = harness.get_by_label(&name).accesskit_node().toggled();
        toggled == Some(egui::accesskit::Toggled::True)
    };
    let before = is_plotted(&harness);
    press(&mut harness, Key::Space);
    assert_ne!(is_plotted(&harness), before);
    press(&mut harness, Key::Enter);
    harness.get_by_label("All configurations");
    harness.get_by_label("All figures");
}

#[test]
fn order_columns_and_widths_survive_a_restart() {
    let run = made("sleep-accuracy");
    let memory = {
        let mut harness = window_with(&run, 1_440.0);
        harness.get_by_label("Sort by Max (ms)").click_accesskit();
        harness.run_steps(3);
        harness.get_by_role_and_label(Role::Button, "Columns of Configurations").click();
        harness.run_steps(3);
        harness.get_by_label("Early").click_accesskit();
        harness.run_steps(3);
        harness.key_press(Key::Escape);
        harness.run_steps(3);
        let edge = harness.get_by_label("Width of Mean (ms)").rect().center();
        harness.drag_at(edge);
        harness.run_steps(2);
        harness.hover_at(edge + egui::vec2(40.0, 0.0));
        harness.run_steps(2);
        harness.drop_at(edge + egui::vec2(40.0, 0.0));
        harness.run_steps(3);
        ron::to_string(&harness.ctx.memory(Clone::clone)).unwrap()
    };
    let width =
        |harness: &Harness<'_, App>| harness.get_by_label("Sort by Mean (ms)").rect().width();
    let fresh = window_with(&run, 1_440.0);
    assert!(fresh.query_by_label("Sort by Early").is_none());
    let narrow = width(&fresh);
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    store.save(&run).unwrap();
    let mut harness = Harness::builder().with_size([1_440.0, 1_400.0]).build_eframe(move |cc| {
        let memory: egui::Memory = ron::from_str(&memory).unwrap();
        cc.egui_ctx.memory_mut(|own| *own = memory);
        App::with_store(cc, Some(store))
    });
    step_until(&mut harness, |app| app.session.library.count() == 1);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Open made").click_accesskit();
    step_until(&mut harness, |app| matches!(app.page, PageId::Test(_)));
    harness.run_steps(3);
    harness.get_by_label("Sort by Max (ms), descending");
    harness.get_by_label("Sort by Early");
    assert!(narrow + 20.0 < width(&harness), "{narrow} and {}", width(&harness));
}

#[test]
fn the_whole_table_is_copied_with_exact_values() {
    let run = made("spin-strategies");
    let report = Report::of(&run, &Options::default());
    let mut harness = window_with(&run, 1_440.0);
    harness.get_by_label("Copy table: Configurations").click();
    harness.step();
    let commands = &harness.output().platform_output.commands;
    let copied = commands.iter().find_map(|command| match command {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    assert_eq!(copied, Some(tsv::table(&report.tables[0])));
}

#[test]
fn a_click_selects_a_run_and_enter_opens_it() {
    let run = made("spin-strategies");
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    store.save(&run).unwrap();
    let mut harness = Harness::builder()
        .with_size([1_440.0, 900.0])
        .build_eframe(move |cc| App::with_store(cc, Some(store)));
    step_until(&mut harness, |app| {
        app.session.machine.facts().is_some() && app.session.library.count() == 1
    });
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num8);
    harness.run_steps(3);
    // A position in the row next to the name, which is a link.
    let place = harness.get_by_label("Open made").rect().right_center() + egui::vec2(150.0, 0.0);
    harness.hover_at(place);
    harness.run_steps(2);
    harness.drag_at(place);
    harness.run_steps(2);
    harness.drop_at(place);
    harness.run_steps(3);
    assert_eq!(harness.state().page, PageId::Runs, "one click selects");
    harness.get_by_label("1 selected");
    harness.key_press(Key::Enter);
    harness.run_steps(2);
    step_until(&mut harness, |app| matches!(app.page, PageId::Test(_)));
}
