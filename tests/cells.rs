//! Every cell of every table of every test appears in every format that contains tables: as an exact value in
//! JSON and CSV, as formatted text in the other formats.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jitterscope_engine::export::{self, Format, Options};
use jitterscope_engine::import;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{
    FrameLoop, Load, Plan, Priority, RealTime, SchedulingGaps, SleepAccuracy,
};
use jitterscope_engine::report::table::Exact;
use jitterscope_engine::report::{self, Report, Table};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::Store;
use jitterscope_engine::units::NARROW_SPACE;
use serde_json::Value;

use super::exchange::sample;
use super::{cli, metrics, probes, schema};

/// Returns a short plan of every test.
fn plans() -> [Plan; 7] {
    [
        Plan::FrameLoop(FrameLoop {
            time_each: Nanos::from_secs(2),
            load: Load::NONE,
            ..FrameLoop::default()
        }),
        Plan::SleepAccuracy(SleepAccuracy {
            count: 120,
            lengths: vec![Nanos::from_micros(100), Nanos::from_millis(1)],
            load: probes::few_workers(),
            ..SleepAccuracy::default()
        }),
        Plan::SpinStrategies(probes::few_spins()),
        Plan::SchedulingGaps(SchedulingGaps {
            duration: Nanos::from_millis(600),
            ..SchedulingGaps::default()
        }),
        Plan::RealTime(RealTime {
            time_each: Nanos::from_secs(2),
            turn: Nanos::from_millis(500),
            policies: vec![Priority::Fifo(10), Priority::RoundRobin(10)],
            load: Load::NONE,
            ..RealTime::default()
        }),
        Plan::GameTick(probes::few_cycles()),
        Plan::WhatHelps(probes::few_changes()),
    ]
}

fn written(format: Format, run: &Run, report: &Report, table: usize) -> String {
    let mut bytes = Vec::new();
    let options = Options { table, ..Options::default() };
    export::write(format, run, report, &options, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The texts of cells. The key is the position of the row, and the heading or the key of the column.
type Cells = BTreeMap<(usize, String), String>;

/// Compares every cell of the first `most` rows with the texts in `read`, and returns the number of compared
/// cells.
#[track_caller]
fn compare(table: &Table, most: usize, read: &Cells, by_key: bool, what: &str) -> usize {
    let mut count = 0;
    for (row, line) in table.rows.iter().enumerate().take(most) {
        let cells = table.texts(line).into_iter().zip(&line.cells).zip(&table.columns);
        for ((text, cell), column) in cells {
            // An HTML page shows the reason for an empty cell in place of the value.
            let text = cell.reason().filter(|_| by_key).map_or(text, str::to_owned);
            let name = if by_key { column.key.to_owned() } else { plain(&column.heading()) };
            let found = read.get(&(row, name)).unwrap_or_else(|| {
                panic!("{what}: {} has no cell of {} in row {row}", table.key, column.key)
            });
            assert_eq!(plain(found), plain(&text), "{what}: {}, {}", table.key, column.key);
            count += 1;
        }
    }
    count
}

/// Checks that `lines` are the lines of the table that give the reasons for empty cells, each with the
/// affected columns.
#[track_caller]
fn compare_reasons<'a>(
    table: &Table,
    most: usize,
    lines: impl Iterator<Item = Cow<'a, str>>,
    what: &str,
) {
    let found: Vec<String> =
        lines.map(|line| plain(&line)).filter(|line| line.starts_with("No value for ")).collect();
    let mut shown = table.clone();
    shown.truncate(most);
    let expected: Vec<String> = shown.reason_lines().map(|line| plain(&line)).collect();
    assert_eq!(found, expected, "{what}: {}", table.key);
}

/// Returns the text without the characters that the terminal format replaces or trims.
fn plain(text: &str) -> String {
    text.replace(NARROW_SPACE, " ").trim().to_owned()
}

fn json_cells(table: &Table, json: &Value, what: &str) -> usize {
    let keys = table.exact_keys();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), table.rows.len(), "{what}");
    let mut count = 0;
    for (row, found) in table.rows.iter().zip(rows) {
        let values = &found["values"];
        assert_eq!(values.as_object().unwrap().len(), keys.len(), "{what}");
        for (key, exact) in keys.iter().zip(table.exact_values(row)) {
            let found = &values[key.as_ref()];
            let is_equal = match exact {
                Exact::Absent => found.is_null() && values.get(key.as_ref()).is_some(),
                Exact::Whole(value) => found.as_i64() == Some(value),
                Exact::Fraction(value) => found.as_f64() == Some(value),
                Exact::Text(ref text) => found.as_str() == Some(text),
            };
            assert!(is_equal, "{what}: {key} is {found}, not {exact:?}");
            count += 1;
        }
        for (cell, column) in row.cells.iter().zip(&table.columns) {
            assert_eq!(
                found["absent"][column.key].as_str(),
                cell.reason(),
                "{what}: {}",
                column.key
            );
        }
    }
    count
}

