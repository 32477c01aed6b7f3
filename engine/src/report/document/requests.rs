//! The requests of a configuration to the system, and what was applied.

use super::Grid;
use crate::plan::CpuChoice;
use crate::platform::{Applied, RequestOutcome};
use crate::report::Configuration;
use crate::run::Run;
use crate::units::{format_cpus, format_setting, format_time};

/// A request of a configuration to the system, as texts for a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The name of the requested setting.
    pub name: &'static str,
    /// The requested value.
    pub requested: String,
    /// Whether the request was granted, and not revoked later.
    pub is_granted: bool,
    /// The value that was applied.
    pub applied: String,
}

impl Request {
    const fn new(name: &'static str, requested: String, is_granted: bool, applied: String) -> Self {
        Self { name, requested, is_granted, applied }
    }
}

/// Returns requests as a table of text.
pub(super) fn grid(requests: &[Request]) -> Grid {
    let line =
        |one: &Request| vec![one.name.to_owned(), one.requested.clone(), one.applied.clone()];
    Grid {
        header: ["Setting", "Requested", "Applied"].map(str::to_owned).to_vec(),
        is_right: vec![false; 3],
        rows: requests.iter().map(line).collect(),
    }
}

/// Returns those requests of a configuration for which the applied value is known.
pub(crate) fn of(run: &Run, row: &Configuration, granted: &Applied) -> Vec<Request> {
    let pinned = match granted.effective.cpus.as_slice() {
        _ if row.conditions.cpu == CpuChoice::Any => "any CPU".to_owned(),
        [cpu] => format!("CPU {cpu}"),
        [] => "not reported".to_owned(),
        cpus => format!("CPUs {}", format_cpus(cpus)),
    };
    let cpu = row.conditions.cpu;
    let pin = if cpu == CpuChoice::Any { "Unpinned".to_owned() } else { cpu.name() };
    let is_granted = |outcome: &RequestOutcome| *outcome == RequestOutcome::Granted;
    let is_prioritized = is_granted(&granted.priority) && row.has_retained_policy();
    let priority = row.conditions.priority.name();
    let mut requests = vec![
        Request::new("Priority", priority, is_prioritized, granted.effective.policy.to_string()),
        Request::new("Pinning", pin, is_granted(&granted.pin), pinned),
    ];
    if let Some(slack) = granted.timer_slack {
        let requested = match row.conditions.timer_slack.get() {
            0 => "default".to_owned(),
            _ => format_setting(row.conditions.timer_slack),
        };
        requests.push(Request::new("Timer slack", requested, true, format_time(slack)));
    }
    if let Some(resolution) = granted.timer_resolution {
        let requested = if row.conditions.fine_timer { "finest" } else { "default" };
        requests.push(Request::new(
            "Timer resolution",
            requested.to_owned(),
            true,
            format_time(resolution),
        ));
    }
    if let Some(tail) = row.usage.spin_tail {
        let setting = run.plan().and_then(|plan| {
            plan.settings().into_iter().find(|setting| setting.name == "Spin tail")
        });
        let requested = setting.map_or_else(|| "automatic".to_owned(), |setting| setting.value);
        requests.push(Request::new("Spin tail", requested, true, format_setting(tail)));
    }
    requests
}
