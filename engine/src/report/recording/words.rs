//! The words and tables of a recording: the verdict, the causes, the stutters, and the longest paths.

use std::borrow::Cow;

use super::cause::{Analysis, Blamed, CauseOfEvents, EventPath, Outcome, Unexplained};
use super::class::Class;
use super::cycles;
use super::known_thread::known_thread;
use super::last_time::{LastTime, drift};
use super::marks::{BEFORE_MARK, MarkAnswer, Marked};
use super::path::Segment;
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::report::model::kernel_thread;
use crate::report::model::known_program::known_program;
use crate::report::model::table::{Cell, Column, Table, TableBuilder};
use crate::report::model::verdict::Finding;
use crate::run::recording::{RecordedTier, Recording};
use crate::stats::Beat;
use crate::units::{
    capitalized, count_text, format_count, format_long_time, format_time, singular,
};

/// Max number of causes that the verdict names.
const MAX_NAMED: usize = 3;
/// Number of events whose paths are listed: the longest ones.
const MAX_PATHS: usize = 3;
/// Segments of a listed path below this share of the event are summed up.
const MIN_LISTED: f64 = 0.01;

/// The keys of the columns of a short report.
pub(in crate::report) const KEY_COLUMNS: &[&str] =
    &["events_count", "ordinary", "max_nanos", "lost_nanos", "rhythm"];

impl Blamed {
    /// Returns why, after a number of events: "because baloo_file had the CPU".
    pub fn because(&self) -> String {
        self.class.because(self.name.as_deref())
    }

    /// Returns the name of the class with the name of the culprit.
    pub fn title(&self) -> String {
        let class = self.class.row().name;
        self.name.as_ref().map_or_else(|| class.to_owned(), |name| format!("{class}: {name}"))
    }

    /// Returns what to do in a sentence; empty if nothing is known to help.
    pub fn advice(&self) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        let known = match self.class {
            Class::OtherProgram => known_program(name),
            Class::Kernel => kernel_thread(name),
            _ => None,
        };
        let by_thread = known_thread(name).filter(|known| known.class == Some(self.class));
        let by_thread = by_thread.map(|known| known.advice).filter(|advice| !advice.is_empty());
        known.unwrap_or_else(|| by_thread.unwrap_or(self.class.row().advice).to_owned())
    }
}

impl Unexplained {
    /// Returns the reason as the name of a row.
    const fn title(self) -> &'static str {
        match self {
            Self::NoDetail => "Not explained: no detail of this time is saved",
            Self::Clocks => "Not explained: the clocks of log and records differ too much",
            Self::NoPresenter => "Not explained: no thread presents the frames often enough",
            Self::NothingGrew => "Not explained: nothing grew by half of the excess",
        }
    }

    const ALL: [Self; 4] = [Self::NothingGrew, Self::NoDetail, Self::Clocks, Self::NoPresenter];
}

impl Outcome {
    fn title(&self) -> String {
        match self {
            Self::Cause(blamed) => blamed.title(),
            Self::Unexplained(reason) => reason.title().to_owned(),
        }
    }
}

impl CauseOfEvents {
    /// Returns the reason for a number of events, with "maybe" where the test does not confirm it.
    fn because(&self) -> String {
        let maybe = if self.is_sure { "" } else { "maybe " };
        format!("{} {maybe}{}", format_count(self.events.len()), self.blamed.because())
    }

    /// Returns in how many ordinary frames the culprit held the path for as long.
    fn ordinary_text(&self) -> String {
        let (count, all) = self.ordinary;
        match (count, all) {
            (_, 0) => "none recorded".to_owned(),
            (0, _) => format!("none of {}", format_count(all)),
            _ => format!("{} of {}", format_count(count), format_count(all)),
        }
    }
}

impl Analysis {
    /// Returns the causes that the verdict names.
    pub(in crate::report) fn named(&self) -> &[CauseOfEvents] {
        self.causes.get(..MAX_NAMED.min(self.causes.len())).unwrap_or_default()
    }

    /// Whether the verdict names a program, thread, or device.
    pub fn names(&self, name: &str) -> bool {
        let mut named = self.named().iter();
        named.any(|cause| cause.blamed.name.as_deref() == Some(name))
    }

