//! Exports and imports: round trips, hostile text, excluded names, damaged files.

mod damage;
pub(crate) mod foreign;
mod mutation;
mod recorded;
pub(crate) mod sample;

pub(crate) use mutation::{Random, peak_mib, requested_count, requested_seed};

use jitterscope_engine::export::{
    self, Format, Identity, IncludedNames, Options, Parts, default_row,
};
use jitterscope_engine::format::checksum::{Checked, verify};
use jitterscope_engine::import::{self, Imported};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{self, RecordingFigures, Report};
use jitterscope_engine::run::{Capture, Ending, Run, Trace};
use jitterscope_engine::sample::{TraceEvent, TraceRecord};
use jitterscope_engine::store;
use proptest::prelude::*;

/// Text that breaks HTML, CSV, Markdown, or a terminal if it is not escaped.
const HOSTILE: &str = "</script><script>alert('x')</script> \"quoted\" <img src=x \
                       onerror=alert(1)> =cmd()|' /C calc'!A0 \u{202e}gpj.exe\u{200f} | pipe \
                       `code` [a](javascript:b) \0\u{7}\u{9b}31m\u{7f} & &amp; ]]> --> ${x} @everyone";

/// Returns the configuration of a property that writes its failed cases to no file: a failure prints the case, which then
/// becomes a test of its own.
pub(crate) fn without_files(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

fn written(format: Format, run: &Run, options: &Options) -> Vec<u8> {
    let mut bytes = Vec::new();
    export::write(format, run, &Report::of(run, &report::Options::default()), options, &mut bytes)
        .unwrap();
    bytes
}

fn text(format: Format, run: &Run) -> String {
    String::from_utf8(written(format, run, &Options::default())).unwrap()
}

fn imported(bytes: &[u8]) -> Imported {
    import::from_bytes(bytes, &import::Options::default()).unwrap()
}

fn frame_times(imported: &Imported) -> Vec<i64> {
    imported
        .capture()
        .iter()
        .flat_map(|capture| capture.recordings())
        .flat_map(|recording| recording.present())
        .collect()
}

/// Returns the frame times of an imported run, in nanoseconds.
fn of_capture(run: &Run) -> Vec<i64> {
    let recordings = run.capture().unwrap().recordings();
    recordings.iter().flat_map(|recording| recording.present()).collect()
}

/// Returns the frame times, in nanoseconds, of the configuration that formats with a single configuration
/// export.
fn of_default_row(run: &Run) -> Vec<i64> {
    let report = Report::of(run, &report::Options::default());
    let row = &report.rows[default_row(&report).unwrap()];
    row.trials.iter().flat_map(|&trial| run.trials[trial].samples.frame_time_nanos()).collect()
}

#[test]
fn every_format_is_written_the_same_each_time_and_has_a_word_of_its_own() {
    let run = sample::run("");
    for format in Format::ALL {
        assert_eq!(Format::of_key(format.key()), Some(format));
        let name = export::file_name(format, &run);
        let others = Format::ALL.into_iter().filter(|other| *other != format);
        assert!(others.into_iter().all(|other| export::file_name(other, &run) != name), "{name}");
        let bytes = written(format, &run, &Options::default());
        assert!(bytes.ends_with(b"\n"), "{format:?}");
        assert_eq!(bytes, written(format, &run, &Options::default()), "{format:?}");
    }
}

#[test]
fn a_run_without_samples_is_written_too() {
    let mut run = sample::run("");
    run.trials.clear();
    for format in Format::ALL {
        assert!(!written(format, &run, &Options::default()).is_empty(), "{format:?}");
    }
}

#[test]
fn json_and_html_bring_the_run_back_as_it_was() {
    for words in ["", HOSTILE, &"x".repeat(10_000)] {
        let run = sample::run(words);
        // Each text but the note is one line wherever it is read.
        let is_end = |letter: char| letter.is_control() || "\u{2028}\u{2029}".contains(letter);
        let mut expected = sample::run(&words.replace(is_end, " "));
        expected.note.clone_from(&run.note);
        for format in [Format::Json, Format::Html] {
            let back = imported(&written(format, &run, &Options::default()));
            assert_eq!(back.notes, Vec::<String>::new());
            assert!(back.into_run() == expected, "{format:?} of '{words}'");
        }
    }
}

#[test]
fn frame_times_and_lateness_come_back_to_the_nanosecond() {
    let run = sample::run(HOSTILE);
    for format in [Format::MangoHud, Format::PresentMon] {
        let back = imported(&written(format, &run, &Options::default()));
        assert_eq!(frame_times(&back), of_default_row(&run), "{format:?}");
        assert_eq!(back.bad_lines.count, 0, "{format:?}");
        // An import that is exported and imported again has the same frame times, and no grade.
        let again = back.into_run();
        assert_eq!(of_capture(&again), of_default_row(&run), "{format:?}");
        let report = Report::of(&again, &report::Options::default());
        assert_eq!((report.verdict.grade, report.rows.len()), (None, 0));
        assert_eq!(report.results::<RecordingFigures>().len(), 1);
    }
    let back = imported(&written(Format::Cyclictest, &run, &Options::default()));
    let Some(Capture::Histogram(threads)) = back.capture() else { panic!("{back:?}") };
    let report = Report::of(&run, &report::Options::default());
    assert_eq!(threads.len(), report.rows.len());
    for (thread, row) in threads.iter().zip(&report.rows) {
        let mut late: Vec<i64> =
            row.trials.iter().flat_map(|&trial| run.trials[trial].values()).collect();
        late.sort_unstable();
        let counted = thread.bins.iter().flat_map(|(value, count)| vec![value; count as usize]);
        assert_eq!(counted.collect::<Vec<_>>(), late, "{}", row.label);
        assert_eq!(thread.above_count, 0);
    }
    let again = back.clone().into_run();
    for (now, before) in Report::of(&again, &report::Options::default())
        .results::<RecordingFigures>()
        .iter()
        .zip(&report.rows)
    {
        let before = before.summary.as_ref().unwrap();
        assert_eq!(now.figures.histogram().unwrap().max, Some(before.lateness.max));
    }
    assert_eq!(again.id, back.into_run().id, "the same content, the same run");
}

#[test]
fn an_edited_report_is_reported_from_an_intact_one() {
    let run = sample::run("");
    let json = text(Format::Json, &run);
    assert_eq!(verify(json.as_bytes()), Checked::Intact);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let table = &value["report"]["tables"][0];
    assert_eq!(table["rows"][0]["values"]["samples_count"], 1_200);
    for column in table["columns"].as_array().unwrap() {
        assert!(column["definition"].as_str().is_some_and(|text| !text.is_empty()), "{column}");
    }
    let edited = json.replacen("\"woke_nanos\":[", "\"woke_nanos\":[1", 1);
    assert_ne!(edited, json);
    assert_eq!(verify(edited.as_bytes()), Checked::Edited);
    assert!(imported(edited.as_bytes()).notes[0].contains("Edited after export"));
    // A file without a checksum, as saved runs are, makes no statement, and neither does an intact one.
    let (without, _) = edited.split_once(",\"report\":").unwrap();
    for silent in [json.clone(), format!("{without}}}")] {
        let imported = imported(silent.as_bytes());
        assert!(imported.notes.is_empty(), "{:?}", imported.notes);
        assert!(!imported.into_run().health.edited_after_export);
    }
    // What was edited stays so: in the saved file, in what is exported from it, and in every report.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.json");
    std::fs::write(&path, &edited).unwrap();
    let store = store::Store::at(folder.path().join("runs"));
    let saved = store.save(&store::load(&path).unwrap()).unwrap();
    let run = store::load(&saved).unwrap();
    let [line] = store.lines().unwrap().try_into().unwrap();
    assert!(line.run.unwrap().headline.is_edited);
    let again = text(Format::Json, &run);
    assert_eq!(verify(again.as_bytes()), Checked::Intact);
    assert!(imported(again.as_bytes()).notes[0].contains("Edited after export"));
    for format in [Format::Html, Format::Markdown] {
        assert!(text(format, &run).contains("Edited after export"), "{format:?}");
    }
    let report = Report::of(&run, &report::Options::default());
    let ticket = export::ticket(&run, &report, &Options::default());
    assert!(ticket.contains("Edited after export"), "{ticket}");
    let run = sample::run("");
    let html = text(Format::Html, &run);
    let edited = html.replacen("\"spins\":[7,", "\"spins\":[8,", 1);
    assert_ne!(edited, html);
    assert!(imported(edited.as_bytes()).notes[0].contains("Edited after export"));
    assert!(html.contains(value["sha256"].as_str().unwrap()), "the page shows the checksum");
}

#[test]
fn hostile_text_does_nothing_where_it_goes() {
    let run = sample::run(HOSTILE);
    let html = text(Format::Html, &run);
    assert_eq!(html.matches("<script").count(), 2, "the run, and the one of every page");
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains("<img"));
    let visible = html.split("<script").next().unwrap();
    assert!(visible.contains("&lt;/script&gt;"), "it is shown, not run");
    assert!(!visible.contains(['\u{202e}', '\u{200f}', '\u{0}', '\u{7}']));
    for format in Format::ALL {
        let found = text(format, &run);
        let unsafe_chars = ['\u{202e}', '\u{200f}', '\u{0}', '\u{7}', '\u{9b}', '\u{7f}'];
        assert!(!found.contains(unsafe_chars), "{format:?}: {found:?}");
    }
    for address in ["http://", "https://", "src=\"", "url(http", "@import"] {
        assert!(!visible.contains(address), "{address}");
    }
    let links = |what: &str| visible.matches(what).count();
    assert_eq!(links("href="), links("href=\"#"), "only to marks of the page itself");
    let markdown = text(Format::Markdown, &run);
    assert!(!markdown.contains("<script") && !markdown.contains("<img"));
    assert!(!markdown.contains(" @everyone") && markdown.contains("\\[a\\](javascript"));
    let linked =
        text(Format::Markdown, &sample::run("https://a.example www.b.example c@d.example"));
    assert!(!linked.contains("://") && !linked.contains("www.b") && !linked.contains("c@d"));
    let mut formula = sample::run("");
    for trial in &mut formula.trials {
        trial.trial.label = format!("=cmd(),\"{}", trial.trial.label);
    }
    let mut wide = sample::run("");
    for trial in &mut wide.trials {
        trial.trial.label = format!("＝cmd() {}", trial.trial.label);
    }
    for format in [Format::CsvSummary, Format::CsvSamples] {
        let csv = text(format, &wide);
        assert!(csv.contains("'＝cmd()") && !csv.contains(",＝"), "{format:?}: {csv}");
    }
    for format in [Format::CsvSummary, Format::CsvSamples] {
        let csv = text(format, &formula);
        for line in csv.lines().skip(1) {
            assert!(line.contains("\"'=cmd(),\"\""), "{format:?}: {line}");
            assert!(!line.contains(",=") && !line.contains(",\"="), "{format:?}: {line}");
        }
    }
    let long = sample::run(&"y".repeat(10_000));
    let html = text(Format::Html, &long);
    let visible = html.split("<script").next().unwrap();
    let title = visible.split("<h1 dir=\"auto\">").nth(1).unwrap().split('<').next().unwrap();
    assert_eq!(title.chars().count(), 201, "a title is cut short");
}

