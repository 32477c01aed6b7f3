//! Converts runs to rows of typed columns, for programs that analyze many runs. Each column has one
//! description, which the exported files and their documentation share.
//!
//! Keys replace the names of machines and programs. A key is a hash of a name and a secret, the
//! salt: with the same salt, a name always has the same key.

mod key;
mod row;
mod samples;

use std::borrow::Cow;

use jiff::Timestamp;

use super::{Options, privacy};
use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::report::comparison::Item;
use crate::report::metric::Track;
use crate::report::{self, Delay, Report, empty_run};
use crate::run::capture::{Distribution, Recording};
use crate::run::{Capture, Run, Subject};

pub use key::{Salt, SaltError};
pub use row::{Field, Kind, Row, Value};
pub use samples::{SAMPLE_FIELDS, SampleRow};

/// Version of the columns. It is incremented when a column changes its meaning, but not when a
/// column is added.
pub const SCHEMA_VERSION: i64 = 1;

/// A dataset: a table with rows from many runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dataset {
    /// One row per configuration of a measured run, or per recording of an import.
    Runs,
    /// One row per source of delay of a run: a thread, an interrupt, or another cause.
    Culprits,
    /// One row per sample of a run.
    Samples,
}

impl Dataset {
    /// Every dataset.
    pub const ALL: [Self; 3] = [Self::Runs, Self::Culprits, Self::Samples];

    /// Returns the name of the dataset, which is also that of its folder and its database view.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Culprits => "culprits",
            Self::Samples => "samples",
        }
    }

    /// Returns a one-sentence description of the rows of the dataset.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Runs => "One row per configuration of a run, or per recording of an import.",
            Self::Culprits => "One row per source that delayed late samples of a run.",
            Self::Samples => "One row per sample; only with --samples.",
        }
    }
}

/// A run to export, with the data from which its rows are made.
#[derive(Debug)]
pub struct Source<'a> {
    full: &'a Run,
    /// The sources of delay with their real names, before names are redacted.
    delays: Vec<Delay>,
    run: Cow<'a, Run>,
    report: Report,
    salt: &'a Salt,
    options: &'a Options,
    exported_at: Timestamp,
    machine_key: String,
}

impl<'a> Source<'a> {
    /// Evaluates a run. `options` define which names are not redacted; `salt` is used to compute
    /// the keys that replace names.
    pub fn new(run: &'a Run, options: &'a Options, salt: &'a Salt, exported_at: Timestamp) -> Self {
        let report = Report::of(run, &report::Options::default());
        let delays = report.delays.ranked.clone();
        let machine_key = salt.key("machine", &key::machine(run));
        let (clean, report) = match privacy::cleaned(run, &report, options) {
            Some(clean) => {
                let report = Report::of(&clean, &report::Options::default());
                (Cow::Owned(clean), report)
            }
            None => (Cow::Borrowed(run), report),
        };
        Self { full: run, delays, run: clean, report, salt, options, exported_at, machine_key }
    }

