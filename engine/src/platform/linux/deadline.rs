//! Finds out why the kernel denied SCHED_DEADLINE. The kernel returns the same error number for two
//! rules: the thread needs a capability, and must be allowed on every CPU of its scheduling domain.

use super::super::applied::Refusal;
use super::super::capabilities::Capability;
use super::super::parse::{self, detail as parsed};
use super::super::usable_cpus;
use super::{cgroup, read, thread, topology};

/// Content of `/proc/self/uid_map` outside of user namespaces. In a namespace, the capability does
/// not permit SCHED_DEADLINE.
const NO_NAMESPACE: [&str; 3] = ["0", "0", "4294967295"];

/// Whether this thread has the capability that SCHED_DEADLINE needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Right {
    Granted,
    Missing,
    /// Granted only in a user namespace, which is not sufficient.
    InNamespace,
}

/// Why the thread cannot run on every CPU of its scheduling domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restriction {
    /// The test pinned the thread.
    Pinned,
    /// A control group allows only some CPUs: their number, and the number of CPUs in the domain.
    ControlGroup(usize, usize),
    /// The program was started with only some CPUs allowed: their number, and the number of CPUs in the domain.
    Started(usize, usize),
}

/// Facts on which the kernel's decision about SCHED_DEADLINE depends.
#[derive(Clone, Debug, Default)]
struct DeadlineFacts {
    status: String,
    uid_map: String,
    /// The scheduling domain: the CPUs between which the scheduler balances this program.
    domain: Vec<u32>,
    /// The CPUs that the control group allows.
    control_group: Vec<u32>,
    /// The CPUs on which this program was started.
    usable: Vec<u32>,
    /// The CPUs on which the thread may run.
    thread: Vec<u32>,
    is_pinned: bool,
}

impl DeadlineFacts {
    fn read(is_pinned: bool) -> Self {
        let domain = cgroup::partition_cpus().unwrap_or_else(|| {
            let isolated = read("/sys/devices/system/cpu/isolated").unwrap_or_default();
            let isolated = parse::cpu_list(&isolated);
            let mut online = topology::online_cpus();
            online.retain(|cpu| !isolated.contains(cpu));
            online
        });
        Self {
            status: read("/proc/thread-self/status").unwrap_or_default(),
            uid_map: read("/proc/self/uid_map").unwrap_or_default(),
            control_group: cgroup::cpu_set().unwrap_or_else(|| domain.clone()),
            domain,
            usable: usable_cpus(),
            thread: thread::affinity(),
            is_pinned,
        }
    }

    fn right(&self) -> Right {
        let is_granted = parsed::has_capability(&self.status, Capability::SYS_NICE.number());
        let is_inside = !self.uid_map.is_empty()
            && self.uid_map.split_whitespace().ne(NO_NAMESPACE.iter().copied());
        match is_granted {
            Some(false) => Right::Missing,
            _ if is_inside => Right::InNamespace,
            _ => Right::Granted,
        }
    }

    fn restriction(&self) -> Option<Restriction> {
        let count = |cpus: &[u32]| self.domain.iter().filter(|cpu| cpus.contains(cpu)).count();
        let all = self.domain.len();
        let lacks = |cpus: &[u32]| count(cpus) < all;
        let own = if self.is_pinned { &self.usable } else { &self.thread };
        if lacks(&self.control_group) {
            Some(Restriction::ControlGroup(count(&self.control_group), all))
        } else if lacks(own) {
            Some(Restriction::Started(count(own), all))
        } else {
            self.is_pinned.then_some(Restriction::Pinned)
        }
    }

    /// Returns the reason of a denial and a remedy; `grant` is the remedy for a missing capability.
    /// `None` if the facts are not known, or if only the capability is missing, which the refusal
    /// already states.
    fn explain(&self, grant: &str) -> Option<(String, String)> {
        let restriction = self.restriction().map(Restriction::words);
        let right = match self.right() {
            Right::Granted => None,
            Right::Missing => Some(("this program has no permission to use SCHED_DEADLINE", grant)),
            Right::InNamespace => Some((
                "capabilities in a user namespace do not permit SCHED_DEADLINE",
                "run the program outside of the user namespace or the rootless container",
            )),
        };
        match (right, restriction) {
            (None, Some((reason, remedy))) => Some((reason, remedy.to_owned())),
            (None, None) if self.status.is_empty() || self.domain.is_empty() => None,
            (None, None) => Some((
                "denied although this program has the capability CAP_SYS_NICE and may use every CPU"
                    .to_owned(),
                "check the security policy (seccomp) of the container, and that \
                 kernel.sched_rt_runtime_us is not 0"
                    .to_owned(),
            )),
            (Some((reason, grant)), Some((restricted, remedy))) => {
                Some((format!("{reason}, and {restricted}"), format!("{grant}; also, {remedy}")))
            }
            (Some((reason, grant)), None) if self.right() == Right::InNamespace => {
                Some((reason.to_owned(), grant.to_owned()))
            }
            (Some(_), None) => None,
        }
    }
}