    /// Returns the longest events with a path, the longest first.
    pub fn longest(&self) -> Vec<&EventPath> {
        let mut events: Vec<&EventPath> =
            self.events.iter().filter(|event| !event.path.is_empty()).collect();
        events.sort_by_key(|event| std::cmp::Reverse(event.excess()));
        events.truncate(MAX_PATHS);
        events
    }

    const fn noun(&self) -> &'static str {
        match (self.is_of_stalls, self.is_of_cycles) {
            (true, _) => "stalls",
            (_, true) => "late cycles",
            _ => "stutters",
        }
    }

    const fn ordinary_noun(&self) -> &'static str {
        match (self.is_of_stalls, self.is_of_cycles) {
            (true, _) => "wake-ups on time",
            (_, true) => "cycles on time",
            _ => "ordinary frames",
        }
    }
}

/// Returns the verdict on a recording.
pub(in crate::report) fn finding(recording: &Recording, analysis: &Analysis) -> Finding {
    if let Some(finding) = cycles::without_cycles(recording) {
        return finding;
    }
    let length = format_long_time(recording.length);
    let (cycles, of_cycles) = cycles::counted(recording);
    let above = match (analysis.is_of_stalls, analysis.is_of_cycles) {
        (true, _) => format!(" above {}", format_time(recording.limits.stall)),
        (_, true) => of_cycles,
        _ => String::new(),
    };
    let count =
        if analysis.is_of_stalls { recording.all_stalls_count() } else { analysis.events.len() };
    if count == 0 {
        let noun = singular(analysis.noun());
        return Finding::new(
            format!("No {noun}{above} in {length}."),
            evidence(recording, analysis),
        )
        .with_word("Recorded")
        .with_key(Some(format!("no {noun}")));
    }
    let mut parts: Vec<String> = analysis.named().iter().map(CauseOfEvents::because).collect();
    let others = analysis.causes.get(analysis.named().len()..).unwrap_or_default();
    let others: usize = others.iter().map(|cause| cause.events.len()).sum();
    parts.extend((0 < others).then(|| format!("{} for other reasons", format_count(others))));
    let unexplained = analysis.unexplained_count();
    parts.extend((0 < unexplained).then(|| format!("{} not explained", format_count(unexplained))));
    let omitted = count.saturating_sub(analysis.events.len());
    parts.extend((0 < omitted).then(|| {
        let until = format_time(recording.stalls_omitted_until);
        format!("{} of up to {until} counted only", format_count(omitted))
    }));
    let counted = if analysis.is_of_cycles { cycles } else { count_text(count, analysis.noun()) };
    let reasons = analysis.reworded(parts.join(", "));
    let sentence = format!("{counted}{above} in {length}: {reasons}.");
    let advice = analysis.causes.iter().map(|cause| analysis.advice(&cause.blamed));
    let advice = advice.into_iter().find(|advice| !advice.is_empty()).unwrap_or_default();
    Finding::new(sentence, evidence(recording, analysis))
        .with_word("Recorded")
        .with_advice(advice)
        .with_key(Some(counted))
}

/// Returns how often ordinary frames held the same culprits, or what was recorded.
fn evidence(recording: &Recording, analysis: &Analysis) -> String {
    let frames = format_count(recording.frames.len());
    let held = analysis.named().iter().filter(|cause| 0 < cause.ordinary.1).map(|cause| {
        let name = cause.blamed.name.as_deref().unwrap_or_else(|| cause.blamed.class.row().name);
        format!("{name} in {}", cause.ordinary_text())
    });
    let held: Vec<String> = held.collect();
    let ordinary = analysis.ordinary_noun();
    let mut sentences = Vec::new();
    if !held.is_empty() {
        sentences.push(format!("Held as long among {ordinary}: {}.", held.join(", ")));
    }
    sentences.extend(cycles::followed(recording).map(|followed| format!("Followed: {followed}.")));
    if !analysis.is_of_stalls && !analysis.is_of_cycles {
        sentences.push(format!("{frames} frames were recorded."));
    }
    if 0 < analysis.with_stall_count {
        let count = format_count(analysis.with_stall_count);
        sentences.push(format!("A canary stalled during {count} of the {}.", analysis.noun()));
    }
    sentences.extend(drift(recording, analysis));
    sentences.extend(LastTime::of(recording, analysis).map(|last| last.sentence()));
    sentences.join(" ")
}