#[test]
fn a_page_answers_first_and_has_its_figures_in_closed_sections() {
    let mut run = sample::run("");
    run.health.debug_build = true;
    run.health.clock_backwards_count = 2;
    run.health.machine_slept = Some(Nanos::from_secs(3));
    run.machine.virtualization = Some("KVM".to_owned());
    let html = text(Format::Html, &run);
    let places: Vec<usize> = [
        "<h1",
        "class=\"verdict",
        "class=\"caution\"",
        "<h2>Configurations",
        "<h2>Timeline",
        "<h2>Lateness histogram",
        "<h2>Tail distribution",
        "<h2>Measurement quality",
        "<h2>Requested and applied",
        "<h2>All figures",
        "<h2>Settings",
        "<h2>Machine",
        "<h2>Definitions",
        "<h2>This file",
        "<footer",
    ]
    .into_iter()
    .map(|part| html.find(part).unwrap_or_else(|| panic!("{part}")))
    .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(html.contains("<details") && !html.contains("<details open"));
    let in_box = html.matches("class=\"caution\"").count();
    assert_eq!(in_box, 4, "three warnings, and that there are more");
    assert!(html.contains("more under Measurement quality"));
    for caution in ["debug build", "went backward", "slept for", "virtual machine (KVM)"] {
        assert!(html.contains(caution), "{caution}");
    }
    assert_eq!(
        html.matches("<table>").count(),
        html.matches("</table>").count() - html.matches("<table ").count()
    );
}