impl Restriction {
    /// Returns the violated rule, and a remedy.
    fn words(self) -> (String, &'static str) {
        const RULE: &str =
            "the kernel admits SCHED_DEADLINE only for threads that may use every CPU";
        match self {
            Self::Pinned => (
                "the kernel admits SCHED_DEADLINE only for unpinned threads".to_owned(),
                "choose no pinning, or FIFO or RR",
            ),
            Self::ControlGroup(count, all) => (
                format!(
                    "{RULE}, but a control group (cpuset) allows this program {count} of {all}"
                ),
                "start the program outside of the cpuset, such as a container without \
                 --cpuset-cpus, or choose FIFO or RR",
            ),
            Self::Started(count, all) => (
                format!("{RULE}, but this program was started on {count} of {all}"),
                "start the program without 'taskset' and CPUAffinity=, or choose FIFO or RR",
            ),
        }
    }
}

/// Replaces reason and remedy of a refusal of SCHED_DEADLINE if the violated rule can be found.
pub(super) fn explain(refusal: &mut Refusal, is_pinned: bool) {
    if let Some((reason, remedy)) = DeadlineFacts::read(is_pinned).explain(&refusal.remedy) {
        (refusal.reason, refusal.remedy) = (reason, remedy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH: &str = "Name:\tx\nCapEff:\t0000000000800000\n";
    const WITHOUT: &str = "Name:\tx\nCapEff:\t0000000000000000\n";
    const OUTSIDE: &str = "         0          0 4294967295";

    fn facts(status: &str, cpus: u32) -> DeadlineFacts {
        let all: Vec<u32> = (0..16).collect();
        DeadlineFacts {
            status: status.to_owned(),
            uid_map: OUTSIDE.to_owned(),
            domain: all.clone(),
            control_group: all,
            usable: (0..cpus).collect(),
            thread: (0..cpus).collect(),
            is_pinned: false,
        }
    }

    #[track_caller]
    fn check(facts: &DeadlineFacts, reason: &[&str], remedy: &[&str]) {
        let (found, remedy_found) = facts.explain("run setcap").unwrap();
        assert!(reason.iter().all(|words| found.contains(words)), "{found}");
        assert!(remedy.iter().all(|words| remedy_found.contains(words)), "{remedy_found}");
        assert_eq!(found.contains("no permission"), facts.status == WITHOUT, "{found}");
    }

    #[test]
    fn a_deadline_denied_for_its_cpus_is_not_explained_as_missing_rights() {
        let started = facts(WITH, 4);
        check(&started, &["started on 4 of 16"], &["taskset"]);
        let group = DeadlineFacts { control_group: vec![0, 1], ..facts(WITH, 2) };
        check(&group, &["cpuset", "2 of 16"], &["--cpuset-cpus"]);
        let pinned = DeadlineFacts { thread: vec![3], is_pinned: true, ..facts(WITH, 16) };
        check(&pinned, &["unpinned threads"], &["choose no pinning"]);
        // Without the pin, the request would still be denied.
        let both = DeadlineFacts { thread: vec![3], is_pinned: true, ..facts(WITH, 4) };
        check(&both, &["started on 4 of 16"], &["taskset"]);
        // The thread need not be allowed on CPUs outside of its scheduling domain.
        let isolated = DeadlineFacts { domain: (0..4).collect(), ..facts(WITH, 4) };
        check(&isolated, &["CAP_SYS_NICE"], &["seccomp"]);
    }

    #[test]
    fn a_deadline_denied_for_its_rights_keeps_that_reason() {
        assert_eq!(facts(WITHOUT, 16).explain("run setcap"), None);
        check(&facts(WITHOUT, 4), &["no permission", "4 of 16"], &["run setcap", "taskset"]);
        let inside = DeadlineFacts { uid_map: "0 1000 1".to_owned(), ..facts(WITH, 16) };
        check(&inside, &["user namespace"], &["rootless container"]);
        let unknown = DeadlineFacts { uid_map: String::new(), ..facts("", 4) };
        check(&unknown, &["4 of 16"], &["taskset"]);
    }
}
