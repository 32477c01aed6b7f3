//! The program of the window. If no window can open, it runs the quick check in the terminal.

#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use eframe::egui::ViewportBuilder;
use jitterscope::{App, quick_check, start_log, window_files};
use jitterscope::{Instance, Start};
use jitterscope::{print_message, show_fatal_error};

fn main() -> ExitCode {
    jitterscope::note_start();
    jitterscope_engine::platform::survive_size_limit();
    let files = match window_files(std::env::args_os()) {
        Ok(files) => files,
        Err(status) => return status.into(),
    };
    let folder = jitterscope_engine::store::settings_folder();
    if let Some(Err(error)) = folder.as_deref().map(start_log) {
        print_message(&format!("no log file: {error}"));
    }
    let start = folder.map_or_else(
        || Start::Unknown("this system has no folder for settings".to_owned()),
        |folder| Instance::claim(&folder, &files),
    );
    let file_count = files.len();
    if matches!(start, Start::HandedOver) {
        print_message(&handed_over(file_count));
        return ExitCode::SUCCESS;
    }
    jitterscope_engine::platform::note_usable_cpus();
    // Measuring threads are started from a thread at default priority; the drawing threads run at a
    // lower priority.
    jitterscope_engine::measure::init_spawner();
    jitterscope_engine::platform::lower_ui_priority();
    let icon = include_bytes!("../../assets/icon/jitterscope-128.png");
    let mut viewport = ViewportBuilder::default()
        .with_app_id("jitterscope")
        .with_title("Jitterscope")
        .with_inner_size([1440.0, 900.0])
        .with_min_inner_size([640.0, 400.0]);
    match eframe::icon_data::from_png_bytes(icon) {
        Ok(icon) => viewport = viewport.with_icon(icon),
        Err(error) => log::warn!("cannot read the icon: {error}"),
    }
    let options = eframe::NativeOptions {
        viewport,
        renderer: eframe::Renderer::Glow,
        // Plots use flat colors, which need no dithering. Without a GPU, dithering takes CPU time
        // from the measurement.
        dithering: false,
        system_font_fallback: false,
        persist_window: true,
        persistence_path: eframe::storage_dir("jitterscope")
            .and_then(|folder| window_state_path(&folder.join("app.ron"))),
        ..eframe::NativeOptions::default()
    };
    let opened = eframe::run_native(
        "Jitterscope",
        options,
        Box::new(|cc| Ok(Box::new(App::new(cc).started(start).opening(files)))),
    );
    match opened {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => without_window(&error, file_count),
    }
}

/// Returns another file for the window size and position if the default path is a pipe or device:
/// opening a pipe would block before the window opens.
fn window_state_path(usual: &Path) -> Option<PathBuf> {
    let is_other = usual.metadata().is_ok_and(|it| !it.is_file() && !it.is_dir());
    is_other.then(|| usual.with_file_name("window.ron"))
}

/// Returns the message after the files were passed to the window that is already open.
fn handed_over(files: usize) -> String {
    match files {
        0 => "Jitterscope is already running; its window comes to the front".to_owned(),
        1 => "Jitterscope is already running; its window opens the file".to_owned(),
        count => format!("Jitterscope is already running; its window opens {count} files"),
    }
}

/// Returns the reason of an error without the source location in a library.
fn reason(error: &str) -> String {
    let after = error.split_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
    let words = after.map_or(error, |(_, words)| words);
    words.trim_end_matches([')', '.']).to_owned()
}

/// Reports that the window cannot open. If no file was to be opened, runs the quick check in the
/// terminal instead. A release build for Windows has no terminal and shows an error dialog.
fn without_window(error: &eframe::Error, files: usize) -> ExitCode {
    let error = reason(&error.to_string());
    if cfg!(all(windows, not(debug_assertions))) {
        show_fatal_error(&format!(
            "The window cannot open: {error}.\n\nIt needs OpenGL 2.0. The same tests run in a \
             terminal: jitterscope-cli quick"
        ));
        return ExitCode::FAILURE;
    }
    if 0 < files {
        print_message(&format!(
            "the window cannot open ({error}); show a file in the terminal with jitterscope-cli import FILE"
        ));
        return ExitCode::FAILURE;
    }
    print_message(&format!(
        "the window cannot open ({error}); running the quick check in the terminal instead"
    ));
    quick_check().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_start_reports_what_the_first_window_does() {
        assert!(handed_over(0).ends_with("its window comes to the front"));
        assert!(handed_over(3).ends_with("its window opens 3 files"));
    }

    #[test]
    fn a_reason_names_no_source_file() {
        let long = "winit EventLoopError: os error at /a/b/mod.rs:765: neither DISPLAY nor \
                    another is set.";
        assert_eq!(reason(long), "neither DISPLAY nor another is set");
        assert_eq!(reason("no OpenGL here"), "no OpenGL here");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_the_state_of_the_window_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.ron");
        assert_eq!(window_state_path(&path), None);
        std::fs::write(&path, "").unwrap();
        assert_eq!(window_state_path(&path), None);
        std::fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        assert_eq!(window_state_path(&path), Some(folder.path().join("window.ron")));
    }
}
