//! The window; if none can open, the quick check in the terminal.

#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

use std::process::ExitCode;

use eframe::egui::ViewportBuilder;
use jitterscope::show_fatal_error;
use jitterscope::{App, quick_check, start_log, window_files};
use jitterscope::{Instance, Start};

fn main() -> ExitCode {
    jitterscope::note_start();
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
    if matches!(start, Start::HandedOver) {
        return ExitCode::SUCCESS;
    }
    jitterscope_engine::platform::note_usable_cpus();
    jitterscope_engine::platform::survive_size_limit();
    // Tests start from a thread at default priority; all drawing threads are lowered.
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
        system_font_fallback: false,
        persist_window: true,
        ..eframe::NativeOptions::default()
    };
    let opened = eframe::run_native(
        "Jitterscope",
        options,
        Box::new(|cc| Ok(Box::new(App::new(cc).started(start).opening(files)))),
    );
    match opened {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => without_window(&error),
    }
}

/// The reason, without the source location in a library.
fn reason(error: &str) -> String {
    let after = error.split_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
    let words = after.map_or(error, |(_, words)| words);
    words.trim_end_matches([')', '.']).to_owned()
}

/// Measures in the terminal instead, if there is one.
fn without_window(error: &eframe::Error) -> ExitCode {
    let error = reason(&error.to_string());
    if cfg!(all(windows, not(debug_assertions))) {
        show_fatal_error(&format!(
            "The window cannot open: {error}.\n\nIt needs OpenGL 2.0. The same tests run in a \
             terminal: jitterscope-cli quick"
        ));
        return ExitCode::FAILURE;
    }
    print_message(&format!(
        "the window cannot open ({error}); running the quick check in the terminal instead"
    ));
    quick_check().into()
}

#[expect(clippy::print_stderr, reason = "without a window, messages go to the terminal")]
fn print_message(sentence: &str) {
    eprintln!("{sentence}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_no_source_file() {
        let long = "winit EventLoopError: os error at /a/b/mod.rs:765: neither DISPLAY nor \
                    another is set.";
        assert_eq!(reason(long), "neither DISPLAY nor another is set");
        assert_eq!(reason("no OpenGL here"), "no OpenGL here");
    }
}
