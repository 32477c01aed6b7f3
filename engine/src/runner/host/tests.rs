//! Tests of agents that run in this process, and of invalid agents: sessions that are cut or changed anywhere, and
//! endless output.

use std::io::{self, Cursor, Read, Write};
use std::sync::{LazyLock, Mutex};

use proptest::prelude::*;

use super::*;
use crate::format::protocol::write_request;
use crate::measure::Event;
use crate::nanos::Nanos;
use crate::plan::{FrameLoop, Load, Plan, Wait, Work};
use crate::run::{Ending, Labels, Run};
use crate::runner::agent::serve;

fn address(host: &str, program: Option<&str>) -> Address {
    let program = program.map(str::to_owned);
    Address { host: host.to_owned(), ssh: None, program, is_batch: false }
}

#[test]
fn what_ssh_or_a_shell_would_read_otherwise_is_refused_or_quoted() {
    for host in ["", "-oProxyCommand=reboot", "a b", "a\nb", "a\u{202e}b"] {
        let refused = arguments(&address(host, None), "x");
        assert!(matches!(refused, Err(AgentError::Address { .. })), "{host:?}");
    }
    let named = address("ann@build-07", None);
    let arguments = arguments(&named, "jitterscope-cli agent").unwrap();
    let [.., end, host, command] = &arguments[..] else { panic!("{arguments:?}") };
    assert_eq!([end, host, command], ["--", "ann@build-07", "jitterscope-cli agent"]);
    for (program, expected) in [
        ("~/bin/jitterscope-cli", "~/bin/jitterscope-cli"),
        ("C:\\x\\jitterscope-cli.exe", "C:\\x\\jitterscope-cli.exe"),
        ("/opt/my tools/x", "'/opt/my tools/x'"),
        ("x; reboot", "'x; reboot'"),
        ("it's $HOME", "'it'\\''s $HOME'"),
    ] {
        assert_eq!(quoted(program), expected);
    }
}

fn plan() -> Plan {
    let time_each = Nanos::from_millis(200);
    let work = Work::Timed(Nanos::from_micros(100));
    let (wait, load, warm_up) = (Wait::OsSleep, Load::NONE, Nanos::ZERO);
    Plan::FrameLoop(FrameLoop {
        fps: 200.0,
        time_each,
        work,
        wait,
        load,
        warm_up,
        ..FrameLoop::default()
    })
}

fn labels() -> Labels {
    Labels { name: "mine".to_owned(), ..Labels::default() }
}

/// Starts an agent on a thread of this process and connects to it.
fn agent() -> Agent {
    let (requests, input) = io::pipe().unwrap();
    let (output, to) = io::pipe().unwrap();
    measure::start_thread("agent", move || {
        serve(requests, || Box::new(to.try_clone().unwrap())).unwrap();
    })
    .unwrap();
    let pipes =
        Pipes { input: Box::new(input), output: Box::new(output), errors: Box::new(io::empty()) };
    Agent::over("ann@build-07", None, pipes, (Transport::Ssh, BATCH_SIGN_IN)).unwrap()
}

/// Runs a plan on a host and waits until it ends. Returns the run and how many events came before its last event.
fn run_on(host: &Host, plan: Plan) -> Result<(Run, usize), StartError> {
    let mut request = host.facts().request(plan, labels());
    request.trace = TraceMode::Off;
    let runner = host.start(request, Sink::Discard, || {})?;
    let mut count = 0;
    while let Some(event) = runner.next_event() {
        match event {
            Event::Finished(run) => return Ok((runner.finish(run).run, count)),
            _ => count += 1,
        }
    }
    panic!("no last event")
}

#[test]
fn an_agent_measures_runs_one_after_another_as_this_process_does() {
    let host = Host::Agent(agent());
    assert_eq!(host.facts().cpus, crate::platform::cpu_facts());
    for _ in 0..2 {
        let (run, events) = run_on(&host, plan()).unwrap();
        assert_eq!(run.ending, Ending::Finished);
        assert_eq!((run.host.as_deref(), run.name.as_str()), (Some("ann@build-07"), "mine"));
        assert_eq!(run.plan(), Some(&plan()));
        assert!(0 < run.sample_count() && 4 < events && run.trials[0].complete);
        assert!(run.trials[0].applied.is_some());
    }
    let mut load = host.other_load().unwrap();
    std::thread::sleep(Duration::from_millis(60));
    assert_eq!(load.read().share.is_some(), OtherLoad::start().is_some());
    // A plan that cannot run on the host is refused before a request is sent.
    let endless = Plan::FrameLoop(FrameLoop { rounds: u32::MAX, ..FrameLoop::default() });
    let refused = run_on(&host, endless).unwrap_err();
    assert!(matches!(refused, StartError::Measure(measure::StartError::Settings { .. })));
}