/// Returns the text as a CSV field: an apostrophe precedes text that a spreadsheet would run as a formula.
fn sheet_text(text: &str) -> String {
    let is_formula = text.trim_start().starts_with(['=', '+', '-', '@', '|', '%']);
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

fn csv_cells(table: &Table, csv: &str, what: &str) -> usize {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    let mut lines = reader.records().map(Result::unwrap);
    let mut keys = table.exact_keys();
    keys.push("absent".into());
    assert_eq!(lines.next().unwrap().iter().collect::<Vec<_>>(), keys, "{what}");
    let mut count = 0;
    for row in &table.rows {
        let line = lines.next().unwrap();
        let values = table.exact_values(row);
        assert_eq!(line.len(), values.len() + 1, "{what}: {line:?}");
        for ((field, exact), key) in line.iter().zip(&values).zip(&keys) {
            let expected = match exact {
                Exact::Text(text) => sheet_text(text),
                number => number.to_string(),
            };
            assert_eq!(field, expected, "{what}: {key}");
            count += 1;
        }
        let reasons = line[values.len()].split("; ").filter(|reason| !reason.is_empty());
        let expected = row.cells.iter().zip(&table.columns).filter_map(|(cell, column)| {
            Some(format!("{}: {}", column.key, cell.reason()?.replace(';', ",")))
        });
        assert_eq!(reasons.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{what}");
    }
    assert!(lines.next().is_none(), "{what}");
    count
}

fn unescaped(html: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    pairs.iter().fold(html.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

/// Returns the cells of a table in an HTML page, by the keys of its columns.
fn html_cells(section: &str, rows: usize) -> Cells {
    let mut cells = Cells::new();
    let text = |cell: &str| unescaped(between(cell, "<bdi>", "</bdi>").unwrap());
    for table in section.split("<table>").skip(1) {
        let Some((head, body)) = table.split_once("</thead><tbody>") else { continue };
        let keys: Vec<&str> = head
            .split("<th ")
            .skip(1)
            .map(|th| between(th, "data-key=\"", "\"").unwrap())
            .collect();
        let body = body.split("</tbody>").next().unwrap();
        for (line, row) in body.split("<tr").skip(1).zip(0..) {
            let texts: Vec<&str> = line.split("<bdi>").skip(1).collect();
            assert_eq!(texts.len(), keys.len(), "a row has every column: {line}");
            for (cell, key) in texts.into_iter().zip(&keys) {
                let cell = unescaped(cell.split("</bdi>").next().unwrap());
                cells.insert((row, (*key).to_owned()), cell);
            }
        }
    }
    for single in section.split("<td data-key=\"").skip(1) {
        let (key, rest) = single.split_once('"').unwrap();
        cells.insert((0, key.to_owned()), text(rest));
    }
    for shared in section.split("<dd data-key=\"").skip(1) {
        let (key, rest) = shared.split_once('"').unwrap();
        cells.extend((0..rows).map(|row| ((row, key.to_owned()), text(rest))));
    }
    cells
}

/// Checks that every column of a table of configurations is in a named group, and that no group appears
/// twice.
#[track_caller]
fn check_groups(table: &Table, section: &str, what: &str) {
    let mut groups: Vec<&str> = table.columns.iter().map(|column| column.group).collect();
    groups.dedup();
    let is_named = groups.iter().all(|group| !group.is_empty());
    assert!(is_named, "{what}: each figure is in a group: {groups:?}");
    let mut once = groups.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), groups.len(), "{what}: a group is one: {groups:?}");
    for group in groups {
        let shown = |tag: &str| section.contains(&format!("<{tag}>{group}</{tag}>"));
        assert!(shown("caption") || shown("h3"), "{what}: {group}");
    }
}

/// Returns the cells of a line of a Markdown table, without escapes.
fn markdown_row(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut letters = line.trim().trim_start_matches('|').chars();
    while let Some(letter) = letters.next() {
        match letter {
            '|' => cells.push(String::new()),
            '\\' => cells.last_mut().unwrap().extend(letters.next()),
            letter => cells.last_mut().unwrap().push(letter),
        }
    }
    cells.pop();
    cells.iter().map(|cell| unescaped(cell.trim())).collect()
}

/// Returns the cells of a Markdown table, by the headings of its columns.
fn markdown_cells(section: &str, rows: usize) -> Cells {
    let mut cells = Cells::new();
    for block in section.split("\n\n") {
        let mut lines = block.lines().filter(|line| line.starts_with('|'));
        if let Some(header) = lines.next() {
            let header = markdown_row(header);
            let lines: Vec<Vec<String>> = lines.skip(1).map(markdown_row).collect();
            if rows == 1 {
                cells.extend(lines.into_iter().map(|line| ((0, line[0].clone()), line[1].clone())));
                continue;
            }
            for (line, row) in lines.into_iter().zip(0..) {
                cells
                    .extend(header.iter().cloned().zip(line).map(|(key, text)| ((row, key), text)));
            }
        }
        for item in block.lines().filter_map(|line| line.strip_prefix("- ")) {
            if let Some((heading, text)) =
                markdown_row(&format!("|{item}|")).remove(0).split_once(": ")
            {
                // A warning about a row can have the name of a column.
                for row in 0..rows {
                    cells.entry((row, heading.to_owned())).or_insert(text.to_owned());
                }
            }
        }
    }
    cells
}

/// Returns the cells of a line of a terminal table, which are separated by at least two spaces.
fn terminal_row(line: &str) -> Vec<String> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
}

/// Returns the cells of a terminal table, by the headings of its columns.
fn terminal_cells(section: &str, rows: usize) -> Cells {
    let mut cells = Cells::new();
    for block in section.split("\n\n") {
        let lines: Vec<&str> = block.lines().collect();
        if lines.get(1).is_some_and(|rule| rule.starts_with("---")) {
            let header = terminal_row(lines[0]);
            for (line, row) in lines[2..].iter().zip(0..) {
                let line = terminal_row(line);
                assert_eq!(line.len(), header.len(), "{line:?}");
                cells
                    .extend(header.iter().cloned().zip(line).map(|(key, text)| ((row, key), text)));
            }
        }
        let is_list = !lines.get(1).is_some_and(|rule| rule.starts_with("---"));
        for line in lines.iter().filter(|line| is_list && line.starts_with("  ")) {
            // Other indented lines may follow the tables: skip those that do not have exactly two cells.
            let Ok([heading, text]) = <[String; 2]>::try_from(terminal_row(line)) else { continue };
            cells.extend((0..rows).map(|row| ((row, heading.clone()), text.clone())));
        }
    }
    cells
}

/// Returns the part of a text from the title of the table at `position` to the title of the next table.
fn section<'a>(text: &'a str, titles: &[String], position: usize) -> &'a str {
    let start =
        text.find(titles[position].as_str()).unwrap_or_else(|| panic!("{titles:?}: {text}"));
    let rest = &text[start..];
    let end = titles.get(position + 1).and_then(|title| rest.find(title.as_str()));
    &rest[..end.unwrap_or(rest.len())]
}

