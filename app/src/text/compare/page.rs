//! A comparison as an HTML page.

mod changes;

use std::io::{self, Write};

use jitterscope_engine::export::html::{ComparisonPage, Side, write_comparison};
use jitterscope_engine::export::{Headline, IncludedNames, machine_line};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::comparison::{
    ComparedRow, Condition, Overall, Relevance, Variation,
};
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::{Outcome, distinct};

use self::changes::{changes, definition};
use super::super::{date, format_count, format_long_time, local, run_name};
use super::{
    HOW_EVALUATED, NOISE_FLOOR, check_sentence, direction, evidence, letter, noise_floor, note,
    obstacle, outcomes, sentence,
};

/// Runs with their reports.
pub type Evaluated<'a> = [(&'a Run, &'a Report)];

/// A comparison of runs of the same test.
pub struct Compared<'a> {
    /// The part to which the runs belong if quick checks are compared; `None` for single runs or
    /// groups.
    pub part: Option<Part>,
    /// The comparison of the runs.
    pub comparison: &'a Comparison,
    /// The compared runs.
    pub runs: &'a Evaluated<'a>,
}

impl Compared<'_> {
    /// Returns the ID by which the command line finds a run; if quick checks are compared, the ID
    /// of the check.
    pub(super) fn id<'r>(&self, run: &'r Run) -> &'r str {
        let group = run.group.as_ref().filter(|_| self.part.is_some());
        group.map_or_else(|| run.id.as_str(), |group| group.id.as_str())
    }

    /// Returns the command that prints the same comparison.
    pub fn command(&self) -> String {
        let ids: Vec<&str> = self.runs.iter().map(|(run, _)| self.id(run)).collect();
        let runs = match self.comparison.variation {
            Variation::Groups([count, _]) => {
                let (a, b) = ids.split_at(count.min(ids.len()));
                format!("--a {} --b {}", a.join(" "), b.join(" "))
            }
            _ => ids.join(" "),
        };
        let Comparison { prior, minimum, .. } = self.comparison;
        let percent = super::percents;
        let share = minimum.share.map(|share| format!(" --min-effect {}%", percent(share)));
        let points = minimum.points.map(|points| format!(" --min-effect {}pp", percent(points)));
        let [share, points] = [share, points].map(Option::unwrap_or_default);
        format!("jitterscope-cli compare {runs} --prior {}{share}{points}", prior.to_text())
    }

    /// Returns the runs of each side of the comparison: a group of runs, or a single run.
    pub(super) fn sides(&self) -> Vec<&Evaluated<'_>> {
        match self.comparison.variation {
            Variation::Groups([count, _]) => {
                let (a, b) = self.runs.split_at(count.min(self.runs.len()));
                vec![a, b]
            }
            _ => self.runs.chunks(1).collect(),
        }
    }

    /// Returns the name of a row in a table of several parts or configurations.
    pub(super) fn line_name(&self, row: &ComparedRow) -> String {
        match self.part {
            None => row.label.clone(),
            Some(part) if self.comparison.rows.len() == 1 => part.name().to_owned(),
            Some(part) => format!("{}: {}", part.name(), row.label),
        }
    }
}