    /// Returns the key of the test. Each test has its own folder of exported files.
    pub fn test(&self) -> &'static str {
        self.run.subject.key()
    }

    /// Returns the UTC date on which the run started.
    pub fn day(&self) -> String {
        self.run.started_at.strftime("%Y-%m-%d").to_string()
    }

    /// Returns the rows of [`Dataset::Runs`]: one per configuration or recording of the run.
    pub fn runs(&self) -> Vec<Row> {
        let items = Item::all(&self.run, &self.report);
        let table = self.report.tables.first();
        let rows = items.iter().zip(0_i64..).zip(0_usize..).map(|((item, index), at)| {
            let mut row = self.head();
            self.add_facts(&mut row);
            row.whole("configuration_index", "Position of the configuration in the run.", index);
            let label = item.label();
            row.text("configuration", "Name of the configuration or recording.", label);
            add_applied(&mut row, *item);
            add_metrics(&mut row, &self.run, *item);
            if let Some(table) = table {
                let mut lines = table.rows.iter();
                let line = lines.find(|line| line.configuration == Some(at));
                // If the rows of the table are not about configurations, they have the same order
                // as `items`.
                let same = table.rows.get(at).filter(|line| line.configuration.is_none());
                if let Some(line) = line.or(same) {
                    row.text("caution", "Why to read the row with care.", &line.caution);
                    row.table(table, line);
                }
            }
            row
        });
        rows.collect()
    }

    /// Returns the rows of [`Dataset::Culprits`]: one per source of delay of the run. The source
    /// that delayed the most late samples comes first.
    pub fn culprits(&self) -> Vec<Row> {
        let shown = &self.report.delays.ranked;
        let rows = self.delays.iter().zip(1_i64..).map(|(delay, rank)| {
            let is_same = |one: &Delay| one.cause == delay.cause && one.name == delay.name;
            let is_public = self.options.included_names.programs
                || (delay.program.is_none() && shown.iter().any(is_same));
            let name = self.options.included_names.redacted(&delay.name, &self.options.leave_out);
            let mut row = self.head();
            row.whole("rank", "1 for the source that delayed the most samples.", rank);
            let source = delay.program.as_deref().unwrap_or(&delay.name);
            row.text(
                "culprit_key",
                "Key of the program, or of the name of another source.",
                &self.salt.key("culprit", source),
            );
            let name = if is_public { name.as_str() } else { "" };
            row.text("culprit", "Its name; absent for other programs, without --with-names.", name);
            let table = Delay::table(std::slice::from_ref(delay));
            if let Some(line) = table.rows.first() {
                row.table(&table, line);
            }
            row
        });
        rows.collect()
    }

    /// Passes the rows of [`Dataset::Samples`] to `each`: every sample of every trial, in order.
    /// Stops at the first error.
    pub fn samples<E>(
        &self,
        each: &mut dyn FnMut(&SampleRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        samples::each(self, each)
    }

    /// Returns the columns with which every row of every dataset begins.
    fn head(&self) -> Row {
        let Self { run, .. } = self;
        let mut row = Row::default();
        row.text("run_id", "ID of the run.", run.id.as_str());
        let revision = key::revision(self.full, self.salt);
        row.text(
            "revision",
            "Changes when name, note, tags, or annotations of the run change.",
            &revision,
        );
        row.instant("exported_at", "When the row was exported.", self.exported_at);
        row.text("app_version", "Version that measured the run.", &run.app_version);
        row.whole(
            "method_version",
            "Version of the measuring loops; 0 for imports.",
            i64::from(run.method_version),
        );
        row.whole("schema_version", "Version of these columns.", SCHEMA_VERSION);
        row.instant("started_at", "When the run began.", run.started_at);
        row.text("machine_key", "Key of the PC that measured it.", &self.machine_key);
        row
    }

    /// Adds the facts that apply to a whole run: machine, settings, and verdict.
    fn add_facts(&self, row: &mut Row) {
        let Self { run, report, .. } = self;
        row.text("name", "Name of the run.", &run.name);
        row.text("tags", "Tags of the run, separated by '; '.", &run.tags.join("; "));
        for (key, definition) in [
            ("driver", "Version from a tag such as driver:581.2."),
            ("game", "Version from a tag such as game:1.4."),
        ] {
            let found = run.tags.iter().filter_map(|tag| tag.split_once(':'));
            let version = found.filter(|(name, _)| *name == key).map(|(_, version)| version).next();
            row.text(key, definition, version.unwrap_or_default().trim());
        }
        let group = run.group.as_ref();
        row.text(
            "group_id",
            "ID of the quick check that the run is a part of.",
            group.map_or("", |group| group.id.as_str()),
        );
        row.text(
            "part",
            "Which part of the quick check it is.",
            group.map_or("", |group| &group.part),
        );
        row.text("ending", "How the run ended.", row::ending(&run.ending));
        key::add_machine(row, self);
        let plan = run.plan();
        let list = plan.map_or_else(Vec::new, |plan| {
            let all = plan.settings().into_iter();
            all.map(|setting| format!("{}: {}", setting.name, setting.value)).collect()
        });
        row.text("settings", "Settings of the test.", &list.join("; "));
        row.text("settings_key", "The same for runs with the same settings.", &key::settings(run));
        let verdict = &report.verdict;
        row.text("verdict", "Verdict of the run in a word or two.", report.word());
        let grade = |end: fn(crate::stats::GradeRange) -> crate::stats::Grade| {
            verdict.grade.map_or("", |grade| end(grade).word())
        };
        row.text(
            "verdict_grade",
            "Its worst grade that the data allows.",
            grade(crate::stats::GradeRange::worst),
        );
        row.text(
            "verdict_grade_best",
            "Its best grade that the data allows.",
            grade(crate::stats::GradeRange::best),
        );
    }
}