/// Returns what the command line prints for these arguments.
fn printed(folder: &tempfile::TempDir, args: &[&str]) -> String {
    let output = cli::run(folder, args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Compares all cells of a run in every format, and returns the number of cells per format.
///
/// Removes the traces first: by default, exports replace the names of other programs, and the terminal does
/// not.
fn compared(run: &Run) -> BTreeMap<&'static str, usize> {
    let mut run = run.clone();
    run.trials.iter_mut().for_each(|trial| trial.trace = None);
    let run = &run;
    let report = Report::of(run, &report::Options::default());
    let test = run.subject.key();
    assert!(!report.tables.is_empty() && !report.tables[0].rows.is_empty(), "{test}");
    let mut counts = BTreeMap::new();
    let mut add = |format, count| *counts.entry(format).or_insert(0) += count;
    let folder = tempfile::tempdir().unwrap();
    let id = run.id.to_string();
    let saved = Store::at(folder.path()).save(run).unwrap();
    schema::check(&std::fs::read(saved).unwrap(), &format!("{test}, saved"));
    let json: Value =
        serde_json::from_str(&printed(&folder, &["runs", "show", &id, "--format", "json"]))
            .unwrap();
    let exported = written(Format::Json, run, &report, 0);
    schema::check(exported.as_bytes(), &format!("{test}, exported"));
    let exported: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(json["report"]["tables"], exported["report"]["tables"], "{test}");
    let terminal = printed(&folder, &["runs", "show", &id, "--all"]);
    let markdown = written(Format::Markdown, run, &report, 0);
    let page = written(Format::Html, run, &report, 0);
    let titles: Vec<String> = report
        .tables
        .iter()
        .map(|table| match table.note.as_str() {
            "" => table.title.to_owned(),
            note => plain(&format!("{}: {note}", table.title)),
        })
        .collect();
    let mut headings: Vec<String> =
        titles.iter().map(|title| format!("**{}**", title.replace('_', "\\_"))).collect();
    // The settings follow the tables, or else the machine.
    let count = run.plan().map(|plan| plan.settings().len());
    let settings =
        |count| format!("Settings: {count} settings and the command that repeats the run");
    let after = count.map_or_else(|| "Machine: hardware, system, clock".to_owned(), settings);
    headings.push(format!("**{after}**"));
    let mut terminal_titles: Vec<String> = titles.iter().map(|it| format!("\n{it}\n\n")).collect();
    terminal_titles.push(format!("\n{after}\n"));
    for (table, position) in report.tables.iter().zip(0..) {
        let count = json_cells(table, &exported["report"]["tables"][position], test);
        add("JSON", count);
        let csv = written(Format::CsvSummary, run, &report, position);
        add("CSV", csv_cells(table, &csv, test));
        if position == 0 {
            let shown = printed(&folder, &["runs", "show", &id, "--format", "csv"]);
            assert_eq!(shown, csv, "{test}");
        }
        // HTML, Markdown, and the terminal limit the rows of all tables except the first, because a table of
        // events may have thousands of rows.
        let most = |events: usize| if position == 0 { usize::MAX } else { events };
        let rows = table.rows.len();
        let of_page = page.split(&format!("data-table=\"{}\"", table.key)).nth(1).unwrap();
        let of_page = of_page.split("</details>").next().unwrap();
        if position == 0 {
            check_groups(table, of_page, test);
        }
        let read = html_cells(of_page, rows);
        add("HTML", compare(table, most(200), &read, true, &format!("{test}, HTML")));
        let of_markdown = section(&markdown, &headings, position);
        let read = markdown_cells(of_markdown, rows.min(most(40)));
        add("Markdown", compare(table, most(40), &read, false, &format!("{test}, Markdown")));
        let lines = of_markdown.lines().filter_map(|line| line.strip_prefix("- "));
        let lines = lines.map(|line| markdown_row(&format!("|{line}|")).concat().into());
        compare_reasons(table, most(40), lines, &format!("{test}, Markdown"));
        let of_terminal = section(&terminal, &terminal_titles, position);
        let read = terminal_cells(of_terminal, rows.min(most(40)));
        add("terminal", compare(table, most(40), &read, false, &format!("{test}, terminal")));
        let lines = of_terminal.lines().map(Cow::from);
        compare_reasons(table, most(40), lines, &format!("{test}, terminal"));
    }
    counts
}

/// Returns the keys of the plots of a test that has samples of every kind.
fn plots(test: &str) -> &'static [&'static str] {
    match test {
        "frame-loop" => &["timeline", "histogram", "tail"],
        "sleep-accuracy" => &["durations", "overshoot", "overshoot-p99", "tail"],
        "spin-strategies" => &["box-plots"],
        "scheduling-gaps" => &["heat-map", "histogram", "tail"],
        "real-time" => &[
            "changes",
            "frame-time",
            "frame-time-zoom",
            "execution-time",
            "frame-time-histogram",
            "execution-time-histogram",
        ],
        "what-helps" => &["effects", "blocks"],
        "game-tick" => &["cycle-time", "scaling", "efficiency"],
        "frame-capture" => &["timeline", "histogram", "tail"],
        _ => &["histogram"],
    }
}

