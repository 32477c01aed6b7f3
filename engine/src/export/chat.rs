//! The result of a run as plain text for a chat: whole sentences, of which the last ones are dropped where a
//! message has no room for all of them.

use super::Headline;
use crate::report::Report;
use crate::report::document::run::recorded_steps;
use crate::run::Run;

/// Maximum number of characters; some chats limit a message to these.
const MAX_LETTERS: usize = 2_000;
/// Maximum number of characters of one line.
const MAX_LINE: usize = 600;

/// Returns the answer, what to do about each cause in the order of their rank, the numbers behind the answer, and at the end
/// a line about hardware, drivers, and system.
pub(super) fn text(run: &Run, report: &Report, headline: &Headline) -> String {
    let steps = recorded_steps(run, report);
    let mut further: Vec<String> =
        steps.into_iter().map(|step| format!("{}: {}", step.title, step.text)).collect();
    if further.is_empty() {
        further.push(headline.advice.clone());
    }
    further.push(headline.evidence.clone());
    let mut lines = vec![line(&headline.sentence)];
    let about = line(&about(run));
    let length = |line: &String| line.chars().count() + 1;
    let mut room = MAX_LETTERS.saturating_sub(length(&lines[0]) + length(&about));
    for text in further.iter().filter(|text| !text.is_empty()) {
        let line = line(text);
        let Some(rest) = room.checked_sub(length(&line)) else { break };
        room = rest;
        lines.push(line);
    }
    lines.push(about);
    lines.join("\n")
}

/// Returns a text as a line in which no name can call the members of a chat.
fn line(text: &str) -> String {
    text.replace('@', "@\u{200b}").chars().take(MAX_LINE).collect()
}

/// Returns hardware, drivers, and system as far as they are known, and the version of this program.
fn about(run: &Run) -> String {
    let machine = &run.machine;
    let driver = machine.gpu_driver.as_ref().map(|driver| format!("driver {driver}"));
    let known = [machine.cpu_model.clone(), machine.gpu.clone(), driver, machine.known_system()];
    let mut known: Vec<String> = known.into_iter().flatten().collect();
    known.push(format!("Jitterscope {}", run.app_version));
    known.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::{Options, chat};
    use super::*;
    use crate::plan::{FrameLoop, Plan};
    use crate::report::Options as ReportOptions;
    use crate::report::recording::tests::simulated::{Game, Injected, Tier};
    use crate::report::tests::test_run::run_of;
    use crate::run::Subject;

    fn recorded() -> Run {
        let mut game = Game::new(7);
        game.play(300);
        for injected in [Injected::OtherProgram, Injected::Shaders, Injected::OtherProgram] {
            game.frame(Some(injected));
            game.play(200);
        }
        let mut run = run_of(Plan::FrameLoop(FrameLoop::default()), |_| ());
        run.subject = Subject::Recorded(Box::new(game.recording(Tier::Kernel)));
        run.machine.gpu = Some("GeForce RTX 3080".to_owned());
        run.machine.gpu_driver = Some("570.86".to_owned());
        run
    }

    #[test]
    fn a_message_has_the_answer_what_to_do_and_the_drivers() {
        let run = recorded();
        let report = Report::of(&run, &ReportOptions::default());
        let text = chat(&run, &report, &Options::default());
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with(&report.sentence()), "{text}");
        assert!(lines.iter().any(|line| line.contains("shader cache")), "{text}");
        let last = lines[lines.len() - 1];
        assert!(last.contains("GeForce RTX 3080, driver 570.86"), "{text}");
    }

    #[test]
    fn a_message_fits_and_drops_whole_lines_from_the_end() {
        let run = recorded();
        let report = Report::of(&run, &ReportOptions::default());
        let mut headline = Headline::of(&run, &report, String::new());
        headline.sentence = format!("@everyone {}", "a".repeat(3_000));
        headline.evidence = "b".repeat(3_000);
        let text = text(&run, &report, &headline);
        assert!(text.chars().count() <= MAX_LETTERS, "{}", text.chars().count());
        assert!(!text.contains("@everyone"));
        let all = recorded_steps(&run, &report);
        let shown = all.iter().take_while(|step| text.contains(&step.text)).count();
        assert!(0 < shown, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= MAX_LINE));
    }
}
