//! How samples of each cause are drawn: a color and a marker of their own.

use eframe::egui::Color32;
use jitterscope_engine::report::Cause;

use crate::theme::Tokens;
use crate::theme::tokens::Mark;

/// Color and marker of a cause, both its own, for plot, list and legend alike.
pub fn cause_look(tokens: &Tokens, cause: Cause) -> (Color32, Mark) {
    let (series, mark) = match cause {
        Cause::Preempted => (0, Mark::Circle),
        Cause::Moved => (1, Mark::Square),
        Cause::PageFault => (3, Mark::TriangleUp),
        Cause::Hypervisor => (4, Mark::TriangleDown),
        Cause::PreviousRanLong => (2, Mark::Cross),
        Cause::TimerLate => (6, Mark::Bar),
        Cause::WaitedForCpu => (5, Mark::Ring),
        Cause::Unknown => (7, Mark::Diamond),
    };
    (tokens.series(series).color, mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_a_color_and_a_mark_of_its_own() {
        for tokens in [&crate::theme::tokens::DARK, &crate::theme::tokens::LIGHT] {
            let looks = Cause::ALL.map(|cause| cause_look(tokens, cause));
            for (at, one) in looks.iter().enumerate() {
                for other in looks.iter().skip(at + 1) {
                    assert_ne!(one.0, other.0);
                    assert_ne!(one.1, other.1);
                }
            }
        }
    }
}
