//! JSON that can be embedded in an HTML page.

use std::fmt::Write as _;

/// Passes on JSON so that it can be embedded in a page: nothing in it can end its element.
pub(super) struct HtmlSafeWriter<'a>(pub(super) &'a mut dyn std::io::Write);

impl std::io::Write for HtmlSafeWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Outside of its texts, JSON has none of these; inside, an escape represents the same
        // letter.
        for piece in bytes.split_inclusive(|byte| b"<>&".contains(byte)) {
            match piece.split_last() {
                Some((last @ (b'<' | b'>' | b'&'), before)) => {
                    self.0.write_all(before)?;
                    let mut escape = String::new();
                    // Writing to a string cannot fail.
                    let _ok = write!(escape, "\\u{last:04x}");
                    self.0.write_all(escape.as_bytes())?;
                }
                _ => self.0.write_all(piece)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn json_in_a_page_cannot_end_its_element() {
        let mut page = Vec::new();
        HtmlSafeWriter(&mut page).write_all(br#"{"a":"</script><!--&"}"#).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page, r#"{"a":"\u003c/script\u003e\u003c!--\u0026"}"#);
    }
}
