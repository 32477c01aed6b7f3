//! Parsers for text from operating systems; pure, and tested on every system.

pub mod activity;
pub mod detail;
pub mod etw;

/// The name of this program. Another running copy of this program is shown with its process ID.
pub(crate) const OWN_PROGRAM: &str = "jitterscope";

/// Maximum length of a saved name of a program or thread.
const MAX_NAME_CHARS: usize = 48;

/// Returns the name of a program or thread as it is saved: with U+FFFD instead of control characters, and
/// cut to 48 characters. Programs choose these names, so the names cannot be trusted.
pub(crate) fn harmless_name(name: &str) -> String {
    let letters = name.chars().take(MAX_NAME_CHARS);
    letters.map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// Parses CPU numbers written as ranges: `0-3,8`. Invalid parts are skipped.
pub fn cpu_list(text: &str) -> Vec<u32> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>())
            && last.saturating_sub(first) < 65_536
        {
            cpus.extend(first..=last);
        }
    }
    cpus
}

/// CPU time of one CPU, or of all CPUs together, in ticks of the kernel since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuTicks {
    /// All ticks except those idle or waiting for a disk; includes steal and interrupts.
    pub busy: u64,
    /// Steal: ticks used by the hypervisor.
    pub steal: u64,
    /// Ticks in interrupts and softirqs.
    pub interrupt: u64,
}

/// Parses the ticks of all CPUs together from the first line of `/proc/stat`. Skips the time of guests, which
/// is part of user time.
pub fn proc_stat(text: &[u8]) -> Option<CpuTicks> {
    let line = text.split(|&byte| byte == b'\n').next()?;
    let (name, ticks) = stat_line(line)?;
    (name == b"cpu").then_some(ticks)
}

/// Parses the ticks of each CPU from `/proc/stat`; an offline CPU has no line.
pub fn proc_stat_cpus(text: &str) -> Vec<(u32, CpuTicks)> {
    let lines = text.lines().take_while(|line| line.starts_with("cpu"));
    let each = lines.filter_map(|line| {
        let (name, ticks) = stat_line(line.as_bytes())?;
        let cpu = number(name.strip_prefix(b"cpu")?)?;
        Some((u32::try_from(cpu).ok()?, ticks))
    });
    each.collect()
}

/// Parses the name and the ticks in a line of `/proc/stat`.
fn stat_line(line: &[u8]) -> Option<(&[u8], CpuTicks)> {
    let mut words = line.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    let name = words.next()?;
    let mut ticks = [0_u64; 8];
    for (slot, position) in ticks.iter_mut().zip(0..) {
        match words.next() {
            Some(word) => *slot = number(word)?,
            None if position < 4 => return None,
            None => {}
        }
    }
    let [user, nice, system, _idle, _waiting, interrupts, soft_interrupts, steal] = ticks;
    let interrupt = interrupts + soft_interrupts;
    Some((name, CpuTicks { busy: user + nice + system + interrupt + steal, steal, interrupt }))
}

