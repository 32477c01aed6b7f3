//! Rules about the source code that no lint checks: which layers of modules may name which, and how files
//! begin.

mod cycles;
mod size;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the engine from the lowest layer to the highest. A module may name only those before it in
/// this list.
const ENGINE_LAYERS: [&str; 16] = [
    "nanos", "units", "sample", "stats", "game", "plan", "platform", "machine", "run", "measure",
    "report", "format", "store", "export", "import", "runner",
];
/// Pairs of modules that are in the same layer: neither may name the other.
const SAME_STEP: [(&str, &str); 3] =
    [("store", "export"), ("store", "import"), ("export", "import")];

/// The modules of the window from the lowest layer to the highest. A module may name only those before it in
/// this list.
const WINDOW_LAYERS: [&str; 6] = ["theme", "text", "widgets", "plots", "pages", "app"];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A source file.
pub(crate) struct Source {
    /// The path relative to the workspace.
    pub(crate) name: String,
    /// The complete text.
    text: String,
    /// The text without the parts that only tests have.
    pub(crate) product: String,
    /// The same as `product`, with blanks in place of comments and literals.
    code: String,
}

/// Returns every source file in a folder and its subfolders.
pub(crate) fn sources(below: &str) -> Vec<Source> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(below)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                let text = fs::read_to_string(&path).unwrap();
                let (product, code) = (source::product(&text), source::code(&text));
                files.push(Source { name, text, product, code });
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!files.is_empty(), "no sources below {below}");
    files
}

/// Returns the top-level module to which a file belongs: `plan` for `engine/src/plan/wait.rs`.
fn module<'a>(name: &'a str, below: &str) -> &'a str {
    let rest = name.strip_prefix(below).unwrap().trim_start_matches('/');
    rest.split('/').next().unwrap().trim_end_matches(".rs")
}

/// Returns whether code names a top-level module, by `crate::module` or in the braces of `use crate::{…}`.
fn names_module(code: &str, module: &str) -> bool {
    let direct = format!("crate::{module}");
    let found = code.match_indices(&direct).any(|(at, found)| {
        let after = code[at + found.len()..].chars().next();
        !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
    });
    let grouped = code.replace([' ', '\n'], "");
    found
        || grouped.split("usecrate::{").skip(1).any(|group| {
            let group = group.split(';').next().unwrap_or_default();
            group
                .split(['{', ',', '}'])
                .any(|word| word == module || word.starts_with(&format!("{module}::")))
        })
}

/// Whether a file belongs to tests: `tests.rs`, or a file in a folder `tests`.
fn is_of_tests(name: &str) -> bool {
    name.ends_with("/tests.rs") || name.contains("/tests/")
}

