//! Settings of tests that the user saved under names.

use jitterscope_engine::plan::Plan;

use super::{Notice, OwnPreset, Session, Settings};

impl Session {
    /// The presets of a test that the user saved, by name.
    pub fn own_presets(&self, test: &str) -> impl Iterator<Item = (&str, Plan)> {
        self.settings().presets.iter().filter_map(move |preset| {
            let plan: Plan = serde_json::from_value(preset.plan.clone()).ok()?;
            (plan.key() == test).then_some((preset.name.as_str(), plan))
        })
    }

    /// Saves the settings of a test under this name.
    pub(super) fn save_preset(&mut self, test: &str, name: &str) {
        let plan = self.bench(test).and_then(|bench| serde_json::to_value(bench.plan()).ok());
        if let Some(plan) = plan {
            let preset = OwnPreset { name: name.to_owned(), plan };
            self.set_presets(test, name, Some(preset));
            self.notices.push(Notice::info(format!("Preset \"{name}\" saved.")));
        }
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
        let named = self.own_presets(test).find(|(of, _)| *of == name).map(|(_, plan)| plan);
        if let Some(plan) = named {
            self.change(test, |bench| bench.set_plan(plan));
        }
    }
}
