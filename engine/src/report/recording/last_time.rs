//! How often a game stuttered compared with last time: rates per 10 minutes of play, all together and by cause.

use std::borrow::Cow;

use jiff::tz::TimeZone;

use super::cause::{Analysis, Blamed, EventPath, Outcome as CauseOutcome, Unexplained};
use crate::nanos::Nanos;
use crate::report::model::table::{Cell, Column, Table, TableBuilder};
use crate::run::Run;
use crate::run::recording::{EarlierCause, EarlierRecording, Recording};
use crate::sample;
use crate::stats::effect::{Effect, Estimated, Outcome, holm_levels};
use crate::stats::stutter::PAUSE;
use crate::stats::{EventSeries, rate_difference};
use crate::units::{count_text, format_long_time};

/// A change of a rate below this share of the earlier one is too small to matter.
const MIN_EFFECT: f64 = 0.1;

/// How often something happened in two recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRate {
    /// What happened: "All stutters", or the name of a cause.
    pub title: String,
    /// Number of events, in the earlier recording and in the later one.
    pub counts: [usize; 2],
    /// Number of times per 10 min of play, in the earlier recording and in the later one. What happens within 5 s of the
    /// time before counts once.
    pub rates: [f64; 2],
    /// The change; without an interval where the events are too few.
    pub effect: Effect,
    /// Whether these are the events without a cause: how many there are depends on what was recorded as well.
    pub is_unexplained: bool,
    /// Whether a report may name the culprit.
    is_named: bool,
}

impl ComparedRate {
    /// Creates a row without rates.
    const fn new(title: String, counts: [usize; 2], is_named: bool) -> Self {
        let effect = Effect::without_interval(0.0, 0.0);
        Self { title, counts, rates: [0.0; 2], effect, is_unexplained: false, is_named }
    }

    /// Returns the result of the change.
    pub fn outcome(&self) -> Outcome {
        self.effect.outcome(self.effect.difference < 0.0)
    }

    /// Returns the rates with the result: "All stutters: 12 to 2 per 10 min, clear".
    pub fn words(&self) -> String {
        let [before, now] = self.rates.map(rate_text);
        format!("{}: {before} to {now} per 10 min, {}", self.title, self.word())
    }

    /// Returns whether the change is clear, in words.
    fn word(&self) -> &'static str {
        match self.rates {
            [0.0, 0.0] => "none in both",
            _ if self.effect.interval.is_none() => "too short to say",
            _ if self.effect.is_certain() => "clear",
            _ => "not clear",
        }
    }
}

/// Causes are compared where of this many events, at most one had too few records.
const MAX_UNJUDGED: u64 = 10;

/// A drift within a recording is stated where chance has one in fewer cases.
const MAX_DRIFT_CHANCE: f64 = 0.01;

/// A recording compared with an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub struct LastTime {
    /// The ID of the earlier recording, and the day on which it began.
    pub earlier: [String; 2],
    /// How long was played, in the earlier recording and in the later one.
    pub plays: [Nanos; 2],
    /// All events, then those of each cause.
    pub rates: Vec<ComparedRate>,
    noun: &'static str,
    /// Whether the causes are compared.
    has_causes: bool,
}

impl EarlierRecording {
    /// Returns what a later recording is compared with; `None` if the run is no recording. Time: that of its analysis.
    pub fn of(run: &Run) -> Option<Self> {
        let recording = run.recording()?;
        let own = Self::of_analysis(recording, &Analysis::of(recording));
        Some(Self { id: run.id.to_string(), started_at: run.started_at, ..own })
    }

