//! The workspace seen from outside, in one binary.

mod administrator; // Tests with administrator rights: what an agent holds and refuses.
mod administrator_window; // The same in the window: granted, canceled, given up.
mod captures; // The page of an imported capture.
mod cells; // Every cell of every table, in every format that carries tables.
mod check; // Limits for a pipeline: exit status, results, and what a wrong file gets.
mod cli; // The command line: what it prints, what it refuses, how it ends.
mod compare; // Runs side by side: from the command line, in the window, and of real runs.
mod datasets; // The columns of the datasets for engines of analysis: documented, and all that rows have.
mod everyday; // Habits of every day: stopping, restarting, paths, plots looked at closer.
mod exchange; // Exports and imports: round trips, hostile text, excluded names, damaged files.
mod files; // Files that leave the window and come into it: exports, tickets, drops; repeats.
mod guide; // The user guide: its glossary is what the tables define.
mod host_window; // The host chooser: tests on other PCs, live in the window.
mod hosts; // Tests on other PCs: through a made-up ssh that starts the agent here, or fails.
mod keyboard; // A day by the keyboard alone: check, result, cause, export, comparison.
mod library; // Saved runs before they are opened: histograms, notes and tags, folders.
mod limits; // Restricted CPUs and CPU time: planned with, and shown.
mod live; // Runs that really measure: counts, order, stopping, nothing lost.
mod measurement; // The checksum of a measurement: in every file of a run, and computed once more by Python.
mod memory; // Memory of imports and exports of the largest files: a small multiple of their size.
mod metrics; // Metrics for monitoring: strictly valid, and equal to the tables.
mod mutated_runs; // Runs whose values were changed: each is accepted or refused.
mod noise; // The noise floor of runs with the same settings.
mod offers; // What pages offer next: to wait for quiet, to allow what is denied, to compare.
mod older; // Files of an older version: they open with the figures that it wrote.
mod pages; // Pages for a browser: without a request, and comparisons with the results of their tables.
mod plots; // Plots by keyboard, pointer and labels: ranges, annotations, distributions.
#[cfg(target_os = "linux")]
mod polkit; // Administrator rights through a real polkit: granted, denied, and nothing else permitted.
mod previews; // The preview of an export: what the file holds, in its order.
mod privacy; // What any command prints or writes: no private names, of this PC or of other programs.
mod probes; // Every kind of test on a live machine, and what a report makes of it.
mod quick; // The quick check: from the command line, in the window, and opened again.
mod recompute; // The figures of every test, computed once more by NumPy and SciPy.
mod reference; // What reference tools print: parsed from their own sample lines, then from real runs.
mod robustness; // Hostile files, full disks and signals: nothing hangs, nothing is destroyed.
mod safety; // Real-time priority is revoked, and nothing outlives a run, killed or not.
mod schema; // Run files and exports against the schema of the run file.
mod settings; // Settings of numbers: followed by what is shown, not by what is saved.
#[cfg(target_os = "linux")]
mod shortcut; // The shortcut that marks a moment in other programs: by a made-up portal, an X server, and without.
mod snapshots; // An image of every page in every state, and what must not be on any.
mod ssh_server; // Tests through a real ssh server: keys, copying the agent, what is lost with each process.
mod streams; // Standard output and standard error that cannot be written.
mod tables; // Result tables: sorted, read by key, remembered.
mod tickets; // What is pasted into a ticket, in few lines.
mod tidy; // The invariants of the house that no lint can hold.
mod window; // The window through its labels: each task of a user.
mod words; // The words of the product: none that reads badly.
