//! One result has the same sentences and numbers in every output: terminal, HTML, Markdown, ticket, and preview. Module
//! `cells` compares the numbers of the tables of figures.

use std::collections::BTreeSet;

use jitterscope_engine::export::document::{Block, ColumnLook, DrawnTable, Level, Piece, Section};
use jitterscope_engine::export::{
    self, CheckFile, Format, IncludedNames, KeptSamples, Options, markdown,
};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::document::comparison::{ComparisonSet, RunNames};
use jitterscope_engine::report::quick::{Measured, Scorecard, lateness_chart};
use jitterscope_engine::report::{self, Comparison, Report};
use jitterscope_engine::run::Run;

use super::cli;
use super::tickets::runs;

/// Returns a text without the marks and escapes of its format.
fn plain(text: &str) -> String {
    let text = text.replace('\u{202f}', " ").replace(['\\', '`'], "");
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text, |text, (entity, letter)| text.replace(entity, letter))
}

#[test]
fn every_output_of_a_run_has_the_same_sentences() {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for (path, mut run) in runs() {
        // By default, files replace the names of other programs, and the terminal does not.
        run.trials.iter_mut().for_each(|trial| trial.trace = None);
        let report = Report::of(&run, &report::Options::default());
        let options = Options::default();
        let written = |format| {
            let mut file = Vec::new();
            export::write(format, &run, &report, &options, &mut file).unwrap();
            String::from_utf8(file).unwrap()
        };
        jitterscope_engine::store::Store::at(folder.path()).save(&run).unwrap();
        let id = run.id.to_string();
        let shown = cli::run(&folder, &["runs", "show", &id]);
        assert!(shown.status.success(), "{path:?}: {}", String::from_utf8_lossy(&shown.stderr));
        let terminal = String::from_utf8(shown.stdout).unwrap();
        let preview = markdown::text(&export::page_blocks(&run, &report, &options));
        let mut outputs = vec![
            ("terminal", terminal),
            ("HTML", written(Format::Html)),
            ("Markdown", written(Format::Markdown)),
            ("preview", preview),
        ];
        let cautions = report.cautions.iter().map(ToString::to_string);
        let refusals = report.rows.iter().filter_map(|row| row.granted.as_ref());
        let refusals = refusals.flat_map(|applied| &applied.refusals).map(ToString::to_string);
        let details: Vec<String> = cautions.chain(refusals).collect();
        let mut check = |outputs: &[(&str, String)], sentences: &[String]| {
            for (name, output) in outputs {
                let output = plain(output);
                for sentence in sentences.iter().map(|sentence| plain(sentence)) {
                    assert!(output.contains(&sentence), "{path:?}, {name}: {sentence}: {output}");
                    compared += 1;
                }
            }
        };
        check(&outputs, &details);
        outputs.push(("ticket", export::ticket(&run, &report, &options)));
        let mut answer = vec![report.word().to_owned(), report.sentence()];
        answer.push(report.verdict.numbers());
        answer.extend(report.what_to_do());
        check(&outputs, &answer);
    }
    assert!(200 < compared, "{compared} sentences");
}

/// Texts that a page has besides those of its document: its own controls, names of parts, and what screen readers read.
const OF_PAGE: [&str; 20] = [
    "Jitterscope report",
    "Print with details",
    "What to do",
    "Note",
    "baseline",
    "requested",
    "applied",
    "→",
    "95% CI",
    "change, 95% CI",
    "noise floor",
    "Change",
    "Result",
    "Metric",
    "Change, drawn",
    "higher is better",
    "This file contains the run: drop it on Jitterscope to open it",
    "This file contains the check with its runs: drop it on Jitterscope to open it",
    "This page holds no run to open: attach the reports of the runs",
    "Parts of the run were omitted, so this file cannot be imported",
];

/// Returns a text without the spaces and signs at its ends that depend on the format.
fn trimmed(text: &str) -> String {
    let is_end = |letter: char| letter.is_whitespace() || ":.,".contains(letter);
    plain(text).trim_matches(is_end).to_owned()
}

