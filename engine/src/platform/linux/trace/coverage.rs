//! Opens trace events on each CPU, and lists the events that could not be opened.

use std::io;

use super::super::super::Missing;
use super::super::super::trace::SWITCHES;
use super::tracepoints::Group;

/// Opens events: through the kernel, or as a simulation in tests.
pub(super) trait Opener {
    /// Opens the switch records of a CPU, which every other event of the CPU needs.
    fn switches(&mut self, cpu: u32) -> io::Result<()>;

    /// Opens the page faults of the measuring threads, on every CPU whose switch records are open or on none.
    fn faults(&mut self) {}

    /// Opens the events of a group on a CPU, either all or none.
    fn group(&mut self, cpu: u32, group: &Group) -> io::Result<()>;
}

/// Which switch records and tracepoints could be opened, and which are missing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Coverage {
    /// The CPUs on which every event is open.
    pub(super) complete: Vec<u32>,
    /// The events that are missing on other CPUs; the event that is missing on the most CPUs comes first.
    pub(super) missing: Vec<Missing>,
}

impl Coverage {
    /// Opens every event on these CPUs as long as there are unused file descriptors: first the
    /// switch records of each CPU and the page faults, then the groups of one CPU after the other.
    /// Fails if the switch records of the first CPU are denied. `absent` lists events that this
    /// kernel does not have.
    pub(super) fn open(
        cpus: &[u32],
        groups: &[Group],
        absent: &[String],
        opener: &mut impl Opener,
    ) -> io::Result<Self> {
        let mut coverage = Self::default();
        let mut with_switches = Vec::new();
        for cpu in cpus {
            match opener.switches(*cpu) {
                Ok(()) => with_switches.push(*cpu),
                Err(error) if with_switches.is_empty() => return Err(error),
                Err(error) => coverage.miss(SWITCHES, error.raw_os_error(), *cpu),
            }
        }
        opener.faults();
        let mut is_full = false;
        for cpu in with_switches.iter().filter(|_| !groups.is_empty()) {
            let mut is_complete = absent.is_empty();
            for event in absent {
                coverage.miss(event, Some(libc::ENOENT), *cpu);
            }
            for group in groups {
                let full = io::Error::from_raw_os_error(libc::EMFILE);
                let opened = if is_full { Err(full) } else { opener.group(*cpu, group) };
                if let Err(error) = opened {
                    is_full |= is_out_of_files(&error);
                    is_complete = false;
                    coverage.miss(&group.name, error.raw_os_error(), *cpu);
                }
            }
            if is_complete {
                coverage.complete.push(*cpu);
            }
        }
        coverage.missing.sort_by_key(|one| std::cmp::Reverse(one.cpus.len()));
        Ok(coverage)
    }

    fn miss(&mut self, event: &str, errno: Option<i32>, cpu: u32) {
        let known = self.missing.iter_mut().find(|one| one.event == event && one.errno == errno);
        match known {
            Some(one) => one.cpus.push(cpu),
            None => self.missing.push(Missing { event: event.to_owned(), errno, cpus: vec![cpu] }),
        }
    }
}