#[test]
fn a_run_of_an_agent_stops_on_request_and_is_saved_up_to_then() {
    let host = Host::Agent(agent());
    let long = FrameLoop { time_each: Nanos::from_secs(300), ..FrameLoop::default() };
    let request = host.facts().request(Plan::FrameLoop(long), labels());
    let runner = host.start(request, Sink::Discard, || {}).unwrap();
    while let Some(event) = runner.next_event() {
        match event {
            Event::Samples { .. } => runner.stop(),
            Event::Finished(run) => {
                assert_eq!(run.ending, Ending::Stopped);
                assert!(0 < run.sample_count());
                drop(runner);
                // The agent is still connected and can measure another run.
                assert_eq!(run_on(&host, plan()).unwrap().0.ending, Ending::Finished);
                return;
            }
            _ => {}
        }
    }
    panic!("no last event");
}

/// Collects everything that an agent writes.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output of an agent for one whole session: the description of its machine, and the journal of one run.
static SESSION: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let output = Output::default();
    let to = output.clone();
    let run = AgentRequest::Run { plan: Box::new(plan()), trace: TraceMode::Off };
    let (requests, mut input) = io::pipe().unwrap();
    for request in [AgentRequest::Describe, run] {
        input.write_all(write_request(&request).as_bytes()).unwrap();
    }
    let serving = measure::start_thread("agent", move || {
        serve(requests, || Box::new(to.clone())).unwrap();
    });
    // Wait for the end of the run: closing the input earlier would stop the run.
    while !String::from_utf8_lossy(&output.0.lock().unwrap()).contains("\"finished\"") {
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(input);
    serving.unwrap().join().unwrap();
    let written = output.0.lock().unwrap();
    written.clone()
});

/// Connects to an agent that sends these bytes, and starts a run on it.
fn against(output: impl Read + Send + 'static) -> Result<(Run, usize), StartError> {
    let pipes = Pipes {
        input: Box::new(io::sink()),
        output: Box::new(output),
        errors: Box::new(io::empty()),
    };
    run_on(
        &Host::Agent(Agent::over("x", None, pipes, (Transport::Ssh, Duration::from_secs(5)))?),
        plan(),
    )
}

/// Returns the position in `SESSION` at which the journal of the run begins.
fn run_begins() -> usize {
    SESSION.iter().position(|byte| *byte == b'\n').unwrap() + 1
}

#[test]
fn a_connection_that_ends_keeps_what_arrived() {
    let (whole, _) = against(Cursor::new(SESSION.clone())).unwrap();
    assert_eq!(whole.ending, Ending::Finished);
    let last_line = SESSION.windows(9).rposition(|piece| piece == b"{\"entry\":").unwrap();
    let (cut, _) = against(Cursor::new(SESSION[..last_line].to_vec())).unwrap();
    let Ending::Failed(reason) = &cut.ending else { panic!("{:?}", cut.ending) };
    assert!(reason.contains("connection was lost"), "{reason}");
    assert_eq!(cut.sample_count(), whole.sample_count());
    let early = against(Cursor::new(SESSION[..run_begins()].to_vec()));
    assert!(matches!(early, Err(StartError::Agent(AgentError::Lost { .. }))), "{early:?}");
}

#[test]
fn banners_are_skipped_and_endless_ones_are_not() {
    let banner = b"Welcome!\n\x1b[31mred\x07\n{\"hello\":1}\nno end of line:".to_vec();
    let (run, _) = against(Cursor::new([banner, SESSION.clone()].concat())).unwrap();
    assert_eq!(run.ending, Ending::Finished);
    let endless_line = against(io::repeat(b'x'));
    assert!(matches!(endless_line, Err(StartError::Agent(AgentError::Noise))), "{endless_line:?}");
    let endless_lines = against(io::repeat(b'\n'));
    assert!(matches!(endless_lines, Err(StartError::Agent(AgentError::Noise))));
    let newer = against(Cursor::new(b"{\"jitterscope\":3,\"answer\":\"hi\"}\n"));
    assert!(matches!(newer, Err(StartError::Agent(AgentError::Version { found: 3 }))));
}