    fn of_analysis(recording: &Recording, analysis: &Analysis) -> Self {
        let (mut play, mut at) = (Nanos::ZERO, Vec::new());
        let mut events = analysis.events.iter().map(|event| event.at).peekable();
        for (presented, frame_time) in recording.frames.iter() {
            if frame_time <= PAUSE {
                play += frame_time;
            }
            while events.next_if(|event| *event <= presented).is_some() {
                at.push(play);
            }
        }
        if analysis.is_of_stalls {
            play = recording.length;
            at.extend(events);
        }
        let of = |positions: &mut dyn Iterator<Item = usize>| {
            let times = positions.filter_map(|position| at.get(position));
            let mut column = sample::Column::new();
            times.for_each(|at| column.push(at.get()));
            column
        };
        let causes = analysis.causes.iter().map(|cause| EarlierCause {
            blamed: Some(cause.blamed.save()),
            at: of(&mut cause.events.iter().copied()),
        });
        let is_unexplained = |position: &usize| {
            let event = analysis.events.get(*position);
            event.is_some_and(|event| matches!(event.outcome, CauseOutcome::Unexplained(_)))
        };
        let unjudged_count = analysis.events.iter().filter(|event| is_unjudged(event)).count();
        let unexplained = of(&mut (0..analysis.events.len()).filter(is_unexplained));
        let unexplained = EarlierCause { blamed: None, at: unexplained };
        let causes = causes.chain([unexplained]).filter(|cause| !cause.at.is_empty()).collect();
        Self {
            play,
            causes,
            source: recording.tier.source,
            unjudged_count: u64::try_from(unjudged_count).unwrap_or(u64::MAX),
            ..Self::default()
        }
    }

    /// Whether the records showed the cause of nearly all events, as far as there was one.
    fn shows_causes(&self) -> bool {
        let all: usize = self.causes.iter().map(|cause| cause.at.len()).sum();
        self.unjudged_count.saturating_mul(MAX_UNJUDGED) <= u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// Returns when the events of some causes happened, in time of play and in order.
    fn times(&self, is_of: impl Fn(Option<&Blamed>) -> bool) -> Vec<Nanos> {
        let own = self
            .causes
            .iter()
            .filter(|cause| is_of(cause.blamed.as_ref().map(Blamed::from_saved).as_ref()));
        let mut at: Vec<Nanos> = own.flat_map(|cause| cause.at.values().map(Nanos::new)).collect();
        at.sort_unstable();
        at
    }
}

/// Whether the records of an event were too few to judge its cause.
fn is_unjudged(event: &EventPath) -> bool {
    use Unexplained::{Clocks, NoDetail, NoPresenter, NothingGrew};
    match event.outcome {
        CauseOutcome::Unexplained(NoDetail | Clocks | NoPresenter) => true,
        CauseOutcome::Unexplained(NothingGrew) | CauseOutcome::Cause(_) => false,
    }
}

/// Returns why how often something happened in two recordings cannot be compared; `None` if it can.
pub fn incomparable(earlier: &Recording, later: &Recording) -> Option<&'static str> {
    let sides = [earlier, later];
    let [is_of_this_pc, other] = sides.map(|side| side.frames.is_empty());
    let [limits, other_limits] = sides.map(|side| side.limits);
    if sides.iter().any(|side| side.is_of_thread()) {
        Some("recordings of a thread are not compared: rates per 10 min of play are those of games")
    } else if is_of_this_pc != other {
        Some("one recording is of a game, the other of this PC alone")
    } else if !is_of_this_pc && limits.stutter_permille != other_limits.stutter_permille {
        Some("the recordings have different limits of a stutter")
    } else if is_of_this_pc && limits.stall != other_limits.stall {
        Some("the recordings have different limits of a stall")
    } else if is_of_this_pc && sides.iter().any(|side| Nanos::ZERO < side.stalls_omitted_until) {
        Some("a recording has more stalls than it could save")
    } else {
        None
    }
}

impl LastTime {
    /// Compares a recording with the one before; `None` if none is known.
    pub fn of(recording: &Recording, analysis: &Analysis) -> Option<Self> {
        Some(Self::compare(recording.earlier.as_ref()?, recording, analysis))
    }

