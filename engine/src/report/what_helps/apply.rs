//! Instructions to make a change: for a program that one cannot change, such as a game, or as one line of Rust or C, or a
//! system command.

use super::effect::ChangeEffect;
use crate::nanos::Nanos;
use crate::plan::SettingChange;
use crate::platform::Policy;
use crate::report::Report;
use crate::report::model::table::{Cell, Column, Table, TableBuilder};
use crate::run::Run;
use crate::stats::Outcome;

/// The language of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Plain words: what to do for a game or another program whose code one cannot change.
    Words,
    /// Rust, with the crates `spin_sleep`, `thread-priority`, `core_affinity`, `nix`, `windows`, and `libc`.
    Rust,
    /// C, with functions of the operating system.
    C,
    /// A shell command of the operating system.
    Command,
}

impl Language {
    /// All languages, in the order in which tables list them.
    pub const ALL: [Self; 4] = [Self::Words, Self::Rust, Self::C, Self::Command];

    /// Returns the name on screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Words => "Without code",
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Command => "Command",
        }
    }
}

/// Returns one line for each change of a row, which shows how to make the change. A change without a system command
/// gets a line that states so.
pub fn code(run: &Run, report: &Report, effect: &ChangeEffect, language: Language) -> Vec<String> {
    let effects = report.results::<ChangeEffect>();
    let lines = effect.changes.iter().map(|change| {
        let own = effects.iter().find(|single| !single.is_together && single.changes == [*change]);
        line(run, report, own.unwrap_or(effect), *change, language)
    });
    lines.collect()
}

/// Builds the table of all single changes that help, with one row per change and language.
pub(super) fn table(run: &Run, report: &Report) -> Table {
    let helping = report
        .results::<ChangeEffect>()
        .iter()
        .filter(|effect| effect.result == Outcome::Better && !effect.is_together);
    let lines: Vec<(&ChangeEffect, Language, String)> = helping
        .flat_map(|effect| Language::ALL.map(|language| (effect, language)))
        .flat_map(|(effect, language)| {
            code(run, report, effect, language)
                .into_iter()
                .map(move |line| (effect, language, line))
        })
        .collect();
    let note = "with the crates spin_sleep, thread-priority, core_affinity, and nix".to_owned();
    TableBuilder::new("apply", "Apply it", note, &lines)
        .column(Column::text("change", "Change", "A change that helps."), |(effect, ..)| {
            Cell::text_of(effect.name())
        })
        .column(
            Column::text(
                "language",
                "Language",
                "Plain words, Rust, C, or a command of the system.",
            ),
            |(_, language, _)| Cell::text_of(language.name()),
        )
        .column(
            Column::text("code", "Code", "What makes the change in a program."),
            |(.., line)| Cell::text_of(line),
        )
        .each_row(|(effect, ..), row| row.configuration = Some(effect.row))
        .finish()
}

/// The operating system of the PC on which a run was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SystemFamily {
    Linux,
    MacOs,
    Windows,
}

fn family(run: &Run) -> SystemFamily {
    let os = run.machine.os.as_deref().unwrap_or("").to_lowercase();
    match () {
        () if os.contains("windows") => SystemFamily::Windows,
        () if os.contains("mac") || os.contains("darwin") => SystemFamily::MacOs,
        () => SystemFamily::Linux,
    }
}

