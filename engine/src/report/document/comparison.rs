//! A comparison as a document: the answer, what differs, the changes with their intervals, and how they are determined.

mod cells;
mod changes;
mod summary;
mod tables;

use super::drawn::{ColumnLook, DrawnCell, DrawnColumn, DrawnRow, DrawnTable, Sign};
use super::{
    ALL, Block, Document, Fact, FactsLook, Head, Line, PAGE, PAGE_AND_ALL, Piece, Section, Side,
    Statement, Width, facts,
};
use crate::plan::quick::Part;
use crate::report::chart::{of_histograms, of_tails, tail_curve};
use crate::report::comparison::words::{
    HOW_EVALUATED, MAXIMUM, NOISE_FLOOR, check_sentence, direction, evidence, letter, noise_floor,
    note, obstacle, outcomes, percents, sentence,
};
use crate::report::comparison::{
    ComparedRow, Condition, Item, Overall, Relevance, Variation, split_groups,
};
use crate::report::{Chart, Comparison, GradePlace, Report};
use crate::run::Run;
use crate::stats::{LogHistogram, Outcome, Sorted, distinct};
use crate::units::{format_count, format_long_time, join_names};

pub use self::cells::{Cells, cells, metric_unit};
pub use self::changes::{Change, Changes, RelativeChange};
pub use self::tables::{Difference, condition_table, difference_table};

/// Runs with their reports.
pub type Evaluated<'a> = [(&'a Run, &'a Report)];

/// How the names and dates of runs are written.
#[derive(Clone, Copy, Debug)]
pub struct RunNames {
    /// Returns the name of a run, or one that is derived from its settings.
    pub name: fn(&Run) -> String,
    /// Formats a date.
    pub date: fn(jiff::Timestamp) -> String,
}

/// A comparison of runs of the same test.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonSet<'a> {
    /// The part to which the runs belong if quick checks are compared; `None` for single runs or
    /// groups.
    pub part: Option<Part>,
    /// The comparison of the runs.
    pub comparison: &'a Comparison,
    /// The compared runs.
    pub runs: &'a Evaluated<'a>,
}

impl<'a> ComparisonSet<'a> {
    /// Returns the ID by which the command line finds a run; if quick checks are compared, the ID
    /// of the check.
    fn id<'r>(&self, run: &'r Run) -> &'r str {
        let group = run.group.as_ref().filter(|_| self.part.is_some());
        group.map_or_else(|| run.id.as_str(), |group| group.id.as_str())
    }

    /// Returns the command that prints the same comparison.
    fn command(&self) -> String {
        let ids: Vec<&str> = self.runs.iter().map(|(run, _)| self.id(run)).collect();
        let runs = match &self.comparison.variation {
            Variation::Groups(counts) => {
                let groups = split_groups(&ids, counts).into_iter().zip(0..);
                let option = |(ids, group): (&[&str], usize)| {
                    format!("--{} {}", letter(group).to_ascii_lowercase(), ids.join(" "))
                };
                groups.map(option).collect::<Vec<_>>().join(" ")
            }
            _ => ids.join(" "),
        };
        let Comparison { prior, minimum, .. } = self.comparison;
        let share = minimum.share.map(|share| format!(" --min-effect {}%", percents(share)));
        let points = minimum.points.map(|points| format!(" --min-effect {}pp", percents(points)));
        let [share, points] = [share, points].map(Option::unwrap_or_default);
        let (_, report) = self.runs.first().copied().unzip();
        let view = report.map_or_else(String::new, |it: &Report| it.options.capture.arguments());
        format!("jitterscope-cli compare {runs} --prior {}{share}{points}{view}", prior.to_text())
    }

    /// Returns the runs of each side of the comparison: a group of runs, or a single run.
    pub(crate) fn sides(&self) -> Vec<&'a Evaluated<'a>> {
        match &self.comparison.variation {
            Variation::Groups(counts) => split_groups(self.runs, counts),
            _ => self.runs.chunks(1).collect(),
        }
    }

    /// Returns the name of a row in a table of several parts or configurations.
    fn line_name(&self, row: &ComparedRow) -> String {
        match self.part {
            None => row.label.clone(),
            Some(part) if self.comparison.rows.len() == 1 => part.name().to_owned(),
            Some(part) => format!("{}: {}", part.name(), row.label),
        }
    }

    /// Returns the values of each side that plots show: those of the first configuration.
    pub(crate) fn items(&self) -> Vec<Vec<Item<'a>>> {
        let Some(row) = self.comparison.rows.first().filter(|_| self.part.is_none()) else {
            return Vec::new();
        };
        let side = |(runs, at): (&'a Evaluated<'a>, usize)| {
            let position = row.positions.get(at).copied().unwrap_or(0);
            let all = runs
                .iter()
                .filter_map(|(run, report)| Item::all(run, report).get(position).copied());
            all.collect()
        };
        self.sides().into_iter().zip(0..).map(side).collect()
    }
}

