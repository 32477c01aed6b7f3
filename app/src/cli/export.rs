//! The `export` command: writes saved runs as reports or in the format of another program.

#[cfg(feature = "fleet")]
mod columnar;
#[cfg(feature = "fleet")]
mod many;

use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgAction, ArgMatches, Command};
use jitterscope_engine::export::{self, Format, KeptSamples, Options, Parts};
use jitterscope_engine::report::Report;
use jitterscope_engine::run::Run;
use jitterscope_engine::store::Store;
use jitterscope_engine::units::shortened;

use super::names::{self, Place};
use super::output::{Output, PrintError};
use super::print::print_message;
use super::quick::Saved;
use super::runs::{entry_files, open_runs};
use super::{Status, capture_view, flag, option, path_option, run_arg, text};

/// Returns the `export` command with its options.
pub(super) fn command() -> Command {
    let mut after = String::from("Formats:\n");
    for format in Format::ALL {
        after.push_str(&format!("  {:<13} {}\n", format.key(), format.about()));
    }
    after.push_str(
        "\nCSV: a run with several tables becomes several files, the others named after the first \
         one; a file that you did not name is replaced only with --force.\nHTML and JSON contain the whole run or quick check and can be opened again ('import', or \
         dropped on the window); a checksum shows whether they were edited ('verify').\nThis PC's host name, user name, \
         home folder, and network addresses are redacted, and programs that neither the verdict nor \
         its advice names are called Program A, B, ..., unless --with-names is given.\n\nExamples:\n  \
         jitterscope-cli export 0a1b --as html --out report.html\n  jitterscope-cli export 0a1b \
         --as html --samples worst --out small.html\n  jitterscope-cli export 0a1b \
         --as markdown\n  jitterscope-cli export 0a1b --as mangohud --configuration \
         \"Time-critical\" --out frames.csv\n  jitterscope-cli export 0a1b --as csv --table stalls\n  \
         jitterscope-cli export 0a1b --as svg --plot heat-map --out gaps.svg\n  \
         jitterscope-cli export 0a1b --plots plots\n  \
         jitterscope-cli export run.jitterscope.json --as \
         csv-samples | head",
    );
    let command = Command::new("export")
        .about("Export a saved run as a report, or in the format of another program")
        .after_help(after)
        .arg(run_arg().action(ArgAction::Append).num_args(1..))
        .arg(
            option("as", "FORMAT", "Format of the export (listed below)")
                .required_unless_present("plots")
                .value_parser(Format::ALL.map(Format::key))
                .hide_possible_values(true),
        )
        .arg(
            path_option(
                "out",
                "FILE",
                "Write to this file, or into this folder under a default name; - for standard \
                     output",
            )
            .requires("as"),
        )
        .arg(option(
            "configuration",
            "LABEL",
            "The configuration to export, for formats that hold only one: its label or its number \
             [default: the recommended one]",
        ))
        .arg(
            option(
                "table",
                "NAME",
                "Write this table as CSV: configurations [default], changes, stalls, …",
            )
            .requires("as"),
        )
        .arg(
            option("plot", "NAME", "Write this plot as SVG [default: the first one]")
                .requires("as"),
        )
        .arg(path_option("plots", "FOLDER", "Write every plot into this folder, one SVG file each"))
        .arg(flag("force", "Replace the files of further tables if they exist (csv)"))
        .arg(flag("without-notes", "Omit note and tags"))
        .arg(
            option(
                "samples",
                "WHICH",
                "Samples in the file: all, worst, or none. HTML and JSON without all of them have \
                 the figures of the whole run, but do not open as a run [default: all; parquet: none]",
            )
            .requires("as")
            .num_args(0..=1)
            .default_missing_value(KeptSamples::All.key())
            .value_parser(KeptSamples::ALL.map(KeptSamples::key)),
        )
        .args(capture_view::args());
    #[cfg(feature = "fleet")]
    let command = many::add(command);
    command
}

