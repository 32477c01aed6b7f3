//! The program of the window. If no window can open, it runs the quick check in the terminal.

#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

use std::process::ExitCode;

use eframe::egui::ViewportBuilder;
use jitterscope::{App, check_window_state, quick_check, start_log, window_files};
use jitterscope::{Instance, Start, handed_over, reason_of};
use jitterscope::{print_message, show_fatal_error};

fn main() -> ExitCode {
    // The window starts itself as the recorder where the command line is not installed.
    if std::env::args_os().nth(1).is_some_and(|arg| arg == "record") {
        return jitterscope::run_command_line(std::env::args_os()).into();
    }
    if let Err(refused) = jitterscope_engine::platform::check_needed_calls() {
        print_message(&format!("error: {refused}"));
        return ExitCode::FAILURE;
    }
    // Before the first thread is started.
    let prepared = jitterscope_engine::platform::prepare_window();
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
    if let Err(reason) = prepared {
        // The next start need not wait for this one.
        drop(start);
        return without_window(&reason, file_count);
    }
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
    let (persistence_path, damage) = eframe::storage_dir("jitterscope")
        .map_or((None, None), |folder| check_window_state(&folder.join("app.ron")));
    let options = eframe::NativeOptions {
        viewport,
        renderer: eframe::Renderer::Glow,
        // Plots use flat colors, which need no dithering. Without a GPU, dithering takes CPU time
        // from the measurement.
        dithering: false,
        system_font_fallback: false,
        persist_window: true,
        persistence_path,
        ..eframe::NativeOptions::default()
    };
    let opened = eframe::run_native(
        "Jitterscope",
        options,
        Box::new(|cc| Ok(Box::new(App::new(cc).warned(damage).started(start).opening(files)))),
    );
    match opened {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => without_window(&reason_of(&error.to_string()), file_count),
    }
}

/// Reports that the window cannot open. If no file was to be opened, runs the quick check in the
/// terminal instead. A release build for Windows has no terminal and shows an error dialog.
fn without_window(error: &str, files: usize) -> ExitCode {
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