/// Parses the interrupts since boot from `/proc/stat`: the first number of the line `intr`.
pub fn interrupt_count(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("intr "))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A row of `/proc/interrupts` or `/proc/softirqs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterruptRow<'a> {
    /// The number of an interrupt line, or letters such as `LOC`.
    pub label: &'a str,
    /// The number of interrupts on each CPU since boot, as (CPU, count).
    pub counts: Vec<(u32, u64)>,
    /// The words after the counts.
    pub words: Vec<&'a str>,
}

/// Parses the rows of `/proc/interrupts` or `/proc/softirqs` with one count per CPU. The header lists the
/// online CPUs.
pub fn interrupt_rows<'a>(text: &'a str) -> Vec<InterruptRow<'a>> {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default().split_whitespace();
    let cpus: Vec<u32> = head.filter_map(|cpu| cpu.strip_prefix("CPU")?.parse().ok()).collect();
    let row = |line: &'a str| {
        let (label, rest) = line.split_once(':')?;
        let mut words = rest.split_whitespace();
        let count = |cpu: &u32| Some((*cpu, words.next()?.parse().ok()?));
        let counts: Vec<(u32, u64)> = cpus.iter().map(count).collect::<Option<_>>()?;
        Some(InterruptRow { label: label.trim(), counts, words: words.collect() })
    };
    lines.filter_map(row).filter(|row| !row.counts.is_empty()).collect()
}

/// Parses the run-queue delay in nanoseconds from `/proc/thread-self/schedstat`: the second number.
pub fn schedstat_delay(text: &[u8]) -> Option<u64> {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next()?;
    number(words.next()?)
}

/// Parses the name of the program from `/proc/<id>/stat`; `None` for a thread of the kernel.
pub fn program_name(stat: &str) -> Option<&str> {
    /// The flag `PF_KTHREAD` of `include/linux/sched.h`.
    const KERNEL_THREAD: u64 = 0x0020_0000;
    let (_, rest) = stat.split_once('(')?;
    // The name may contain parentheses and spaces.
    let (name, rest) = rest.rsplit_once(')')?;
    let flags: u64 = rest.split_whitespace().nth(6)?.parse().ok()?;
    (flags & KERNEL_THREAD == 0).then_some(name)
}

/// Parses a decimal number without a sign. Allocates nothing.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, &digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Parses the size of a cache as `/sys` writes it: `32768K`, `105M`.
pub fn cache_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Options of the Linux kernel that affect scheduling, interrupts, or deep idle. The others may contain names of disks or
/// computers, and are never saved.
const KERNEL_OPTIONS: [&str; 16] = [
    "isolcpus",
    "nohz_full",
    "nohz",
    "rcu_nocbs",
    "preempt",
    "threadirqs",
    "irqaffinity",
    "idle",
    "processor.max_cstate",
    "intel_idle.max_cstate",
    "intel_pstate",
    "amd_pstate",
    "mitigations",
    "clocksource",
    "tsc",
    "nosmt",
];

/// Returns the options of a kernel command line that affect scheduling, separated by blanks; "none" without such options.
pub fn kernel_options(command_line: &str) -> String {
    let is_known = |word: &&str| {
        let name = word.split('=').next().unwrap_or_default();
        KERNEL_OPTIONS.contains(&name)
    };
    let found: Vec<&str> = command_line.split_ascii_whitespace().filter(is_known).collect();
    if found.is_empty() { "none".to_owned() } else { found.join(" ") }
}

/// Returns the processor's name without trademark signs and filler words: `AMD Ryzen 9 5950X`.
pub fn cpu_model(text: &str) -> String {
    let mut text = text.replace("(R)", "").replace("(TM)", "").replace("(tm)", "");
    if let Some(at) = text.find('@') {
        text.truncate(at);
    }
    let drop = ["CPU", "Processor"];
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !drop.contains(word) && !word.ends_with("-Core"))
        .collect();
    words.join(" ")
}

/// Returns which CPUs are P-cores, from their capacities or frequencies: those with at least 4/5 of
/// the maximum, if some CPUs have less. `None` if all are alike, or if a value is missing.
pub fn fast_cores(measures: &[Option<u64>]) -> Option<Vec<bool>> {
    let known: Vec<u64> = measures.iter().copied().collect::<Option<_>>()?;
    let most = known.iter().copied().max()?;
    let limit = most / 5 * 4;
    known
        .iter()
        .any(|&measure| measure < limit)
        .then(|| known.iter().map(|&measure| limit <= measure).collect())
}

/// Parses when a process or thread started from its `/proc/…/stat`, in ticks since boot. Its name, in parentheses, may
/// contain anything.
pub fn started_ticks(stat: &str) -> Option<i64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_are_the_first_number_of_their_line() {
        let text = "cpu  1 2 3 4\ncpu0 1 2 3 4\nintr 1462 0 9\nctxt 3\n";
        assert_eq!(interrupt_count(text), Some(1_462));
        assert_eq!(interrupt_count("intr \n"), None);
        assert_eq!(interrupt_count(""), None);
    }

    #[test]
    fn names_of_programs_are_read_and_threads_of_the_kernel_have_none() {
        let stat = "812 (a) b (c)) S 1 812 812 0 -1 4194304 5 0 0 0 7 3 0 0 20 0 1 0 90 1 1\n";
        assert_eq!(program_name(stat), Some("a) b (c)"));
        let kernel = "33 (kworker/0:1-ev) I 2 0 0 0 -1 69238880 0 0 0 0 0 3 0 0 20 0 1 0 7 0 0\n";
        assert_eq!(program_name(kernel), None);
        assert_eq!(program_name("812 (a) S 1 8"), None);
        assert_eq!(program_name(""), None);
    }

    #[test]
    fn cpu_lists_are_read() {
        assert_eq!(cpu_list("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(cpu_list("0"), [0]);
        assert_eq!(cpu_list(""), Vec::<u32>::new());
        assert_eq!(cpu_list("5-,x,0-4294967295"), Vec::<u32>::new());
    }

    #[test]
    fn busy_stolen_and_interrupt_ticks_are_counted() {
        let text = b"cpu  100 2 30 4000 50 6 7 8 9 10\ncpu0 1 2 3 4\n";
        let expected = CpuTicks { busy: 100 + 2 + 30 + 6 + 7 + 8, steal: 8, interrupt: 6 + 7 };
        assert_eq!(proc_stat(text), Some(expected));
        let expected = CpuTicks { busy: 6, steal: 0, interrupt: 0 };
        assert_eq!(proc_stat(b"cpu  1 2 3 4\n"), Some(expected));
        assert_eq!(proc_stat(b"cpu0 1 2 3 4\n"), None);
        assert_eq!(proc_stat(b"cpu  1 2\n"), None);
        assert_eq!(proc_stat(b""), None);
        // CPU 1 is offline; the lines after the first ones that begin with `cpu` are not read.
        let text =
            "cpu  9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu2 5 0 0 0\nintr 3 4\ncpu3 1 1 1 1\n";
        let first = CpuTicks { busy: 27, steal: 8, interrupt: 13 };
        let second = CpuTicks { busy: 5, steal: 0, interrupt: 0 };
        assert_eq!(proc_stat_cpus(text), [(0, first), (2, second)]);
    }

    #[test]
    fn run_queue_delay_is_the_second_number() {
        assert_eq!(schedstat_delay(b"123 4567 8\n"), Some(4_567));
        assert_eq!(schedstat_delay(b"123"), None);
        assert_eq!(schedstat_delay(b"a b c"), None);
    }

    #[test]
    fn cache_sizes_have_units() {
        assert_eq!(cache_bytes("32768K\n"), Some(32 << 20));
        assert_eq!(cache_bytes("105M"), Some(105 << 20));
        assert_eq!(cache_bytes("512"), Some(512));
        assert_eq!(cache_bytes("big"), None);
    }

    #[test]
    fn processor_names_lose_their_marks() {
        for (text, expected) in [
            ("AMD Ryzen 9 5950X 16-Core Processor", "AMD Ryzen 9 5950X"),
            ("Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz", "Intel Core i7-8650U"),
            ("Intel(R) Xeon(R) Processor @ 2.70GHz", "Intel Xeon"),
            ("Apple M3 Max", "Apple M3 Max"),
        ] {
            assert_eq!(cpu_model(text), expected);
        }
    }

    #[test]
    fn fast_and_frugal_cores_are_distinguished() {
        let check = |measures: &[u64], expected: Option<&[bool]>| {
            let measures: Vec<_> = measures.iter().map(|&measure| Some(measure)).collect();
            assert_eq!(fast_cores(&measures).as_deref(), expected);
        };
        // In this order: an Intel hybrid by frequency, an ARM big.LITTLE by capacity, one favored core, all alike.
        check(&[5_200_000, 5_200_000, 3_900_000, 3_900_000], Some(&[true, true, false, false]));
        check(&[1_024, 1_024, 446, 446], Some(&[true, true, false, false]));
        check(&[4_900_000, 4_700_000, 4_700_000], None);
        check(&[1_024; 4], None);
        assert_eq!(fast_cores(&[Some(1), None]), None);
        assert_eq!(fast_cores(&[]), None);
    }

    #[test]
    fn interrupts_are_counted_for_each_cpu_that_runs() {
        let text = "           CPU0       CPU2\n  24:          1          7  IO-APIC   5-edge      ACPI:Ged\n \
                    LOC:     154291     152975   Local timer interrupts\n ERR:          0\n";
        let rows = interrupt_rows(text);
        let labels: Vec<&str> = rows.iter().map(|row| row.label).collect();
        assert_eq!(labels, ["24", "LOC"], "errors are not counted for each CPU");
        assert_eq!(rows[0].counts, [(0, 1), (2, 7)]);
        assert_eq!(rows[0].words, ["IO-APIC", "5-edge", "ACPI:Ged"]);
        assert_eq!(interrupt_rows(""), []);
    }

    #[test]
    fn only_kernel_options_about_scheduling_are_read() {
        let line =
            "BOOT_IMAGE=/vmlinuz root=UUID=12-34 ro quiet isolcpus=2,3 preempt=full threadirqs\n";
        assert_eq!(kernel_options(line), "isolcpus=2,3 preempt=full threadirqs");
        assert_eq!(kernel_options("root=/dev/sda1"), "none");
    }
}
