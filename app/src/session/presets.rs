//! Presets: settings of tests that the user saved under a name.

use jitterscope_engine::plan::Plan;

use super::settings::{OwnPreset, Settings};

impl Settings {
    /// Returns the presets of a test that the user saved.
    pub fn own_presets(&self, test: &str) -> impl Iterator<Item = (&str, Plan)> {
        self.presets.iter().filter_map(move |preset| {
            let plan: Plan = serde_json::from_value(preset.plan.clone()).ok()?;
            (plan.key() == test).then_some((preset.name.as_str(), plan))
        })
    }

    /// Returns the settings of a preset that the user saved.
    pub(super) fn own_preset(&self, test: &str, name: &str) -> Option<Plan> {
        self.own_presets(test).find(|(of, _)| *of == name).map(|(_, plan)| plan)
    }

    /// Adds a preset, and returns its name; appends a number if a preset with other settings has
    /// the name.
    pub(super) fn add_preset(&mut self, name: &str, plan: &Plan) -> Option<String> {
        let test = plan.key();
        let is_taken = |name: &str| self.own_preset(test, name).is_some_and(|own| own != *plan);
        let name = free_name(name, is_taken);
        let preset = OwnPreset { name: name.clone(), plan: serde_json::to_value(plan).ok()? };
        self.set_preset(test, &name, Some(preset));
        Some(name)
    }

    /// Replaces the preset of a test that has this name by `with`; `None` deletes the preset.
    pub(super) fn set_preset(&mut self, test: &str, name: &str, with: Option<OwnPreset>) {
        self.presets.retain(|preset| {
            preset.name != name || preset.plan.get("test").is_none_or(|of| of != test)
        });
        self.presets.extend(with);
    }

    /// Renames a preset of a test; appends a number to the new name if another preset has that
    /// name.
    pub(super) fn rename_preset(&mut self, test: &str, name: &str, to: &str) {
        let plan = self.own_preset(test, name).and_then(|plan| serde_json::to_value(plan).ok());
        if let Some(plan) = plan {
            let to = free_name(to, |to| to != name && self.own_preset(test, to).is_some());
            self.set_preset(test, name, None);
            self.set_preset(test, &to.clone(), Some(OwnPreset { name: to, plan }));
        }
    }
}

/// Returns the name, with a number if it is taken: "Arena", "Arena 2".
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}
