//! Styles of samples by cause: each combination of color and marker is unique.

use eframe::egui::Color32;
use jitterscope_engine::report::Cause;

use crate::theme::Tokens;
use crate::theme::tokens::Mark;

/// Returns color and marker of a cause, the same in plot, list, and legend.
pub fn cause_style(tokens: &Tokens, cause: Cause) -> (Color32, Mark) {
    let (series, mark) = match cause {
        Cause::Thread => (0, Mark::Circle),
        Cause::WaitedForCpu => (5, Mark::Ring),
        Cause::Interrupt => (6, Mark::Diamond),
        Cause::PageFault => (3, Mark::TriangleUp),
        // These two causes share a style: steal is detected when no event is recorded, so both
        // causes describe the same situation.
        Cause::Hypervisor | Cause::NoEvent => (4, Mark::TriangleDown),
        Cause::TimerLate => (1, Mark::Square),
        Cause::DeepIdle => (1, Mark::HollowSquare),
        Cause::PreviousFrame => (2, Mark::Cross),
        Cause::Blocked => (2, Mark::Plus),
        Cause::NotObservable => (7, Mark::HollowDiamond),
    };
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
