//! Source code as the checks need it: without comments, literals, and items that only tests have.

use std::ops::Range;

/// Returns the code without items that only tests have, with blanks in place of comments and literals.
pub(super) fn code(text: &str) -> String {
    let code = without_words(text);
    without(&code, &tests(&code))
}

/// Returns the text without items that only tests have; comments and literals remain.
pub(super) fn product(text: &str) -> String {
    without(text, &tests(&without_words(text)))
}

/// Replaces comments and literals with blanks; all other bytes stay at their positions.
fn without_words(text: &str) -> String {
    let mut retained = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words = if rest.starts_with("//") {
            rest.find('\n').or(Some(rest.len()))
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)
        } else if first == '"' {
            Some(string(rest))
        } else {
            raw_string(rest).filter(|_| !retained.ends_with(is_word)).or_else(|| letter(rest))
        };
        let (passed, after) = rest.split_at(words.unwrap_or(first.len_utf8()));
        if words.is_some() {
            retained.extend(passed.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            retained.push(first);
        }
        rest = after;
    }
    retained
}

/// Returns the length of the raw string literal with which the text begins; `None` if there is none.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let begin = text.len() - hashes.len();
    let count = hashes.len() - hashes.trim_start_matches('#').len();
    let body = hashes[count..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(count));
    body.find(&end).map(|at| begin + count + 1 + at + end.len())
}

/// Returns the length of the string literal with which the text begins.
fn string(text: &str) -> usize {
    let mut is_escaped = true;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of the character literal with which the text begins; `None` if there is none or for a
/// lifetime.
fn letter(text: &str) -> Option<usize> {
    let body = text.strip_prefix('\'')?;
    let mut letters = body.char_indices();
    let (_, first) = letters.next()?;
    if first == '\\' {
        letters.next()?;
        return letters.find(|(_, c)| *c == '\'').map(|(at, _)| at + 2);
    }
    letters.next().filter(|(_, c)| *c == '\'').map(|(at, _)| at + 2)
}

/// Returns the ranges of the items that only tests have.
fn tests(code: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    let marks = ["#[cfg(test)]", "#[cfg(all(test"];
    while let Some(at) = marks.iter().filter_map(|mark| code[from..].find(mark)).min() {
        let begin = from + at;
        let attribute = code[begin..].find(']').map_or(code.len(), |at| begin + at + 1);
        from = attribute + item(&code[attribute..]);
        ranges.push(begin..from);
    }
    ranges
}

/// Returns the names of the modules in other files that only tests have.
pub(super) fn test_modules(text: &str) -> Vec<String> {
    let code = without_words(text);
    let items = tests(&code).into_iter().map(|range| &code[range]);
    let declared = items.filter_map(|item| item.strip_suffix(';')?.rsplit_once("mod "));
    declared.map(|(_, name)| name.to_owned()).collect()
}

/// Removes these ranges from the text, but not their line breaks, so that line numbers stay the same.
fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut retained = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        retained.push_str(&text[from..range.start]);
        retained.extend(text[range.clone()].chars().filter(|c| *c == '\n'));
        from = range.end;
    }
    retained.push_str(&text[from..]);
    retained
}

/// Returns the length of the item with which the text begins: up to its semicolon, or to the end of its
/// braces.
fn item(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[test]
fn code_after_a_test_is_read_and_words_are_not() {
    let text = "/// Doc.\nuse a::b; // c\n#[cfg(test)]\nmod tests {\n    fn f() { \"}\"; '}'; }\n}\n\
                fn g<'a>() { h(\"x::y\", r#\"z\"\"#, '\\'', 'k'); }\n";
    let words = |code: String| code.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(code(text)), "use a::b; fn g<'a>() { h( , , , ); }");
    assert!(product(text).contains("h(\"x::y\", r#"));
    assert!(!product(text).contains("mod tests"));
    assert_eq!(product(text).lines().count(), text.lines().count());
    assert_eq!(code(text).lines().count(), text.lines().count());
}
