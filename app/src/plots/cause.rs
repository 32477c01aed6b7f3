//! Styles of samples by cause: each combination of color and marker is unique.

use eframe::egui::Color32;
use jitterscope_engine::report::Cause;

use crate::theme::Tokens;
use crate::theme::tokens::Mark;

/// Returns color and marker of a cause, the same in plot, list, and legend.
pub fn cause_style(tokens: &Tokens, cause: Cause) -> (Color32, Mark) {
    let (_, mark, series) = cause.row().look;
    (tokens.series(series).color, mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_that_differ_have_different_marks() {
        for tokens in [&crate::theme::tokens::DARK, &crate::theme::tokens::LIGHT] {
            let distinct = Cause::ALL.into_iter().filter(|cause| *cause != Cause::NoEvent);
            let marks: Vec<Mark> = distinct.map(|cause| cause_style(tokens, cause).1).collect();
            for (at, one) in marks.iter().enumerate() {
                assert!(!marks[at + 1..].contains(one), "{one:?}");
            }
        }
    }
}
