//! Tests of the whole workspace through its public interfaces, in a single program.

mod administrator; // Tests with administrator rights: what an agent may do and what it refuses.
mod administrator_window; // Administrator rights in the window: granted, canceled, given up.
mod agreement; // One run has the same sentences in every output.
mod captures; // The page of an imported capture.
mod cells; // Every cell of every table, in every format that contains tables.
mod check; // The `check` command: exit status, results, and error messages for invalid limits files.
mod cli; // The command line: output, error messages, and exit status.
mod compare; // The comparison of runs: on the command line, in the window, and of measured runs.
mod crowded; // Runs and settings with very many items: pages draw what can be seen of them.
mod datasets; // The columns of the datasets for query engines: all documented, and no others.
mod everyday; // Everyday use: stopping, restarting, presets, file dialogs.
mod exchange; // Exports and imports: round trips, hostile text, excluded names, damaged files.
mod exported_files; // Quick checks that open elsewhere, edited files, and reports without samples.
mod files; // Files that leave the window and enter it: exports, reports for tickets, dropped files.
mod fleet;
mod foreign_files; // Files of other programs as people have them: their values, or a reason in words.
mod groups; // Three to six groups of runs, each compared with the first one.
mod guide; // The user guide: its glossary, its links, and its commands.
mod host_window; // The host chooser: tests on other PCs, shown live in the window.
mod hosts; // Tests on other PCs, with a script that replaces ssh.
mod keyboard; // Typical work with the keyboard only.
mod liars; // Hosts that lie, on the command line and in the window: each ends in a sentence.
mod library; // Saved runs in the list: histograms, notes and tags, folder.
mod limits; // Limits on CPUs and CPU time: respected by plans, and shown in results.
mod live; // Runs that really measure: counts, order, stopping, no lost data.
mod measurement; // The checksum of a measurement: in every file of a run, and recomputed by Python.
mod memory; // Memory of imports and exports of very large files: a small multiple of their size.
mod metrics; // Metrics for monitoring: valid under strict rules, and equal to the tables.
mod mutated_runs; // Run files with changed values: each is accepted or rejected.
mod mutated_settings; // Changed files of settings, window state, and priors: each is read or refused.
mod noise; // The noise floor of runs with the same settings.
mod offers; // Follow-up actions that pages offer: waiting for quiet, allowing what is denied.
mod older; // Files of an older version: they have the same figures as when they were written.
mod pages; // HTML pages: they load nothing from the network.
mod plots; // Plots, used by keyboard, pointer, and accessible names.
#[cfg(target_os = "linux")]
mod polkit; // Administrator rights through the real pkexec: granted, denied, and nothing else permitted.
mod previews; // The preview of an export: the contents of the file, in the same order.
mod privacy; // The output and files of every command contain no private names.
mod probes; // Every test measures on this PC, and has a report.
mod quick; // The quick check: on the command line, in the window, and opened again.
mod recompute; // The figures of every test, computed a second time by NumPy and SciPy.
#[cfg(target_os = "linux")]
mod recorder; // The recorder: a game of known stutters, commands, rights, and a killed process.
mod recordings; // A real recording: its stutters have the causes that were injected.
mod reference; // The output formats of the reference tools, read by parsers of the test.
mod robustness; // Hostile files, full disks, and signals: nothing hangs, and no data is lost.
mod runs_commands; // The `runs` commands: lists for programs, and edits of saved runs.
mod safety; // Real-time priority is revoked if needed, and nothing remains after a run.
mod schema; // Run files and exports match the JSON schema of the run file.
mod settings; // Settings about numbers: they change what the window shows, not what is saved.
#[cfg(target_os = "linux")]
mod shortcut; // The shortcut that marks a moment while another program has the focus.
mod snapshots; // An image of every page in every state, checked for problems such as cut-off text.
mod ssh_server; // Tests through real ssh servers: keys, copying the agent, killed processes.
mod streams; // Standard output and standard error that cannot be written.
mod tables; // Result tables in the window: sorting, keyboard, restored state.
mod tickets; // The text of a run for a ticket, which is always short.
mod tidy; // Rules about the source code that no lint checks.
mod trend; // One metric over days and builds: on the command line, in the window.
mod window; // The window: one test per task of a user.
mod window_agreement; // The window shows the sentences and numbers of every other output.
mod words; // Texts that a user reads contain no words that read badly.