/// Collects the sentences and numbers of blocks. Tables of figures are in module `cells`.
fn collect(blocks: &[Block], texts: &mut Vec<String>) {
    let pieces = |line: &[Piece]| line.iter().map(|piece| piece.text.clone()).collect::<Vec<_>>();
    for block in blocks {
        match block {
            Block::Heading(text) => texts.push(text.clone()),
            // What the top of a page lists is one line in a text.
            Block::Paragraph(lines) => {
                let pieces = lines.iter().flat_map(|line| pieces(line));
                texts.extend(
                    pieces.flat_map(|it| it.split(" · ").map(str::to_owned).collect::<Vec<_>>()),
                );
            }
            // The sides of a comparison are cards on a page.
            Block::Item(line) if line.iter().any(|it| it.text.get(1..3) == Some(": ")) => {}
            Block::Item(line) => texts.extend(pieces(line)),
            Block::Facts(_, facts) => {
                texts.extend(facts.iter().flat_map(|it| [it.name.clone(), it.value.clone()]));
            }
            Block::Keys(keys) => {
                for key in keys {
                    texts.push(key.title.to_owned());
                    texts.extend([&key.value, &key.unit, &key.context].map(Clone::clone));
                }
            }
            Block::Requests(requests) => {
                for one in requests {
                    texts.push(one.name.to_owned());
                    texts.extend([one.requested.clone(), one.applied.clone()]);
                }
            }
            Block::Steps(steps) => {
                texts.extend(steps.iter().flat_map(|it| [it.title.clone(), it.text.clone()]));
            }
            Block::Drawn(DrawnTable { columns, rows, total, .. }) => {
                let columns = columns.iter().filter(|column| column.look != ColumnLook::Below);
                let columns = columns.filter(|column| column.axis.is_none());
                texts.extend(columns.map(|column| column.title.clone()));
                let cells = rows.iter().chain(total).flat_map(|row| &row.cells);
                // A page draws the scale of grades instead of a text.
                let cells =
                    cells.filter(|cell| cell.drawing.is_none() || !cell.text.contains("up to"));
                texts.extend(cells.flat_map(|cell| [cell.text.clone(), cell.unit.clone()]));
            }
            Block::Quote(lines) => texts.extend(lines.iter().cloned()),
            Block::Grid(grid) => {
                texts.extend(grid.header.iter().chain(grid.rows.iter().flatten()).cloned());
            }
            Block::Section(Section { title, note, blocks, .. }) => match blocks.as_slice() {
                [Block::Table(..)] => {}
                [Block::Plot { .. }] => collect(blocks, texts),
                blocks => {
                    texts.extend([title.clone(), note.clone()]);
                    collect(blocks, texts);
                }
            },
            Block::Details(_, blocks) => collect(blocks, texts),
            Block::Plot { key, title, finding } => {
                // The timeline that marks the causes has a title and a note of its own.
                if *key != "timeline" {
                    texts.extend([title.clone(), finding.clone()]);
                }
            }
            // Tests of their own compare these.
            Block::Table(..) | Block::Changes(_) | Block::Verdict(_) | Block::Parts(_) => {}
        }
    }
}

/// Removes everything from `from` to `to` from a text; what is nested is removed with it.
fn without(text: &str, from: &str, to: &str) -> String {
    let (mut kept, mut rest, mut depth) = (String::new(), text, 0_usize);
    loop {
        let end = rest.find(to).filter(|_| 0 < depth);
        let (at, mark) = match (rest.find(from), end) {
            (Some(start), Some(end)) if end < start => (end, to),
            (Some(start), _) => (start, from),
            (None, Some(end)) => (end, to),
            (None, None) => break,
        };
        if depth == 0 {
            kept.push_str(&rest[..at]);
        }
        depth = if mark == from { depth + 1 } else { depth - 1 };
        rest = &rest[at + mark.len()..];
    }
    kept + rest
}

