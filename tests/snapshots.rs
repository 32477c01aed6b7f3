//! Every page in every state, dark and light, in three sizes, with reproducible runs. No text may
//! be cut off or covered, and every widget must have a name. With `JITTERSCOPE_PICTURES=1 cargo
//! test -p jitterscope-tests snapshots`, an image of each is written to `target/pictures`, drawn
//! without a graphics card; with another value, such as `gaps-finished-dark`, only the images whose
//! names contain it.

mod captured;
mod grouped;
mod look;
pub(super) mod made;
mod readme;
mod traced;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use egui::{Key, Modifiers, Theme, Vec2, accesskit, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::App;
use jitterscope::frame_png;
use jitterscope::{LibraryItem, PageId, Progress, Settings, SettingsFile};
use jitterscope_engine::machine::Machine;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::{self, CheckSettings, Part};
use jitterscope_engine::plan::{
    FrameLoop, GameTick, Load, Plan, Priority, RealTime, SchedulingGaps, SleepAccuracy,
    SpinStrategies,
};
use jitterscope_engine::platform::TraceSource;
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::runner::CheckGroup;
use jitterscope_engine::store::Store;

use super::window::step_until;
use made::run_of;
use traced::traced;

/// The sizes of the window: name, width and height in points, and pixels per point.
const SIZES: [(&str, Vec2, f32); 3] = [
    ("1440x900", vec2(1440.0, 900.0), 1.0),
    ("1000x640", vec2(1000.0, 640.0), 1.0),
    ("200-percent", vec2(720.0, 450.0), 2.0),
];

/// The tests, each with the name by which their images are called and the shortcut of their page.
const TESTS: [(&str, Key); 6] = [
    ("frame-loop", Key::Num2),
    ("sleep", Key::Num3),
    ("spin", Key::Num4),
    ("gaps", Key::Num5),
    ("realtime", Key::Num6),
    ("tick", Key::Num7),
];

/// The environment variable that enables drawing. The checks always run; drawing takes minutes.
const WANTED: &str = "JITTERSCOPE_PICTURES";

/// Collects the images of pages, and the problems that were found on them.
struct Album {
    /// The folder for the images; `None` if no images are drawn.
    folder: Option<PathBuf>,
    /// The texts on each page in each state, at default size.
    seen: BTreeMap<String, Vec<String>>,
    /// Truncated texts, at default size.
    elided: Vec<String>,
    problems: Vec<String>,
    count: usize,
}

impl Album {
    fn new() -> Self {
        Self {
            folder: image_folder(),
            seen: BTreeMap::new(),
            elided: Vec::new(),
            problems: Vec::new(),
            count: 0,
        }
    }

    /// Checks and draws the current frame in both themes and all sizes.
    fn take(&mut self, harness: &mut Harness<'_, App>, name: &str) {
        // Move the pointer away, because a plot would show a tooltip at the last position.
        harness.event(egui::Event::PointerGone);
        self.take_layered(harness, name, false);
    }

    /// Like `take`; `is_layered` states that widgets overlap on purpose.
    fn take_layered(&mut self, harness: &mut Harness<'_, App>, name: &str, is_layered: bool) {
        for (size, room, scale) in SIZES {
            // The new scale applies at the next step and changes the size in points, so set the size
            // afterward.
            harness.set_pixels_per_point(scale);
            harness.step();
            harness.set_size(room);
            for theme in [Theme::Dark, Theme::Light] {
                harness.ctx.set_theme(theme);
                harness.run_steps(5);
                let theme = if theme == Theme::Dark { "dark" } else { "light" };
                let image = format!("{name}-{theme}-{size}");
                let may_scroll = size != "1440x900";
                self.problems.extend(
                    look::problems_of(harness, may_scroll, is_layered)
                        .into_iter()
                        .chain(
                            look::nameless(harness).into_iter().map(|it| format!("no name: {it}")),
                        )
                        .map(|problem| format!("{image}: {problem}")),
                );
                self.write(harness, &image);
            }
            if size == "1440x900" {
                let words = look::words_of(harness);
                let short = words.iter().filter(|words| words.is_elided);
                self.elided.extend(short.map(|words| format!("{name}: {}", words.text)));
                let words = words.into_iter().map(|words| words.text).collect();
                assert_eq!(self.seen.insert(name.to_owned(), words), None, "{name} twice");
            }
        }
        harness.set_pixels_per_point(1.0);
        harness.step();
        harness.set_size(SIZES[0].1);
        harness.ctx.set_theme(Theme::Dark);
        harness.run_steps(3);
    }

    fn write(&mut self, harness: &Harness<'_, App>, image: &str) {
        let Some(folder) = &self.folder else { return };
        let wanted = std::env::var(WANTED).unwrap_or_default();
        if wanted != "1" && !image.contains(&wanted) {
            return;
        }
        let png = frame_png(&harness.ctx, harness.output().shapes.clone()).unwrap();
        std::fs::write(folder.join(format!("{image}.png")), png).unwrap();
        self.count += 1;
    }

