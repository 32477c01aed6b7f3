//! The pages of results show the sentences and numbers that the engine makes, which the other outputs have as well
//! (module `agreement`).

use std::collections::BTreeSet;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::{App, PageId, Progress};
use jitterscope_engine::report::comparison::words as comparison_words;
use jitterscope_engine::report::document::comparison::{
    ComparisonSet, Difference, condition_table, difference_table, statement,
};
use jitterscope_engine::report::document::{check as check_words, quality_notes, refused};
use jitterscope_engine::report::{Report, Table};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::Store;

use super::tickets::runs;
use super::window::{step_until, window};

fn plain(text: &str) -> String {
    text.replace('\u{202f}', " ")
}

/// Returns every text of a page: what a screen reader reads.
fn texts(harness: &Harness<'_, App>) -> Vec<String> {
    let nodes = harness.root().children_recursive();
    let of_node = |node: egui_kittest::Node<'_>| -> Vec<String> {
        let node = node.accesskit_node();
        node.label().into_iter().chain(node.value()).map(|text| plain(&text)).collect()
    };
    nodes.flat_map(of_node).collect()
}

#[track_caller]
fn check_sentences<'a>(what: &str, shown: &[String], sentences: impl Iterator<Item = &'a str>) {
    for sentence in sentences.map(plain).filter(|sentence| !sentence.is_empty()) {
        let is_shown = shown.iter().any(|text| text.contains(&sentence));
        assert!(is_shown, "{what}: {sentence}\n{shown:#?}");
    }
}

/// Checks that each cell of a table that a page shows has the text of the table. Returns the number of compared cells.
#[track_caller]
fn check_cells(what: &str, shown: &[String], table: &Table) -> usize {
    let mut count = 0;
    for row in &table.rows {
        let cells = table.texts(row);
        let Some(name) = cells.first().map(|name| plain(name)) else { continue };
        for ((column, text), cell) in table.columns.iter().zip(&cells).zip(&row.cells) {
            let start = format!("{name}, {}: ", plain(&column.heading()));
            let text = cell
                .reason()
                .map_or_else(|| plain(text), |reason| format!("none, {}", plain(reason)));
            let is_text = |end: &str| {
                ["", ", best", ", worst"]
                    .map(|mark| format!("{text}{mark}"))
                    .iter()
                    .any(|it| it == end)
            };
            let mut found = shown.iter().filter_map(|text| text.strip_prefix(&start)).peekable();
            if found.peek().is_some() {
                // Two rows can have the same name.
                assert!(found.any(is_text), "{what}: {start}{text}\n{shown:#?}");
                count += 1;
            }
        }
    }
    count
}

/// Opens a window that shows a run.
fn showing(run: &Run) -> (tempfile::TempDir, Harness<'static, App>) {
    let folder = tempfile::tempdir().unwrap();
    let path = Store::at(folder.path()).save(run).unwrap();
    let store = Store::at(folder.path());
    let mut harness = Harness::builder()
        .with_size([1440.0, 2400.0])
        .build_eframe(move |cc| App::with_store(cc, Some(store)).opening(vec![path]));
    let key = run.subject.key();
    step_until(&mut harness, |app| app.session.running.shown(key).is_some());
    harness.run_steps(4);
    (folder, harness)
}

#[test]
fn window_shows_the_answer_warnings_and_figures_of_a_run() {
    let (mut kinds, mut compared) = (BTreeSet::new(), 0);
    for (path, run) in runs() {
        if run.recording().is_some() || !kinds.insert(run.subject.key()) {
            continue;
        }
        let (_folder, harness) = showing(&run);
        let what = format!("{path:?}");
        let shown = texts(&harness);
        let opened = harness.state().session.running.shown(run.subject.key()).unwrap();
        let report: &Report = &opened.report;
        let answer = [report.word().to_owned(), report.sentence(), report.evidence()];
        let denied = refused(report).into_iter().flat_map(|it| [it.sentence, it.evidence]);
        let sentences: Vec<String> =
            answer.into_iter().chain(denied).chain(quality_notes(report)).collect();
        check_sentences(&what, &shown, sentences.iter().map(String::as_str));
        // Further tables can have rows and columns of the same names.
        compared += report.tables.first().map_or(0, |table| check_cells(&what, &shown, table));
    }
    assert!(7 <= kinds.len() && 40 < compared, "{kinds:?}, {compared} cells");
}

#[test]
fn window_shows_the_answer_advice_and_rates_of_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    open_example(&mut harness, "Quick check");
    step_until(&mut harness, |app| {
        app.page == PageId::Quick && app.session.running.quick.result.is_some()
    });
    harness.set_size(egui::vec2(1440.0, 2400.0));
    harness.run_steps(4);
    harness.get_by_label("Details").click_accesskit();
    harness.run_steps(4);
    let shown = texts(&harness);
    let card = harness.state().session.running.quick.result.as_ref().unwrap().card.clone();
    let mut sentences = vec![
        check_words::sentence(&card),
        check_words::plain_evidence(&card),
        check_words::numbers(&card),
        check_words::rate_limits(),
    ];
    for part in &card.cards {
        sentences.push(check_words::card_word(part));
        if let Some(words) = check_words::card(part) {
            sentences.extend([words.number, words.caption, words.sentence]);
        }
    }
    for quality in &card.trust {
        sentences.push(check_words::trust(quality).1);
    }
    for advice in &card.advice {
        let words = check_words::advice(advice);
        sentences.extend([words.title, words.text]);
    }
    check_sentences("check", &shown, sentences.iter().map(String::as_str));
    let grid = check_words::rates_grid(&card);
    // The grade is a cell with a sign in the window, and a word in a text.
    let rates = grid.table(check_words::RATE_TITLE);
    assert!(20 <= check_cells("check", &shown, &rates), "{shown:#?}");
}

#[test]
fn window_shows_the_answer_changes_and_conditions_of_a_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    open_example(&mut harness, "Comparison of two runs");
    step_until(&mut harness, |app| matches!(app.session.comparing.progress, Progress::Done(_)));
    harness.set_size(egui::vec2(1440.0, 2400.0));
    harness.run_steps(4);
    let shown = texts(&harness);
    let Progress::Done(compared) = &harness.state().session.comparing.progress else {
        panic!("the comparison is done")
    };
    let comparison = &compared.comparison;
    let answer = statement(&[ComparisonSet { part: None, comparison, runs: &[] }]);
    check_sentences(
        "comparison",
        &shown,
        [answer.sentence, answer.evidence].iter().map(String::as_str),
    );
    let row = &comparison.rows[0];
    let differences = difference_table(comparison, row, &Difference::all(row));
    let is_shown = |key: &&str| differences.position(key).is_some();
    assert!(["a", "b", "change", "noise", "result"].iter().all(is_shown));
    let rows = differences.rows.len();
    assert!(7 * rows <= check_cells("comparison", &shown, &differences), "{shown:#?}");
    let conditions: Vec<_> = comparison.conditions.iter().collect();
    let conditions = condition_table(comparison, &conditions);
    assert!(3 <= check_cells("comparison", &shown, &conditions), "{shown:#?}");
    assert!(shown.iter().any(|text| text == &format!("Run {}", comparison_words::letter(1))));
}

fn open_example(harness: &mut Harness<'_, App>, name: &str) {
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label(&format!("Open example: {name}")).click();
    harness.run_steps(2);
}