/// Checks that the HTML page and the SVG files of a run contain exactly the plots of its test.
fn check_plots(run: &Run) {
    let report = Report::of(run, &report::Options::default());
    let test = run.subject.key();
    let charts = report.charts(run);
    let keys: Vec<&str> = charts.iter().map(|chart| chart.key).collect();
    // If real-time priority was denied, there are no changes to draw.
    let is_compared = report.results::<report::Change>().iter().any(report::Change::is_evaluated);
    let is_expected = |key: &&str| is_compared || *key != "changes";
    let expected: Vec<&str> = plots(test).iter().copied().filter(is_expected).collect();
    assert_eq!(keys, expected, "{test}");
    let page = written(Format::Html, run, &report, 0);
    let visible = page.split("<script").next().unwrap();
    assert_eq!(visible.matches("<div class=\"plot").count(), charts.len(), "{test}");
    let is_paced = matches!(test, "frame-loop" | "real-time" | "what-helps");
    assert_eq!(visible.contains("Missed"), is_paced, "{test} has no deadlines");
    for chart in &charts {
        // In an HTML page, the timeline of a frame loop has a different title, because it marks late frames
        // by cause.
        let is_marked = (test, chart.key) == ("frame-loop", "timeline");
        let title = if is_marked { "Timeline" } else { chart.title };
        assert!(visible.contains(&format!("<h2>{title}</h2>")), "{test}: {title}");
        let options = Options { plot: Some(chart.key.to_owned()), ..Options::default() };
        let mut svg = Vec::new();
        export::write(Format::Svg, run, &report, &options, &mut svg).unwrap();
        let svg = String::from_utf8(svg).unwrap();
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{test}: {svg}");
        assert!(svg.contains(&format!(">{}</text>", chart.title)), "{test}: {}", chart.title);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{test}: {}", chart.key);
    }
}