/// A row of the table of causes: a cause, or a reason why there is none.
struct Why<'a> {
    title: String,
    cause: Option<&'a CauseOfEvents>,
    events: Vec<&'a EventPath>,
    is_named: bool,
    /// The period of the events, as one of some causes.
    beat: Option<Beat>,
}

/// Returns the tables: causes, events, and the parts of the longest paths.
pub(in crate::report) fn tables(recording: &Recording, analysis: &Analysis) -> Vec<Table> {
    let mut tables = vec![why(analysis)];
    tables.extend(cycles::table(recording));
    tables.extend((!analysis.marks.is_empty()).then(|| marks(analysis)));
    tables.extend(LastTime::of(recording, analysis).map(|last| last.table()));
    tables.extend([events(recording, analysis), paths(analysis)]);
    tables
}

/// Returns what each mark of the user is about: the longest frame of the seconds before it.
fn marks(analysis: &Analysis) -> Table {
    let rows: Vec<(usize, &Marked)> = (1..).zip(&analysis.marks).collect();
    let before = format_long_time(BEFORE_MARK);
    let noun = match (analysis.is_of_stalls, analysis.is_of_cycles) {
        (true, _) => "stall",
        (_, true) => "late cycle",
        _ => "frame",
    };
    let answer = |marked: &Marked| match marked.answer {
        MarkAnswer::Event(position) => {
            let event = analysis.events.get(position);
            let cause = event.map_or_else(String::new, |event| event.outcome.title());
            let (cause, noun) = (analysis.reworded(cause), capitalized(singular(analysis.noun())));
            format!("{noun} {}. {cause}.", position + 1)
        }
        MarkAnswer::Pause => "A pause, such as a loading screen.".to_owned(),
        MarkAnswer::NothingAbove(_) if analysis.is_of_cycles => {
            format!("No late cycle or overrun in these {before}.")
        }
        MarkAnswer::NoFrames if analysis.is_of_cycles => {
            format!("No cycle was recorded in these {before}.")
        }
        MarkAnswer::NothingAbove(limit) => format!(
            "No {noun} above {} in these {before}: look at network, sound, or input.",
            format_time(limit)
        ),
        MarkAnswer::NoFrames => format!("The log has no frame of these {before}."),
    };
    TableBuilder::new("marks", "Your marks", format!("the {before} before each"), &rows)
        .column(Column::count("number", "Number", "Number in order of time."), |row| row.0.into())
        .column(
            Column::setting("at_nanos", "At", "Time from the start of the recording to the mark."),
            |row| row.1.at.into(),
        )
        .column(
            Column::time(
                "max_nanos",
                "Longest",
                "Longest frame, stall, late cycle, or overrun in the seconds before it.",
            ),
            |row| match row.1.longest {
                Some(longest) => longest.into(),
                None => Cell::Absent(Cow::Owned(format!("no {noun}"))),
            },
        )
        .column(
            Column::text("answer", "What it was", "Whether that is an event, and its cause."),
            |row| Cell::text_of(answer(row.1)),
        )
        .finish()
}

/// Returns the rows of the table of causes: the causes, then the reasons why there is none.
fn why_rows(analysis: &Analysis) -> Vec<Why<'_>> {
    let mut rows: Vec<Why<'_>> = Vec::new();
    for (cause, position) in analysis.causes.iter().zip(0..) {
        let maybe = if cause.is_sure { "" } else { " (maybe)" };
        rows.push(Why {
            title: format!("{}{maybe}", analysis.title(&cause.blamed)),
            cause: Some(cause),
            events: cause.events.iter().filter_map(|at| analysis.events.get(*at)).collect(),
            is_named: position < MAX_NAMED,
            beat: None,
        });
    }
    for reason in Unexplained::ALL {
        let events = analysis.events.iter();
        let events = events.filter(|event| event.outcome == Outcome::Unexplained(reason));
        let events: Vec<&EventPath> = events.collect();
        if !events.is_empty() {
            let title = reason.title().to_owned();
            rows.push(Why { title, cause: None, events, is_named: true, beat: None });
        }
    }
    let looked = rows.len();
    for row in &mut rows {
        row.beat = Beat::find(row.events.iter().map(|event| event.at), looked);
    }
    rows
}

