//! Settings are saved completely and read back unchanged. Damaged settings are reported and replaced by defaults.

use super::*;

fn folder() -> PathBuf {
    let name = format!("jitterscope-settings-{}", std::process::id());
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("test").replace(':', "-");
    let folder = std::env::temp_dir().join(name).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn settings_are_read_back_as_they_were() {
    let folder = folder();
    let file = SettingsFile::at(&folder.join("deeper"));
    assert_eq!(file.load(), (Settings::default(), None), "no file is no fault");
    let settings = Settings {
        look: ThemeChoice::Light,
        scale_percent: 150,
        series_colors: SeriesColors::HighContrast,
        less_motion: true,
        units: Unit::Micros,
        low: LowDefinition::MangoHud,
        late_percent: 12,
        plot_rate: PlotRate::Seldom,
        data_folder: Some(folder.join("runs")),
        asks_before_stop: false,
        asks_before_close: false,
        plays_sound: true,
        mark_shortcut: "Ctrl+Shift+F9".parse().unwrap(),
        marks_in_games: false,
        exports_host: true,
        exports_user: true,
        exports_programs: true,
        page: "machine".to_owned(),
        is_welcomed: true,
        last_export: "markdown".to_owned(),
        tests: vec![serde_json::to_value(jitterscope_engine::plan::Plan::all()).unwrap()],
        results: [("gaps".to_owned(), folder.join("a.json"))].into(),
        filters: vec![crate::run_list::SavedFilter {
            name: "mine".to_owned(),
            ..Default::default()
        }],
        presets: vec![OwnPreset {
            name: "mine".to_owned(),
            plan: serde_json::json!({"test": "x"}),
        }],
        hosts: vec![SavedHost { address: "ann@b".to_owned(), ..SavedHost::default() }],
        administrator_command: "sudo -A".to_owned(),
        size_limit: 500,
        max_age_days: 90,
    };
    file.save(&settings).unwrap();
    assert_eq!(file.load(), (settings.clone(), None));
    let names: Vec<_> = std::fs::read_dir(folder.join("deeper")).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing temporary is left: {names:?}");
    let reset = settings.reset();
    let expected = Settings {
        page: "machine".to_owned(),
        is_welcomed: true,
        last_export: "markdown".to_owned(),
        tests: settings.tests.clone(),
        results: settings.results.clone(),
        filters: settings.filters.clone(),
        presets: settings.presets.clone(),
        hosts: settings.hosts.clone(),
        ..Settings::default()
    };
    assert_eq!(reset, expected, "all but what the app itself remembers");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_damaged_file_falls_back_with_a_word_and_is_retained() {
    let folder = folder();
    let file = SettingsFile::at(&folder);
    for damaged in ["", "{", "[7]", "{\"scale-percent\": \"big\"}", "\u{0}\u{1}"] {
        std::fs::write(folder.join(FILE), damaged).unwrap();
        let (settings, word) = file.load();
        assert_eq!(settings, Settings::default(), "{damaged:?}");
        assert!(word.is_some_and(|word| word.contains("damaged")), "{damaged:?}");
        let retained = std::fs::read_dir(&folder).unwrap().any(|file| {
            let path = file.unwrap().path();
            let name = path.to_string_lossy().into_owned();
            name.contains(".damaged") && std::fs::read_to_string(path).unwrap() == damaged
        });
        assert!(retained, "{damaged:?}");
        assert_eq!(file.load().1, None, "it is told once");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn file_that_cannot_be_read_is_not_replaced() {
    let folder = folder();
    let file = SettingsFile::at(&folder);
    std::fs::create_dir_all(folder.join(FILE).join("content")).unwrap();
    let (settings, word) = file.load();
    assert_eq!(settings, Settings::default());
    assert!(word.is_some_and(|word| word.contains("renamed")));
    assert!(folder.join(format!("{FILE}.damaged")).join("content").exists());
    file.save(&settings).unwrap();
    assert_eq!(file.load(), (settings, None));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_missing_unknown_or_out_of_range_is_the_default() {
    let folder = folder();
    let file = SettingsFile::at(&folder);
    let text = "{\"scale-percent\": 9000, \"newer\": [1], \"look\": \"dark\"}";
    std::fs::write(folder.join(FILE), text).unwrap();
    let (settings, word) = file.load();
    let expected = Settings { scale_percent: 200, look: ThemeChoice::Dark, ..Settings::default() };
    assert_eq!((settings, word), (expected, None));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_definition_of_the_1_percent_low_is_retained() {
    let folder = folder();
    let file = SettingsFile::at(&folder);
    for low in LowDefinition::ALL {
        let settings = Settings { low, ..Settings::default() };
        file.save(&settings).unwrap();
        assert_eq!(file.load(), (settings, None));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_setting_that_makes_no_sense_is_the_default_and_spoils_no_other() {
    let folder = folder();
    let file = SettingsFile::at(&folder);
    let default = Settings::default();
    for (written, expected) in [
        ("\"units\": \"weeks\"", default.clone()),
        ("\"scale-percent\": {}", default.clone()),
        ("\"series-colors\": \"purple\"", default.clone()),
        ("\"series-colors\": 7", default.clone()),
        ("\"low\": \"mine\"", default.clone()),
        ("\"low\": [1]", default.clone()),
        ("\"late-percent\": \"many\"", default.clone()),
        ("\"late-percent\": -3", default.clone()),
        ("\"late-percent\": 0", Settings { late_percent: 1, ..default.clone() }),
        ("\"late-percent\": 99", Settings { late_percent: 50, ..default.clone() }),
        ("\"plays-sound\": \"loud\"", default.clone()),
        ("\"exports-host\": 1", default.clone()),
        ("\"exports-user\": null", default.clone()),
    ] {
        let text = format!("{{{written}, \"less-motion\": true}}");
        std::fs::write(folder.join(FILE), text).unwrap();
        let is_reported = expected == default;
        let expected = Settings { less_motion: true, ..expected };
        let (settings, word) = file.load();
        assert_eq!(settings, expected, "{written}");
        let name = written.split('"').nth(1).unwrap();
        let names = |word: String| word.contains(&format!("damaged ({name} cannot be read)"));
        assert_eq!(word.map(names), is_reported.then_some(true), "{written}");
        assert_eq!(
            file.load(),
            (expected, None),
            "{written}: it is told once, and the rest is kept"
        );
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn exports_begin_with_the_names_that_were_switched_on() {
    let nothing = IncludedNames::NOTHING;
    let settings = Settings::default();
    for (settings, expected) in [
        (settings.clone(), nothing),
        (
            Settings { exports_host: true, ..settings.clone() },
            IncludedNames { host: true, ..nothing },
        ),
        (
            Settings { exports_user: true, ..settings.clone() },
            IncludedNames { user: true, ..nothing },
        ),
        (Settings { exports_programs: true, ..settings }, IncludedNames::ON_SCREEN),
    ] {
        assert_eq!(settings.included_names(), expected);
    }
}
