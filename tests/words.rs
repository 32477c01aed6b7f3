//! The words of the product: texts that a user reads contain no words that read badly.

use std::fs;

use crate::tidy::{check, root, sources};

/// Words and phrases to avoid, each with what to write instead.
const AVOIDED: [(&str, &str); 74] = [
    ("anew", "again"),
    ("as asked", "as requested"),
    ("asked for", "requested"),
    ("a person", "you, the user"),
    ("beside", "with, compared with"),
    ("biggest", "longest, max"),
    ("by itself", "automatically, alone"),
    ("came of", "resulted from"),
    ("chosen", "selected"),
    ("comes back", "returns"),
    ("dear", "expensive"),
    ("given back", "released, restored"),
    ("goes on", "continues"),
    ("greatest", "max"),
    ("held against", "compared with"),
    ("held beside", "compared with"),
    ("hold against", "compare with"),
    ("hold beside", "compare with"),
    ("in turns", "interleaved"),
    ("keeps", "saves"),
    ("kept", "saved"),
    ("least", "min"),
    ("left out", "skipped, omitted"),
    ("lies", "is"),
    ("meanwhile", "during"),
    ("mended", "fixed"),
    ("nought", "0"),
    ("of its own", "separate"),
    ("one's own", "custom"),
    ("picture", "frame, image"),
    ("pictures", "frames, images"),
    ("says", "shows"),
    ("so many", "this many"),
    ("so much", "this much"),
    ("stands", "is"),
    ("stands still", "does not run"),
    ("stray", "variation"),
    ("strays", "varies"),
    ("taken away", "revoked, lost"),
    ("tells", "reports"),
    ("the source's own", "of the reference tool"),
    ("ticked", "checked"),
    ("told", "reported"),
    ("told apart", "distinguished"),
    ("usual", "default"),
    ("whom", "which players"),
    ("without a word", "silently"),
    ("worth", "result"),
    ("judgement", "result"),
    ("not judged", "not evaluated"),
    ("bad, over", "Poor limit"),
    ("governor or power plan", "Governor (Linux), Power plan (Windows)"),
    ("worst:", "Weakest result:"),
    ("worst ms", "Max ms"),
    ("weak below", "uncertain below"),
    ("short waits each", "short waits"),
    ("no event in this system", "No event recorded"),
    ("latest single frame", "the frame with the highest lateness"),
    ("measured in a terminal", "no window on the measured PC"),
    ("an undo for each", "what is true"),
    ("counters: everywhere", "counters (Linux)"),
    ("governor or plan", "Governor (Linux), Power plan (Windows)"),
    ("less steady", "worse"),
    ("steadier", "better"),
    ("likely suspect", "was busy at that time and may be the cause"),
    ("may not raise itself", "has no permission to raise its priority"),
    ("of one core", "of one CPU"),
    ("r-7", "R type 7"),
    ("start and stop", "bursts"),
    ("time each", "duration"),
    ("typical, up to", "Good limit"),
    ("was not made", "could not create"),
    ("well above", "above"),
    ("against baseline", "compared with"),
];

/// Phrases in which an avoided word is right.
const ALLOWED: [&str; 3] = ["at least", "keeps time", "least squares"];

/// Strings in which an avoided word is right: the beginning of the file's path, the string, and the reason.
const EXCEPTIONS: [(&str, &str, &str); 6] = [
    (
        "engine/src/plan/scheduling_gaps.rs",
        "Keeps every CPU fully busy. This PC can feel slow and get warm during the test.",
        "nothing is saved: the CPUs stay busy",
    ),
    (
        "engine/src/run/older.rs",
        "A histogram keeps no order of time: the values stand in ascending order",
        "a note that an earlier version wrote into its files, by which they are recognized",
    ),
    (
        "engine/src/report/reference/latency2.rs",
        "diff  avg  biggest  smallest  sumsq  count , runtime ",
        "the line that latency2 prints",
    ),
    (
        "engine/src/report/reference/spin_sleep.rs",
        "average: , best: , worst: ",
        "the line that spin_sleep prints",
    ),
    ("app/src/cli/renamed.rs", "usual", "the earlier name of an option's value"),
    ("app/src/cli/renamed.rs", "chosen", "the earlier name of an option's value"),
];

/// Documents that users and contributors read.
const DOCUMENTS: [&str; 15] = [
    "README.md",
    ".github/CONTRIBUTING.md",
    ".github/SECURITY.md",
    "packaging/CHANGELOG.md",
    "packaging/fleet/README.md",
    "packaging/guide/README.md",
    "packaging/guide/glossary.md",
    "packaging/guide/hosts.md",
    "packaging/guide/next-steps.md",
    "packaging/guide/results.md",
    "packaging/guide/tests.md",
    "packaging/linux/README.md",
    "packaging/linux/jitterscope.metainfo.xml",
    "packaging/macos/README.md",
    "packaging/windows/README.md",
];

/// Returns the avoided words of a text, each with what to write instead.
fn avoided(text: &str) -> Vec<String> {
    let mut lower = text.to_lowercase();
    for allowed in ALLOWED {
        lower = lower.replace(allowed, "");
    }
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let contains = |word: &str| {
        lower.match_indices(word).any(|(at, found)| {
            let (before, after) = (&lower[..at], &lower[at + found.len()..]);
            !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
        })
    };
    AVOIDED
        .iter()
        .filter(|(word, _)| contains(word))
        .map(|(word, instead)| format!("'{word}' (write: {instead})"))
        .collect()
}