    /// Compares a recording with an earlier one.
    pub fn compare(earlier: &EarlierRecording, recording: &Recording, analysis: &Analysis) -> Self {
        let later = EarlierRecording::of_analysis(recording, analysis);
        let noun = if analysis.is_of_stalls { "stalls" } else { "stutters" };
        let mut blamed: Vec<Option<Blamed>> = Vec::new();
        for cause in later.causes.iter().chain(&earlier.causes) {
            let known = cause.blamed.as_ref().map(Blamed::from_saved);
            if !blamed.contains(&known) {
                blamed.push(known);
            }
        }
        let sides = [earlier, &later];
        let row = |title: String, is_named, is_of: &dyn Fn(Option<&Blamed>) -> bool| {
            let times = sides.map(|side| side.times(is_of));
            let counts = times.each_ref().map(Vec::len);
            let mut lengths = sides.map(|side| side.play).into_iter();
            let series = times.map(|at| EventSeries::new(at, lengths.next().unwrap_or_default()));
            (ComparedRate::new(title, counts, is_named), series)
        };
        let all = row(format!("All {noun}"), true, &|_| true);
        // What only one of the two could see would seem to have come or gone.
        let has_causes = earlier.source == later.source && sides.iter().all(|it| it.shows_causes());
        let blamed = if has_causes { blamed } else { Vec::new() };
        let each = blamed.iter().map(|blamed| {
            let name = blamed.as_ref().and_then(|blamed| blamed.name.as_deref());
            let title = blamed.as_ref().map_or_else(|| "Not explained".to_owned(), Blamed::title);
            let is_named = name.is_none_or(|name| analysis.names(name));
            let (rate, series) = row(title, is_named, &|other| other == blamed.as_ref());
            (ComparedRate { is_unexplained: blamed.is_none(), ..rate }, series)
        });
        let rows: Vec<(ComparedRate, [EventSeries; 2])> =
            std::iter::once(all).chain(each).collect();
        let estimates: Vec<Option<Estimated>> =
            rows.iter().map(|(_, [a, b])| rate_difference([a, b])).collect();
        let probabilities: Vec<f64> =
            estimates.iter().flatten().map(Estimated::probability).collect();
        let mut levels = holm_levels(&probabilities).into_iter();
        let rates = rows.into_iter().zip(estimates).map(|((rate, series), estimated)| {
            let rates = series.each_ref().map(EventSeries::rate);
            let minimum = MIN_EFFECT * rates[0];
            // Only what is estimated has a level.
            let leveled = estimated.and_then(|estimated| Some((estimated, levels.next()?)));
            let effect = match leveled {
                Some((estimated, level)) => estimated.effect(level, minimum),
                None => Effect::without_interval(rates[1] - rates[0], minimum),
            };
            ComparedRate { rates, effect, ..rate }
        });
        let began = earlier.started_at.to_zoned(TimeZone::system());
        Self {
            earlier: [earlier.id.clone(), began.strftime("%Y-%m-%d").to_string()],
            plays: [earlier.play, later.play],
            rates: rates.collect(),
            noun,
            has_causes,
        }
    }

    /// Returns the comparison in a sentence: "Last time (0a1b2c3d, 2025-11-21): stutters came 12 to 2 times per 10 min of play, clear."
    pub fn sentence(&self) -> String {
        let [id, day] = &self.earlier;
        let Some(all) = self.rates.first() else { return String::new() };
        let [before, now] = all.rates.map(rate_text);
        let of = if self.noun == "stalls" { "" } else { " of play" };
        let change = match all.rates {
            [0.0, 0.0] => format!("no {}, as now", self.noun),
            // A rate would state more than few minutes show.
            _ if all.effect.interval.is_none() => {
                let [before, now] = all.counts;
                let [earlier, later] = self.plays.map(format_long_time);
                let before = count_text(before, self.noun);
                format!("{before} in {earlier}{of}, now {now} in {later}, {}", all.word())
            }
            _ => {
                format!("{} came {before} to {now} times per 10 min{of}, {}", self.noun, all.word())
            }
        };
        format!("Last time ({id}, {day}): {change}.")
    }

