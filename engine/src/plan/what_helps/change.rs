//! The changes that the test "What helps" can measure. Each changes one setting.

use serde::{Deserialize, Serialize};

use super::LoopSettings;
use crate::nanos::Nanos;
use crate::plan::form::Choice;
use crate::plan::wait::wait_with;
use crate::plan::{CpuChoice, LoadPriority, Priority, Tail, Wait};

/// A change of one setting of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SettingChange {
    /// A hybrid wait with a calibrated spin tail.
    SpinTail,
    /// Priority above normal.
    AboveNormal,
    /// Priority highest.
    Highest,
    /// Priority time-critical.
    TimeCritical,
    /// Pinned to a performance core.
    Pinned,
    /// The finest timer slack (Linux) or timer resolution (Windows).
    FineTimer,
    /// Load threads at a priority below normal.
    LoadBelowNormal,
    /// CPUs are prevented from deep idle (Linux).
    NoDeepIdle,
}

impl SettingChange {
    /// All changes, in the order in which forms list them.
    pub const ALL: [Self; 8] = [
        Self::SpinTail,
        Self::AboveNormal,
        Self::Highest,
        Self::TimeCritical,
        Self::Pinned,
        Self::FineTimer,
        Self::LoadBelowNormal,
        Self::NoDeepIdle,
    ];

    /// Returns the changes that this operating system supports.
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|change| change.choice().is_available()).collect()
    }

    /// Returns the name on screen, which is also the label of the blocks with this change.
    pub const fn name(self) -> &'static str {
        self.choice().label
    }

    /// Returns the key, the label, and the help text of the change for a form.
    pub(super) const fn choice(self) -> Choice {
        match self {
            Self::SpinTail => Choice::plain(
                "spin-tail",
                "Spin tail",
                "Sleeps until shortly before the frame, then spins. The length is selected by trial.",
            ),
            Self::AboveNormal => Choice::plain(
                "above-normal",
                "Priority above normal",
                "Before other programs of normal priority.",
            ),
            Self::Highest => Choice::plain(
                "highest",
                "Priority highest",
                "The highest level that programs commonly request.",
            ),
            Self::TimeCritical => Choice::plain(
                "time-critical",
                "Priority time-critical",
                "The highest safe level. A watchdog limits real-time threads.",
            ),
            Self::Pinned => Choice::plain(
                "pinned",
                "Pinned to a performance core",
                "The thread stays on one performance core.",
            ),
            Self::FineTimer => Choice::plain(
                "fine-timer",
                "Finest timer",
                "Linux: a timer slack of 1 ns instead of 50 µs. Windows: the finest timer resolution.",
            ),
            Self::LoadBelowNormal => Choice::plain(
                "load-below-normal",
                "Load threads below normal",
                "The load threads run at a lower priority than the frame loop.",
            ),
            Self::NoDeepIdle => Choice::plain(
                "no-deep-idle",
                "No deep idle",
                "Linux: holds /dev/cpu_dma_latency at 0, so that CPUs wake up sooner. Affects the whole PC \
                 during the test and needs root.",
            )
            .only_on("linux"),
        }
    }

    /// Returns the priority that the change requests for the frame loop; `None` if the change requests none.
    pub const fn priority(self) -> Option<Priority> {
        match self {
            Self::AboveNormal => Some(Priority::AboveNormal),
            Self::Highest => Some(Priority::Highest),
            Self::TimeCritical => Some(Priority::TimeCritical),
            _ => None,
        }
    }

    /// Applies the change to `settings`. `tail` is the length of the spin tail, which is calibrated if `None`.
    pub(super) fn apply(self, tail: Option<Nanos>, settings: &mut LoopSettings) {
        let conditions = &mut settings.conditions;
        match self {
            Self::SpinTail => {
                settings.wait = tail.map_or(Wait::Hybrid(Tail::Measured), wait_with);
            }
            Self::AboveNormal | Self::Highest | Self::TimeCritical => {
                conditions.priority = self.priority().unwrap_or(conditions.priority);
            }
            Self::Pinned => conditions.cpu = CpuChoice::Performance,
            Self::FineTimer => {
                conditions.timer_slack = Nanos::new(1);
                conditions.fine_timer = true;
            }
            Self::LoadBelowNormal if settings.load.is_none() => {}
            Self::LoadBelowNormal => settings.load.priority = LoadPriority::BelowNormal,
            Self::NoDeepIdle => conditions.no_deep_idle = true,
        }
    }

    /// Whether `settings` contain this change and `baseline` does not.
    pub(crate) fn is_in(self, baseline: &LoopSettings, settings: &LoopSettings) -> bool {
        let (conditions, without) = (settings.conditions, baseline.conditions);
        match self {
            Self::SpinTail => {
                matches!(settings.wait, Wait::Hybrid(_)) && settings.wait != baseline.wait
            }
            Self::AboveNormal | Self::Highest | Self::TimeCritical => {
                Some(conditions.priority) == self.priority()
                    && conditions.priority != without.priority
            }
            Self::Pinned => conditions.cpu != without.cpu,
            Self::FineTimer => conditions.timer_slack != without.timer_slack,
            Self::LoadBelowNormal => settings.load.priority != baseline.load.priority,
            Self::NoDeepIdle => conditions.no_deep_idle != without.no_deep_idle,
        }
    }
}