    /// Fails if there were problems, if a page is nearly blank, or if two states of pages look the same.
    fn close(mut self) {
        println!("{} pictures; shortened at the usual size: {:#?}", self.count, self.elided);
        let states: Vec<_> = self.seen.iter().collect();
        for (at, (name, words)) in states.iter().enumerate() {
            assert!(10 < words.len(), "{name} is nearly blank: {words:?}");
            for (other, same) in states.iter().skip(at + 1) {
                assert_ne!(words, same, "{name} and {other} look alike");
            }
        }
        self.problems.dedup();
        assert!(self.problems.is_empty(), "{}", self.problems.join("\n"));
    }
}

/// Returns the folder for the images, and creates it; `None` if drawing is not enabled.
fn image_folder() -> Option<PathBuf> {
    if std::env::var_os(WANTED).is_none() {
        println!("skipped: images are drawn where {WANTED} is set");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("pictures");
    std::fs::create_dir_all(&folder).unwrap();
    println!("images: {}", folder.display());
    Some(folder)
}

/// Opens a window with the runs in the folder.
fn window(folder: &Path, is_welcomed: bool) -> Harness<'static, App> {
    let store = Store::at(folder);
    let settings = Settings { is_welcomed, ..Settings::default() };
    let mut harness = Harness::builder().with_size(SIZES[0].1).build_eframe(move |cc| {
        App::with_settings(cc, Some(store), settings, SettingsFile::none())
    });
    step_until(&mut harness, |app| {
        app.session.machine.facts().is_some() && app.session.library.items.is_some()
    });
    harness
}

fn go(harness: &mut Harness<'_, App>, key: Key) {
    harness.key_press_modifiers(Modifiers::COMMAND, key);
    harness.run_steps(3);
}

/// Returns the settings of a preset.
fn preset(test: &str, preset: &str) -> Plan {
    let plan = Plan::all().into_iter().find(|plan| plan.key() == test).unwrap();
    let preset = plan.presets().into_iter().find(|one| one.key == preset);
    preset.unwrap_or_else(|| panic!("no such preset of {test}")).plan
}

/// Returns the default settings of a test, by its position in the navigation.
fn default(place: usize) -> Plan {
    let plan = Plan::all().remove(place);
    plan.presets().first().map_or(plan.clone(), |preset| preset.plan.clone())
}

const GRANTED: fn(Priority) -> bool = |_| false;

/// Returns all runs that the window shows.
fn runs() -> Vec<Run> {
    let mut runs = vec![
        run_of(1, "One configuration", default(0), GRANTED),
        run_of(2, "Matrix", preset("frame-loop", "full-matrix"), GRANTED),
        run_of(3, "Matrix, refused", preset("frame-loop", "full-matrix"), |priority| {
            priority == Priority::AboveNormal
        }),
        run_of(4, "Sleeps", default(1), GRANTED),
        run_of(5, "Spins", default(2), GRANTED),
        run_of(6, "Gaps", default(3), GRANTED),
        run_of(7, "Steadier", default(4), GRANTED),
        run_of(8, "Denied", default(4), |priority| priority != Priority::Normal),
        run_of(9, "Cycles", default(5), GRANTED),
        run_of(10, "Baseline", default(0), GRANTED),
        run_of(11, "Kernel 6.9", default(0), GRANTED),
        run_of(
            12,
            "A run with a name that is longer than any list has room for",
            default(0),
            GRANTED,
        ),
    ];
    let mut stopped = run_of(13, "Cut short", default(0), GRANTED);
    stopped.ending = Ending::Stopped;
    stopped.trials[0].complete = false;
    stopped.trials[0].samples = stopped.trials[0].samples.iter().take(214).collect();
    runs.push(stopped);
    for (number, name, source) in
        [(14, "Traced", TraceSource::Kernel), (15, "Without permission", TraceSource::OwnSwitches)]
    {
        runs.push(traced(run_of(number, name, default(0), GRANTED), source));
    }
    let check = CheckGroup::default();
    for (part, number) in Part::ALL.into_iter().zip(20..) {
        let mut run =
            run_of(number, "", part.plan(&CheckSettings::new(&made::cpus(), None)), GRANTED);
        run.tags = vec![quick::TAG.to_owned()];
        // The page of the quick check shows the last check of this PC.
        run.machine = Machine::read();
        run.group = Some(check.group(part));
        // The parts of a check start within a minute.
        run.started_at = format!("2026-11-20T12:20:{number}Z").parse().unwrap();
        runs.push(run);
    }
    for (run, tags) in runs.iter_mut().zip([["limiter", "baseline"], ["limiter", "BUG-4127"]]) {
        run.tags = tags.map(str::to_owned).to_vec();
    }
    runs
}

#[test]
fn every_page_before_it_was_used() {
    let mut album = Album::new();
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(folder.path(), false);
    assert_eq!(harness.state().page, PageId::Welcome);
    album.take(&mut harness, "welcome");
    assert!(harness.query_by_label_contains("Real-time: ").is_none(), "nothing was tried so far");
    go(&mut harness, Key::Num1);
    album.take(&mut harness, "quick-idle");
    harness.key_press_modifiers(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::M);
    harness.run_steps(4);
    album.take(&mut harness, "record-idle");
    for (name, key) in TESTS {
        go(&mut harness, key);
        album.take(&mut harness, &format!("{name}-idle"));
    }
    for (name, key) in [
        ("runs-empty", Key::Num8),
        ("compare-empty", Key::Num9),
        ("machine", Key::I),
        ("settings", Key::Comma),
    ] {
        go(&mut harness, key);
        album.take(&mut harness, name);
    }
    harness.key_press(Key::F1);
    harness.run_steps(3);
    album.take_layered(&mut harness, "keys", true);
    album.close();
}

#[test]
fn every_page_while_its_test_runs() {
    let mut album = Album::new();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    // With default settings, these tests would end before all images are drawn, and take the CPU time of all others.
    let (time_each, load) = (Nanos::from_secs(300), Load::NONE);
    let frames = FrameLoop { time_each, load, ..FrameLoop::default() };
    let lengths = [1, 10, 20].map(Nanos::from_millis).to_vec();
    let at_most = Nanos::from_secs(300);
    let sleeps = SleepAccuracy { count: 20_000, lengths, at_most, ..SleepAccuracy::default() };
    let spins = SpinStrategies { count: 5_000, ..SpinStrategies::default() };
    let gaps = SchedulingGaps { duration: Nanos::from_secs(300), ..SchedulingGaps::default() };
    let turns = RealTime { time_each, load, ..RealTime::default() };
    let cycles = GameTick { iterations: 40, ..GameTick::default() };
    let long = [
        ("frame-loop", Plan::FrameLoop(frames)),
        ("sleep", Plan::SleepAccuracy(sleeps)),
        ("spin", Plan::SpinStrategies(spins)),
        ("gaps", Plan::SchedulingGaps(gaps)),
        ("realtime", Plan::RealTime(turns)),
        ("tick", Plan::GameTick(cycles)),
    ];
    for ((name, plan), number) in long.clone().into_iter().zip(1..) {
        store.save(&run_of(number, name, plan, GRANTED)).unwrap();
    }
    let mut harness = window(folder.path(), true);
    step_until(&mut harness, |app| app.session.library.count() == long.len());
    go(&mut harness, Key::Num1);
    harness.key_press(Key::F5);
    step_until(&mut harness, |app| {
        app.session.running.live().is_some_and(|(_, live)| live.current().is_some())
    });
    album.take(&mut harness, "quick-running");
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F5);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    for (name, key) in TESTS {
        if long.iter().any(|(one, _)| *one == name) {
            open(&mut harness, name);
            let is_changed = |app: &App| {
                let shown =
                    app.session.running.tests.iter().find(|state| {
                        PageId::Test(state.key()) == app.page && state.shown.is_some()
                    });
                shown.is_some_and(|state| state.is_changed_since_result())
            };
            if is_changed(harness.state()) {
                // For a run from another PC, the button has a different label.
                let here = harness.query_by_label("Restore settings");
                here.unwrap_or_else(|| harness.get_by_label("Use this report's settings")).click();
                step_until(&mut harness, |app| !is_changed(app));
            }
        }
        go(&mut harness, key);
        harness.key_press(Key::F5);
        step_until(&mut harness, |app| app.session.running.is_running());
        // Wait for 2.5 s, so that there are enough samples for figures.
        step_until(&mut harness, |app| match app.session.running.live() {
            Some((_, live)) => {
                let now = std::time::Instant::now();
                let has_any = live.run.as_ref().is_some_and(|run| 5 < run.sample_count());
                has_any && Nanos::from_millis(2_500) < live.elapsed(now)
            }
            None => panic!("{name} was over before it was looked at"),
        });
        album.take(&mut harness, &format!("{name}-running"));
        assert!(harness.state().session.running.is_running(), "{name} was over in mid-picture");
        if name == "frame-loop" {
            let root = harness.input_mut().viewport_id;
            let close = egui::ViewportEvent::Close;
            harness.input_mut().viewports.entry(root).or_default().events.push(close);
            harness.run_steps(3);
            album.take_layered(&mut harness, "close-asked", true);
            harness.get_by_label("Keep running").click();
            harness.run_steps(3);
        }
        harness.key_press_modifiers(Modifiers::SHIFT, Key::F5);
        step_until(&mut harness, |app| !app.session.running.is_busy());
    }
    album.close();
}