    /// Returns the table of rates.
    pub fn table(&self) -> Table {
        let [before, now] = self.plays.map(format_long_time);
        let [id, day] = &self.earlier;
        let causes = if self.has_causes {
            ""
        } else {
            "; no causes, since the records of the two do not show the same"
        };
        let note = format!("{before} recorded as {id} on {day}, then {now}{causes}");
        let number =
            |key, title, definition| Column::number(key, title, "per 10 min", 1, definition);
        TableBuilder::new("last_time", "Last time", note, &self.rates)
            .group("Cause")
            .column(Column::text("cause", "Why", "All, and each cause."), |row| {
                Cell::text_of(row.title.clone())
            })
            .column(
                number(
                    "earlier_rate",
                    "Last time",
                    "How often it came per 10 min of play in the earlier recording; what comes within 5 s of the time before \
                     counts once.",
                )
                .lower_is_better(),
                |row| Cell::Number(row.rates[0]),
            )
            .column(
                number("rate", "This time", "How often it came in this recording.").lower_is_better(),
                |row| Cell::Number(row.rates[1]),
            )
            .column(
                number(
                    "change_interval",
                    "Change, 95% interval",
                    "The change by more than chance and bursts make of it, for all rows together.",
                )
                .interval(),
                |row| match row.effect.interval {
                    Some((low, high)) => Cell::Interval(crate::report::model::table::Quantity::Number, low, high),
                    None => Cell::Absent(Cow::Borrowed("too few to say")),
                },
            )
            .column(
                Column::text("result", "Result", "Clear: the interval of the change excludes 0."),
                |row| {
                    let absent = if row.rates[1] == 0.0 && 0.0 < row.rates[0] {
                        ": did not occur this time"
                    } else {
                        ""
                    };
                    Cell::text_of(format!("{}{absent}", row.word()))
                },
            )
            .each_row(|row, to| to.is_private = !row.is_named)
            .finish()
    }
}

/// Returns in a sentence whether events came more often in the last third of what was played than in the first, or less often;
/// `None` where that is not clear.
pub(super) fn drift(recording: &Recording, analysis: &Analysis) -> Option<String> {
    let own = EarlierRecording::of_analysis(recording, analysis);
    let (times, third) = (own.times(|_| true), Nanos::new(own.play.get() / 3));
    let part = |from: Nanos| {
        let at = times.iter().map(|at| *at - from);
        EventSeries::new(at.filter(|at| Nanos::ZERO <= *at && *at < third), third)
    };
    let [first, last] = [Nanos::ZERO, third + third].map(part);
    let effect = rate_difference([&first, &last])?.effect(MAX_DRIFT_CHANCE, 0.0);
    let words = if effect.difference < 0.0 { "Less and less" } else { "More and more" };
    let [before, now] = [first, last].map(|part| rate_text(part.rate()));
    effect
        .is_certain()
        .then(|| format!("{words}: {before} per 10 min in the first third, {now} in the last."))
}