#[test]
fn names_of_the_machine_and_the_person_are_left_out_of_every_format() {
    let identity = Identity {
        hosts: vec!["Blue-Whale-17".to_owned()],
        users: vec!["quentin".to_owned()],
        homes: vec!["/home/quentin".to_owned(), "C:\\Users\\quentin".to_owned()],
    };
    let words = "by Quentin on blue-whale-17: /home/quentin/x, C:\\Users\\quentin\\y, \
                 /Users/somebody-else/z";
    let mut run = sample::run(words);
    for text in [&mut run.machine.kernel, &mut run.trials[0].skipped] {
        *text = Some(words.to_owned());
    }
    words.clone_into(&mut run.clock.name);
    words.clone_into(&mut run.trials[0].trial.label);
    words.clone_into(&mut run.trials[0].applied.as_mut().unwrap().refusals[0].requested);
    run.ending = Ending::Failed(words.to_owned());
    let secrets = ["blue-whale-17", "quentin", "somebody-else"];
    for format in Format::ALL {
        let options = Options { leave_out: identity.clone(), ..Options::default() };
        let found = String::from_utf8(written(format, &run, &options)).unwrap().to_lowercase();
        for secret in secrets {
            assert!(!found.contains(secret), "{format:?} tells {secret}");
        }
    }
    let options = Options {
        leave_out: identity,
        included_names: IncludedNames::EVERYTHING,
        ..Options::default()
    };
    let html = String::from_utf8(written(Format::Html, &run, &options)).unwrap();
    assert!(html.contains("Quentin"), "left in when asked for");
    let parts = Parts { notes: false, ..Parts::ALL };
    let options = Options { parts, ..Options::default() };
    let json = written(Format::Json, &sample::run(words), &options);
    let back = imported(&json).into_run();
    assert_eq!((back.note.as_str(), back.tags.len()), ("", 0));
    assert_eq!(back.annotations, []);
    assert_eq!(back.trials, sample::run(words_without_home(words).as_str()).trials);
}