/// Writes a comparison, or those of the parts of quick checks, as an HTML page. Names that
/// `included` excludes are already removed from the runs.
pub fn write_page(
    sets: &[Compared<'_>],
    included: IncludedNames,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut trials = sets.iter().flat_map(|set| set.runs).flat_map(|(run, _)| &run.trials);
    let is_traced = trials.any(|trial| trial.trace.is_some());
    let privacy = included.sentence(is_traced && !included.programs);
    write_comparison(&page(sets, privacy), to)
}

/// Returns the page of a comparison, or of the parts of quick checks; `privacy` states which names
/// are excluded.
fn page<'a>(sets: &'a [Compared<'a>], privacy: String) -> ComparisonPage<'a> {
    let first = sets.first();
    let is_of_checks = first.is_some_and(|set| set.part.is_some());
    let count = first.map_or(0, |set| set.comparison.count);
    let rows: usize = sets.iter().map(|set| set.comparison.rows.len()).sum();
    let is_single = rows == 1;
    let drawn = first.filter(|_| !is_of_checks).and_then(|set| set.comparison.rows.first());
    let (changes, shown_count) = changes(sets, count, is_single);
    let ids: Vec<&str> =
        first.into_iter().flat_map(|set| set.runs.iter().map(|(run, _)| set.id(run))).collect();
    let conditions = first.map_or(&[][..], |set| &set.comparison.conditions);
    let is_likely = |one: &Condition| one.weight == Relevance::Likely;
    let row = |one: &Condition| (one.name.clone(), one.values.clone(), is_likely(one));
    let same =
        |one: &Condition| (one.name.clone(), one.values.first().cloned().unwrap_or_default());
    let mut method: Vec<String> =
        first.map(|set| noise_floor(set.comparison)).into_iter().collect();
    method.extend([HOW_EVALUATED, NOISE_FLOOR].map(str::to_owned));
    ComparisonPage {
        headline: headline(sets, privacy),
        ids: format!("{} {}", if is_of_checks { "Checks" } else { "Runs" }, ids.join(", ")),
        facts: first.map_or_else(Vec::new, |set| facts(set, !is_of_checks)),
        direction: direction(&all_outcomes(sets), conditions),
        sides: first.map_or_else(Vec::new, |set| sides(set, drawn)),
        warnings: all_remarks(sets),
        changes,
        shown_count,
        value_name: drawn.and(first).map_or("", |set| set.comparison.value_name),
        drawn: drawn.filter(|_| !is_single).map_or_else(String::new, |row| row.label.clone()),
        late_limit: drawn.and_then(|row| row.late_limit),
        differing: first.into_iter().flat_map(|set| set.comparison.differing()).map(row).collect(),
        same: conditions.iter().filter(|one| one.weight == Relevance::Same).map(same).collect(),
        method,
        definitions: definitions(sets),
        command: first.map_or_else(String::new, Compared::command),
    }
}

/// Returns the notes on a comparison, and why some configurations are not compared, one line each.
pub fn remarks(comparison: &Comparison) -> Vec<String> {
    let rows = comparison.rows.iter().filter_map(|row| {
        let in_the_way = row.obstacle.as_ref().filter(|_| comparison.obstacle.is_none())?;
        Some(format!("{}: {}", row.label, obstacle(in_the_way)))
    });
    comparison.notes.iter().map(note).chain(rows).collect()
}

/// Returns the lines of `remarks` for all comparisons; equal lines only once.
pub(super) fn all_remarks(sets: &[Compared<'_>]) -> Vec<String> {
    distinct(sets.iter().flat_map(|set| remarks(set.comparison)))
}

/// Returns the conclusion of one comparison, or of the comparisons of all parts of quick checks, in
/// a sentence.
pub(super) fn answer(sets: &[Compared<'_>]) -> String {
    let Some(first) = sets.first() else { return String::new() };
    let outcome = |set: &Compared<'_>| {
        let each = (1..set.comparison.count).map(|run| Some(set.comparison.outcome(run)));
        Some((set.part?, each.collect()))
    };
    let parts: Vec<(Part, Vec<Option<Overall>>)> = sets.iter().filter_map(outcome).collect();
    match parts.as_slice() {
        [] => sentence(first.comparison),
        parts => check_sentence(parts, first.comparison.count),
    }
}

fn headline(sets: &[Compared<'_>], privacy: String) -> Headline {
    let (mut better, mut worse) = (0, 0);
    for set in sets {
        let figures = set.comparison.rows.iter().flat_map(|row| &row.figures);
        for delta in figures.flat_map(|figure| &figure.deltas).flatten() {
            better += usize::from(delta.result == Outcome::Better);
            worse += usize::from(delta.result == Outcome::Worse);
        }
    }
    let found = |count: usize, word: &str| match count {
        0 => format!("none {word}"),
        1 => format!("1 metric {word}"),
        count => format!("{count} metrics {word}"),
    };
    let grade = match (better, worse) {
        (0, 0) => String::new(),
        (0, worse) => format!("{}, none better", found(worse, "worse")),
        (better, 0) => format!("{}, none worse", found(better, "better")),
        (better, worse) => format!("{}, {}", found(better, "better"), found(worse, "worse")),
    };
    let Some(first) = sets.first() else { return Headline::default() };
    let evidence = if first.part.is_some() { String::new() } else { evidence(first.comparison) };
    let names: Vec<String> = first.sides().iter().map(|side| side_name(side)).collect();
    let title = format!("Compare: {}", joined(&names));
    Headline { title, grade, sentence: answer(sets), evidence, privacy, ..Headline::default() }
}

/// Joins names and lists their common parts only once: "60 FPS, CPU 1, Normal and Highest".
fn joined(names: &[String]) -> String {
    let parts = |name: &String| -> Vec<String> { name.split(", ").map(str::to_owned).collect() };
    let all: Vec<Vec<String>> = names.iter().map(parts).collect();
    let is_common = |part: &String| all.iter().all(|of| of.contains(part));
    let common: Vec<&str> =
        all.iter().take(1).flatten().filter(|part| is_common(part)).map(String::as_str).collect();
    let own = |of: &Vec<String>| {
        let own = of.iter().filter(|part| !is_common(part)).map(String::as_str);
        own.collect::<Vec<_>>().join(", ")
    };
    let mut own: Vec<String> = all.iter().map(own).filter(|own| !own.is_empty()).collect();
    own.dedup();
    let common = if common.is_empty() { None } else { Some(common.join(", ")) };
    let own = if own.is_empty() { None } else { Some(own.join(" and ")) };
    common.into_iter().chain(own).collect::<Vec<_>>().join(", ")
}

/// Returns the name of a side of the comparison: of its run or quick check; for a group of runs,
/// with their number.
pub(super) fn side_name(side: &Evaluated<'_>) -> String {
    let Some((run, _)) = side.first() else { return String::new() };
    let name = match &run.group {
        Some(_) if run.name.is_empty() => "Quick check".to_owned(),
        Some(_) => run.name.clone(),
        None => run_name(run),
    };
    match side.len() {
        1 => name,
        count => format!("{count} runs of {name}"),
    }
}

/// Returns the properties that the runs have in common, such as test, duration, and PC.
fn facts(set: &Compared<'_>, has_samples: bool) -> Vec<String> {
    let mut facts = Vec::new();
    let common = |of: &dyn Fn(&Run) -> String| {
        let mut all = set.runs.iter().map(|(run, _)| of(run));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    };
    if has_samples {
        facts.extend(common(&|run| run.subject.name().to_owned()));
        facts.extend(
            common(&|run| {
                let count = format_count(run.sample_count());
                let length = format_long_time(run.measured());
                format!("{count} {} in {length}", run.subject.samples_name())
            })
            .map(|words| format!("{words} each")),
        );
    }
    let machine = common(&|run| machine_line(run)).filter(|line| !line.is_empty());
    facts.push(
        machine.map_or_else(|| "different PCs".to_owned(), |line| format!("same PC: {line}")),
    );
    facts
}

/// Returns the outcome of each run compared with the baseline, over all comparisons.
fn all_outcomes(sets: &[Compared<'_>]) -> Vec<Overall> {
    sets.iter().flat_map(|set| outcomes(set.comparison)).collect()
}

fn sides<'a>(set: &'a Compared<'a>, drawn: Option<&ComparedRow>) -> Vec<Side<'a>> {
    let side = |(runs, at): (&'a Evaluated<'a>, usize)| {
        let (run, report): &(&Run, &Report) = runs.first()?;
        let applied = match report.rows.as_slice() {
            [row] if row.granted.is_some() => format!(", applied {}", row.applied_text()),
            _ => String::new(),
        };
        let is_alone = runs.len() == 1 && set.part.is_none();
        let items = drawn.into_iter().flat_map(|row| {
            let position = row.positions.get(at).copied().unwrap_or(0);
            let all = move |(run, report): &(&'a Run, &'a Report)| {
                jitterscope_engine::report::comparison::Item::all(run, report)
                    .get(position)
                    .copied()
            };
            runs.iter().filter_map(all)
        });
        Some(Side {
            letter: letter(at),
            name: side_name(runs),
            about: format!("{}{applied}", date(&local(run.started_at))),
            grade: is_alone.then(|| (report.verdict.grade, report.word().to_owned())),
            place: report.grade_place(run).filter(|_| is_alone),
            items: items.collect(),
        })
    };
    set.sides().into_iter().zip(0..).filter_map(side).collect()
}

fn definitions(sets: &[Compared<'_>]) -> Vec<(&'static str, String)> {
    let rows = sets.iter().flat_map(|set| &set.comparison.rows);
    let figures = rows.flat_map(|row| row.figures.iter().map(move |figure| (row, figure)));
    let lines = figures.map(|(row, it)| (it.metric.title, definition(row, &it.metric)));
    distinct(lines.filter(|(_, text)| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_share_is_in_a_title_once() {
        let title =
            |names: &[&str]| joined(&names.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
        let names = ["60 FPS, Normal, CPU 1", "60 FPS, Highest, CPU 1"];
        assert_eq!(title(&names), "60 FPS, CPU 1, Normal and Highest");
        assert_eq!(title(&["before", "after"]), "before and after");
        assert_eq!(title(&["Quick check", "Quick check"]), "Quick check");
        assert_eq!(title(&["60 FPS", "60 FPS, Highest"]), "60 FPS, Highest");
        assert_eq!(title(&["60 FPS, a", "60 FPS, a", "60 FPS, b"]), "60 FPS, a and b");
    }
}
