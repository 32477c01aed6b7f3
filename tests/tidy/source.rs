//! Source text as the checks read it: without comments, contents of strings, and items that only tests have.

/// The part of a file that is built into the product. Lines stay lines.
pub(super) fn product(text: &str) -> String {
    without_tests(&without_words(text))
}

/// The text with comments removed and literals emptied.
fn without_words(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let starts_word = !kept.ends_with(is_word);
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(length) = raw_string(rest).filter(|_| starts_word) {
            kept.push_str("\"\"");
            length
        } else if first == '"' {
            kept.push_str("\"\"");
            string(rest)
        } else if let Some(length) = letter(rest) {
            kept.push_str("' '");
            length
        } else {
            kept.push(first);
            first.len_utf8()
        };
        let (passed, after) = rest.split_at(taken);
        // Lines of a literal or a comment still count.
        if 1 < taken {
            kept.extend(passed.chars().filter(|c| *c == '\n'));
        }
        rest = after;
    }
    kept
}

/// Length of the raw string that the text begins with.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let begin = text.len() - hashes.len();
    let count = hashes.len() - hashes.trim_start_matches('#').len();
    let body = hashes[count..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(count));
    body.find(&end).map(|at| begin + count + 1 + at + end.len())
}

/// Length of the string that the text begins with.
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

/// Length of the character literal that the text begins with; a lifetime is none.
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

/// The text with the items behind `#[cfg(test)]` emptied.
fn without_tests(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) =
        ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|m| rest.find(m)).min()
    {
        let (before, marked) = rest.split_at(at);
        kept.push_str(before);
        let attribute = marked.find(']').map_or(marked.len(), |at| at + 1);
        let length = attribute + item(&marked[attribute..]);
        let (passed, after) = marked.split_at(length);
        kept.extend(passed.chars().filter(|c| *c == '\n'));
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// Length of the item that the text begins with: to its semicolon or the end of its braces.
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
    let expected = "\nuse a::b; \n\n\n\n\nfn g<'a>() { h(\"\", \"\", ' ', ' '); }\n";
    assert_eq!(product(text), expected);
}
