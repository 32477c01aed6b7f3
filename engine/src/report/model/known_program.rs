//! Programs that often delay games, and what helps against each without code.

/// A program that many PCs have.
struct KnownProgram {
    names: &'static [&'static str],
    /// What the program does and what to do, as a sentence that begins with its name.
    advice: &'static str,
}

const KNOWN: [KnownProgram; 14] = [
    KnownProgram {
        names: &["baloo_file", "baloo_file_extractor"],
        advice: "indexes files for KDE's search: 'balooctl6 suspend' pauses it, 'balooctl6 resume' lets it go on.",
    },
    KnownProgram {
        names: &[
            "tracker-miner-fs-3",
            "tracker-extract-3",
            "localsearch-3",
            "localsearch-extractor-3",
        ],
        advice: "indexes files for GNOME's search: let it finish, or remove folders in Settings, Search.",
    },
    KnownProgram {
        names: &["SearchIndexer.exe", "SearchProtocolHost.exe", "mds_stores", "mdworker_shared"],
        advice: "indexes files for the search of the system: let it finish, or exclude folders in its settings.",
    },
    KnownProgram {
        names: &["fossilize_replay"],
        advice: "compiles shaders for Steam: let it finish before you play.",
    },
    KnownProgram {
        names: &[
            "packagekitd",
            "apt",
            "apt-get",
            "dpkg",
            "unattended-upgrade",
            "dnf",
            "dnf5daemon-server",
            "pacman",
            "zypper",
            "snapd",
            "flatpak",
            "TiWorker.exe",
            "TrustedInstaller.exe",
            "softwareupdated",
        ],
        advice: "installs updates: let it finish, and set a time for them at which you do not play.",
    },
    KnownProgram {
        names: &["updatedb", "updatedb.plocate", "updatedb.mlocate", "mandb", "man-db"],
        advice: "updates a list of files once a day: let it finish.",
    },
    KnownProgram {
        names: &["clamscan", "clamd", "clamonacc", "MsMpEng.exe"],
        advice: "searches files for viruses: set another time for the search, or exclude the folder of the game.",
    },
    KnownProgram {
        names: &["OneDrive.exe", "dropbox", "nextcloud", "syncthing", "insync", "megasync"],
        advice: "synchronizes files: pause it from its icon while you play.",
    },
    KnownProgram {
        names: &["rsync", "borg", "restic", "timeshift", "duplicity", "deja-dup"],
        advice: "makes a backup: set a time for it at which you do not play.",
    },
    KnownProgram {
        names: &["steam", "steamwebhelper"],
        advice: "downloads or shows its pages: stop downloads while you play (Steam, Settings, Downloads), and close its windows.",
    },
    KnownProgram {
        names: &["Discord", "discord", "Discord.exe", "DiscordCanary"],
        advice: "was busy: turn off its overlay and its hardware acceleration, or close it.",
    },
    KnownProgram {
        names: &["obs", "obs64.exe"],
        advice: "records or streams: choose an encoder of the graphics card, or fewer frames per second.",
    },
    KnownProgram {
        names: &[
            "rustc", "cc1", "cc1plus", "clang", "ld", "lld", "rust-lld", "ninja", "cl.exe",
            "link.exe",
        ],
        advice: "builds programs: start the build with 'nice -n 19', or with fewer jobs.",
    },
    KnownProgram {
        names: &[
            "Xorg",
            "Xwayland",
            "kwin_wayland",
            "kwin_x11",
            "gnome-shell",
            "dwm.exe",
            "WindowServer",
        ],
        advice: "draws the desktop and cannot be closed: turn off its effects, or play in full screen.",
    },
];

/// Longest name of a program that Linux reports, in bytes.
const MAX_REPORTED: usize = 15;

/// Returns a sentence on what a program does and what helps against it without code; `None` if nothing is known of it.
pub(in crate::report) fn known_program(name: &str) -> Option<String> {
    let is_it = |known: &&str| name == *known || known.get(..MAX_REPORTED) == Some(name);
    let found = KNOWN.iter().find(|known| known.names.iter().any(is_it))?;
    Some(format!("{name} {}", found.advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_whole_names_as_systems_report_them() {
        assert_eq!(
            known_program("updatedb.plocat").as_deref(),
            Some("updatedb.plocat updates a list of files once a day: let it finish.")
        );
        assert!(known_program("baloo_file").unwrap().contains("balooctl6 suspend"));
        assert!(known_program("unattended-upgr").is_some());
        assert!(known_program("tracker-miner-f").is_some());
        for other in ["apt-daily", "stea", "chrome", ""] {
            assert_eq!(known_program(other), None, "{other}");
        }
    }

    #[test]
    fn no_program_is_listed_twice() {
        let mut names: Vec<&str> = KNOWN.iter().flat_map(|known| known.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