#[test]
fn what_is_not_checked_stands_nowhere_in_the_bytes() {
    let mut run = sample::run("");
    run.machine.cpu_model = Some("Marked processor".to_owned());
    run.machine.os = Some("Marked system".to_owned());
    run.machine.virtualization = Some("Marked hypervisor".to_owned());
    run.note = "Marked note".to_owned();
    run.annotations[0].text = "Marked instant".to_owned();
    let report = Report::of(&run, &report::Options::default());
    let other = report.rows[1].label.as_str();
    let machine = vec!["Marked processor", "Marked system", "Marked hypervisor"];
    let cases = [
        (Parts { machine: false, ..Parts::ALL }, machine),
        (Parts { repeat: false, ..Parts::ALL }, vec!["jitterscope-cli frame-loop"]),
        (Parts { notes: false, ..Parts::ALL }, vec!["Marked note", "Marked instant"]),
        (Parts { all_rows: false, ..Parts::ALL }, vec![other]),
    ];
    for format in [Format::Html, Format::Markdown] {
        let full = text(format, &run);
        for (parts, _) in &cases {
            let options = Options { parts: *parts, row: Some(0), ..Options::default() };
            let cut = String::from_utf8(written(format, &run, &options)).unwrap();
            for (skipped, words) in &cases {
                for word in words {
                    assert!(full.contains(word), "{format:?} never holds {word}");
                    assert_eq!(cut.contains(word), skipped != parts, "{format:?}: {word}: {cut}");
                }
            }
            // The HTML page embeds the run only if nothing is omitted from the page: the run would reveal
            // what was omitted.
            let is_whole = parts.all_rows && parts.machine && parts.repeat;
            if format == Format::Html {
                let back = import::from_bytes(cut.as_bytes(), &import::Options::default());
                assert_eq!(back.is_ok(), is_whole, "{parts:?}");
                assert_eq!(cut.contains("id=\"jitterscope-run\""), is_whole, "{parts:?}");
            }
        }
    }
    // A JSON file always contains the whole run, so that it can be imported: only the note and tags can be
    // omitted.
    let none = Parts { all_rows: false, machine: false, repeat: false, notes: true, ..Parts::ALL };
    let options = Options { parts: none, ..Options::default() };
    assert!(written(Format::Json, &run, &options) == text(Format::Json, &run).as_bytes());
}

