//! HTML pages of every kind: they load nothing from the network, and they contain the run or the reason why
//! not.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::{App, ExportKind, ExportRequest, Progress};
use jitterscope_engine::export::{self, Block, Format, IncludedNames, Options, Parts};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::{self, Report};
use jitterscope_engine::run::RunId;
use jitterscope_engine::store::{self, Store};

use crate::files::{copied, step_until_shown};
use crate::tickets::runs;
use crate::tidy::root;
use crate::window::{step_until, window};

/// Text that may make a browser load something.
const REQUESTS: [&str; 11] = [
    "http:", "https:", "src=", "url(", "@import", "<link", "<img", "<iframe", "<object", "fetch(",
    "import(",
];

/// Checks a page without the embedded data of its run, which a browser does not interpret.
fn check(page: &str, what: &str) {
    let (head, data) = page.split_once("<script type=\"application/json\"").unwrap_or((page, ""));
    let tail = data.split_once("</script>").map_or("", |(_, tail)| tail);
    for part in [head, tail] {
        for request in REQUESTS {
            // `url(#…)` refers to a pattern in the page itself.
            let part = part.to_lowercase().replace("url(#", "");
            assert!(!part.contains(request), "{what} has {request}");
        }
    }
    assert!(head.contains("default-src 'none'"), "{what}");
    assert_eq!(page.matches("<details").count(), page.matches("</details>").count(), "{what}");
    assert_eq!(page.matches("<section").count(), page.matches("</section>").count(), "{what}");
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count(), "{what}");
    // The largest `i64` means "no limit" internally and must not be shown.
    assert!(!page.contains("9\u{202f}223\u{202f}372"), "{what}");
    let (page, checksum) = page.rsplit_once("<!--sha256:").unwrap();
    assert!(!page.contains("NaN") && page.ends_with("</html>\n"), "{what}");
    assert_eq!(checksum.len(), 64 + "-->\n".len(), "{what}");
}

#[test]
fn a_page_of_any_kind_of_run_requests_nothing() {
    for (path, run) in runs() {
        let report = Report::of(&run, &report::Options::default());
        let mut page = Vec::new();
        export::write(Format::Html, &run, &report, &Options::default(), &mut page).unwrap();
        check(&String::from_utf8(page).unwrap(), &path.display().to_string());
    }
}

/// Returns what a command prints for the runs in this folder.
fn printed(folder: &Path, args: &[&str]) -> String {
    let output = Command::new(super::cli::program())
        .arg("--data-dir")
        .arg(folder)
        .args(args)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_comparison_is_a_page_with_the_same_results_as_its_table() {
    let folder = super::compare::folder();
    let page = printed(folder.path(), &["compare", "before", "after", "--format", "html"]);
    check(&page, "comparison");
    let table = printed(folder.path(), &["compare", "before", "after"]);
    let sentence = "B is worse if runs vary by at most ";
    assert!(table.contains(sentence) && page.contains(sentence), "{page}");
    let worse = table.lines().filter(|line| line.trim_end().ends_with("Worse")).count();
    assert!(0 < worse, "{table}");
    assert_eq!(page.matches("Worse</span>").count(), worse, "{table}");
    let headline = "none better";
    assert!(page.contains(headline), "the headline claims no more than the sentence: {page}");
    for words in
        ["Changes from A to B", "Timelines", "What differs", "Kernel", "The same in all runs"]
    {
        assert!(page.contains(words), "{words}");
    }
    for command in ["jitterscope-cli compare 000000a1 000000c3", "This page holds no run to open"] {
        assert!(page.contains(command), "{command}");
    }
    // Of three runs, the second and the third are compared with the first, in one table. The table of a few metrics is
    // visible; a folded section has all metrics.
    let page = printed(folder.path(), &["compare", "before", "after", "again", "--format", "html"]);
    check(&page, "three runs");
    assert_eq!(page.matches("<h2>Changes from A to B and C</h2>").count(), 2, "{page}");
    assert_eq!(page.matches("<h2>Changes from").count(), 2, "{page}");
    let groups = ["compare", "--a", "before", "again", "--b", "after", "--format", "html"];
    let page = printed(folder.path(), &groups);
    check(&page, "groups");
    assert!(page.contains("jitterscope-cli compare --a 000000a1 000000b2 --b 000000c3"), "{page}");
}

#[test]
fn runs_without_a_limit_for_late_samples_are_compared_on_a_page() {
    let folder = tempfile::tempdir().unwrap();
    for (older, newer) in [("sleep-accuracy", "quick-sleep"), ("spin-strategies", "quick-spin")] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let older = root.join(format!("older/{older}.jitterscope.json"));
        let newer = root.join(format!("../assets/examples/{newer}.jitterscope.json"));
        let runs = [older.to_str().unwrap(), newer.to_str().unwrap()];
        let page = printed(folder.path(), &["compare", runs[0], runs[1], "--format", "html"]);
        check(&page, runs[1]);
        assert!(page.contains("Changes from A to B"), "{}", runs[1]);
    }
}

