//! Actions on the presets that the user saved: apply, save, and exchange as files.

use jitterscope_engine::plan::Plan;

use super::action::{Notice, PageId};
use super::settings::OwnPreset;
use super::{EXPORTS, Session};

impl Session {
    pub(super) fn choose_own_preset(&mut self, test: &str, name: &str) {
        if let Some(plan) = self.settings().own_preset(test, name) {
            self.change(test, |state| state.set_plan(plan));
        }
    }

    pub(super) fn export_preset(&mut self, test: &str, name: &str) {
        if let Some(plan) = self.settings().own_preset(test, name) {
            self.run(EXPORTS, |part, context| part.save_preset(test, name, plan, context));
        }
    }

    /// Saves the settings of a test under this name. If the name is taken by other settings, a
    /// number is appended.
    pub(super) fn save_preset(&mut self, test: &str, name: &str) {
        let Some(plan) = self.running.test(test).map(|state| state.plan.clone()) else { return };
        let mut settings = self.settings().clone();
        if let Some(name) = settings.add_preset(name, &plan) {
            self.set_settings(settings);
            self.notices.push(Notice::info(format!("Preset \"{name}\" saved.")));
        }
    }

    /// Adds a preset from a file, and applies it.
    pub(super) fn take_preset(&mut self, preset: &OwnPreset) {
        let Ok(plan) = serde_json::from_value::<Plan>(preset.plan.clone()) else { return };
        let test = plan.key();
        let mut settings = self.settings().clone();
        if let Some(name) = settings.add_preset(&preset.name, &plan) {
            self.set_settings(settings);
            self.change(test, |state| state.set_plan(plan));
            self.notices.push(Notice::info(format!("Preset \"{name}\" added.")));
            self.go_to = Some(PageId::Test(test));
        }
    }
}