#[track_caller]
pub(crate) fn check(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_file_opens_with_a_line_that_shows_what_it_is_for() {
    let mut problems = Vec::new();
    for below in ["engine", "app", "tests"] {
        for Source { name, text, .. } in sources(below) {
            if !text.starts_with("//! ") {
                problems.push(format!("{name} does not open with a //! line"));
            }
        }
    }
    check(&problems);
}

#[test]
fn an_engine_module_names_only_those_below_it() {
    let mut problems = Vec::new();
    for Source { name, code, .. } in sources("engine/src") {
        let own = module(&name, "engine/src");
        let Some(own_layer) = ENGINE_LAYERS.iter().position(|layer| *layer == own) else {
            if own != "lib" {
                problems.push(format!("{name}: '{own}' has no layer"));
            }
            continue;
        };
        for (other, layer) in ENGINE_LAYERS.iter().zip(0..) {
            let above = own_layer < layer || SAME_STEP.contains(&(*other, own));
            if above && names_module(&code, other) {
                problems.push(format!("{name} names '{other}', which lies above '{own}'"));
            }
        }
    }
    check(&problems);
}

#[test]
fn a_window_module_names_only_those_below_it() {
    let mut problems = Vec::new();
    for Source { name, code, .. } in sources("app/src") {
        let own = module(&name, "app/src");
        let Some(own_layer) = WINDOW_LAYERS.iter().position(|layer| *layer == own) else {
            continue;
        };
        for other in &WINDOW_LAYERS[own_layer + 1..] {
            if names_module(&code, other) {
                problems.push(format!("{name} names '{other}', which lies above '{own}'"));
            }
        }
        if own_layer < 4 && names_module(&code, "session") {
            problems.push(format!("{name} names 'session', which only pages and the app may"));
        }
    }
    check(&problems);
}

#[test]
fn the_engine_does_not_know_there_is_a_window() {
    let manifest = fs::read_to_string(root().join("engine/Cargo.toml")).unwrap();
    for window in ["egui", "rfd", "clap", "indicatif"] {
        assert!(!manifest.contains(window), "the engine depends on {window}");
    }
}

#[test]
fn session_command_line_and_words_name_no_egui_type() {
    let mut problems = Vec::new();
    for Source { name, code, .. } in sources("app/src") {
        let own = module(&name, "app/src");
        if ["session", "cli", "text"].contains(&own)
            && code.lines().any(|line| line.contains("egui"))
        {
            problems.push(format!("{name} names egui"));
        }
    }
    check(&problems);
}

#[test]
fn only_measure_starts_threads_in_the_engine() {
    let mut problems = Vec::new();
    for Source { name, code, .. } in sources("engine/src") {
        let starts = code
            .lines()
            .any(|line| line.contains("thread::Builder") || line.contains("Builder::new().name("));
        if starts && module(&name, "engine/src") != "measure" {
            problems.push(format!("{name} starts a thread"));
        }
    }
    check(&problems);
}

/// Returns whether a line of code contains a word; `unsafe` counts only if it marks a block, function, impl,
/// or extern.
fn shows(line: &str, word: &str) -> bool {
    match word {
        "unsafe" => ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"]
            .iter()
            .any(|form| line.contains(form)),
        word => line.contains(word),
    }
}

#[test]
fn only_platform_is_unsafe_or_knows_the_system() {
    let mut problems = Vec::new();
    for below in ["engine/src", "app/src"] {
        for Source { name, code, .. } in sources(below) {
            if below == "engine/src" && module(&name, below) == "platform" {
                continue;
            }
            for word in ["unsafe", "target_os", "cfg(windows)", "cfg(unix)", "cfg!(windows)"] {
                let allowed = word != "unsafe" && name == "app/src/main.rs";
                if !allowed && code.lines().any(|line| shows(line, word)) {
                    problems.push(format!("{name} says {word}"));
                }
            }
        }
    }
    check(&problems);
}

#[test]
fn only_the_outermost_engine_modules_touch_the_outside() {
    let mut problems = Vec::new();
    for Source { name, code, .. } in sources("engine/src") {
        let own = module(&name, "engine/src");
        if ["platform", "machine", "store", "export", "import"].contains(&own) {
            continue;
        }
        for word in ["std::fs", "std::net", "std::process", "std::env", "File::"] {
            // `std::env::consts` describes the system of the build and reads nothing at run time.
            let touches = |line: &str| line.replace("std::env::consts", "").contains(word);
            if code.lines().any(touches) {
                problems.push(format!("{name} touches the outside through {word}"));
            }
        }
    }
    check(&problems);
}

#[test]
fn only_facts_and_formats_derive_serde() {
    let mut problems = Vec::new();
    for Source { name, code, .. } in sources("engine/src") {
        let conclusions = ["game", "report", "export", "import", "store", "runner"];
        let is_fact = !conclusions.contains(&module(&name, "engine/src"));
        if !is_fact && code.lines().any(|line| line.contains("serde")) {
            problems.push(format!("{name} names serde"));
        }
    }
    check(&problems);
}

#[test]
fn only_theme_names_a_color() {
    let mut problems = Vec::new();
    for Source { name, code, .. } in sources("app/src") {
        if module(&name, "app/src") == "theme" {
            continue;
        }
        let named = code.lines().any(|line| {
            ["Color32::from_", "Color32::RED", "Color32::WHITE", "Color32::BLACK", "hex_color!"]
                .iter()
                .any(|word| line.contains(word))
        });
        if named {
            problems.push(format!("{name} names a color"));
        }
    }
    check(&problems);
}

#[test]
fn a_library_is_named_in_one_module() {
    let homes = [
        ("rtrb::", "engine/src/measure/recorder.rs"),
        ("core_affinity::", "engine/src/platform"),
        ("thread_priority::", "engine/src/platform"),
        ("libc::", "engine/src/platform"),
        ("windows_sys::", "engine/src/platform"),
        ("sysinfo::", "engine/src/machine"),
        ("tempfile::", "engine/src/store"),
        ("directories::", "engine/src/store"),
        ("sha2::", "engine/src/format/checksum.rs"),
        ("indicatif::", "app/src/cli"),
        ("clap::", "app/src/cli"),
        ("parquet::", "app/src/cli/export/columnar.rs"),
        ("toml::", "app/src/cli/check/limits_file.rs"),
        ("rfd::", "app/src/session/dialog.rs"),
        ("open::that", "app/src/session/export/external.rs"),
    ];
    let mut problems = Vec::new();
    for below in ["engine/src", "app/src"] {
        for Source { name, code, .. } in sources(below) {
            for (library, home) in homes {
                let named = code
                    .lines()
                    .any(|line| line.contains(library) && !line.contains(&format!("_{library}")));
                if named && !name.starts_with(home) {
                    problems.push(format!("{name} names {library}, which lives in {home}"));
                }
            }
        }
    }
    check(&problems);
}

#[test]
fn one_module_prints_and_survives_what_cannot_be_written() {
    let mut problems = Vec::new();
    for below in ["engine/src", "app/src"] {
        for Source { name, product, .. } in sources(below) {
            // The printing macros of the standard library panic if a stream cannot be written, so a lint
            // denies them.
            for word in ["clippy::print_", "stderr().lock", "stdout().lock"] {
                if name != "app/src/cli/output.rs" && product.contains(word) {
                    problems.push(format!("{name} prints by {word}"));
                }
            }
        }
    }
    check(&problems);
}

#[test]
fn no_file_is_a_mod_rs_and_none_is_endless() {
    let mut problems = Vec::new();
    for below in ["engine", "app", "tests"] {
        for Source { name, text, .. } in sources(below) {
            if name.ends_with("/mod.rs") {
                problems.push(format!("{name}: use foo.rs beside foo/"));
            }
            let lines = text.lines().count();
            if 600 < lines {
                problems.push(format!("{name} has {lines} lines; let it give something away"));
            }
        }
    }
    check(&problems);
}