#[test]
fn the_command_line_writes_one_plot_or_all_of_them() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = sample::run("");
    Store::at(folder.path()).save(&run).unwrap();
    let id = run.id.to_string();
    let svg = printed(&folder, &["export", &id, "--as", "svg", "--plot", "tail"]);
    assert!(svg.contains(">Tail distribution</text>"), "{svg}");
    let plots = out.path().join("plots");
    printed(&folder, &["export", &id, "--plots", plots.to_str().unwrap()]);
    assert_eq!(std::fs::read_dir(plots).unwrap().count(), 3);
    let csv = out.path().join("run.csv");
    printed(&folder, &["export", &id, "--as", "csv", "--out", csv.to_str().unwrap()]);
    let worst = std::fs::read_to_string(out.path().join("run-worst_frames.csv")).unwrap();
    assert_eq!(worst.lines().count(), 11, "a header and ten frames: {worst}");
    assert_eq!(worst, printed(&folder, &["export", &id, "--as", "csv", "--table", "worst_frames"]));
}

#[test]
fn every_cell_of_every_test_is_found_in_every_format() {
    let mut total = 0;
    let measured = plans().map(|plan| probes::measure(plan).0);
    let keys: Vec<&str> = measured.iter().map(|run| run.subject.key()).collect();
    assert_eq!(keys.len(), Plan::all().len());
    assert!(Plan::all().iter().all(|plan| keys.contains(&plan.key())), "{keys:?}");
    let made = sample::run("words");
    let captures = [Format::MangoHud, Format::Cyclictest].map(|format| {
        let report = Report::of(&made, &report::Options::default());
        let file = written(format, &made, &report, 0);
        import::from_bytes(file.as_bytes(), &import::Options::default()).unwrap().into_run()
    });
    let runs = measured.iter().map(|run| run.as_ref()).chain([&made]).chain(&captures);
    for run in runs {
        let counts = compared(run);
        check_plots(run);
        metrics::check_run(run);
        println!("{}: {counts:?}", run.subject.key());
        total += counts.values().sum::<usize>();
    }
    println!("{total} cells compared");
    assert!(0 < total);
}