fn line(
    run: &Run,
    report: &Report,
    effect: &ChangeEffect,
    change: SettingChange,
    language: Language,
) -> String {
    let row = report.rows.get(effect.row);
    let granted = row.and_then(|row| row.granted.as_ref());
    let trials = row.into_iter().flat_map(|row| &row.trials);
    let mut trials = trials.filter_map(|&trial| run.trials.get(trial));
    let family = family(run);
    if language == Language::Words {
        return without_code(change, family).to_owned();
    }
    match change {
        SettingChange::SpinTail => {
            let tail = row.and_then(|row| row.usage.spin_tail).unwrap_or(Nanos::ZERO).get();
            let [rust, c, command] = [
                format!("spin_sleep::SpinSleeper::new({tail}).sleep_until(due);"),
                format!("clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due_minus_{tail}_ns, 0); while (now() < due);"),
                "A spin tail has no command: it is part of the program.".to_owned(),
            ];
            of(language, rust, c, command)
        }
        SettingChange::AboveNormal | SettingChange::Highest | SettingChange::TimeCritical => {
            if family == SystemFamily::MacOs {
                return quality_of_service(change, language);
            }
            priority(granted.map_or(Policy::Unknown, |granted| granted.effective.policy), language)
        }
        SettingChange::Pinned => {
            let selected = trials.find_map(|trial| trial.applied.as_ref()?.selected_cpu);
            let cpu = selected.unwrap_or(0);
            let rust =
                format!("core_affinity::set_for_current(core_affinity::CoreId {{ id: {cpu} }});");
            match family {
                // macOS cannot pin threads, so runs from macOS never show these lines, which are for Linux.
                SystemFamily::Linux | SystemFamily::MacOs => of(
                    language,
                    rust,
                    format!("cpu_set_t set; CPU_ZERO(&set); CPU_SET({cpu}, &set); sched_setaffinity(0, sizeof set, &set);"),
                    format!("taskset --cpu-list --pid {cpu} THREAD_ID"),
                ),
                SystemFamily::Windows => of(
                    language,
                    rust,
                    format!("SetThreadAffinityMask(GetCurrentThread(), 1ULL << {cpu});"),
                    format!("start /affinity {:X} PROGRAM", 1_u64.checked_shl(cpu).unwrap_or(0)),
                ),
            }
        }
        SettingChange::FineTimer => match family {
            SystemFamily::MacOs => "macOS has no timer setting for a thread.".to_owned(),
            SystemFamily::Linux => of(
                language,
                "nix::sys::prctl::set_timerslack(1)?;".to_owned(),
                "prctl(PR_SET_TIMERSLACK, 1UL);".to_owned(),
                "echo 1 | sudo tee /proc/THREAD_ID/timerslack_ns".to_owned(),
            ),
            SystemFamily::Windows => of(
                language,
                "windows::Win32::Media::timeBeginPeriod(1);".to_owned(),
                "timeBeginPeriod(1);".to_owned(),
                "A timer resolution has no command: it is part of the program.".to_owned(),
            ),
        },
        SettingChange::LoadBelowNormal => match family {
            SystemFamily::Linux => of(
                language,
                nice(5, "In every load thread: "),
                "In every load thread: setpriority(PRIO_PROCESS, 0, 5);".to_owned(),
                "renice --priority 5 --pid $(ls /proc/LOAD_PROCESS_ID/task)".to_owned(),
            ),
            SystemFamily::MacOs => quality_of_service(change, language),
            SystemFamily::Windows => of(
                language,
                "In every load thread: set_current_thread_priority(ThreadPriority::Os(WinAPIThreadPriority::BelowNormal.into()))?;".to_owned(),
                "In every load thread: SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);".to_owned(),
                "start /belownormal LOAD_PROGRAM".to_owned(),
            ),
        },
        SettingChange::NoDeepIdle => of(
            language,
            "let mut held = File::create(\"/dev/cpu_dma_latency\")?; held.write_all(&0_i32.to_ne_bytes())?;".to_owned(),
            "int held = open(\"/dev/cpu_dma_latency\", O_WRONLY); int32_t none = 0; write(held, &none, sizeof none);".to_owned(),
            "sudo sh -c 'exec 3>/dev/cpu_dma_latency; printf \"\\0\\0\\0\\0\" >&3; sleep infinity'".to_owned(),
        ),
    }
}

fn of(language: Language, rust: String, c: String, command: String) -> String {
    match language {
        Language::Rust => rust,
        Language::C => c,
        Language::Words | Language::Command => command,
    }
}

/// Returns what to do for a game. A change that helps one thread is not always good for a whole game: a game at real-time
/// priority can stop the PC, and a game on one CPU is slower.
const fn without_code(change: SettingChange, family: SystemFamily) -> &'static str {
    use SettingChange as Change;
    match (change, family) {
        (Change::SpinTail, _) => {
            "Compare frame limiters: that of the game, that of the driver, and that of MangoHud or RTSS wait in different \
             ways."
        }
        (Change::AboveNormal | Change::Highest | Change::TimeCritical, SystemFamily::Linux) => {
            "Raise the priority of the game with GameMode: renice=10 in gamemode.ini, and gamemoderun %command% as launch \
             option in Steam. Do not run a whole game at real-time priority."
        }
        (Change::AboveNormal | Change::Highest | Change::TimeCritical, SystemFamily::Windows) => {
            "Task Manager, Details, right-click the game: Set priority, Above normal. Not Realtime: it can stop the PC."
        }
        (Change::AboveNormal | Change::Highest | Change::TimeCritical, SystemFamily::MacOs) => {
            "Play in full screen: macOS then prefers the game."
        }
        (Change::Pinned, SystemFamily::Linux) => {
            "One CPU is too few for a whole game. With cores of different speed: pin_cores=yes in gamemode.ini."
        }
        (Change::Pinned, SystemFamily::Windows | SystemFamily::MacOs) => {
            "One CPU is too few for a whole game: move other programs away from it instead."
        }
        (Change::FineTimer, SystemFamily::Linux | SystemFamily::MacOs) => {
            "Nothing to set: the timer belongs to the program."
        }
        (Change::FineTimer, SystemFamily::Windows) => {
            "Most games request a fine timer themselves. Windows 11 ignores it for a minimized window: keep the game visible."
        }
        (Change::LoadBelowNormal, SystemFamily::Linux) => {
            "Start what else runs while you play with a lower priority: nice -n 5 PROGRAM."
        }
        (Change::LoadBelowNormal, SystemFamily::Windows) => {
            "Task Manager, Details, right-click what else runs while you play: Set priority, Below normal."
        }
        (Change::LoadBelowNormal, SystemFamily::MacOs) => {
            "Start what else runs while you play with a lower priority: taskpolicy -c utility PROGRAM."
        }
        (Change::NoDeepIdle, SystemFamily::Linux) => {
            "While you play, where tuned is installed: tuned-adm profile latency-performance. Afterward: tuned-adm profile balanced."
        }
        (Change::NoDeepIdle, SystemFamily::Windows) => {
            "Settings, System, Power: the power mode Best performance while you play."
        }
        (Change::NoDeepIdle, SystemFamily::MacOs) => "macOS has no setting for it.",
    }
}