#[test]
fn every_page_with_a_result() {
    let mut album = Album::new();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let runs = runs();
    for run in &runs {
        store.save(run).unwrap();
    }
    // The parts of the quick check form a single entry.
    let count = runs.iter().filter(|run| run.group.is_none()).count() + 1;
    let mut harness = window(folder.path(), true);
    step_until(&mut harness, |app| app.session.library.count() == count);
    go(&mut harness, Key::Num8);
    album.take(&mut harness, "runs-list");
    for (name, image) in [
        ("One configuration", "frame-loop-finished"),
        ("Matrix", "frame-loop-matrix"),
        ("Matrix, refused", "frame-loop-refused"),
        ("Cut short", "frame-loop-stopped"),
        ("Traced", "frame-loop-who"),
        ("Without permission", "frame-loop-who-user"),
        ("Sleeps", "sleep-finished"),
        ("Spins", "spin-finished"),
        ("Gaps", "gaps-finished"),
        ("Steadier", "realtime-finished"),
        ("Denied", "realtime-denied"),
        ("Cycles", "tick-finished"),
    ] {
        open(&mut harness, name);
        album.take(&mut harness, image);
        if image == "frame-loop-finished" {
            harness.key_press_modifiers(Modifiers::COMMAND, Key::E);
            harness.run_steps(2);
            step_until(&mut harness, |app| app.session.exports.current.is_some());
            album.take_layered(&mut harness, "export", true);
            harness.get_by_label("Format, Markdown").click();
            harness.run_steps(3);
            step_until(&mut harness, |app| app.session.exports.current.is_some());
            album.take_layered(&mut harness, "export-text", true);
            harness.key_press(Key::Escape);
            harness.run_steps(3);
            for _ in 0..3 {
                harness.key_press(Key::N);
                harness.run_steps(2);
            }
            album.take(&mut harness, "frame-loop-why-late");
        }
        if image.starts_with("frame-loop-who") {
            for _ in 0..3 {
                harness.key_press(Key::N);
                harness.run_steps(2);
            }
            album.take(&mut harness, &format!("{image}-frame"));
        }
        if image == "frame-loop-matrix" {
            let table =
                harness.get_by_role_and_label(accesskit::Role::Grid, "Configurations table");
            table.focus();
            for key in [Key::ArrowDown, Key::Enter] {
                harness.run_steps(3);
                harness.key_press(key);
            }
            harness.run_steps(3);
            album.take(&mut harness, "frame-loop-matrix-row");
        }
    }
    go(&mut harness, Key::Num1);
    harness.get_by_label("Open result").click();
    step_until(&mut harness, |app| app.session.running.quick.result.is_some());
    harness.run_steps(3);
    album.take(&mut harness, "quick-finished");
    selected_and_compared(&mut album, &mut harness);
    album.close();
}

