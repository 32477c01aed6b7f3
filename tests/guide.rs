//! The user guide: the glossary matches the definitions of the tables, links lead to existing targets, and
//! commands exist.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use jitterscope_engine::import::Source;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::{Cause, glossary};
use jitterscope_engine::stats::grade::{
    FRAME_LATENESS, FRAME_MISSED, LONGEST_GAP, Limits, SLEEP_OVERSHOOT, SPIN_OVERSHOOT, TICK_LOSS,
    real_time_falls,
};

use crate::cli::program;
use crate::tidy::{check, root};

/// If this environment variable is set, the test writes the glossary instead of comparing it.
const WRITES: &str = "JITTERSCOPE_WRITE_GUIDE";

fn guide() -> PathBuf {
    root().join("packaging/guide")
}

/// Returns the file name and the text of every page of the guide.
fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<_> = fs::read_dir(guide())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    pages.sort();
    pages
}

fn limits_row(text: &mut String, test: &str, limits: &Limits) {
    let [excellent, good, fair] = limits.words();
    let measure = limits.measure;
    writeln!(text, "| {test} | {measure} | {excellent} | {good} | {fair} |").unwrap();
}

/// Returns the glossary page, made from the definitions in the engine.
fn expected() -> String {
    let mut text = String::from(
        "<!-- Made from the definitions of the result tables by\n\
         JITTERSCOPE_WRITE_GUIDE=1 cargo test -p jitterscope-tests glossary_of_the_guide -->\n\n\
         # Glossary\n\n\
         ## Grades\n\nUp to which value a measure has each grade; above the limit of Fair, it is Poor.\n\n\
         | test | measure | Excellent | Good | Fair |\n| --- | --- | --- | --- | --- |\n",
    );
    limits_row(&mut text, "Frame loop", &FRAME_LATENESS);
    limits_row(&mut text, "Frame loop", &FRAME_MISSED);
    limits_row(&mut text, "Sleep accuracy", &SLEEP_OVERSHOOT);
    limits_row(&mut text, "Spin strategies", &SPIN_OVERSHOOT);
    limits_row(&mut text, "Scheduling gaps", &LONGEST_GAP);
    let [excellent, good, fair] = TICK_LOSS.upper.map(|loss| format!("{:.2} or more", 1.0 - loss));
    writeln!(text, "| Game tick | efficiency per core | {excellent} | {good} | {fair} |").unwrap();
    let [excellent, good, fair] = real_time_falls().map(|fall| format!("more than {fall}%"));
    writeln!(text, "| Real-time | reduction | {excellent} | {good} | {fair} (Modest) |").unwrap();
    text.push_str("\n## Causes of lateness\n\n| cause | what may help |\n| --- | --- |\n");
    for cause in Cause::ALL {
        let advice = Some(cause.row().advice).filter(|advice| !advice.is_empty()).unwrap_or("–");
        writeln!(text, "| {} | {advice} |", cause.label()).unwrap();
    }
    text.push_str("\n## Terms\n\nBasic terms, and the columns of all results.\n");
    for term in glossary() {
        let (title, tests) = (&term.title, term.tests.join(", "));
        write!(text, "\n**{title}**: {} *({tests})*\n", term.definition).unwrap();
    }
    text
}

#[test]
fn glossary_of_the_guide_is_what_the_tables_define() {
    let path = guide().join("glossary.md");
    if std::env::var_os(WRITES).is_some() {
        fs::write(&path, expected()).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap();
    for (line, (written, expected)) in (1..).zip(written.lines().zip(expected().lines())) {
        assert_eq!(written, expected, "line {line}; {WRITES}=1 writes it");
    }
    assert_eq!(written.len(), expected().len(), "{WRITES}=1 writes it");
}

#[test]
fn guide_explains_every_test_and_its_links_exist() {
    let mut problems = Vec::new();
    let pages = pages();
    let tests = &pages.iter().find(|(name, _)| name == "tests.md").unwrap().1;
    for plan in Plan::all() {
        let name = plan.listing().name;
        if !tests.lines().any(|line| line.starts_with(&format!("## {name}: "))) {
            problems.push(format!("tests.md has no section of {name}"));
        }
    }
    for (name, text) in &pages {
        for link in text.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            if !target.is_empty() && !guide().join(target).is_file() {
                problems.push(format!("{name}: {target} does not exist"));
            }
        }
    }
    check(&problems);
}

#[test]
fn table_of_captures_names_every_program_whose_files_are_read() {
    let text = fs::read_to_string(guide().join("next-steps.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| ") && line.matches('|').count() == 5);
    let named: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).collect();
    let is_of_a_program = |source: &Source| {
        !matches!(source, Source::Json | Source::Html | Source::Columns | Source::Ticks)
    };
    for source in Source::ALL.into_iter().filter(is_of_a_program) {
        // A label is the program and the kind of file.
        let first = source.label().split(' ').next().unwrap();
        assert!(named.iter().any(|cell| cell.contains(first)), "{first} is not in {named:?}");
    }
}