/// Adds the applied timer settings of a configuration, which the tables of reports do not show.
/// The values of a recording are absent.
fn add_applied(row: &mut Row, item: Item<'_>) {
    let granted = match item {
        Item::Configuration(_, row) => row.granted.as_ref(),
        Item::Recording(..) => None,
    };
    let slack = granted.and_then(|granted| granted.timer_slack).map(Nanos::as_f64);
    row.number("timer_slack_nanos", "Timer slack that applied (Linux).", slack);
    let resolution = granted.and_then(|granted| granted.timer_resolution).map(Nanos::as_f64);
    row.number("timer_resolution_nanos", "Timer resolution that applied (Windows).", resolution);
}

/// Adds the metrics by which a configuration or recording can be compared, except a metric that
/// needs a baseline run, and the confidence interval of p99.
fn add_metrics(row: &mut Row, run: &Run, item: Item<'_>) {
    let own = report::metrics(run);
    let all = report::Metric::VALUES.iter().filter(|it| own.iter().all(|one| one.key != it.key));
    for metric in own.iter().chain(all) {
        if metric.statistic == crate::stats::Statistic::AboveBaseline {
            continue;
        }
        let value = item.value(metric).filter(|value| value.is_finite());
        let definition = format!("{}: {}.", metric.title, track(metric.track));
        row.number(row::metric_key(metric), definition, value);
    }
    let interval = match item {
        Item::Configuration(_, row) => row.p99_interval(),
        Item::Recording(..) => None,
    };
    let (low, high) = interval.unzip();
    for (key, end, value) in
        [("metric_p99_low_nanos", "Low", low), ("metric_p99_high_nanos", "High", high)]
    {
        let definition = format!("{end} end of the 95% confidence interval of p99.");
        row.number(key, definition, value.map(Nanos::as_f64));
    }
}

/// Returns the plural name of the values from which a metric is computed, for its description.
const fn track(track: Track) -> &'static str {
    match track {
        Track::Values => "values of the test",
        Track::FrameTimes => "frame times",
        Track::Work => "times of the work",
        Track::Slots => "slots of the schedule",
        Track::Stutter => "time of all frames",
    }
}

/// Returns a subject for every kind of run that can be exported: every test with default settings,
/// and every kind of import. The columns are documented from the rows of runs without samples, so that the documentation
/// lists exactly the columns of the exported files.
pub fn subjects() -> Vec<Subject> {
    let frames = || {
        vec![Recording {
            frame_times: [1, 1].into_iter().collect(),
            logged_at: [0, 1].into_iter().collect(),
            ..Recording::default()
        }]
    };
    let bins = [(1, 1)].into_iter().collect();
    let imports = [
        Capture::Frames(frames()),
        Capture::SampledLog(frames()),
        Capture::Ticks(frames()),
        Capture::SampledTicks(frames()),
        Capture::Histogram(vec![Distribution { bins, ..Distribution::default() }]),
    ];
    let plans = Plan::all().into_iter().map(Subject::Measured);
    plans.chain(imports.map(Subject::Imported)).collect()
}

/// Returns the columns of a dataset for runs of a test or an import, in the order in which files of
/// the dataset have the columns.
pub fn fields(dataset: Dataset, subject: &Subject) -> Vec<Field> {
    if dataset == Dataset::Samples {
        return SAMPLE_FIELDS.to_vec();
    }
    let run = empty_run(subject.clone());
    let (options, salt) = (Options::default(), Salt::none());
    let mut source = Source::new(&run, &options, &salt, Timestamp::UNIX_EPOCH);
    source.delays = vec![Delay::default()];
    let rows = if dataset == Dataset::Runs { source.runs() } else { source.culprits() };
    // Rows can have different columns: the baseline of an experiment has no effect and therefore
    // fewer columns. Use the row with the most columns.
    let cells = rows.iter().map(Row::cells).max_by_key(|cells| cells.len()).unwrap_or_default();
    cells.iter().map(|(field, _)| field.clone()).collect()
}

#[cfg(test)]
mod tests;