/// Returns a string literal without its escapes and the names of its placeholders.
fn readable(literal: &str) -> String {
    let mut text = String::new();
    let mut depth = 0_usize;
    let mut letters = literal.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('\n') => while letters.next_if(|next| next.is_whitespace()).is_some() {},
                _ => text.push(' '),
            },
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => text.push(letter),
            _ => {}
        }
    }
    text
}

/// Returns the string literals of some code with the code in front of them, without comments.
fn literals(code: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    let ends = |from: usize, end: &str| code[from..].find(end).map_or(code.len(), |to| from + to);
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
        let letter = rest.chars().next().unwrap();
        let hashes =
            rest.strip_prefix('r').map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        if rest.starts_with("//") {
            at = ends(at, "\n");
        } else if rest.starts_with('r') && rest[1 + hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let from = at + hashes + 2;
            let to = ends(from, &end);
            found.push((&code[from..to], &code[..at]));
            at = to + end.len();
        } else if letter == '"' {
            let mut to = at + 1;
            while to < code.len() && !code[to..].starts_with('"') {
                let skipped = usize::from(code[to..].starts_with('\\'));
                to += skipped + code[to + skipped..].chars().next().map_or(1, char::len_utf8);
            }
            found.push((&code[at + 1..to], &code[..at]));
            at = to + 1;
        } else if rest.starts_with("'\\") {
            at = ends(at + 3, "'") + 1;
        } else if letter == '\'' && rest.chars().nth(2) == Some('\'') {
            at += 2 + rest.chars().nth(1).map_or(1, char::len_utf8);
        } else {
            // Skip a whole identifier at once: an `r` at its end does not begin a raw string.
            let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            at += name.max(letter.len_utf8());
        }
    }
    found
}

/// Returns whether the code in front of a literal shows that no user reads this literal.
fn is_internal(before: &str) -> bool {
    let before = before.trim_end();
    [
        "reason =",
        "feature =",
        "target_os =",
        "rename =",
        "alias =",
        "with =",
        "env!(",
        "debug_struct(",
        "include_str!(",
        "include_bytes!(",
    ]
    .iter()
    .any(|end| before.ends_with(end))
}

#[test]
fn user_facing_strings_use_plain_words() {
    let mut problems = Vec::new();
    let mut unused: Vec<_> = EXCEPTIONS.iter().collect();
    for below in ["engine/src", "app/src"] {
        for file in sources(below) {
            let name = file.name;
            if name.ends_with("tests.rs") || name.contains("/tests/") {
                continue;
            }
            for (literal, before) in literals(&file.product) {
                let words = readable(literal);
                let found = avoided(&words);
                if found.is_empty() || is_internal(before) {
                    continue;
                }
                let is_known =
                    |(path, text, _): &(&str, &str, &str)| name.starts_with(path) && words == *text;
                if EXCEPTIONS.iter().any(is_known) {
                    unused.retain(|exception| !is_known(exception));
                } else {
                    problems.push(format!("{name}: {} in {words:?}", found.join(", ")));
                }
            }
        }
    }
    problems.extend(unused.iter().map(|(path, text, _)| format!("{path} has no {text:?}")));
    check(&problems);
}

#[test]
fn doc_comments_use_plain_words() {
    let mut problems = Vec::new();
    for below in ["engine/src", "app/src"] {
        for file in sources(below) {
            for (line, at) in file.product.lines().zip(1..) {
                let doc = line.trim_start();
                let doc = doc.strip_prefix("///").or_else(|| doc.strip_prefix("//!"));
                // Skip text in backticks: names of items and output of programs are not prose.
                let prose = doc.map(|doc| doc.split('`').step_by(2).collect::<Vec<_>>().join(" "));
                let found = prose.map_or(Vec::new(), |prose| avoided(&prose));
                problems.extend(found.iter().map(|word| format!("{}:{at}: {word}", file.name)));
            }
        }
    }
    check(&problems);
}

/// Returns the range of the target of the first Markdown link in a line, from `](` to `)`.
fn link_target(line: &str) -> Option<(usize, usize)> {
    let from = line.find("](")?;
    line[from..].find(')').map(|to| (from, from + to + 1))
}

#[test]
fn documents_use_plain_words() {
    let mut problems = Vec::new();
    for name in DOCUMENTS {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let mut is_code = false;
        for (line, at) in text.lines().zip(1..) {
            is_code ^= line.trim_start().starts_with("```");
            // Skip text in backticks and the targets of links: names of files and commands are not prose.
            let mut prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
            while let Some((from, to)) = link_target(&prose) {
                prose.replace_range(from..to, "");
            }
            let found = if is_code { Vec::new() } else { avoided(&prose) };
            problems.extend(found.into_iter().map(|word| format!("{name}:{at}: {word}")));
        }
    }
    check(&problems);
}

#[test]
fn avoided_words_are_found_in_literals_alone() {
    let code = concat!(
        "// told\nconst A: &str = \"so \\\n     many {told} runs\"; let c = '\"'; ",
        "let b = r#\"Kept\"#; let l: &'static str = \"at least one, least\"; let n = b'x';"
    );
    let found: Vec<String> = literals(code).into_iter().map(|(text, _)| readable(text)).collect();
    assert_eq!(found, ["so many  runs", "Kept", "at least one, least"]);
    assert_eq!(avoided(&found[0]).len(), 1);
    assert_eq!(avoided(&found[1]), ["'kept' (write: saved)"]);
    assert_eq!(avoided(&found[2]).len(), 1);
    assert_eq!(avoided("at least one asked format"), Vec::<String>::new());
}