/// Returns a line of Rust that sets a nice value; `before` is text in front of the line.
fn nice(value: i32, before: &str) -> String {
    format!(
        "{before}set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Os({}_u32.try_into()?), \
         ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other))?;",
        value.cast_unsigned()
    )
}

/// Returns the instruction for macOS, which has quality-of-service classes instead of priorities.
fn quality_of_service(change: SettingChange, language: Language) -> String {
    let class = match change {
        SettingChange::LoadBelowNormal => "QOS_CLASS_UTILITY",
        SettingChange::AboveNormal => "QOS_CLASS_USER_INITIATED",
        SettingChange::TimeCritical => {
            let call = "thread_policy_set(mach_thread_self(), THREAD_TIME_CONSTRAINT_POLICY, &policy, \
                 THREAD_TIME_CONSTRAINT_POLICY_COUNT);";
            let none = "A thread's policy has no command: it is part of the program.";
            return of(language, format!("unsafe {{ {call} }}"), call.to_owned(), none.to_owned());
        }
        _ => "QOS_CLASS_USER_INTERACTIVE",
    };
    let place =
        if change == SettingChange::LoadBelowNormal { "In every load thread: " } else { "" };
    let command = match change {
        SettingChange::LoadBelowNormal => "taskpolicy -c utility LOAD_PROGRAM",
        _ => "A thread's class has no command: it is part of the program.",
    };
    of(
        language,
        format!(
            "{place}unsafe {{ libc::pthread_set_qos_class_self_np(libc::qos_class_t::{class}, 0) }};"
        ),
        format!("{place}pthread_set_qos_class_self_np({class}, 0);"),
        command.to_owned(),
    )
}

/// Returns the instruction that sets the scheduling policy that the system applied in the test.
fn priority(policy: Policy, language: Language) -> String {
    let realtime = |name: &str, upper: &str, level: u8| {
        of(
            language,
            format!(
                "set_thread_priority_and_policy(thread_native_id(), \
                 ThreadPriority::Crossplatform({level}_u8.try_into()?), \
                 ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::{name}))?;"
            ),
            format!(
                "pthread_setschedparam(pthread_self(), SCHED_{upper}, \
                 &(struct sched_param){{ .sched_priority = {level} }});"
            ),
            format!("chrt --{} --pid {level} THREAD_ID", upper.to_lowercase()),
        )
    };
    match policy {
        Policy::Fifo(level) => realtime("Fifo", "FIFO", level),
        Policy::RoundRobin(level) => realtime("RoundRobin", "RR", level),
        Policy::Nice(value) => of(
            language,
            nice(value, ""),
            format!("setpriority(PRIO_PROCESS, 0, {value});"),
            format!("renice --priority {value} --pid THREAD_ID"),
        ),
        Policy::WindowsLevel(level) => {
            let (rust, c) = match level {
                ..=1 => ("AboveNormal", "ABOVE_NORMAL"),
                2..=14 => ("Highest", "HIGHEST"),
                15.. => ("TimeCritical", "TIME_CRITICAL"),
            };
            of(
                language,
                format!(
                    "set_current_thread_priority(ThreadPriority::Os(WinAPIThreadPriority::{rust}.into()))?;"
                ),
                format!("SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_{c});"),
                "A thread's priority has no command: it is part of the program.".to_owned(),
            )
        }
        _ => "What was applied is not known.".to_owned(),
    }
}