/// Returns a comparison, or those of the parts of quick checks, as a document. `privacy` states which names are excluded.
pub fn document(sets: &[ComparisonSet<'_>], names: RunNames, privacy: &str) -> Document {
    let mut document = Document {
        summary: summary::summary(sets, names),
        head: head(sets, names),
        contents: "All metrics, machines, and settings",
        blocks: Vec::new(),
    };
    let Some(first) = sets.first() else { return document };
    let comparison = first.comparison;
    let rows: usize = sets.iter().map(|set| set.comparison.rows.len()).sum();
    let remarks = remarks_of_all(sets);
    let legend = summary::legend(first, names).into_iter();
    let legend: Vec<Line> = legend.map(|line| vec![Piece::plain(line)]).collect();
    document.extend(PAGE, [Block::Paragraph(legend)]);
    document.extend(PAGE, remarks.iter().map(Block::item));
    let each = sets.iter().filter_map(|set| Some((set.part?, sentence(set.comparison))));
    let each: Vec<Fact> = each.map(|(part, text)| Fact::new(part.name(), text)).collect();
    if !each.is_empty() {
        let facts = Block::Facts(FactsLook::Definitions, each);
        document
            .extend(PAGE_AND_ALL, [Block::Section(Section::new("Measurements", "", vec![facts]))]);
    }
    let tables = changes::changes(sets, comparison.count, rows == 1);
    let section = |table: Changes| {
        Section::new(table.title.clone(), table.note.clone(), vec![Block::Changes(table)])
    };
    let open = |tables: Vec<Changes>| tables.into_iter().map(section).map(Block::Section);
    let closed = |table: Changes| Block::Section(section(table).closed());
    let has_differing = comparison.differing().next().is_some();
    document.extend(PAGE, has_differing.then(|| Block::Section(differing(first))));
    document.extend(PAGE, open(tables.all.clone()));
    let (shown, rest) =
        if tables.first.is_empty() { (tables.all, Vec::new()) } else { (tables.first, tables.all) };
    document.extend(ALL, open(shown));
    document.extend(ALL, plots(first));
    document.extend(ALL, [Block::Section(differing(first))]);
    document.extend(ALL, rest.into_iter().map(closed));
    let method = [noise_floor(comparison), MAXIMUM.to_owned()];
    if !comparison.rows.is_empty() {
        let method = method.iter().map(|text| vec![Piece::plain(text)]).collect();
        let again = vec![Piece::plain("Repeat with: "), Piece::code(first.command())];
        document.extend(PAGE, [Block::Paragraph(method), Block::Paragraph(vec![again])]);
    }
    document.extend(ALL, details(sets, first, &remarks, names, privacy).map(Block::Section));
    document.extend(PAGE, [Block::Verdict(document.summary.statement.clone())]);
    document
}

/// Returns the sections that are closed at first, after the tables.
fn details(
    sets: &[ComparisonSet<'_>],
    first: &ComparisonSet<'_>,
    remarks: &[String],
    names: RunNames,
    privacy: &str,
) -> impl Iterator<Item = Section> + use<> {
    let same = first.comparison.conditions.iter().filter(|one| one.weight == Relevance::Same);
    let same =
        same.map(|it| Fact::new(it.name.clone(), it.values.first().cloned().unwrap_or_default()));
    let same: Vec<Fact> = same.collect();
    let count = format!("{} settings and conditions", format_count(same.len()));
    let same = vec![Block::Facts(FactsLook::Columns, same)];
    let method = [&noise_floor(first.comparison), HOW_EVALUATED, NOISE_FLOOR, MAXIMUM];
    let more = remarks.iter().skip(super::MAX_WARNINGS).map(String::as_str);
    let method = method.into_iter().chain(more).map(Block::paragraph).collect();
    let rows = sets.iter().flat_map(|set| &set.comparison.rows);
    let figures = rows.flat_map(|row| row.figures.iter().map(move |figure| (row, figure)));
    let defined = figures.map(|(row, it)| (it.metric.title, changes::definition(row, &it.metric)));
    let defined = distinct(defined.filter(|(_, text)| !text.is_empty())).into_iter();
    let defined = defined.map(|(name, text)| Fact::new(name, text)).collect();
    let definitions = vec![Block::Facts(FactsLook::Definitions, defined)];
    let mut file: Vec<Fact> =
        sides(first, names).into_iter().map(|side| Fact::new(side.name, side.about)).collect();
    file.extend((!privacy.is_empty()).then(|| Fact::new("Names", format!("{privacy}."))));
    let again = vec![Piece::plain("To compare again: "), Piece::code(first.command())];
    let file = vec![Block::Facts(FactsLook::WideColumns, file), Block::Paragraph(vec![again])];
    let definitions = Section {
        is_on_screen_only: true,
        ..Section::new("Definitions", "what each metric is", definitions)
    };
    [
        Section::new("The same in all runs", count, same),
        Section::new("How results are determined", "intervals, noise floor, limits", method),
        definitions,
        Section::new("This file", "the runs, how to repeat the comparison", file),
    ]
    .into_iter()
    .map(Section::closed)
}

/// Returns the top of the page of a comparison.
fn head(sets: &[ComparisonSet<'_>], names: RunNames) -> Head {
    let Some(set) = sets.first() else { return Head::default() };
    let is_of_checks = set.part.is_some();
    let ids: Vec<&str> = set.runs.iter().map(|(run, _)| set.id(run)).collect();
    let side_names: Vec<String> =
        set.sides().into_iter().map(|side| side_name(set, side, names)).collect();
    Head {
        title: format!("Compare: {}", joined(&side_names)),
        ids: format!("{} {}", if is_of_checks { "Checks" } else { "Runs" }, ids.join(", ")),
        about: vec![about(set, !is_of_checks)],
        notes: Vec::new(),
        sides: sides(set, names),
        sign: Some(Sign::Direction(overall(sets))),
        places: places(set),
        warnings: remarks_of_all(sets).into_iter().map(|text| (false, text)).collect(),
        more_warnings: "How results are determined",
    }
}

/// Returns the direction of a comparison: better only if nothing that is likely to matter differs.
pub fn overall(sets: &[ComparisonSet<'_>]) -> Option<Outcome> {
    let all: Vec<Overall> = sets.iter().flat_map(|set| outcomes(set.comparison)).collect();
    direction(&all, sets.first().map_or(&[], |set| &set.comparison.conditions))
}

/// Returns the answer of a comparison, or of the comparisons of all parts of quick checks.
pub fn statement(sets: &[ComparisonSet<'_>]) -> Statement {
    let Some(first) = sets.first() else { return Statement::default() };
    let outcome = |set: &ComparisonSet<'_>| {
        let each = (1..set.comparison.count).map(|run| Some(set.comparison.outcome(run)));
        Some((set.part?, each.collect()))
    };
    let parts: Vec<(Part, Vec<Option<Overall>>)> = sets.iter().filter_map(outcome).collect();
    Statement {
        grade: String::new(),
        count: count(sets),
        sentence: match parts.as_slice() {
            [] => sentence(first.comparison),
            parts => check_sentence(parts, first.comparison.count),
        },
        evidence: if parts.is_empty() { evidence(first.comparison) } else { String::new() },
        to_do: None,
    }
}

/// Returns how many metrics are better and how many are worse; empty if there are none.
fn count(sets: &[ComparisonSet<'_>]) -> String {
    let figures = sets.iter().flat_map(|set| &set.comparison.rows).flat_map(|row| &row.figures);
    let results: Vec<Outcome> =
        figures.flat_map(|figure| figure.deltas.iter().flatten()).map(|it| it.result).collect();
    let count = |wanted: Outcome| results.iter().filter(|result| **result == wanted).count();
    let found = |count: usize, word: &str| match count {
        0 => format!("none {word}"),
        1 => format!("1 metric {word}"),
        count => format!("{count} metrics {word}"),
    };
    match (count(Outcome::Better), count(Outcome::Worse)) {
        (0, 0) => String::new(),
        (0, worse) => format!("{}, none better", found(worse, "worse")),
        (better, worse) => format!("{}, {}", found(better, "better"), found(worse, "worse")),
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
fn remarks_of_all(sets: &[ComparisonSet<'_>]) -> Vec<String> {
    distinct(sets.iter().flat_map(|set| remarks(set.comparison)))
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
fn side_name(set: &ComparisonSet<'_>, side: &Evaluated<'_>, names: RunNames) -> String {
    let Some((run, _)) = side.first() else { return String::new() };
    let name = match &run.group {
        Some(_) if run.name.is_empty() => "Quick check".to_owned(),
        Some(_) => run.name.clone(),
        None => (names.name)(run),
    };
    match side.len() {
        1 => name,
        count => format!("{count} runs {}", group_name(set, side, &name, names)),
    }
}

/// Returns what the runs of a group have in common, after their number: their name, else the tags that not all compared
/// runs have, else one of them.
fn group_name(
    set: &ComparisonSet<'_>,
    side: &Evaluated<'_>,
    first: &str,
    names: RunNames,
) -> String {
    let is_of_checks = side.iter().all(|(run, _)| run.group.is_some());
    if is_of_checks || side.iter().all(|(run, _)| (names.name)(run) == first) {
        return format!("of {first}");
    }
    let group: Vec<&Run> = side.iter().map(|(run, _)| *run).collect();
    let all: Vec<&Run> = set.runs.iter().map(|(run, _)| *run).collect();
    let own = own_tags(&group, &all);
    if own.is_empty() { format!("such as {first}") } else { format!("tagged {}", join_names(&own)) }
}

/// Returns the tags that all runs of a group have, and not all compared runs.
pub fn own_tags(group: &[&Run], all: &[&Run]) -> Vec<String> {
    let have = |runs: &[&Run], tag: &String| runs.iter().all(|run| run.tags.contains(tag));
    let tags = group.first().map_or(&[][..], |run| run.tags.as_slice());
    tags.iter().filter(|tag| have(group, tag) && !have(all, tag)).cloned().collect()
}

/// Returns the properties that the runs have in common, such as test, duration, and PC.
fn about(set: &ComparisonSet<'_>, has_samples: bool) -> Vec<String> {
    let mut about = Vec::new();
    let common = |of: &dyn Fn(&Run) -> String| {
        let mut all = set.runs.iter().map(|(run, _)| of(run));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    };
    if has_samples {
        about.extend(common(&|run| run.subject.name().to_owned()));
        about.extend(
            common(&|run| {
                let count = format_count(run.sample_count());
                let length = format_long_time(run.measured());
                format!("{count} {} in {length}", run.subject.samples_name())
            })
            .map(|words| format!("{words} each")),
        );
    }
    let machine = common(&|run| facts::machine_line(run)).filter(|line| !line.is_empty());
    about.push(
        machine.map_or_else(|| "different PCs".to_owned(), |line| format!("same PC: {line}")),
    );
    about
}

fn sides(set: &ComparisonSet<'_>, names: RunNames) -> Vec<Side> {
    let side = |(runs, at): (&Evaluated<'_>, usize)| {
        let (run, report) = runs.first()?;
        let applied = match report.rows.as_slice() {
            [row] if row.granted.is_some() => format!(", applied {}", row.applied_text()),
            _ => String::new(),
        };
        let sign = Sign::Grade { grade: report.verdict.grade, is_doubtful: true };
        let is_alone = runs.len() == 1 && set.part.is_none();
        Some(Side {
            letter: letter(at),
            name: side_name(set, runs, names),
            about: format!("{}{applied}", (names.date)(run.started_at)),
            grade: is_alone.then(|| (sign, report.word().to_owned())),
        })
    };
    set.sides().into_iter().zip(0..).filter_map(side).collect()
}

/// Returns the graded value of each side on one scale; empty unless all sides have the same measure and limits.
fn places(set: &ComparisonSet<'_>) -> Vec<(Option<char>, GradePlace)> {
    let place = |(runs, at): (&Evaluated<'_>, usize)| match runs {
        [(run, report)] if set.part.is_none() => Some((Some(letter(at)), report.grade_place(run)?)),
        _ => None,
    };
    let places: Option<Vec<_>> = set.sides().into_iter().zip(0..).map(place).collect();
    let places = places.unwrap_or_default();
    let first = places.first().map(|(_, first)| first);
    let is_alike = |one: &GradePlace| {
        first.is_some_and(|first| first.measure == one.measure && first.limits == one.limits)
    };
    if places.iter().all(|(_, one)| is_alike(one)) { places } else { Vec::new() }
}

/// Returns the section with the settings and conditions that differ.
fn differing(set: &ComparisonSet<'_>) -> Section {
    let comparison = set.comparison;
    let rows: Vec<DrawnRow> = comparison
        .differing()
        .map(|one: &Condition| {
            let is_likely = one.weight == Relevance::Likely;
            let name = DrawnCell::signed(is_likely.then_some(Sign::Warning), one.name.clone());
            let values = one.values.iter().map(|value| DrawnCell::from(value.as_str()));
            let effect = DrawnCell::from(if is_likely { "likely" } else { "possible" });
            DrawnRow::new(std::iter::once(name).chain(values).chain([effect]).collect())
        })
        .collect();
    let same = comparison.conditions.iter().filter(|one| one.weight == Relevance::Same);
    let (known, unknown): (Vec<_>, Vec<_>) = same.partition(|one| one.is_reported());
    let known = format_count(known.len());
    let words = match (rows.len(), unknown.len()) {
        (0, 0) => format!("All {known} settings and conditions are the same."),
        (0, unknown) => {
            format!("{known} settings and conditions are the same; {unknown} are not reported.")
        }
        (_, 0) => format!("{known} other settings and conditions are the same."),
        (_, unknown) => {
            format!(
                "{known} other settings and conditions are the same; {unknown} are not reported."
            )
        }
    };
    let sides = (0..comparison.count).map(|run| DrawnColumn {
        side: Some(letter(run)),
        ..DrawnColumn::new("", ColumnLook::Text)
    });
    let columns = std::iter::once(DrawnColumn::new("", ColumnLook::Text))
        .chain(sides)
        .chain([DrawnColumn::new("Effect", ColumnLook::Text)]);
    let table = DrawnTable {
        caption: "What differs between the runs".to_owned(),
        columns: columns.collect(),
        rows,
        ..DrawnTable::default()
    };
    let table = (!table.rows.is_empty()).then_some(Block::Drawn(table));
    let blocks = table.into_iter().chain([Block::paragraph(words)]).collect();
    Section::new("What differs", "machine and settings", blocks).width(Width::Half)
}

/// Returns the timelines, the histogram, and the tail distribution of all sides.
fn plots(set: &ComparisonSet<'_>) -> Vec<Block> {
    let items = set.items();
    let mut plots = Vec::new();
    if items.iter().flatten().any(|item| !item.timeline().is_empty()) {
        let row = set.comparison.rows.first().filter(|_| 1 < set.comparison.rows.len());
        let row = row.map_or_else(String::new, |row| format!(", {}", row.label));
        let finding = format!("{}{row}, same scale", set.comparison.value_name.to_lowercase());
        plots.push(Block::Plot { key: "timelines", title: "Timelines".to_owned(), finding });
    }
    plots.extend(charts(set).into_iter().map(|chart| Block::plot(&chart)));
    plots
}

/// Returns a histogram and a tail distribution, each a plot with the values of all sides.
pub(crate) fn charts(set: &ComparisonSet<'_>) -> Vec<Chart> {
    let (mut histograms, mut curves) = (Vec::new(), Vec::new());
    for (items, at) in set.items().iter().zip(0..) {
        let values: Vec<i64> = items.iter().flat_map(|item| item.values()).collect();
        let mut histogram = LogHistogram::of(&values);
        for (value, count) in items.iter().flat_map(|item| item.counts()) {
            histogram.add_many(value, count);
        }
        let letter = letter(at).to_string();
        curves.extend(Sorted::of(values).map(|sorted| tail_curve(&letter, &sorted)));
        histograms.push((letter, histogram));
    }
    let name = set.comparison.value_name;
    of_histograms("histogram", "Histogram", (name, "Samples"), &histograms)
        .into_iter()
        .chain(of_tails("tail", "Tail distribution", (name, "Share above"), curves))
        .collect()
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