/// Runs the `export` command.
pub(super) fn run(
    store: Option<&Store>,
    matches: &ArgMatches,
) -> Result<Status, Box<dyn std::error::Error>> {
    #[cfg(feature = "fleet")]
    if many::is_requested(matches)? {
        return many::export(store, matches);
    }
    let names: Vec<&String> = matches.get_many("run").into_iter().flatten().collect();
    let entries: Vec<Vec<PathBuf>> =
        names.iter().map(|name| entry_files(store, name)).collect::<Result<_, _>>()?;
    let output = Output::of(matches);
    if let [files] = entries.as_slice() {
        export_entry(files, matches, &output)?;
    } else if text(matches, "as").as_deref() == Some(Format::CsvSummary.key())
        && !output.is_folder()
    {
        export_table(&entries.concat(), matches, &output)?;
    } else if matches.contains_id("as") && !output.is_folder() {
        return Err("several runs need a folder: name one with --out".into());
    } else {
        for files in &entries {
            export_entry(files, matches, &output)?;
        }
    }
    Ok(Status::Done)
}

/// Writes the first tables of several runs as one table, in which each row names its run.
fn export_table(
    files: &[PathBuf],
    matches: &ArgMatches,
    output: &Output,
) -> Result<(), Box<dyn std::error::Error>> {
    let of_one = ["configuration", "table", "plot", "plots"];
    if let Some(name) = of_one.iter().find(|name| matches.contains_id(name)) {
        return Err(format!("--{name} is of one run, not of {}", files.len()).into());
    }
    let mut runs = Vec::new();
    let asked = capture_view::options(matches);
    for run in open_runs(files)? {
        capture_view::check(&run, matches)?;
        let (run, report) = names::evaluated_as(&run, Place::File, &asked);
        let mut run = run.into_owned();
        if matches.get_flag("without-notes") {
            run.tags.clear();
        }
        runs.push((run, report));
    }
    let runs: Vec<(&Run, &Report)> = runs.iter().map(|(run, report)| (run, report)).collect();
    Ok(write(output, |to| export::csv::tables(&runs, to))?)
}

/// Writes a saved run, or the runs of a quick check.
fn export_entry(
    files: &[PathBuf],
    matches: &ArgMatches,
    output: &Output,
) -> Result<(), Box<dyn std::error::Error>> {
    let runs = open_runs(files)?;
    if let [run] = runs.as_slice() {
        return export_run(run, matches, output);
    }
    capture_view::refuse_any(matches)?;
    let format = text(matches, "as").and_then(|key| Format::of_key(&key));
    match format {
        Some(format @ (Format::Html | Format::Json | Format::Markdown)) => {
            let of_one = ["configuration", "table", "plot", "plots"];
            if let Some(name) = of_one.iter().find(|name| matches.contains_id(name)) {
                return Err(format!("--{name} is of one run, not of a quick check").into());
            }
            let mut check = Saved::of(&runs, Place::File);
            let samples = kept_samples(format, matches)?;
            if matches.get_flag("without-notes") {
                check.omit_notes();
            }
            write(&output.clone().in_folder(|| check.file_name(format)), |to| {
                check.write(format, samples, to)
            })?;
        }
        Some(format) if !output.is_folder() => {
            return Err(format!(
                "a quick check has {} runs, and {} holds one: name a folder with --out",
                runs.len(),
                format.key()
            )
            .into());
        }
        // Other formats hold one run per file: export each run separately.
        _ => {
            for run in &runs {
                export_run(run, matches, output)?;
            }
        }
    }
    Ok(())
}

/// Writes to a destination, and names the written file.
fn write(
    output: &Output,
    content: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), PrintError> {
    output.write(content)?;
    if let Output::File(path) = output {
        print_message(&format!("written to {}", path.display()));
    }
    Ok(())
}

/// Returns the samples that the file is to hold; only two formats can omit some.
fn kept_samples(format: Format, matches: &ArgMatches) -> Result<KeptSamples, String> {
    let given = text(matches, "samples");
    if given.is_some() && !matches!(format, Format::Html | Format::Json) {
        return Err(format!("--samples is of html and json, not of {}", format.key()));
    }
    Ok(given.and_then(|key| KeptSamples::of_key(&key)).unwrap_or_default())
}

