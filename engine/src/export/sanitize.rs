//! Text that others supplied, made harmless for where it goes.

use crate::format::is_unsafe_char;

/// Letters of a name or label that are shown.
pub(super) const NAME: usize = 200;
/// Letters of a note that are shown.
pub(super) const NOTE: usize = 10_000;

/// One line of at most this many characters, without hidden ones.
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

/// A name in one line, cut where it is absurdly long.
pub fn shown_name(name: &str) -> String {
    single_line(name, NAME)
}

/// Lines that a terminal only shows: nothing in them moves its cursor, colors it or turns the direction
/// of writing.
pub fn for_terminal(text: &str) -> String {
    text.chars().filter(|&letter| letter == '\n' || !is_unsafe_char(letter)).collect()
}

/// A line as text of an HTML page or of an attribute in quotes.
pub(super) fn html(text: &str, most: usize) -> String {
    escape(&single_line(text, most))
}

/// Lines as text of an HTML page.
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

/// A letter without width, at which no line ends: prevents a name from being mentioned, and an address from
/// becoming a link.
const WORD_JOINER: char = '\u{2060}';

/// Whether renderers make a link of what this colon or dot of a line belongs to: `https://`, `www.`.
fn begins_address(line: &str, at: usize) -> bool {
    let (before, rest) = line.split_at_checked(at).unwrap_or_default();
    let is_host = || {
        let start = before.len().checked_sub("www".len()).and_then(|start| before.get(start..));
        start.is_some_and(|start| start.eq_ignore_ascii_case("www"))
    };
    rest.starts_with("://") || (rest.starts_with('.') && is_host())
}

/// A line of Markdown that is shown as it is: no formatting, no link, no mention, no cell.
pub(super) fn markdown(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let line = single_line(text, most);
    for (at, letter) in line.char_indices() {
        match letter {
            '<' => shown.push_str("&lt;"),
            '&' => shown.push_str("&amp;"),
            // Renderers look for names and addresses once entities and escapes are letters again.
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

/// What formulas begin with; spreadsheets take full-width letters for plain ones.
const FORMULA: [char; 12] = ['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠', '｜', '％'];

/// A cell that no spreadsheet takes for a formula.
pub(super) fn cell(text: &str) -> String {
    let plain = single_line(text, NOTE);
    if plain.trim_start().starts_with(FORMULA) { format!("'{plain}") } else { plain }
}

/// A value of a file whose values are never quoted: no comma, no quote.
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