/// Returns the texts of a page that readers see, without those in drawings, legends, and tables of figures, and without
/// what only a narrow page or a screen reader shows.
fn visible(page: &str) -> Vec<String> {
    let mut page = page.split("<main>").nth(1).unwrap().to_owned();
    for (from, to) in [
        ("<script", "</script>"),
        ("<svg", "</svg>"),
        ("<ul class=\"legend", "</ul>"),
        ("<ul class='legend", "</ul>"),
        ("<span class=\"ends", "</span></span>"),
        ("<span class=\"sub", "</span>"),
        ("<span class=\"hide", "</span>"),
        ("<caption class=\"hide", "</caption>"),
        ("<div class=\"where", "</p></div>"),
        ("<section aria-label=\"Timeline\"", "</section>"),
        ("<details data-table", "</details>"),
        ("<div class=\"scroll", "</table>"),
        ("<dl class=\"same", "</dl>"),
    ] {
        page = without(&page, from, to);
    }
    let texts = page.split('<').filter_map(|tag| Some(tag.split_once('>')?.1));
    texts.map(trimmed).filter(|text| !text.is_empty()).collect()
}

/// Checks that all outputs have all texts of a document, and that a page has no other texts. Returns how many texts were
/// compared.
fn check_document(what: &str, blocks: &[Block], page: &str, markdown: &str) -> usize {
    let mut texts = Vec::new();
    collect(blocks, &mut texts);
    let texts: BTreeSet<String> = texts.iter().map(|text| trimmed(text)).collect();
    let seen: BTreeSet<String> = visible(page).into_iter().collect();
    let (whole, text_of_file) = (plain(page), plain(markdown));
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let is_seen = seen.contains(text) || whole.contains(text.as_str());
        assert!(is_seen, "{what}, HTML lacks: {text}\n{seen:?}");
        assert!(text_of_file.contains(text.as_str()), "{what}, Markdown lacks: {text}\n{markdown}");
    }
    // Everything that a page shows is in the text with the same blocks.
    for seen in &seen {
        let is_of_page =
            OF_PAGE.iter().any(|own| seen == own || (30 < own.len() && seen.starts_with(own)))
                || seen.contains(" more under ")
                || ["Compare: ", "Runs "].iter().any(|start| seen.starts_with(start));
        let is_shown = is_of_page || texts.contains(seen)
            // A ticket has the sentences of a paragraph in separate lines.
            || seen.split(". ").all(|sentence| text_of_file.contains(sentence));
        assert!(is_shown, "{what}, only HTML has: {seen}\n{markdown}");
    }
    texts.len() + seen.len()
}

#[test]
fn every_output_of_a_run_is_its_document() {
    let folder = tempfile::tempdir().unwrap();
    let (mut compared, mut kinds) = (0, BTreeSet::new());
    for (path, mut run) in runs() {
        run.trials.iter_mut().for_each(|trial| trial.trace = None);
        let report = Report::of(&run, &report::Options::default());
        let options = Options::default();
        let written = |format| {
            let mut file = Vec::new();
            export::write(format, &run, &report, &options, &mut file).unwrap();
            String::from_utf8(file).unwrap()
        };
        let short = export::run_document(&run, &report, "a date".to_owned(), Level::Short);
        let preview = export::page_blocks(&run, &report, &options);
        let (summary, blocks) = preview.split_at(short.summary.blocks().len());
        let markdown = written(Format::Markdown);
        assert!(markdown.starts_with(&markdown::text(summary)), "{path:?}: {markdown}");
        assert!(markdown.starts_with(&export::ticket(&run, &report, &options)), "{path:?}");
        let page = written(Format::Html);
        compared += check_document(&format!("{path:?}"), blocks, &page, &markdown);
        // The terminal has no section about a file.
        jitterscope_engine::store::Store::at(folder.path()).save(&run).unwrap();
        let output = cli::run(&folder, &["runs", "show", &run.id.to_string(), "--all"]);
        let terminal = String::from_utf8(output.stdout).unwrap();
        let document = export::run_document(&run, &report, "a date".to_owned(), Level::All);
        let mut texts = Vec::new();
        collect(&document.blocks(Level::All).cloned().collect::<Vec<_>>(), &mut texts);
        for text in texts.iter().map(|text| trimmed(text)) {
            // A terminal shows no plots.
            let is_plot =
                report.charts(&run).iter().any(|it| it.title == text || trimmed(&it.note) == text);
            assert!(is_plot || plain(&terminal).contains(&text), "{path:?}: {text}\n{terminal}");
        }
        kinds.insert(run.subject.key());
    }
    assert!(7 <= kinds.len() && 1_000 < compared, "{kinds:?}, {compared} texts");
}