/// Opens a saved run from the list of runs.
fn open(harness: &mut Harness<'_, App>, name: &str) {
    go(harness, Key::Num8);
    harness.get_by_label(&format!("Open {name}")).click_accesskit();
    harness.run_steps(2);
    step_until(harness, |app| matches!(app.page, PageId::Test(_)));
    harness.run_steps(3);
}

/// Compares the selected runs.
fn compare(harness: &mut Harness<'_, App>) {
    harness.key_press_modifiers(Modifiers::COMMAND, Key::D);
    harness.run_steps(2);
    step_until(harness, |app| matches!(app.session.comparing.progress, Progress::Done(_)));
    harness.run_steps(3);
}

/// Selects a run in the list of runs.
fn select(harness: &mut Harness<'_, App>, name: &str) {
    harness.get_by_label(&format!("Select {name}")).click();
    harness.run_steps(3);
    step_until(harness, |app| {
        let mut items = app.session.library.items.as_deref().unwrap_or_default().iter();
        let is_named = |item: &&LibraryItem| item.run.as_ref().is_ok_and(|run| run.name == name);
        items
            .find(is_named)
            .is_some_and(|item| app.session.library.run_preview(&item.path).is_some())
    });
    harness.run_steps(3);
}

/// Takes images of the list with one and with several selected runs, and of comparisons of two and four runs.
fn selected_and_compared(album: &mut Album, harness: &mut Harness<'_, App>) {
    go(harness, Key::Num8);
    select(harness, "Baseline");
    album.take(harness, "runs-one-selected");
    select(harness, "Kernel 6.9");
    album.take(harness, "runs-two-selected");
    compare(harness);
    album.take(harness, "compare-two");
    go(harness, Key::Num8);
    select(harness, "One configuration");
    select(harness, "A run with a name that is longer than any list has room for");
    compare(harness);
    album.take(harness, "compare-four");
}