#[test]
fn one_configuration_alone_shows_nothing_of_what_all_mean_together() {
    use jitterscope_engine::plan::{Plan, RealTime};
    let mut run = sample::run("");
    let parts = Parts { all_rows: false, ..Parts::ALL };
    let options = Options { parts, row: Some(1), ..Options::default() };
    let words = "1 of 2 configurations; the overall verdict is omitted.";
    let cut = String::from_utf8(written(Format::Markdown, &run, &options)).unwrap();
    assert!(!cut.contains(words), "a frame loop of one has words of its own: {cut}");
    run.subject = Plan::RealTime(RealTime::default()).into();
    let cut = String::from_utf8(written(Format::Markdown, &run, &options)).unwrap();
    assert!(cut.contains(words), "{cut}");
    assert!(!text(Format::Markdown, &run).contains(words));
    // Interrupts have other names in each trial; no program is renamed.
    for (trial, name) in run.trials.iter_mut().zip(["timer", "network"]) {
        let (at, event) = (Nanos::ZERO, TraceEvent::InterruptBegin);
        let record = TraceRecord { at, event, cpu: 0, thread: None, name: Some(0), value: None };
        trial.trace = Some(Trace::from_records(vec![name.to_owned()], &[record]));
    }
    let cut = String::from_utf8(written(Format::Markdown, &run, &options)).unwrap();
    assert!(cut.contains("user name excluded") && !cut.contains("Program A"), "{cut}");
}

/// Returns the text with only the paths of home folders shortened, because no other private names are known.
fn words_without_home(words: &str) -> String {
    IncludedNames::NOTHING.redacted(words, &Identity::default())
}

#[test]
fn nothing_in_any_format_reports_where_the_tests_run() {
    let run = sample::run("");
    let mut here = Identity::here().clone();
    // Ignore host and user names without a digit: a name such as "app" or "worker" also appears in files as
    // an ordinary word.
    for names in [&mut here.hosts, &mut here.users] {
        names.retain(|name| name.contains(|letter: char| letter.is_ascii_digit()));
    }
    let options = Options { leave_out: here.clone(), ..Options::default() };
    for format in Format::ALL {
        let found = String::from_utf8(written(format, &run, &options)).unwrap();
        assert_eq!(here.find(&found), [], "{format:?}");
    }
}

#[test]
fn the_command_line_leaves_out_who_runs_it_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let run = sample::run("qx7user on qx7host: /home/qx7user/runs");
    store::Store::at(folder.path()).save(&run).unwrap();
    for format in Format::ALL {
        let mut export = std::process::Command::new(crate::cli::program());
        export.arg("--data-dir").arg(folder.path());
        export.args(["export", run.id.as_str(), "--as", format.key()]);
        for (variables, name) in [
            (&["USER", "USERNAME", "LOGNAME"][..], "qx7user"),
            (&["HOSTNAME", "COMPUTERNAME", "HOST"][..], "qx7host"),
        ] {
            export.envs(variables.iter().map(|variable| (variable, name)));
        }
        let output = export.output().unwrap();
        let found = String::from_utf8(output.stdout).unwrap().to_lowercase();
        assert_eq!(output.status.code(), Some(0), "{format:?}");
        assert!(!found.contains("qx7"), "{format:?}: {found}");
        let is_report = matches!(format, Format::Html | Format::Markdown | Format::Json);
        // Remove the backslashes with which Markdown escapes brackets.
        let words = found.replace('\\', "");
        assert!(!is_report || words.contains("[user] on [host]: ~/runs"), "{format:?}: {found}");
    }
}

