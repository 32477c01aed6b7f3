//! Joins the runs of one quick check.

use crate::plan::CpuFacts;
use crate::plan::quick::{CheckSettings, Part, TAG};
use crate::platform;
use crate::run::{Group, Labels, RunId};

/// How a check measures on this PC, with these usable CPUs.
pub fn check_settings(cpus: &CpuFacts) -> CheckSettings {
    CheckSettings::new(cpus, platform::cpu_quota().map(|quota| quota.percent))
}

/// The runs of one quick check.
#[derive(Clone, Debug)]
pub struct CheckGroup {
    id: RunId,
    skipped: Vec<Part>,
}

impl Default for CheckGroup {
    fn default() -> Self {
        Self { id: RunId::random(), skipped: Vec::new() }
    }
}

impl CheckGroup {
    /// The check of this group, to measure on.
    pub fn of(group: &Group) -> Self {
        let skipped =
            Part::ALL.into_iter().filter(|part| group.skipped.iter().any(|key| key == part.key()));
        Self { id: group.id.clone(), skipped: skipped.collect() }
    }

    /// Marks a part as not measured, or not to its end.
    pub fn skip(&mut self, part: Part) {
        if !self.skipped.contains(&part) {
            self.skipped.push(part);
        }
    }

    /// The group as the run of a part has it, with the parts skipped so far.
    pub fn group(&self, part: Part) -> Group {
        Group {
            id: self.id.clone(),
            part: part.key().to_owned(),
            skipped: self.skipped.iter().map(|part| part.key().to_owned()).collect(),
        }
    }

    /// Tag and group of a part's run, which gets a name only with the whole check.
    pub fn labels(&self, part: Part) -> Labels {
        let name = String::new();
        Labels { name, tags: vec![TAG.to_owned()], group: Some(self.group(part)) }
    }
}