/// Exports the comparison from the window as an HTML page and returns the page; checks that the preview shows
/// the metrics.
fn saved_comparison(harness: &mut Harness<'_, App>, out: &Path) -> String {
    harness.run_steps(3);
    harness.get_by_label("Export…").click();
    harness.run_steps(3);
    harness.get_by_label("Format, Comparison as HTML").click_accesskit();
    harness.run_steps(2);
    step_until_shown(harness, "none found.");
    let exporting = harness.state().session.exports.current.as_ref().unwrap();
    let request = ExportRequest {
        kind: ExportKind::ComparisonPage,
        row: None,
        parts: Parts::ALL,
        included_names: IncludedNames::NOTHING,
        is_dark: harness.ctx.theme() == egui::Theme::Dark,
    };
    let preview = Arc::clone(exporting.preview(&request).unwrap().unwrap());
    let path = out.join("comparison.html");
    harness.state_mut().set_next_dialog_answer(vec![path.clone()]);
    harness.get_by_label("Save…").click();
    harness.run_steps(2);
    step_until(harness, |app| app.session.exports.current.is_none());
    let saved = std::fs::read_to_string(path).unwrap();
    check(&saved, "saved");
    let has_grid = preview.outline.iter().any(|block| matches!(block, Block::Grid(_)));
    assert!(has_grid && preview.text.is_empty(), "{preview:?}");
    saved
}

#[test]
fn the_window_saves_a_comparison_as_the_page_of_the_command_line() {
    let (folder, out) = (super::compare::folder(), tempfile::tempdir().unwrap());
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    for name in ["Select before", "Select after"] {
        harness.get_by_label(name).click();
        harness.run_steps(2);
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::D);
    harness.run_steps(2);
    step_until(&mut harness, |app| matches!(app.session.comparing.progress, Progress::Done(_)));
    let saved = saved_comparison(&mut harness, out.path());
    let printed = printed(folder.path(), &["compare", "before", "after", "--format", "html"]);
    assert!(saved == printed, "{saved}");
}

#[test]
fn quick_checks_are_compared_on_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let parts: Vec<_> =
        Part::ALL.map(|part| format!("quick-{}.jitterscope.json", part.key())).into();
    for id in [0xd1, 0xd2] {
        for (file, at) in parts.iter().zip(0_u32..) {
            let mut run = store::load(&root().join("assets/examples").join(file)).unwrap();
            let group = run.group.as_mut().unwrap();
            group.id = RunId::parse(&format!("{id:08x}")).unwrap();
            run.id = RunId::parse(&format!("{:08x}", id * 16 + at)).unwrap();
            store.save(&run).unwrap();
        }
    }
    let page = printed(folder.path(), &["compare", "000000d1", "000000d2", "--format", "html"]);
    check(&page, "checks");
    assert!(page.contains("jitterscope-cli compare 000000d1 000000d2"), "{page}");
    for part in Part::ALL {
        assert!(page.contains(&format!("<h2>Changes from A to B: {}", part.name())), "{part:?}");
    }
    // The window exports the same page, and copies the same short text with which the Markdown file begins.
    let out = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Select all listed runs").click();
    harness.run_steps(3);
    harness.get_by_label("Compare selected runs").click();
    step_until(&mut harness, |app| matches!(app.session.comparing.progress, Progress::Checks(_)));
    let saved = saved_comparison(&mut harness, out.path());
    let Progress::Checks(compared) = &harness.state().session.comparing.progress else {
        panic!("no checks")
    };
    let ids = compared.checks.iter().filter_map(|check| check.runs().next());
    let ids: Vec<String> = ids.map(|it| it.run.group.as_ref().unwrap().id.to_string()).collect();
    let compare =
        |format| printed(folder.path(), &["compare", &ids[0], &ids[1], "--format", format]);
    assert!(saved == compare("html"), "{saved}");
    let ticket = copied(&mut harness, |harness| harness.get_by_label("Copy report").click());
    assert!(ticket.lines().count() <= 15 && ticket.chars().count() <= 1_800, "{ticket}");
    // A warning takes the line of one part, which the title states.
    let is_shown = |part: &&Part| ticket.contains(&format!("| {}: ", part.name()));
    let shown = Part::ALL.iter().filter(is_shown).count();
    assert!(shown == 4 && ticket.contains("4 of 5 rows"), "{ticket}");
    assert!(ticket.contains(&format!("`jitterscope-cli compare {} {} --prior ", ids[0], ids[1])));
    let markdown = compare("markdown");
    assert!(
        markdown.starts_with(&ticket) && markdown.matches("<details>").count() == 1,
        "{markdown}"
    );
    let folder_of_page = tempfile::tempdir().unwrap();
    let file = folder_of_page.path().join("check.html");
    printed(
        folder.path(),
        &["export", "000000d1", "--as", "html", "--out", file.to_str().unwrap()],
    );
    check(&std::fs::read_to_string(file).unwrap(), "a check");
}