#[test]
fn the_command_line_exports_and_imports() {
    let folder = tempfile::tempdir().unwrap();
    let store = store::Store::at(folder.path());
    let run = sample::run("a name");
    store.save(&run).unwrap();
    let command = |args: &[&str]| {
        let output = crate::cli::run(&folder, args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), said)
    };
    let id = run.id.to_string();
    for format in Format::ALL {
        let (status, out, said) = command(&["export", &id, "--as", format.key()]);
        assert_eq!(status, Some(0), "{format:?}: {said}");
        assert!(!out.is_empty(), "{format:?}");
    }
    let page = folder.path().join("report.html");
    let page = page.to_str().unwrap();
    assert_eq!(command(&["export", &id, "--as", "html", "--out", page]).0, Some(0));
    let (status, shown, said) = command(&["import", page]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("read as a Jitterscope HTML report"), "{said}");
    assert_eq!(shown, command(&["runs", "show", &id]).1);
    let log = folder.path().join("frames.csv");
    let log = log.to_str().unwrap();
    let (status, _, said) =
        command(&["export", &id, "--as", "mangohud", "--configuration", "2", "--out", log]);
    assert_eq!(status, Some(0), "{said}");
    let (status, shown, said) = command(&["import", log, "--save"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(shown.contains("frames") && said.contains("saved as"), "{shown}{said}");
    assert!(command(&["import", log, "--save"]).2.contains("already"));
    // A saved run that the user renamed is the saved run.
    let saved = store.folder().join(store::file_name(&run));
    let renamed = store.folder().join("renamed.jitterscope.json");
    std::fs::rename(&saved, &renamed).unwrap();
    assert!(command(&["import", renamed.to_str().unwrap(), "--save"]).2.contains("already"));
    std::fs::rename(&renamed, &saved).unwrap();
    let longer = folder.path().join("longer.json");
    let mut again = run.clone();
    again.trials.extend(run.trials.last().cloned());
    let mut file = std::fs::File::create(&longer).unwrap();
    jitterscope_engine::format::write(&again, &mut file).unwrap();
    let (status, _, said) = command(&["import", longer.to_str().unwrap(), "--save"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("error: another run with the same ID is saved as "), "{said}");
    assert_eq!(store.lines().unwrap().len(), 2);
    let (status, _, said) = command(&["export", &id, "--as", "hgrm", "--configuration", "none"]);
    assert_eq!(status, Some(1));
    let expected = "--configuration: invalid value 'none': expected 1 to 2 or one of: ";
    assert!(said.contains(expected), "{said}");
    let (status, _, said) = command(&["import", "/"]);
    assert_eq!(status, Some(1), "{said}");
    let other = folder.path().join("other.csv");
    std::fs::write(&other, "dt;what\n0,016;a\n0,017;b\n").unwrap();
    let other = other.to_str().unwrap();
    let (status, _, said) = command(&["import", other]);
    assert_eq!(status, Some(1));
    assert!(said.contains("name one of: dt, what"), "{said}");
    let (status, _, said) = command(&["import", other, "--column", "DT", "--unit", "s"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("\"dt\" was read as frame times in s"), "{said}");
    let (_, help, _) = command(&["export", "--help"]);
    assert!(help.contains("chrome-trace") && help.contains("Examples:"), "{help}");
}

proptest! {
    #![proptest_config(without_files(48))]

    #[test]
    fn any_frame_times_come_back(times in proptest::collection::vec(1_i64..10_000_000_000, 1..300)) {
        let run = sample::of_frame_times(&times);
        for format in [Format::MangoHud, Format::PresentMon] {
            let back = imported(&written(format, &run, &Options::default()));
            prop_assert_eq!(frame_times(&back), times.clone());
            prop_assert_eq!(of_capture(&back.into_run()), times.clone());
        }
    }

    #[test]
    fn any_words_leave_a_page_whole(words in any::<String>()) {
        let run = sample::run(&words);
        let html = text(Format::Html, &run);
        prop_assert_eq!(html.matches("<script").count(), 2);
        prop_assert!(imported(html.as_bytes()).into_run() == imported(
            text(Format::Json, &run).as_bytes()).into_run());
    }
}
