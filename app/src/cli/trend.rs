//! The `trend` command: one metric of saved runs over dates or builds, with the changes of its level.

use clap::{ArgAction, ArgMatches, Command};
use jitterscope_engine::export::document::Level;
use jitterscope_engine::export::{self, csv, html, markdown, ticket};
use jitterscope_engine::format;
use jitterscope_engine::report::comparison::MinEffect;
use jitterscope_engine::report::document::trend as words;
use jitterscope_engine::report::trend::{
    LevelChange, NoTrend, Trend, TrendBy, TrendLine, TrendQuery,
};
use jitterscope_engine::store::Store;
use jitterscope_engine::units::shortened;
use serde_json::{Map, Value, json};

use super::compare::gate::{self, Gate, Judged};
use super::compare::{conclude, undecided_arg};
use super::names::{self, Place};
use super::output::Output;
use super::print::blocks;
use super::{Status, format_option, option, path_option, text};
use crate::run_list::{LibraryItem, RunFilter, parse_words};
use crate::text::NARROW_SPACE;

/// Returns the `trend` command with its options.
pub(super) fn command() -> Command {
    Command::new("trend")
        .about("Show one metric of saved runs over dates or builds, and when its level changed")
        .after_help(
            "A point is the mean of the undisturbed runs of a day or of a tag. A change of the level is false in 1 of \
             100 months of daily points. Conditions compare the newest level with that of the newest run tagged \
             'baseline', or else with the first level: a condition is true if the level changed beyond its limit, false \
             if it did not, and undecided if only the newest point is beyond the limit, if the newest point is \
             disturbed, or with fewer than 5 points. To accept a change, tag a run of the new level 'baseline'.\n\n\
             Examples:\n  jitterscope-cli trend\n  jitterscope-cli trend --metric p99 --by tag:build: --fail-if worse\n  \
             jitterscope-cli trend --metric average-fps --filter 'test:capture tag:nightly' --format html --out trend.html\n\n\
             Exit status: 3 if a condition is true, else 4 if one is undecided.",
        )
        .arg(option("metric", "NAME", "Metric to follow, such as p99, mean, or average-fps [default: the key figure of the test]"))
        .arg(option("configuration", "LABEL", "Configuration to follow, by its label [default: the first with the metric]"))
        .arg(
            option("by", "POINTS", "What a point is [default: date] [possible values: date, run, tag:PREFIX, such as tag:build:]")
                .value_parser(by),
        )
        .arg(
            option("filter", "WORDS", "Use only runs that have all these words, as in runs list")
                .value_parser(parse_words),
        )
        .arg(option("host", "WORD", "Use only runs of PCs whose name, processor, or system has this word"))
        .arg(option("like", "RUN", "Follow the test and the settings of this run [default: of the newest run with the metric]"))
        .arg(
            option("min-effect", "SIZE", "Smallest change that matters, such as 2%, or 0.5pp for shares; can be repeated [default: by kind of metric, as in compare]")
                .action(ArgAction::Append)
                .value_parser(gate::min_effect),
        )
        .arg(
            option("fail-if", "CONDITION", "Exit with status 3 if this condition is true, 4 if it is undecided: worse, slightly-worse, or such as p99>+20%; can be repeated")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .value_parser(|text: &str| text.parse::<Gate>()),
        )
        .arg(undecided_arg())
        .arg(
            format_option(&["table", "json", "csv", "markdown", "html", "svg"], "Output format")
                .help_heading("Output"),
        )
        .arg(
            path_option("out", "FILE", "Write the trend to this file; - for standard output")
                .help_heading("Output"),
        )
}

fn by(text: &str) -> Result<TrendBy, String> {
    match text {
        "date" => Ok(TrendBy::Date),
        "run" => Ok(TrendBy::Run),
        text => match text.strip_prefix("tag:").filter(|prefix| !prefix.is_empty()) {
            Some(prefix) => Ok(TrendBy::Tag(prefix.to_owned())),
            None => Err(format!(
                "invalid points '{}': expected date, run, or tag:PREFIX",
                shortened(text)
            )),
        },
    }
}

