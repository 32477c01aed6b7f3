//! Exports runs as Parquet files for query engines, into a folder that is partitioned by test and
//! day.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use jitterscope_engine::export::dataset::{self, Dataset, Salt, Source};
use jitterscope_engine::export::{Format, KeptSamples, Options, Parts};
use jitterscope_engine::run::RunId;
use jitterscope_engine::store::{AtPath, SaveError, Store};

use super::columnar::FileWriter;
use crate::cli::names::{self, Place};
use crate::cli::print::print_message;
use crate::cli::runs::{entry_files, open_runs};
use crate::cli::{Status, flag, option, path_option, text};

/// The value of `--as` that requests Parquet files.
const FORMAT: &str = "parquet";
/// Options that only `--as parquet` has.
const OPTIONS: [&str; 3] = ["all", "since", "salt"];
/// Options that only the other values of `--as` have.
const OF_OTHERS: [&str; 4] = ["configuration", "table", "plot", "plots"];

/// Adds the Parquet format and its options to the `export` command.
pub(super) fn add(command: Command) -> Command {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let after = after.replacen(
        "\n\n",
        "\n  parquet       Many runs for DuckDB, Spark, ClickHouse: a folder of files\n\n",
        1,
    );
    let after = format!(
        "{after}\n  jitterscope-cli export --all --since 7d --as parquet --salt fleet.salt --out fleet"
    );
    let mut formats = Format::ALL.map(Format::key).to_vec();
    formats.push(FORMAT);
    command
        .after_help(after)
        .mut_arg("run", |arg| arg.required(false).required_unless_present("all"))
        .mut_arg("as", |arg| arg.value_parser(formats))
        .arg(flag("all", "Export all saved runs (parquet)").conflicts_with("run"))
        .arg(
            option(
                "since",
                "TIME",
                "Export only runs that began within this time, such as 7d, or since a date in UTC (parquet)",
            )
            .requires("all")
            .value_parser(since),
        )
        .arg(path_option(
            "salt",
            "FILE",
            "Random text that the fleet shares: keys of machines and programs follow from it (parquet)",
        ))
}

/// Parses an age such as `7d` or a date into an instant.
fn since(text: &str) -> Result<Timestamp, String> {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    let of_date = |date: Date| date.to_zoned(TimeZone::UTC).ok();
    let of_age = |age: Span| now.checked_sub(age.abs()).ok();
    // Accept a date only: a time of day after it would be ignored silently.
    let found = match text.parse::<Date>().ok().filter(|_| text.len() == "2026-11-23".len()) {
        Some(date) => of_date(date),
        None => text.parse::<Span>().ok().and_then(of_age),
    };
    let found = found.map(|at| at.timestamp());
    found
        .ok_or_else(|| "expected an age such as 7d or 12h, or a date such as 2026-11-23".to_owned())
}

/// Returns whether `--as parquet` is given. Fails if an option of the other formats is given with
/// it, or an option of the Parquet format without it.
pub(super) fn is_requested(matches: &ArgMatches) -> Result<bool, String> {
    let is_given =
        |name: &&&str| matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine);
    let is_requested = text(matches, "as").as_deref() == Some(FORMAT);
    let wrong: &[&str] = if is_requested { &OF_OTHERS } else { &OPTIONS };
    match wrong.iter().find(is_given) {
        Some(name) if is_requested => Err(format!("--{name} is not an option of --as {FORMAT}")),
        Some(name) => Err(format!("--{name} needs --as {FORMAT}")),
        None => Ok(is_requested),
    }
}

/// Exports runs as Parquet files. A run that cannot be read is reported, and the export continues
/// with the others.
pub(super) fn export(
    store: Option<&Store>,
    matches: &ArgMatches,
) -> Result<Status, Box<dyn Error>> {
    let Some(folder) = matches.get_one::<PathBuf>("out").filter(|out| *out != Path::new("-"))
    else {
        return Err(format!("--as {FORMAT} needs a folder: --out FOLDER").into());
    };
    if folder.exists() && !folder.is_dir() {
        return Err(format!("cannot write the output: not a folder: {}", folder.display()).into());
    }
    let Some(salt) = matches.get_one::<PathBuf>("salt") else {
        return Err(format!(
            "--as {FORMAT} needs --salt FILE: a file with at least 16 random characters, the same \
             on all PCs of a fleet"
        )
        .into());
    };
    let has_samples = match text(matches, "samples").as_deref().and_then(KeptSamples::of_key) {
        None | Some(KeptSamples::None) => false,
        Some(KeptSamples::All) => true,
        Some(KeptSamples::Worst) => {
            return Err(format!("--samples worst is not an option of --as {FORMAT}").into());
        }
    };
    let salt = Salt::read(salt)?;
    let (files, mut is_complete) = selected(store, matches)?;
    let notes = !matches.get_flag("without-notes");
    let mut export = Export {
        folder,
        options: Options { parts: Parts { notes, ..Parts::ALL }, ..names::options(Place::File) },
        salt,
        has_samples,
        exported_at: Timestamp::now(),
        partition: None,
        open: BTreeMap::new(),
        run_count: 0,
        file_count: 0,
    };
    for file in files {
        match open_runs(std::slice::from_ref(&file)) {
            Ok(runs) => {
                for run in &runs {
                    export.add(run).map_err(|error| export.failed(&error))?;
                }
            }
            Err(error) => {
                print_message(&format!("skipped: {error}"));
                is_complete = false;
            }
        }
    }
    export.publish().map_err(|error| export.failed(&error))?;
    let Export { run_count, file_count, .. } = export;
    print_message(&format!(
        "{run_count} run{} written to {file_count} file{} in {}",
        if run_count == 1 { "" } else { "s" },
        if file_count == 1 { "" } else { "s" },
        folder.display()
    ));
    Ok(if is_complete { Status::Done } else { Status::Failed })
}