fn why(analysis: &Analysis) -> Table {
    let rows = why_rows(analysis);
    let all = analysis.events.len();
    let noun = capitalized(analysis.noun());
    let control = capitalized(analysis.ordinary_noun());
    let lost = |row: &Why<'_>| row.events.iter().fold(Nanos::ZERO, |sum, it| sum + it.excess());
    let longest = |row: &Why<'_>| row.events.iter().map(|event| event.length).max();
    let has_beat = rows.iter().any(|row| row.beat.is_some());
    let mut table = TableBuilder::new("causes", "Why", String::new(), &rows)
        .group("Cause")
        .column(Column::text("cause", "Why", "What grew most on the paths of these events."), |row| {
            Cell::text_of(row.title.clone())
        })
        .column(
            Column::count(
                "events_count",
                noun,
                "How many have this cause. The rows add up to all of them.",
            )
            .lower_is_better()
            .key_figure(),
            |row| row.events.len().into(),
        )
        .column(
            Column::text(
                "ordinary",
                control,
                "In how many the same culprit held the path for as long as in the shortest of these events.",
            ),
            |row| match row.cause {
                Some(cause) => Cell::text_of(cause.ordinary_text()),
                None => Cell::Absent(Cow::Borrowed("no culprit")),
            },
        )
        .column(
            Column::time("max_nanos", "Longest", "Longest of these events.").lower_is_better(),
            |row| longest(row).unwrap_or_default().into(),
        )
        .column(
            Column::time(
                "lost_nanos",
                "Time lost",
                "Sum of what these events took longer than the moving median.",
            )
            .lower_is_better(),
            |row| lost(row).into(),
        )
        .column(Column::share("events_share", "Share", "Share of all events.").optional(), |row| {
            Cell::Share(crate::stats::float(row.events.len()) / crate::stats::float(all.max(1)))
        })
        .column(
            Column::text(
                "rhythm",
                "Rhythm",
                "The period of these events, with how many of its beats had one; stated where chance has one in fewer than 1 \
                 of 100 recordings.",
            ),
            |row| match row.beat {
                Some(Beat { period, seen, beats }) => {
                    Cell::text_of(format!("every {} ({seen} of {beats})", format_time(period)))
                }
                None => Cell::Absent(Cow::Borrowed("has no period")),
            },
        )
        .column(
            Column::text("advice", "What to do", "What is likely to help against this cause."),
            |row| {
                let advice = row.cause.map(|cause| analysis.advice(&cause.blamed));
                let advice = advice.unwrap_or_default();
                if advice.is_empty() {
                    Cell::Absent(Cow::Borrowed("nothing is known to help"))
                } else {
                    Cell::text_of(advice)
                }
            },
        )
        .each_row(|row, to| to.is_private = !row.is_named)
        .finish();
    if !has_beat {
        table.remove("rhythm");
    }
    table
}

fn events(recording: &Recording, analysis: &Analysis) -> Table {
    let rows: Vec<(usize, &EventPath)> = (1..).zip(&analysis.events).collect();
    let (key, title) = match (analysis.is_of_stalls, analysis.is_of_cycles) {
        (true, _) => ("stalls", "Stalls"),
        (_, true) => ("late_cycles", "Late cycles and overruns"),
        _ => ("stutters", "Stutters"),
    };
    let [length, median, around] = if analysis.is_of_cycles {
        [
            "From when it was due until the thread slept again.",
            "Median",
            "Median of cycles on time.",
        ]
    } else {
        ["Frame time, or lateness.", "Moving median", "Median of the frames around it."]
    };
    let not_recorded = not_recorded(&recording.tier).join(", ");
    TableBuilder::new(key, title, String::new(), &rows)
        .column(Column::count("number", "Number", "Number in order of time."), |row| row.0.into())
        .column(
            Column::setting("at_nanos", "At", "Time from the start of the recording to its end."),
            |row| row.1.at.into(),
        )
        .column(Column::time("length_nanos", "Length", length), |row| row.1.length.into())
        .column(Column::time("median_nanos", median, around).optional(), |row| row.1.median.into())
        .column(Column::text("cause", "Cause", "What grew most on its path."), |row| {
            Cell::text_of(analysis.reworded(row.1.outcome.title()))
        })
        .column(
            Column::text("runner_up", "Runner-up", "What grew second most.").optional(),
            |row| match row.1.runner_up() {
                Some(next) => Cell::text_of(format!(
                    "{}, {} more",
                    analysis.title(&next.blamed),
                    format_time(next.growth())
                )),
                None => Cell::Absent(Cow::Borrowed("nothing else grew")),
            },
        )
        .column(
            Column::text(
                "excluded",
                "Excluded",
                "What the records would show, and what was not on the path.",
            )
            .optional(),
            |row| match excluded(&recording.tier, row.1) {
                words if words.is_empty() => Cell::Absent(Cow::Borrowed("no path")),
                words => Cell::text_of(words.join(", ")),
            },
        )
        .column(
            Column::text("not_recorded", "Not recorded", "What this recording could not show.")
                .optional(),
            |_| {
                if not_recorded.is_empty() {
                    Cell::Absent(Cow::Borrowed("everything was recorded"))
                } else {
                    Cell::text_of(not_recorded.clone())
                }
            },
        )
        .finish()
}