/// Returns the commands in documents: lines and spans of code that begin with the program's name.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for code in text.split(['`', '\n']) {
        let code = code.split(" # ").next().unwrap().trim();
        if let Some(rest) = code.strip_prefix("jitterscope-cli ") {
            found.extend(rest.split_whitespace().next().map(str::to_owned));
        }
    }
    found
}

#[test]
fn commands_in_documents_exist() {
    let mut texts = pages();
    texts.push(("README.md".to_owned(), fs::read_to_string(root().join("README.md")).unwrap()));
    let mut known = Vec::new();
    for (name, text) in texts {
        for command in commands(&text) {
            if command.starts_with('-') || known.contains(&command) {
                continue;
            }
            let help = Command::new(program()).args([&command, "--help"]).output().unwrap();
            assert!(help.status.success(), "{name}: there is no command {command}");
            known.push(command);
        }
    }
    assert!(known.len() > 10, "{known:?}");
}

/// Returns name and version of every library in `Cargo.lock`.
fn locked() -> Vec<(String, String)> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let value = |line: &str, key: &str| -> Option<String> {
        Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned())
    };
    let mut found = Vec::new();
    let mut name = String::new();
    for line in lock.lines() {
        if let Some(text) = value(line, "name") {
            name = text;
        } else if let Some(version) = value(line, "version") {
            found.push((name.clone(), version));
        }
    }
    found
}

/// Returns the names of the libraries that the package with this manifest links.
fn dependencies(manifest: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(manifest)).unwrap();
    let mut found = Vec::new();
    let mut is_linked = false;
    for line in text.lines() {
        if let Some(section) = line.strip_prefix('[') {
            is_linked = section.ends_with("dependencies]")
                && !section.starts_with("dev-")
                && !section.starts_with("build-");
        } else if is_linked && let Some((name, _)) = line.split_once([' ', '.', '=']) {
            found.push(name.to_owned());
        }
    }
    found.retain(|name| {
        name.starts_with(|c: char| c.is_alphanumeric()) && !name.starts_with("jitterscope")
    });
    found
}

#[test]
fn licenses_shown_are_those_of_the_locked_libraries() {
    let text = fs::read_to_string(root().join("packaging/THIRD-PARTY.txt")).unwrap();
    let shown: Vec<(String, String)> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()))
        .filter(|(_, version)| version.split('.').count() >= 3 && !version.contains(' '))
        .map(|(name, version)| (name.to_owned(), version.to_owned()))
        .collect();
    let locked = locked();
    let mut problems: Vec<String> = shown
        .iter()
        .filter(|one| !locked.contains(one))
        .map(|(name, version)| format!("{name} {version} is shown and not in Cargo.lock"))
        .collect();
    for manifest in ["app/Cargo.toml", "engine/Cargo.toml"] {
        for name in dependencies(manifest) {
            // No program contains these two: they only generate manual pages and shell completions.
            let is_shipped = !["clap_complete", "clap_mangen"].contains(&name.as_str());
            if is_shipped && !shown.iter().any(|(shown, _)| *shown == name) {
                problems.push(format!("{name} of {manifest} is linked and not shown"));
            }
        }
    }
    if !problems.is_empty() {
        problems.push("write it: packaging/materials.py notice".to_owned());
    }
    assert!(shown.len() > 200, "{}", shown.len());
    check(&problems);
}

#[test]
fn packages_have_the_version_of_the_workspace() {
    let version = env!("CARGO_PKG_VERSION");
    let mut problems = Vec::new();
    for (file, expected) in [
        ("packaging/macos/Info.plist", format!("<string>{version}</string>")),
        ("packaging/windows/jitterscope.manifest", format!("version=\"{version}.0\"")),
        ("packaging/linux/jitterscope.metainfo.xml", format!("<release version=\"{version}\"")),
    ] {
        if !fs::read_to_string(root().join(file)).unwrap().contains(&expected) {
            problems.push(format!("{file} does not contain {expected}"));
        }
    }
    check(&problems);
}

/// Every document that states the priority of real-time threads names the exception, and the limits in the page on
/// security are those of the program.
#[test]
fn promises_in_documents_are_exact() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let documents = [
        "README.md",
        ".github/SECURITY.md",
        ".github/CONTRIBUTING.md",
        "packaging/guide/tests.md",
        "packaging/linux/20-jitterscope.conf",
    ];
    for name in documents {
        let text = read(name);
        let stated = text
            .lines()
            .position(|line| line.contains("at most 20") || line.contains("priority above 20"));
        let lines: Vec<&str> = text.lines().skip(stated.unwrap()).take(2).collect();
        let stated = lines.join(" ");
        assert!(stated.contains("watchdog") && stated.contains("21"), "{name}: {stated}");
    }
    let security = read(".github/SECURITY.md");
    for promise in [
        "2 GiB, of which 64 MiB are not samples, and 128 levels",
        "a capture 512 MiB; a file of limits or hosts 1 MiB",
        "names the hash of this script and permits no other one",
        "An agent ends with its standard input",
    ] {
        assert!(security.contains(promise), "{promise}");
    }
}
