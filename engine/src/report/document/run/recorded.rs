//! What a document of a recording has in addition: what to do, the longest paths, and the quality of the recording.

use crate::nanos::Nanos;
use crate::report::document::{Block, Fact, FactsLook, Section, Step, drawn::Parts};
use crate::report::evaluate::recorded;
use crate::report::recording::{Analysis, Blamed, CauseOfEvents, Class, EventPath, quality};
use crate::report::{Cause, Report};
use crate::run::Run;
use crate::units::{count_text, format_clock, format_time};

/// Max number of causes with advice.
const MAX_STEPS: usize = 5;
/// Parts of a path below this share of it are summed up.
const MIN_SHARE: f64 = 0.02;
/// Max number of parts of a bar in order of time.
const MAX_PARTS: usize = 10;

/// Returns whether the verdict of a recording names a cause.
pub(super) fn names_a_cause(run: &Run, report: &Report) -> bool {
    recorded(run, report).is_some_and(|(_, analysis)| !analysis.named().is_empty())
}

/// Returns what to do about the causes that the verdict of a recording names, in the order of their rank; nothing for other
/// runs.
pub(crate) fn named_steps(run: &Run, report: &Report) -> Vec<Step> {
    let recorded = recorded(run, report);
    recorded.map(|(_, analysis)| steps(analysis, analysis.named())).unwrap_or_default()
}

fn steps(analysis: &Analysis, causes: &[CauseOfEvents]) -> Vec<Step> {
    let of_cause = |cause: &CauseOfEvents| {
        let (title, text) = (analysis.title(&cause.blamed), analysis.advice(&cause.blamed));
        (!text.is_empty()).then_some(Step { sign: None, title, text })
    };
    causes.iter().filter_map(of_cause).take(MAX_STEPS).collect()
}

/// Returns the blocks of a recording; none for other runs.
pub(super) fn blocks(run: &Run, report: &Report) -> Vec<Block> {
    let Some((_, analysis)) = recorded(run, report) else { return Vec::new() };
    let steps = steps(analysis, &analysis.causes);
    let mut blocks = Vec::new();
    if !steps.is_empty() {
        blocks.extend([Block::heading("What to do"), Block::Steps(steps)]);
    }
    let longest = analysis.longest();
    if !longest.is_empty() {
        let title = match (analysis.is_of_stalls, analysis.is_of_cycles) {
            (true, _) => "Longest stalls",
            (_, true) => "Longest late cycles",
            _ => "Longest stutters",
        };
        let note = "where the time went, followed back from waker to waker";
        let bars = longest.into_iter().map(|event| Block::Parts(parts(analysis, event))).collect();
        blocks.push(Block::Section(Section::new(title, note, bars)));
    }
    let facts = facts(run, report);
    blocks.push(Block::Section(Section::new(
        "Recording",
        "what was recorded, and what it cost",
        vec![Block::Facts(FactsLook::Pairs, facts)],
    )));
    blocks
}

fn facts(run: &Run, report: &Report) -> Vec<Fact> {
    let facts = recorded(run, report).map(|(recording, analysis)| quality(recording, analysis));
    let facts = facts.unwrap_or_default().into_iter();
    facts.map(|(is_good, name, value)| Fact::judged(is_good, name, value)).collect()
}

/// Returns the path of an event as a bar: the parts in order of time, or if a busy PC made them too many, one for all parts
/// of a kind, the longest first. Short parts are summed up at its end.
fn parts(analysis: &Analysis, event: &EventPath) -> Parts {
    let whole = event.length.as_f64().max(1.0);
    let part = |name: String, cause, length: Nanos| {
        (name, cause, length.as_f64() / whole, format_time(length))
    };
    let is_long = |length: Nanos| MIN_SHARE * whole <= length.as_f64();
    let mut all: Vec<(Blamed, Nanos)> = event
        .path
        .iter()
        .map(|it| (Blamed { class: it.class, name: it.name.clone() }, it.length()))
        .collect();
    if MAX_PARTS < all.iter().filter(|(_, length)| is_long(*length)).count() {
        all = event.growths.iter().map(|it| (it.blamed.clone(), it.time)).collect();
        all.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
    }
    let (long, short): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, length)| is_long(*length));
    let rest = short.iter().fold(Nanos::ZERO, |sum, (_, length)| sum + *length);
    let mut parts: Vec<_> = long
        .into_iter()
        .map(|(blamed, length)| part(analysis.title(&blamed), look(blamed.class), length))
        .collect();
    parts.extend(
        (!short.is_empty()).then(|| part(count_text(short.len(), "shorter parts"), None, rest)),
    );
    let at = format_clock(event.at);
    Parts {
        title: format!("Path at {at}"),
        ends: ["the event before".to_owned(), format!("{at}, {}", format_time(event.length))],
        parts,
    }
}

/// Returns the cause of a late sample whose color a class has.
const fn look(class: Class) -> Option<Cause> {
    match class {
        Class::OtherProgram | Class::Own | Class::Service => Some(Cause::Thread),
        Class::Kernel | Class::Device => Some(Cause::Interrupt),
        Class::Game => Some(Cause::PreviousFrame),
        Class::Memory | Class::Storage => Some(Cause::PageFault),
        Class::Throttled => Some(Cause::Quota),
        Class::Blocked | Class::Stopped | Class::SplitLock => Some(Cause::Blocked),
        Class::WaitedForCpu | Class::Overlay => Some(Cause::WaitedForCpu),
        Class::Timer | Class::LateTimer => Some(Cause::TimerLate),
        Class::AllStalled => Some(Cause::NoEvent),
        Class::Shaders | Class::Graphics => Some(Cause::DeepIdle),
        Class::NotExplained => None,
    }
}
