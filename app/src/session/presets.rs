//! Settings of tests that the user saved under names.

use jitterscope_engine::plan::Plan;

use super::preset_file::{self, PresetFile};
use super::{EXPORTS, Notice, OwnPreset, PageId, Session, Settings};

impl Session {
    /// The presets of a test that the user saved, by name.
    pub fn own_presets(&self, test: &str) -> impl Iterator<Item = (&str, Plan)> {
        self.settings().presets.iter().filter_map(move |preset| {
            let plan: Plan = serde_json::from_value(preset.plan.clone()).ok()?;
            (plan.key() == test).then_some((preset.name.as_str(), plan))
        })
    }

    /// Saves the settings of a test under this name; another preset of this name stays.
    pub(super) fn save_preset(&mut self, test: &str, name: &str) {
        let Some(plan) = self.bench(test).map(|bench| bench.plan().clone()) else { return };
        let Ok(value) = serde_json::to_value(&plan) else { return };
        let name = self.free_preset_name(test, name, &plan);
        self.set_presets(test, &name, Some(OwnPreset { name: name.clone(), plan: value }));
        self.notices.push(Notice::info(format!("Preset \"{name}\" saved.")));
    }

    /// A name, numbered where a preset with other settings has it.
    fn free_preset_name(&self, test: &str, name: &str, plan: &Plan) -> String {
        free_name(name, |name| self.own_preset(test, name).is_some_and(|own| own != *plan))
    }

    /// Replaces the preset of this name, or deletes it.
    pub(super) fn set_presets(&mut self, test: &str, name: &str, with: Option<OwnPreset>) {
        let is_it = |preset: &OwnPreset| {
            preset.name == name && preset.plan.get("test").is_some_and(|of| of == test)
        };
        let settings = self.settings().clone();
        let mut presets = settings.presets.clone();
        presets.retain(|preset| !is_it(preset));
        presets.extend(with);
        self.set_settings(Settings { presets, ..settings });
    }

    /// Takes the settings of an own preset.
    pub(super) fn choose_own_preset(&mut self, test: &str, name: &str) {
        if let Some(plan) = self.own_preset(test, name) {
            self.change(test, |bench| bench.set_plan(plan));
        }
    }

    fn own_preset(&self, test: &str, name: &str) -> Option<Plan> {
        self.own_presets(test).find(|(of, _)| *of == name).map(|(_, plan)| plan)
    }

    /// Gives a preset another name; one that has this name stays.
    pub(super) fn rename_preset(&mut self, test: &str, name: &str, to: &str) {
        let plan = self.own_preset(test, name).and_then(|plan| serde_json::to_value(plan).ok());
        if let Some(plan) = plan {
            let to = free_name(to, |to| to != name && self.own_preset(test, to).is_some());
            self.set_presets(test, name, None);
            self.set_presets(test, &to.clone(), Some(OwnPreset { name: to, plan }));
        }
    }

    /// Asks where a preset goes, and writes it.
    pub(super) fn export_preset(&mut self, test: &str, name: &str) {
        let Some(plan) = self.own_preset(test, name) else { return };
        let file = PresetFile::new(name, plan);
        let name = preset_file::file_name(test, name);
        self.run(EXPORTS, |part, _, _| part.save_file(&name, move || file.write()));
    }

    /// Adds a preset that came in as a file, and takes its settings.
    pub(super) fn take_preset(&mut self, mut preset: OwnPreset) {
        let Ok(plan) = serde_json::from_value::<Plan>(preset.plan.clone()) else { return };
        let test = plan.key();
        let name = self.free_preset_name(test, &preset.name, &plan);
        preset.name.clone_from(&name);
        self.set_presets(test, &name, Some(preset));
        self.change(test, |bench| bench.set_plan(plan));
        self.notices.push(Notice::info(format!("Preset \"{name}\" added.")));
        self.go_to = Some(PageId::Test(test));
    }
}

/// A name, numbered where it is taken: "Arena", "Arena 2".
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}