#[test]
fn a_journal_without_end_ends_where_a_run_file_would() {
    let description = SESSION[..run_begins()].to_vec();
    let begun = SESSION[run_begins()..].split_inclusive(|byte| *byte == b'\n').next().unwrap();
    let name = "n".repeat(1 << 20);
    for (line, why) in [
        (
            format!(
                "{{\"entry\":\"value\",\"trial\":0,\"name\":\"{name}\",\"at_nanos\":0,\"value\":1}}\n"
            ),
            "more than",
        ),
        (
            "{\"entry\":\"value\",\"trial\":0,\"name\":\"n\",\"at_nanos\":NaN,\"value\":1}\n"
                .to_owned(),
            "damaged",
        ),
        ("{\"entry\":\"demoted\",\"trial\":7000}\n".to_owned(), "not planned"),
        ("x".repeat(1 << 16), "without an end"),
        ("{}\n".to_owned(), "damaged"),
        (String::from_utf8(begun.to_vec()).unwrap(), "twice"),
    ] {
        let start = [description.as_slice(), begun].concat();
        let (run, _) = against(Cursor::new(start).chain(Endless::new(line))).unwrap();
        let Ending::Failed(reason) = &run.ending else { panic!("{:?}", run.ending) };
        assert!(reason.contains(why), "{reason}");
        assert!(reason.len() < 600, "{reason}");
    }
}

#[test]
fn an_agent_that_claims_what_no_machine_has_is_refused() {
    let text = String::from_utf8(SESSION.clone()).unwrap();
    // The first `usable` list belongs to the description of the machine, and the first `trials` list to the run.
    let (usable, trials) = ("\"usable\":[", "\"trials\":[");
    let run = text.lines().nth(1).unwrap();
    let trial = run.split_once(trials).unwrap().1.trim_end_matches("]}}");
    for (from, to, is_refused) in [
        (usable, usable.to_owned(), false),
        (usable, format!("{usable}{}", "1,".repeat(100_000)), true),
        (usable, format!("{usable}4000000000,"), true),
        (trial, trial.to_owned(), false),
        (trial, vec![trial; 20_000].join(","), true),
    ] {
        assert!(text.contains(from));
        match against(Cursor::new(text.replacen(from, &to, 1).into_bytes())) {
            Err(StartError::Agent(AgentError::Noise)) => assert!(is_refused, "{from}"),
            run => assert!(!is_refused && run.is_ok(), "{from}: {run:?}"),
        }
    }
}

#[test]
fn an_agent_that_names_ever_new_series_is_refused_early() {
    let begun = run_begins()
        + SESSION[run_begins()..].split(|byte| *byte == b'\n').next().unwrap().len()
        + 1;
    let lines: Vec<String> = (0..10_000)
        .map(|at| {
            format!(
                "{{\"entry\":\"value\",\"trial\":0,\"name\":\"{at}\",\"at_nanos\":0,\"value\":1}}\n"
            )
        })
        .collect();
    let lines = lines.concat();
    let (run, _) = against(Cursor::new([&SESSION[..begun], lines.as_bytes()].concat())).unwrap();
    let Ending::Failed(reason) = &run.ending else { panic!("{:?}", run.ending) };
    assert!(reason.contains("more than a run may hold"), "{reason}");
    assert!(run.trials[0].series.len() < 2_000);
}

/// Repeats a text endlessly.
struct Endless {
    text: Vec<u8>,
    at: usize,
}

impl Endless {
    fn new(text: String) -> Self {
        Self { text: text.into_bytes(), at: 0 }
    }
}

impl Read for Endless {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = (&self.text[self.at..]).read(to)?;
        self.at = (self.at + count) % self.text.len();
        Ok(count)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fuzz_cases()))]

    #[test]
    fn whatever_an_agent_sends_there_is_an_end(
        at in any::<prop::sample::Index>(),
        removed in 0_usize..200,
        piece in prop::collection::vec(any::<u8>(), 0..40),
        is_cut in any::<bool>(),
    ) {
        let mut bytes = SESSION.clone();
        let from = at.index(bytes.len());
        let to = if is_cut { bytes.len() } else { (from + removed).min(bytes.len()) };
        bytes.splice(from..to, piece);
        if let Ok((run, _)) = against(Cursor::new(bytes)) {
            prop_assert!(run.ending != Ending::Recovered);
            crate::report::Report::of(&run, &crate::report::Options::default());
        }
    }
}