type TrendFailure = Box<dyn std::error::Error>;

/// Runs the `trend` command.
pub(super) fn run(store: Option<&Store>, matches: &ArgMatches) -> Result<Status, TrendFailure> {
    let store = store.ok_or("no default data folder on this system; set one with --data-dir")?;
    let filter =
        RunFilter { words: text(matches, "filter").unwrap_or_default(), ..RunFilter::default() };
    let host = text(matches, "host").unwrap_or_default().to_lowercase();
    let mut items = LibraryItem::list(store.lines()?);
    items.retain(|item| filter.matches(item));
    let mut runs = LibraryItem::trend_runs(&items);
    runs.retain(|run| run.machine.to_lowercase().contains(&host));
    let given = matches.get_many::<MinEffect>("min-effect").into_iter().flatten();
    let minimum = given.fold(MinEffect::default(), |all, one| MinEffect {
        share: one.share.or(all.share),
        points: one.points.or(all.points),
    });
    let query = TrendQuery {
        metric: text(matches, "metric"),
        label: text(matches, "configuration"),
        by: matches.get_one::<TrendBy>("by").cloned().unwrap_or_default(),
        like: text(matches, "like").map(|name| id_of(&name, &items)).transpose()?,
        minimum,
        zone: Some(jiff::tz::TimeZone::system()),
    };
    let mut trend = Trend::new(&runs, &query)?;
    let (format, output) = (text(matches, "format").unwrap_or_default(), Output::of(matches));
    let place = output.place(&format);
    if place == Place::File && !names::has_programs() {
        trend.exclude_hosts();
    }
    let conditions: Vec<&Gate> =
        matches.get_many::<Gate>("fail-if").into_iter().flatten().collect();
    if let Some(other) = conditions.iter().find(|gate| !gate.is_about(trend.metric.key)) {
        let key = trend.metric.key;
        return Err(format!("--fail-if {other}: this trend is of {key}; add --metric").into());
    }
    let judged: Vec<Judged> = conditions.iter().map(|gate| gate.judge_trend(&trend)).collect();
    let clean = |text: &str| match place {
        Place::File => names::in_file(text),
        Place::Terminal => names::redacted(text),
    };
    trend.change_texts(|text| *text = clean(text));
    let again = clean(&command_line(matches));
    let document = || words::document(&trend, minimum, &again, "");
    let content = match format.as_str() {
        "json" => json_text(&trend, &judged)?,
        "csv" => {
            let mut bytes = Vec::new();
            csv::rows(words::COLUMNS, words::rows(&trend).into_iter(), &mut bytes)?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        "svg" => export::stacked_plots(&[words::chart(&trend)]),
        "html" => {
            let mut page = Vec::new();
            html::write_trend(&trend, &document(), &mut page)?;
            String::from_utf8_lossy(&page).into_owned()
        }
        "markdown" => {
            let mut blocks = ticket::complete(document());
            let of_gates = judged.iter().map(|one| export::Block::item(one.words()));
            let last = blocks.len().saturating_sub(1);
            blocks.splice(last..last, of_gates.collect::<Vec<_>>());
            markdown::text(&blocks)
        }
        _ => export::for_terminal(&blocks("", document().blocks(Level::Page), ""))
            .replace(NARROW_SPACE, " "),
    };
    output.write(|to| to.write_all(content.as_bytes()))?;
    Ok(conclude(&judged, matches))
}

/// Returns the ID of the only run whose ID begins with a text, or that has this name.
fn id_of(name: &str, items: &[LibraryItem]) -> Result<String, NoTrend> {
    let runs = LibraryItem::trend_runs(items);
    let is_named = |id: &str, own: &str| id.starts_with(name) || own == name;
    let mut found = runs.iter().filter(|run| !name.is_empty() && is_named(run.id, run.name));
    match (found.next(), found.next()) {
        (Some(run), None) => Ok(run.id.to_owned()),
        _ => Err(NoTrend::Run(shortened(name).into_owned())),
    }
}

/// Returns the command that prints the same trend.
fn command_line(matches: &ArgMatches) -> String {
    let mut line = "jitterscope-cli trend".to_owned();
    let quoted = |value: &str| {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:%".contains(letter);
        if value.chars().all(is_plain) {
            value.to_owned()
        } else {
            format!("'{}'", value.replace('\'', "'\\''"))
        }
    };
    for name in ["metric", "configuration", "by", "filter", "host", "like", "min-effect"] {
        let values = matches.get_raw(name).into_iter().flatten();
        for value in values {
            line.push_str(&format!(" --{name} {}", quoted(&value.to_string_lossy())));
        }
    }
    line
}

fn json_text(trend: &Trend, judged: &[Judged]) -> Result<String, serde_json::Error> {
    let change = |line: &TrendLine, change: &LevelChange| {
        let delta = change.delta;
        json!({
            "point": line.points.get(change.point).map(|point| &point.name),
            "values": change.values,
            "change": delta.effect.difference,
            "ratio": delta.ratio,
            "interval_95": delta.effect.interval.map(|(low, high)| [low, high]),
            "min_effect": delta.effect.minimum,
            "result": delta.result.words().key,
        })
    };
    let rows = words::rows(trend);
    let lines = trend.lines.iter().map(|line| {
        let own = rows.iter().filter(|row| row.get(2) == Some(&line.machine));
        let point = |row: &[String; words::COLUMNS.len()]| -> Value {
            let cells = words::COLUMNS.into_iter().zip(row).skip(3);
            cells
                .map(|(key, cell)| (key.to_owned(), parsed(key, cell)))
                .collect::<Map<_, _>>()
                .into()
        };
        json!({
            "machine": line.machine,
            "baseline_value": line.baseline_value(),
            "is_enough": line.is_enough(),
            "changes": line.changes.iter().map(|one| change(line, one)).collect::<Vec<_>>(),
            "points": own.map(point).collect::<Vec<_>>(),
        })
    });
    let trend = json!({
        "format": "jitterscope-trend",
        "format_version": 1,
        "app_version": env!("CARGO_PKG_VERSION"),
        "test": trend.test,
        "metric": trend.metric.key,
        "configuration": trend.label,
        "unit": words::unit_key(trend),
        "conclusion": words::sentence(trend),
        "false_change_per_month": jitterscope_engine::stats::change_points::FALSE_ALARM,
        "lines": lines.collect::<Vec<_>>(),
        "fail_if": judged.iter().map(Judged::json).collect::<Vec<_>>(),
    });
    let mut text = format::safe_json(&serde_json::to_string_pretty(&trend)?);
    text.push('\n');
    Ok(text)
}

/// Returns a cell of a row as a value: a number, a list of runs, a text, or null.
fn parsed(key: &str, cell: &str) -> Value {
    match key {
        "run_ids" => cell.split("; ").collect(),
        "point" | "result" | "first_run_id" => cell.into(),
        _ if cell.is_empty() => Value::Null,
        "disturbed" => cell.into(),
        _ => cell.parse::<f64>().map_or_else(|_| cell.into(), Value::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_days_runs_or_tags_with_a_beginning() {
        assert_eq!(by("date"), Ok(TrendBy::Date));
        assert_eq!(by("tag:build:"), Ok(TrendBy::Tag("build:".to_owned())));
        for wrong in ["", "tag:", "month", "build:"] {
            assert!(
                by(wrong).unwrap_err().contains("expected date, run, or tag:PREFIX"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn repeated_command_quotes_what_a_shell_would_split() {
        let args =
            ["trend", "--by", "tag:build:", "--filter", "tag:nightly it's", "--min-effect", "2%"];
        let matches = command().try_get_matches_from(args).unwrap();
        let expected =
            r"jitterscope-cli trend --by tag:build: --filter 'tag:nightly it'\''s' --min-effect 2%";
        assert_eq!(command_line(&matches), expected);
    }
}