fn export_run(
    run: &Run,
    matches: &ArgMatches,
    output: &Output,
) -> Result<(), Box<dyn std::error::Error>> {
    capture_view::check(run, matches)?;
    let report = Report::of(run, &capture_view::options(matches));
    let key = text(matches, "as");
    let format = key.as_deref().and_then(Format::of_key);
    let samples = format.map_or(Ok(KeptSamples::All), |format| kept_samples(format, matches))?;
    let options = Options {
        row: row(&report, text(matches, "configuration").as_deref())?,
        table: table(&report, text(matches, "table").as_deref())?,
        plot: plot(run, &report, text(matches, "plot"))?,
        parts: Parts { notes: !matches.get_flag("without-notes"), samples, ..Parts::ALL },
        ..names::options(Place::File)
    };
    if let Some(folder) = matches.get_one::<PathBuf>("plots") {
        plots(run, &report, &options, folder)?;
    }
    let Some(format) = format else { return Ok(()) };
    if let Some(reason) = format.refusal(run, &report.options.capture) {
        return Err(reason.into());
    }
    if format.is_of_one_row() && options.row.is_none() && 1 < report.rows.len() {
        let row = export::default_row(&report).and_then(|row| report.rows.get(row));
        if let Some(row) = row {
            print_message(&format!(
                "exporting '{}'; use --configuration to select another",
                row.label
            ));
        }
    }
    let output = output.clone().in_folder(|| export::file_name(format, run));
    // The index of the second and each later table, and the path of its file: every table goes to a
    // separate file next to the file of the first table.
    let further: Vec<(usize, PathBuf)> = match &output {
        Output::File(path) if format == Format::CsvSummary && !matches.contains_id("table") => {
            let tables = report.tables.iter().zip(0..).skip(1);
            tables.map(|(table, at)| (at, export::table_path(path, table))).collect()
        }
        _ => Vec::new(),
    };
    let taken = further.iter().find(|(_, path)| path.exists());
    if let Some((_, path)) = taken.filter(|_| !matches.get_flag("force")) {
        return Err(format!(
            "a file of a further table exists; use --force to replace it, or another --out: {}",
            path.display()
        )
        .into());
    }
    write(&output, |to| export::write(format, run, &report, &options, to))?;
    for (table, path) in further {
        let options = Options { table, ..options.clone() };
        write(&Output::File(path), |to| export::write(format, run, &report, &options, to))?;
    }
    Ok(())
}

/// Writes every plot of a run into a folder.
fn plots(
    run: &Run,
    report: &Report,
    options: &Options,
    folder: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot write the output: {error}: {}", folder.display()))?;
    for chart in report.charts(run) {
        let options = Options { plot: Some(chart.key.to_owned()), ..options.clone() };
        let path = export::plot_path(folder, run, &chart);
        write(&Output::File(path), |to| export::write(Format::Svg, run, report, &options, to))?;
    }
    Ok(())
}

/// Returns the name of the requested plot, if any. Fails unless the run has a plot of this name.
fn plot(run: &Run, report: &Report, wanted: Option<String>) -> Result<Option<String>, String> {
    let Some(wanted) = wanted else { return Ok(None) };
    let charts = report.charts(run);
    if charts.iter().any(|chart| chart.key == wanted) {
        return Ok(Some(wanted));
    }
    let keys: Vec<&str> = charts.iter().map(|chart| chart.key).collect();
    Err(format!("--plot: invalid value '{}': expected {}", shortened(&wanted), keys.join(" or ")))
}

/// Returns the index of the table with this key, or of the first table if no key is given.
fn table(report: &Report, wanted: Option<&str>) -> Result<usize, String> {
    let Some(wanted) = wanted else { return Ok(0) };
    report.tables.iter().position(|table| table.key == wanted).ok_or_else(|| {
        let keys: Vec<&str> = report.tables.iter().map(|table| table.key).collect();
        format!("--table: invalid value '{}': expected {}", shortened(wanted), keys.join(" or "))
    })
}

/// Returns the index of the configuration with this label or number (counted from 1).
fn row(report: &Report, wanted: Option<&str>) -> Result<Option<usize>, String> {
    let Some(wanted) = wanted else { return Ok(None) };
    let by_label = report.rows.iter().position(|row| row.label.eq_ignore_ascii_case(wanted));
    let by_number = || {
        wanted
            .parse()
            .ok()
            .and_then(|number: usize| number.checked_sub(1))
            .filter(|row| *row < report.rows.len())
    };
    by_label.or_else(by_number).map(Some).ok_or_else(|| {
        let labels: Vec<&str> = report.rows.iter().map(|row| row.label.as_str()).collect();
        format!(
            "--configuration: invalid value '{}': expected 1 to {} or one of: {}",
            shortened(wanted),
            labels.len(),
            labels.join("; ")
        )
    })
}
