//! Escapes text that does not come from this program, such as names and notes, for the output
//! format.

use crate::format::is_unsafe_char;

/// Maximum number of characters of a name or label.
pub(super) const NAME: usize = 200;
/// Maximum number of characters of a note.
pub(super) const NOTE: usize = 10_000;

/// Returns a text as one line of at most `most` characters, without control characters and
/// invisible characters.
pub(super) fn single_line(text: &str, most: usize) -> String {
    let mut plain = String::new();
    let mut count = 0;
    for letter in text.chars() {
        if count == most {
            plain.push('…');
            break;
        }
        let letter = match letter {
            '\n' | '\t' => ' ',
            '\r' => continue,
            letter if is_unsafe_char(letter) => continue,
            letter => letter,
        };
        plain.push(letter);
        count += 1;
    }
    plain
}

/// Returns a name as one line, truncated if it is too long.
pub fn shown_name(name: &str) -> String {
    single_line(name, NAME)
}

/// Removes characters with which text could control a terminal: move its cursor, change colors, or
/// reverse the writing direction.
pub fn for_terminal(text: &str) -> String {
    text.chars().filter(|&letter| letter == '\n' || !is_unsafe_char(letter)).collect()
}

/// Escapes a line for the text of an HTML page or for a quoted attribute.
pub(super) fn html(text: &str, most: usize) -> String {
    escape(&single_line(text, most))
}

/// Escapes lines for the text of an HTML page.
pub(super) fn html_lines(text: &str, most: usize) -> String {
    let short: String = text.chars().take(most).collect();
    let lines: Vec<String> = short.lines().map(|one| html(one, most)).collect();
    let mut page = lines.join("\n");
    if short.len() < text.len() {
        page.push('…');
    }
    page
}

fn escape(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            letter => page.push(letter),
        }
    }
    page
}

/// An invisible character that permits no line break. It prevents names from becoming mentions, and
/// addresses from becoming links.
const WORD_JOINER: char = '\u{2060}';

/// Whether the colon or dot at position `at` belongs to the beginning of an address that renderers
/// turn into a link: `https://`, `www.`.
fn begins_address(line: &str, at: usize) -> bool {
    let (before, rest) = line.split_at_checked(at).unwrap_or_default();
    let is_host = || {
        let start = before.len().checked_sub("www".len()).and_then(|start| before.get(start..));
        start.is_some_and(|start| start.eq_ignore_ascii_case("www"))
    };
    rest.starts_with("://") || (rest.starts_with('.') && is_host())
}

/// Escapes a line for Markdown: it contains no formatting, link, mention, or table cell.
pub(super) fn markdown(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let line = single_line(text, most);
    for (at, letter) in line.char_indices() {
        match letter {
            '<' => shown.push_str("&lt;"),
            '&' => shown.push_str("&amp;"),
            // Renderers search for names and addresses after they resolve entities and escapes: an
            // escaped character would still become part of a link.
            '@' => {
                shown.push(letter);
                shown.push(WORD_JOINER);
            }
            ':' | '.' if begins_address(&line, at) => {
                shown.push(letter);
                shown.push(WORD_JOINER);
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '>' | '$' => {
                shown.push('\\');
                shown.push(letter);
            }
            letter => shown.push(letter),
        }
    }
    shown.trim().to_owned()
}

/// First characters of formulas; spreadsheets treat full-width characters like plain ones.
const FORMULA: [char; 12] = ['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠', '｜', '％'];

/// Returns the text of a cell, escaped so that no spreadsheet treats it as a formula.
pub(super) fn cell(text: &str) -> String {
    let plain = single_line(text, NOTE);
    if plain.trim_start().starts_with(FORMULA) { format!("'{plain}") } else { plain }
}

/// Returns a value without commas and quotes, for file formats without quoting.
pub(super) fn unquoted(text: &str) -> String {
    cell(&single_line(text, NAME).replace([',', '"', ';'], " ").replace("  ", " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_own_dangers() {
        assert_eq!(
            html("<b a='1'>\"&\"</b>", NAME),
            "&lt;b a=&#39;1&#39;&gt;&quot;&amp;&quot;&lt;/b&gt;"
        );
        assert_eq!(html("a\u{202e}b\u{0}c\nd", NAME), "abc d");
        assert_eq!(html(&"x".repeat(10_000), 5), "xxxxx…");
        assert_eq!(
            markdown("a|b *c* <d> @me [x](y)", NAME),
            "a\\|b \\*c\\* &lt;d\\> @\u{2060}me \\[x\\](y)"
        );
        assert_eq!(
            markdown("see https://a.example, WWW.b.example and at 12:30 awww. bob@c.example", NAME),
            "see https:\u{2060}//a.example, WWW.\u{2060}b.example and at 12:30 awww.\u{2060} \
             bob@\u{2060}c.example"
        );
        for formula in
            ["=cmd()", "+1", "-1", "@sum", "\t=x", "  =y", "＝cmd()", "＋1", "－1", "＠sum"]
        {
            assert!(cell(formula).starts_with('\''), "{formula}");
        }
        assert_eq!(cell("Normal"), "Normal");
        assert_eq!(for_terminal("a\u{1b}[31mb\u{202e}\r\n\u{7}c"), "a[31mb\nc");
        assert_eq!(unquoted("a, b \"c\""), "a b c ");
    }
}