#[test]
fn every_output_of_a_check_is_its_document() {
    let runs: Vec<(Part, Run, Report)> = Part::ALL
        .into_iter()
        .map(|part| {
            let file = format!("assets/examples/quick-{}.jitterscope.json", part.key());
            let run = jitterscope_engine::store::load(&crate::tidy::root().join(file)).unwrap();
            let report = Report::of(&run, &report::Options::default());
            (part, run, report)
        })
        .collect();
    let parts: Vec<Measured<'_>> =
        runs.iter().map(|(part, run, report)| (*part, Some((run, report)))).collect();
    let (card, chart) = (Scorecard::of(&parts), lateness_chart(&parts));
    let file = CheckFile {
        card: &card,
        parts: &parts,
        chart: chart.as_ref(),
        date: |date| date.to_string(),
        included_names: IncludedNames::NOTHING,
        samples: KeptSamples::All,
    };
    let written = |format| {
        let mut bytes = Vec::new();
        file.write(format, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let (page, markdown) = (written(Format::Html), written(Format::Markdown));
    let summary = file.summary().blocks();
    assert!(markdown.starts_with(&markdown::text(&summary)), "{markdown}");
    let preview = file.outline();
    let compared = check_document("check", &preview[summary.len()..], &page, &markdown);
    assert!(100 < compared, "{compared}");
}

#[test]
fn every_output_of_a_comparison_is_its_document() {
    let names =
        RunNames { name: |run| run.name.clone(), date: |date| date.strftime("%F").to_string() };
    let runs = [(0xa1, "before", 0), (0xb2, "again", 0), (0xc3, "after", 200_000)]
        .map(|(id, name, delay)| super::compare::run(id, name, delay));
    let reports = runs.each_ref().map(|run| Report::of(run, &report::Options::default()));
    let all: Vec<(&Run, &Report)> = runs.iter().zip(&reports).collect();
    for count in [2, 3] {
        let shown = &all[3 - count..];
        let of: Vec<&Run> = shown.iter().map(|(run, _)| *run).collect();
        let comparison = Comparison::of(&of, 0);
        let sets = [ComparisonSet { part: None, comparison: &comparison, runs: shown }];
        let included = IncludedNames::NOTHING;
        let document = export::comparison_document(&sets, names, included);
        let mut page = Vec::new();
        export::html::write_comparison(&sets, names, included, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        for block in document.blocks(Level::All) {
            let Block::Section(Section { blocks, .. }) = block else { continue };
            let [Block::Changes(changes)] = blocks.as_slice() else { continue };
            for (line, row) in changes.lines.iter().zip(&changes.grid.rows) {
                // The drawing of a change is relative, the table of text has both.
                assert!(row.contains(&line.change), "{line:?}: {row:?}");
                assert!(row.last().unwrap().starts_with(&line.result), "{line:?}: {row:?}");
                for text in [&line.name, &line.change, &line.interval, &line.result, &line.why] {
                    assert!(plain(&page).contains(&plain(text)), "{text}: {page}");
                }
            }
        }
        let statement = document.summary.statement.clone();
        let sides = document.head.sides.clone();
        let count = document.summary.clone().blocks().len();
        let markdown = markdown::text(&export::ticket::complete(document.clone()));
        let preview = export::ticket::outline(document);
        for sentence in [statement.sentence, statement.count, statement.evidence] {
            assert!(plain(&page).contains(&plain(&sentence)), "{sentence}: {page}");
            assert!(plain(&markdown).contains(&plain(&sentence)), "{sentence}: {markdown}");
        }
        for side in sides {
            for text in [side.name, side.about, side.grade.unwrap().1] {
                assert!(page.contains(&text) && markdown.contains(&text), "{text}: {markdown}");
            }
        }
        // Changes are drawn on a page, and are numbers in a text: their values have units on a page.
        let drawn = page.split("<table role=\"table\" class=\"forest\"");
        let page: String = drawn
            .enumerate()
            .map(|(at, part)| match at {
                0 => part,
                _ => part.split_once("</table>").unwrap().1,
            })
            .collect();
        let compared = check_document("comparison", &preview[count..], &page, &markdown);
        assert!(50 < compared, "{compared}");
    }
}
