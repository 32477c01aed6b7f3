//! The `runs` commands that change saved runs: `tag`, `note`, `rename`, `rm`, and `restore`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use jitterscope_engine::plan::quick::TAG;
use jitterscope_engine::store::Store;
use jitterscope_engine::store::edit::{self, Edit};
use jitterscope_engine::units::count_text;

use super::super::print::print_message;
use super::super::{flag, option, run_arg, text};
use super::{EditOutcome, files_of, several_runs};

/// Returns the subcommands with their options.
pub(super) fn commands() -> [Command; 5] {
    let tags = |name, help| option(name, "TAG", help).action(ArgAction::Append).num_args(1..);
    let words = |help| Arg::new("text").value_name("TEXT").required(true).help(help);
    [
        Command::new("tag")
            .about("Add tags to saved runs, or remove tags from them")
            .arg(several_runs())
            .arg(tags("add", "Tags to add").required_unless_present("remove"))
            .arg(tags("remove", "Tags to remove")),
        Command::new("note")
            .about("Set the note of a saved run; an empty text removes it")
            .arg(run_arg())
            .arg(words("The note")),
        Command::new("rename")
            .about("Rename a saved run; an empty name restores the default name")
            .arg(run_arg())
            .arg(words("The name")),
        Command::new("rm")
            .about("Remove saved runs permanently, or with --trash for 7 days")
            .arg(several_runs())
            .arg(flag(
                "trash",
                "Move the runs to the trash, from which 'runs restore' restores them",
            )),
        Command::new("restore").about("Restore runs from the trash").arg(several_runs()),
    ]
}

/// Carries out the command `name`. All runs are found before the first one is changed, so that a typo changes nothing.
pub(super) fn run(store: &Store, name: &str, matches: &ArgMatches) -> EditOutcome {
    let from = if name == "restore" { store.trash() } else { store.clone() };
    let names: Vec<&String> = matches.get_many("run").into_iter().flatten().collect();
    let entries: Vec<Vec<PathBuf>> =
        names.iter().map(|name| files_of(&from, name)).collect::<Result<_, _>>()?;
    let words = text(matches, "text").unwrap_or_default();
    match name {
        "tag" => return tag(store, &entries, matches),
        "note" => change(store, &entries, &Edit::Note(words))?,
        "rename" => change(store, &entries, &Edit::Name(words))?,
        "restore" => {
            for path in entries.iter().flatten() {
                print_message(&format!("restored {}", store.restore(path)?.display()));
            }
        }
        _ => {
            let is_trash = matches.get_flag("trash");
            for path in entries.iter().flatten() {
                if is_trash {
                    store.move_to_trash(path)?;
                    print_message(&format!("moved to the trash: {}", path.display()));
                } else {
                    store.remove(path)?;
                    print_message(&format!("removed {}", path.display()));
                }
            }
        }
    }
    Ok(())
}

fn tag(store: &Store, entries: &[Vec<PathBuf>], matches: &ArgMatches) -> EditOutcome {
    let tags = |name: &str| -> Vec<String> {
        matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
    };
    let (added, mut removed) = (edit::clean_tags(&tags("add")), tags("remove"));
    // The parts of a quick check are found by this tag.
    removed.retain(|tag| tag != TAG);
    change(store, entries, &Edit::ChangeTags { added, removed })
}

/// Changes every file of the entries.
fn change(store: &Store, entries: &[Vec<PathBuf>], edit: &Edit) -> EditOutcome {
    for path in entries.iter().flatten() {
        store.edit(path, edit)?;
    }
    print_message(&format!("{} changed", count_text(entries.len(), "runs")));
    Ok(())
}
