//! The result of a run as plain text for a chat: lines, of which the last ones are dropped where a message has no room for
//! all of them; a long line is cut.

use super::Headline;
use crate::report::Report;
use crate::report::document::run::named_steps;
use crate::run::Run;
use crate::units::count_text;

/// Maximum number of characters; some chats limit a message to these.
const MAX_LETTERS: usize = 2_000;
/// Maximum number of characters of one line.
const MAX_LINE: usize = 600;
/// Room for the line that counts the lines for which there was no room.
const MAX_OMITTED: usize = 40;

/// Returns the answer, what to do about each cause that it names as far as something is known to help, the numbers behind the
/// answer, and at the end a line about hardware, drivers, and system.
pub(super) fn text(run: &Run, report: &Report, headline: &Headline) -> String {
    // Other names are letters by now, which say nothing to a reader.
    let steps = named_steps(run, report);
    let mut further: Vec<String> =
        steps.into_iter().map(|step| format!("{}: {}", step.title, step.text)).collect();
    if further.is_empty() {
        further.push(headline.advice.clone());
    }
    further.push(headline.evidence.clone());
    let mut lines = vec![line(&headline.sentence)];
    let about = line(&about(run));
    let length = |line: &String| line.chars().count() + 1;
    let mut room = MAX_LETTERS.saturating_sub(length(&lines[0]) + length(&about) + MAX_OMITTED);
    let mut omitted_count = 0;
    for text in further.iter().filter(|text| !text.is_empty()) {
        let line = line(text);
        match room.checked_sub(length(&line)) {
            Some(rest) if omitted_count == 0 => {
                room = rest;
                lines.push(line);
            }
            _ => omitted_count += 1,
        }
    }
    if 0 < omitted_count {
        lines.push(format!("Not shown here: {}.", count_text(omitted_count, "more lines")));
    }
    lines.push(about);
    lines.join("\n")
}

/// Returns a text as a line in which no name can call the members of a chat.
fn line(text: &str) -> String {
    let text = text.replace('@', "@\u{200b}");
    match text.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
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
    use super::super::{Identity, Options, chat};
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
        let user = Options {
            leave_out: Identity { users: vec!["baloo_file".to_owned()], ..Identity::default() },
            ..Options::default()
        };
        assert!(text.contains("baloo_file"));
        assert!(!chat(&run, &report, &user).contains("baloo_file"), "a user's name");
    }

    #[test]
    fn a_message_fits_and_drops_whole_lines_from_the_end() {
        let mut run = recorded();
        let report = Report::of(&run, &ReportOptions::default());
        let mut headline = Headline::of(&run, &report, String::new());
        headline.sentence = format!("@everyone {}", "a".repeat(3_000));
        headline.evidence = "b".repeat(3_000);
        let text = text(&run, &report, &headline);
        assert!(text.chars().count() <= MAX_LETTERS, "{}", text.chars().count());
        assert!(!text.contains("@everyone"));
        assert!(text.lines().all(|line| line.chars().count() <= MAX_LINE + 1), "{text}");
        let all = named_steps(&run, &report);
        assert_eq!(all.len(), 2, "both have advice");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].ends_with(&all[0].text) && lines[2].ends_with(&all[1].text), "{text}");
        assert!(lines[3].ends_with("b…"), "{text}");
        assert_eq!(lines[4], about(&run), "{text}");
        headline.sentence = "a".repeat(500);
        headline.evidence = "b".repeat(500);
        run.machine.cpu_model = Some("c".repeat(590));
        run.machine.gpu = Some("d".repeat(590));
        let text = super::text(&run, &report, &headline);
        assert!(text.chars().count() <= MAX_LETTERS, "{}", text.chars().count());
    }
}
