//! One run has the same sentences in every output: terminal, HTML, Markdown, ticket, and preview. Module `cells` compares
//! the numbers of its tables.

use jitterscope_engine::export::{self, Format, Options, markdown};
use jitterscope_engine::report::{self, Report};

use super::cli;
use super::tickets::runs;

/// Returns a text without the marks and escapes of its format.
fn plain(text: &str) -> String {
    let text = text.replace('\u{202f}', " ").replace('\\', "");
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