fn is_out_of_files(error: &io::Error) -> bool {
    [Some(libc::EMFILE), Some(libc::ENFILE)].contains(&error.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::super::super::super::{TraceSource, TraceState};
    use super::super::tracepoints::Layout;
    use super::*;

    /// A simulated opener: has `room` file descriptors, and denies the event named `denied`.
    struct Made {
        room: usize,
        denied: Option<&'static str>,
        /// The CPUs whose switch records are open.
        switches: Vec<u32>,
        groups: Vec<(u32, String)>,
    }

    impl Made {
        fn new(room: usize, denied: Option<&'static str>) -> Self {
            Self { room, denied, switches: Vec::new(), groups: Vec::new() }
        }

        fn take(&mut self, count: usize) -> io::Result<()> {
            self.room = self
                .room
                .checked_sub(count)
                .ok_or_else(|| io::Error::from_raw_os_error(libc::EMFILE))?;
            Ok(())
        }
    }

    impl Opener for Made {
        fn switches(&mut self, cpu: u32) -> io::Result<()> {
            self.take(1)?;
            self.switches.push(cpu);
            Ok(())
        }

        fn group(&mut self, cpu: u32, group: &Group) -> io::Result<()> {
            if self.denied.is_some_and(|denied| denied == group.name) {
                return Err(io::Error::from_raw_os_error(libc::EPERM));
            }
            self.take(group.ids.len())?;
            self.groups.push((cpu, group.name.clone()));
            Ok(())
        }
    }

    /// Eleven groups of two events each, as on a PC.
    fn groups() -> Vec<Group> {
        let group =
            |number: u16| Group::made(&format!("event {number}"), &[2 * number, 2 * number + 1]);
        (0..11).map(group).collect()
    }

    fn sentence(coverage: Coverage) -> String {
        let source = if coverage.complete.is_empty() {
            TraceSource::AllSwitches
        } else {
            TraceSource::Kernel
        };
        let state = TraceState {
            source: Some(source),
            paranoid: Some(2),
            missing: coverage.missing,
            ..TraceState::default()
        };
        state.sentence()
    }

    #[test]
    fn of_256_cpus_the_first_are_complete_and_the_page_names_the_others() {
        // The CPU of the measuring thread, 200, comes first, as the tracer lists the CPUs.
        let mut cpus: Vec<u32> = (0..256).collect();
        cpus.swap(0, 200);
        let mut made = Made::new(1_000, None);
        let groups = Layout::complete_groups();
        let each: usize = groups.iter().map(|group| group.ids.len()).sum();
        let coverage = Coverage::open(&cpus, &groups, &[], &mut made).unwrap();
        assert_eq!(made.switches, cpus, "names of threads are known on every CPU");
        // The remaining descriptors are too few for all events of one more CPU.
        let complete = (1_000 - 256) / each;
        println!("{each} events a CPU: {complete} of 256 CPUs are complete");
        assert_eq!(coverage.complete.len(), complete);
        assert_eq!(coverage.complete[0], 200);
        assert!(made.groups.iter().filter(|(cpu, _)| *cpu == 200).count() == groups.len());
        let missing = &coverage.missing[0];
        assert_eq!((missing.errno, missing.cpus.len()), (Some(libc::EMFILE), 256 - complete));
        let words = sentence(coverage);
        assert_eq!(
            words,
            format!(
                "Kernel trace available: names, interrupts, softirqs. Too few file descriptors: not \
                 every event is recorded on CPUs 0, {complete}–199, 201–255. Raise the limit of open \
                 files (ulimit -n)."
            )
        );
        assert!(!words.contains("tracefs"));
        let room = Made::new(256 * (each + 1), None);
        let all = Coverage::open(&cpus, &groups, &[], &mut { room }).unwrap();
        assert_eq!((all.complete.len(), all.missing), (256, Vec::new()));
    }

    #[test]
    fn with_few_descriptors_no_cpu_is_complete_and_none_claims_to_be() {
        let coverage = Coverage::open(&[1, 0], &groups(), &[], &mut Made::new(12, None)).unwrap();
        assert_eq!(coverage.complete, Vec::<u32>::new());
        assert!(sentence(coverage).starts_with("Names of programs. Too few file descriptors"));
        let coverage = Coverage::open(&[1, 0], &groups(), &[], &mut Made::new(1, None)).unwrap();
        assert!(coverage.missing.iter().any(|one| one.event == SWITCHES && one.cpus == [0]));
        let none = Coverage::open(&[1, 0], &groups(), &[], &mut Made::new(0, None));
        assert_eq!(none.unwrap_err().raw_os_error(), Some(libc::EMFILE));
    }

    #[test]
    fn an_event_that_is_denied_or_absent_is_named_and_lowers_the_tier() {
        let mut made = Made::new(1_000, Some("event 3"));
        let coverage = Coverage::open(&[0, 1], &groups(), &[], &mut made).unwrap();
        assert_eq!(coverage.complete, Vec::<u32>::new());
        assert_eq!(made.groups.len(), 20, "the others are open");
        assert_eq!(
            sentence(coverage),
            "Names of programs. Not recorded on CPUs 0–1: event 3 (denied)."
        );
        let absent = ["nmi/nmi_handler".to_owned()];
        let made = &mut Made::new(1_000, None);
        let coverage = Coverage::open(&[0], &groups(), &absent, made).unwrap();
        assert_eq!(coverage.complete, Vec::<u32>::new());
        assert_eq!(
            sentence(coverage),
            "Names of programs. Not recorded on CPU 0: nmi/nmi_handler (not in this kernel)."
        );
        // Without tracefs, no groups are requested, so no event is listed as missing.
        let coverage = Coverage::open(&[0], &[], &[], &mut Made::new(9, None)).unwrap();
        assert_eq!(coverage, Coverage::default());
    }
}