/// Returns a rate with a decimal where it is small: "12", "1.5".
fn rate_text(rate: f64) -> String {
    if rate < 9.95 {
        format!("{rate:.1}").trim_end_matches(".0").to_owned()
    } else {
        format!("{rate:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::recording::{SavedAnswers, SavedBlame, SavedCause, SavedEvent};

    /// Returns a recording of half an hour at 10 FPS with stutters of 300 ms at these seconds of play, and after 10 min a
    /// pause of a minute. Each stutter is blamed on a program.
    fn recording(stutters: &[(u32, &str)]) -> Recording {
        let mut recording = Recording { label: "game".to_owned(), ..Recording::default() };
        let blame = |name: &str| SavedBlame {
            class: crate::report::recording::Class::OtherProgram.row().key.to_owned(),
            name: Some(name.to_owned()),
        };
        let mut answers = SavedAnswers::default();
        let mut at = Nanos::ZERO;
        for second in 0..1_800 {
            if second == 600 {
                at += Nanos::from_secs(60);
                recording.frames.push(at, Nanos::from_secs(60));
            }
            let name = stutters.iter().find(|(own, _)| *own == second).map(|(_, name)| *name);
            let lengths: &[i64] = if name.is_some() { &[300, 700] } else { &[500, 500] };
            for length in lengths {
                at += Nanos::from_millis(*length);
                recording.frames.push(at, Nanos::from_millis(*length));
            }
            if let Some(name) = name {
                let position = u64::try_from(answers.events.len()).unwrap();
                answers.events.push(SavedEvent {
                    at,
                    cause: Some(blame(name)),
                    ..SavedEvent::default()
                });
                match answers.causes.iter_mut().find(|cause| cause.blamed == blame(name)) {
                    Some(cause) => cause.events.push(position),
                    None => answers.causes.push(SavedCause {
                        blamed: blame(name),
                        events: vec![position],
                        ..SavedCause::default()
                    }),
                }
            }
        }
        recording.length = at;
        recording.answers = Some(answers);
        recording
    }

    fn compare(earlier: &Recording, later: &Recording) -> LastTime {
        let of = EarlierRecording::of_analysis(earlier, &Analysis::of(earlier));
        let earlier = EarlierRecording { id: "0a1b2c3d".to_owned(), ..of };
        let recording = Recording { earlier: Some(earlier), ..later.clone() };
        LastTime::of(&recording, &Analysis::of(&recording)).unwrap()
    }

    fn drift_of(stutters: &[(u32, &str)]) -> Option<String> {
        let recording = recording(stutters);
        drift(&recording, &Analysis::of(&recording))
    }

    #[test]
    fn rates_are_of_play_and_a_cause_that_is_gone_did_not_occur() {
        // 36 bursts of two by baloo_file, three by steam, and later six by steam.
        let before: Vec<(u32, &str)> = (0..36_u32)
            .flat_map(|burst| [(20 + 49 * burst, "baloo_file"), (23 + 49 * burst, "baloo_file")])
            .chain([(1_786, "steam"), (1_792, "steam"), (1_798, "steam")])
            .collect();
        let after: Vec<(u32, &str)> = (0..6).map(|at| (100 + 290 * at, "steam")).collect();
        let last = compare(&recording(&before), &recording(&after));
        assert_eq!(last.plays, [Nanos::from_secs(1_800); 2], "without the pause");
        assert_eq!(
            last.sentence(),
            format!(
                "Last time (0a1b2c3d, {}): stutters came 13 to 2 times per 10 min of play, clear.",
                last.earlier[1]
            )
        );
        let rows: Vec<(&str, [f64; 2], Outcome)> = last
            .rates
            .iter()
            .map(|rate| (rate.title.as_str(), rate.rates, rate.outcome()))
            .collect();
        let [all, steam, baloo] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((all.0, all.1, all.2), ("All stutters", [13.0, 2.0], Outcome::Better));
        assert_eq!((steam.1, steam.2), ([1.0, 2.0], Outcome::NoClearDifference));
        assert!(steam.0.contains("steam") && baloo.0.contains("baloo_file"), "{rows:?}");
        assert_eq!((baloo.1, baloo.2), ([12.0, 0.0], Outcome::Better));
        let table = last.table();
        let results: Vec<String> =
            table.rows.iter().map(|row| table.texts(row)[4].clone()).collect();
        assert_eq!(results, ["clear", "not clear", "clear: did not occur this time"]);

        assert_eq!(
            drift_of(&[(10, "a"), (300, "a"), (600, "b"), (1_000, "a"), (1_500, "a")]),
            None
        );
        let more = (0..14).map(|at| (1_205 + 40 * at, "a")).chain([(100, "a")]);
        let more: Vec<(u32, &str)> = more.collect();
        let said = "More and more: 1 per 10 min in the first third, 14 in the last.";
        assert_eq!(drift_of(&more).as_deref(), Some(said));

        let back = compare(&recording(&after), &recording(&before));
        assert_eq!(back.rates[0].outcome(), Outcome::Worse);
        let few =
            compare(&recording(&[(100, "steam")]), &recording(&[(100, "steam"), (500, "steam")]));
        assert!(
            few.sentence()
                .ends_with("1 stutter in 30 min of play, now 2 in 30 min, too short to say."),
            "{}",
            few.sentence()
        );
        // A cause of which there are too few takes no level from the next one.
        let rare: Vec<(u32, &str)> =
            (0..36).map(|at| (20 + 49 * at, "zeitgeist")).chain([(5, "baloo_file")]).collect();
        let rare = compare(&recording(&rare), &recording(&[]));
        let results: Vec<&str> = rare.rates.iter().map(ComparedRate::word).collect();
        assert_eq!(results, ["clear", "too short to say", "clear"], "{:?}", rare.rates);
        // Ten stutters within seconds are ten, although they count once in a rate.
        let burst: Vec<(u32, &str)> = (0..10).map(|at| (100 + at, "steam")).collect();
        let burst = compare(&recording(&burst), &recording(&[]));
        assert!(
            burst
                .sentence()
                .ends_with("10 stutters in 30 min of play, now 0 in 30 min, too short to say."),
            "{}",
            burst.sentence()
        );
        let none = compare(&recording(&[]), &recording(&[]));
        assert!(none.sentence().ends_with("no stutters, as now."), "{}", none.sentence());
    }

    /// A recording without rights sees no causes: they have not gone.
    #[test]
    fn causes_are_compared_only_where_both_recordings_show_them() {
        let stutters: Vec<(u32, &str)> = (0..36).map(|at| (20 + 49 * at, "baloo_file")).collect();
        let before = recording(&stutters);
        let mut after = before.clone();
        let answers = after.answers.as_mut().unwrap();
        answers.causes.clear();
        for event in &mut answers.events {
            (event.cause, event.unexplained) = (None, "no-detail".to_owned());
        }
        for [one, other] in [[&before, &after], [&after, &before]] {
            let last = compare(one, other);
            assert_eq!(last.rates.len(), 1, "{:?}", last.rates);
            assert_eq!(last.rates[0].outcome(), Outcome::NoClearDifference, "{:?}", last.rates);
            assert!(last.table().note.contains("no causes, since"), "{}", last.table().note);
        }
        let mut by_root = before.clone();
        by_root.tier.source = Some(crate::platform::TraceSource::Kernel);
        assert_eq!(compare(&before, &by_root).rates.len(), 1);
        assert_eq!(compare(&by_root, &by_root).rates.len(), 2);
    }

    #[test]
    fn recordings_of_other_limits_or_kinds_are_not_compared() {
        let one = recording(&[]);
        assert_eq!(incomparable(&one, &one), None);
        let mut strict = one.clone();
        strict.limits.stutter_permille = 1_500;
        assert!(incomparable(&one, &strict).is_some());
        let mut of_this_pc = one.clone();
        of_this_pc.frames = crate::run::recording::RecordedFrames::default();
        assert!(incomparable(&one, &of_this_pc).is_some());
        assert_eq!(incomparable(&of_this_pc, &of_this_pc), None);
        let mut other = of_this_pc.clone();
        other.limits.stall = Nanos::from_millis(1);
        assert!(incomparable(&of_this_pc, &other).is_some());
        let mut many = of_this_pc.clone();
        many.stalls_omitted_until = Nanos::from_secs(1);
        assert!(incomparable(&of_this_pc, &many).is_some());
    }
}