/// A row of the table of paths.
struct SentencePart<'a> {
    event: Nanos,
    segment: &'a Segment,
}

fn paths(analysis: &Analysis) -> Table {
    let mut rows = Vec::new();
    for event in analysis.longest() {
        let listed = event
            .path
            .iter()
            .filter(|segment| MIN_LISTED * event.length.as_f64() <= segment.length().as_f64());
        rows.extend(listed.map(|segment| SentencePart { event: event.at, segment }));
    }
    let note = format!("the {MAX_PATHS} longest, without parts below 1%");
    TableBuilder::new("paths", "Paths", note, &rows)
        .column(Column::setting("event_nanos", "Event at", "End of the event."), |row| {
            row.event.into()
        })
        .column(Column::setting("from_nanos", "From", "Start of the part."), |row| {
            row.segment.from.into()
        })
        .column(Column::time("length_nanos", "Length", "Length of the part."), |row| {
            row.segment.length().into()
        })
        .column(Column::text("thread", "Thread", "The thread that the path follows."), |row| {
            Cell::text_of(&*row.segment.thread)
        })
        .column(Column::text("class", "What", "What the path passed through."), |row| {
            let Segment { class, name, is_inferred, .. } = row.segment;
            let title = analysis.title(&Blamed { class: *class, name: name.clone() });
            Cell::text_of(if *is_inferred { format!("{title}, probably") } else { title })
        })
        .finish()
}

/// Returns what a tier does not record, in words.
pub(super) fn not_recorded(tier: &RecordedTier) -> Vec<&'static str> {
    let is_below = |source| tier.source < Some(source);
    let missing = [
        (is_below(TraceSource::OwnSwitches), "when threads ran"),
        (is_below(TraceSource::AllSwitches), "other programs"),
        (is_below(TraceSource::Kernel), "interrupts"),
        (!tier.has_wakeups, "who woke a thread"),
        (!tier.has_storage, "storage"),
        (!tier.has_reclaim, "reclaim of memory"),
        (!tier.has_page_faults, "page faults"),
    ];
    missing.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, name)| name).collect()
}

/// Returns the classes that the tier records and whose time on the path did not grow.
fn excluded(tier: &RecordedTier, event: &EventPath) -> Vec<&'static str> {
    if event.path.is_empty() {
        return Vec::new();
    }
    let sees_all = Some(TraceSource::AllSwitches) <= tier.source;
    let recorded = [
        (sees_all, Class::OtherProgram, "other programs"),
        (tier.source == Some(TraceSource::Kernel), Class::Kernel, "interrupts"),
        (tier.has_storage, Class::Storage, "storage"),
        (tier.has_reclaim && tier.has_page_faults, Class::Memory, "memory"),
        (sees_all, Class::Throttled, "quota"),
    ];
    let has_grown = |class: Class| {
        let growths = event.growths.iter().filter(|growth| growth.blamed.class == class);
        let grown = growths.fold(Nanos::ZERO, |sum, growth| sum + growth.growth());
        MIN_LISTED * event.length.as_f64() < grown.as_f64()
    };
    let excluded =
        recorded.into_iter().filter(|(is_recorded, class, _)| *is_recorded && !has_grown(*class));
    excluded.map(|(_, _, name)| name).collect()
}
