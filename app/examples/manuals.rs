//! Writes man pages and shell completions, from the definition of the command lines:
//! `cargo run -p jitterscope --no-default-features --features manuals --example manuals -- FOLDER`.

use std::path::Path;
use std::{env, fs, io};

use clap::Command;
use clap_complete::Shell;
use jitterscope::commands;

const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell];

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1) else {
        return Err(io::Error::other("expected a folder to write into"));
    };
    let folder = Path::new(&folder);
    let (manuals, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&manuals)?;
    fs::create_dir_all(&completions)?;
    for mut command in commands() {
        let name = command.get_name().to_owned();
        // Without a page about each page.
        let plain = |command: Command| command.disable_help_subcommand(true);
        clap_mangen::generate_to(plain(command.clone()).mut_subcommands(plain), &manuals)?;
        for shell in SHELLS {
            clap_complete::generate_to(shell, &mut command, &name, &completions)?;
        }
    }
    Ok(())
}