/// Returns the files of the selected runs, grouped by partition, and whether all runs could be
/// listed.
fn selected(
    store: Option<&Store>,
    matches: &ArgMatches,
) -> Result<(Vec<PathBuf>, bool), Box<dyn Error>> {
    if !matches.get_flag("all") {
        return Ok((entry_files(store, &text(matches, "run").unwrap_or_default())?, true));
    }
    let store = store.ok_or("no default data folder on this system; set one with --data-dir")?;
    let since = matches.get_one::<Timestamp>("since").copied().unwrap_or(Timestamp::MIN);
    let (mut found, mut is_complete) = (Vec::new(), true);
    for line in store.lines()? {
        match line.run {
            Ok(run) if since <= run.started_at => {
                let day = run.started_at.strftime("%Y-%m-%d").to_string();
                found.push((run.test.clone(), day, line.path));
            }
            Ok(_) => {}
            Err(reason) => {
                print_message(&format!("skipped: cannot be read: {reason}"));
                is_complete = false;
            }
        }
    }
    found.sort();
    Ok((found.into_iter().map(|(_, _, path)| path).collect(), is_complete))
}

/// An export in progress. Only the files of one partition are open at a time.
struct Export<'a> {
    folder: &'a Path,
    options: Options,
    salt: Salt,
    has_samples: bool,
    exported_at: Timestamp,
    partition: Option<(String, String)>,
    open: BTreeMap<Dataset, FileWriter>,
    run_count: usize,
    file_count: usize,
}

impl Export<'_> {
    fn add(&mut self, run: &jitterscope_engine::run::Run) -> Result<(), SaveError> {
        let Self { options, salt, exported_at, has_samples, .. } = &*self;
        let (options, salt) = (options.clone(), salt.clone());
        let source = Source::new(run, &options, &salt, *exported_at);
        let (has_samples, partition) = (*has_samples, (source.test().to_owned(), source.day()));
        if self.partition.as_ref() != Some(&partition) {
            self.publish()?;
            self.partition = Some(partition);
        }
        for (dataset, rows) in
            [(Dataset::Runs, source.runs()), (Dataset::Culprits, source.culprits())]
        {
            // Create the file even if it has no rows: a view in a query engine needs at least one
            // file.
            let file = self.file(dataset, run)?;
            for row in rows {
                file.add(&row)?;
            }
        }
        if has_samples && run.trials.iter().any(|trial| !trial.samples.is_empty()) {
            let file = self.file(Dataset::Samples, run)?;
            source.samples(&mut |row| file.add_sample(row))?;
        }
        self.run_count += 1;
        Ok(())
    }

    /// Returns the open file of a dataset, and creates the file if needed. The file name is unique,
    /// even among concurrent exports.
    fn file(
        &mut self,
        dataset: Dataset,
        run: &jitterscope_engine::run::Run,
    ) -> Result<&mut FileWriter, SaveError> {
        if !self.open.contains_key(&dataset) {
            let (test, day) = self.partition.clone().unwrap_or_default();
            let name = format!(
                "{}-{}{}.parquet",
                self.exported_at.strftime("%Y%m%dT%H%M%SZ"),
                RunId::random(),
                RunId::random()
            );
            let folder = self.folder.join(dataset.key());
            let path = folder.join(format!("test={test}")).join(format!("day={day}")).join(name);
            let fields = dataset::fields(dataset, &run.subject);
            self.open.insert(dataset, FileWriter::create(path, &fields)?);
        }
        self.open.get_mut(&dataset).ok_or_else(|| {
            SaveError::Output(AtPath::new(std::io::ErrorKind::NotFound.into(), self.folder))
        })
    }

    /// Completes the open files of the current partition.
    fn publish(&mut self) -> Result<(), SaveError> {
        for (_, file) in std::mem::take(&mut self.open) {
            file.publish()?;
            self.file_count += 1;
        }
        Ok(())
    }

    /// Returns the error message of a failed export, with the number of files that were completed
    /// before the failure.
    fn failed(&self, error: &SaveError) -> String {
        match self.file_count {
            0 => format!("{error}; nothing was written"),
            count => format!("{error}; {count} files were completed before"),
        }
    }
}
