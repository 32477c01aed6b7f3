//! The agent, which measures runs for another Jitterscope process: reads requests from its input,
//! one per line, and processes them in order. It writes answers and the journals of its runs to its
//! output, opens no file or socket, and exits when its input ends: also when its output is not read.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{MachineFacts, OtherShare, Runner, Sink};
use crate::format::protocol::{AgentAnswer, AgentFacts, AgentRequest, read_request, write_answer};
use crate::machine::Detail;
use crate::measure::{Event, Stopper, TraceMode, start_thread};
use crate::plan::{CpuChoice, Plan};
use crate::platform::{self, RealtimeProbe};
use crate::run::Labels;

/// Maximum size of a request.
const MAX_REQUEST_BYTES: u64 = 1 << 20;
/// Maximum number of requests that wait for the current one to end.
const MAX_WAITING: usize = 8;
/// How long the output may stay unread after the end of the input.
const UNREAD_PATIENCE: Duration = Duration::from_secs(2);

/// Processes requests until the input ends or a request to stop arrives; `open` opens the output.
///
/// # Errors
///
/// Returns an error if the output cannot be written, or if the system cannot create a thread.
pub fn serve(
    input: impl Read + Send + 'static,
    open: impl Fn() -> Box<dyn Write + Send>,
) -> io::Result<()> {
    let current = Current::default();
    let (sender, requests) = sync_channel(MAX_WAITING);
    let writes = Writes::default();
    {
        let (current, writes) = (current.clone(), writes.clone());
        start_thread("requests", move || {
            read_requests(input, &sender, &current);
            // Without a sender, the agent ends once it has answered the last request.
            drop(sender);
            writes.end_if_unread();
        })?;
    }
    let open = || -> Box<dyn Write + Send> {
        Box::new(CountedOutput { output: open(), writes: writes.clone() })
    };
    let mut output = open();
    let mut load = None;
    while let Ok(request) = requests.recv() {
        let answer = match request.map(|line| read_request(&line)) {
            Err(reason) => AgentAnswer::Refused(reason.to_owned()),
            Ok(Err(error)) => AgentAnswer::Refused(error.to_string()),
            // The thread that reads requests has already canceled the run.
            Ok(Ok(AgentRequest::Cancel)) => continue,
            Ok(Ok(AgentRequest::Stop)) => return Ok(()),
            Ok(Ok(AgentRequest::Describe)) => AgentAnswer::Machine(Box::new(facts())),
            Ok(Ok(AgentRequest::Load)) => AgentAnswer::Load(OtherShare::since_last(&mut load)),
            Ok(Ok(AgentRequest::Run { plan, trace })) => {
                match measure(*plan, trace, &open, &current) {
                    Ok(AgentOutput::Open) => continue,
                    Ok(AgentOutput::Closed) => return Err(io::ErrorKind::BrokenPipe.into()),
                    Err(reason) => AgentAnswer::Refused(reason),
                }
            }
        };
        output.write_all(write_answer(&answer).as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// Returns machine, clock, and capabilities of this PC.
pub fn facts() -> AgentFacts {
    let MachineFacts { machine, clock, cpus } = MachineFacts::read();
    AgentFacts {
        app_version: env!("CARGO_PKG_VERSION").to_owned(),
        machine,
        clock,
        cpus,
        cpu_quota_percent: platform::cpu_quota_percent(),
        capabilities: probe().outcomes,
        detail: Detail::read(),
        trace: platform::trace_state(),
        performance_cpu: platform::choose_cpu(CpuChoice::Performance).ok().flatten(),
        can_pin: platform::can_pin(),
    }
}

/// Tests which priorities the system grants. The test needs a temporary thread, since a request
/// changes the priority of the requesting thread.
pub fn probe() -> RealtimeProbe {
    let (sender, answer) = sync_channel(1);
    let started = start_thread("probe", move || drop(sender.send(platform::realtime_probe())));
    started.ok().and_then(|_| answer.recv().ok()).unwrap_or_default()
}

/// Whether the output is still open.
enum AgentOutput {
    Open,
    Closed,
}

/// Measures a plan and writes the journal of the run to the output. The error is the reason why
/// nothing was measured.
fn measure(
    plan: Plan,
    trace: TraceMode,
    open: &impl Fn() -> Box<dyn Write + Send>,
    current: &Current,
) -> Result<AgentOutput, String> {
    // The cancellation of the previous run does not apply to this one.
    current.change(|current| current.is_canceled = false);
    let mut request = MachineFacts::read().request(plan, Labels::default());
    request.trace = trace;
    let runner =
        Runner::start(request, Sink::Stream(open()), || {}).map_err(|error| error.to_string())?;
    current.change(|current| current.stopper = Some(runner.stopper()));
    let mut output = AgentOutput::Open;
    while let Some(event) = runner.next_event() {
        match event {
            Event::NotSaved { .. } => {
                output = AgentOutput::Closed;
                runner.stop();
            }
            Event::Finished(_) => break,
            _ => {}
        }
    }
    current.change(|current| current.stopper = None);
    Ok(output)
}

/// Reads requests until the input ends. A request to cancel or stop, and the end of the input, stop
/// the current run immediately.
fn read_requests(
    input: impl Read,
    requests: &SyncSender<Result<Vec<u8>, &'static str>>,
    current: &Current,
) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_REQUEST_BYTES).read_until(b'\n', &mut line);
        let is_whole = line.last() == Some(&b'\n');
        let is_end = !matches!(read, Ok(count) if 0 < count);
        let request = read_request(&line);
        if request == Ok(AgentRequest::Cancel) {
            current.change(|current| current.is_canceled = true);
            continue;
        }
        if is_end || request == Ok(AgentRequest::Stop) {
            current.change(|current| current.is_ending = true);
        }
        if is_end {
            return;
        }
        let is_long = !is_whole && u64::try_from(line.len()) == Ok(MAX_REQUEST_BYTES);
        let request = if is_long { Err("a request is longer than 1 MiB") } else { Ok(line) };
        match requests.try_send(request) {
            Ok(()) if is_long => return,
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                return current.change(|current| current.is_ending = true);
            }
            Err(TrySendError::Disconnected(_)) => return,
        }
    }
}

/// The number of writes to the output that began or ended: odd during a write.
#[derive(Clone, Default)]
struct Writes(Arc<AtomicU64>);

impl Writes {
    /// Ends this process when a single write takes longer than [`UNREAD_PATIENCE`]: nothing reads the output, the run
    /// cannot end, and no one can stop it. Returns when no other thread writes any more.
    fn end_if_unread(&self) {
        let mut seen = (self.0.load(Ordering::Relaxed), Instant::now());
        while 1 < Arc::strong_count(&self.0) {
            std::thread::sleep(UNREAD_PATIENCE / 20);
            let count = self.0.load(Ordering::Relaxed);
            if count != seen.0 {
                seen = (count, Instant::now());
            } else if count % 2 == 1 && UNREAD_PATIENCE < seen.1.elapsed() {
                platform::exit_at_once(1);
            }
        }
    }
}

/// An output whose writes are counted. Several of them never write at the same time.
struct CountedOutput {
    output: Box<dyn Write + Send>,
    writes: Writes,
}

impl Write for CountedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes.0.fetch_add(1, Ordering::Relaxed);
        let written = self.output.write(bytes);
        self.writes.0.fetch_add(1, Ordering::Relaxed);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writes.0.fetch_add(1, Ordering::Relaxed);
        let flushed = self.output.flush();
        self.writes.0.fetch_add(1, Ordering::Relaxed);
        flushed
    }
}

/// The current run, and whether it should stop.
#[derive(Clone, Default)]
struct Current(Arc<Mutex<CurrentRun>>);

#[derive(Default)]
struct CurrentRun {
    /// Whether the current run and all later ones should stop.
    is_ending: bool,
    /// Whether the current run should stop.
    is_canceled: bool,
    stopper: Option<Stopper>,
}

impl Current {
    /// Changes the state, and stops the current run if it should stop.
    fn change(&self, change: impl FnOnce(&mut CurrentRun)) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut current);
        if (current.is_ending || current.is_canceled)
            && let Some(stopper) = &current.stopper
        {
            stopper.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format::protocol::{read_answer, write_request};

    /// The output of an agent, in memory.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns everything that an agent writes for this input.
    fn written(input: &[u8]) -> Vec<u8> {
        let output = Written::default();
        let to = output.clone();
        serve(io::Cursor::new(input.to_vec()), move || Box::new(to.clone())).unwrap();
        output.0.lock().unwrap().clone()
    }

    fn answers(input: &[u8]) -> Vec<AgentAnswer> {
        let written = written(input);
        let lines = written.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| read_answer(line).unwrap()).collect()
    }

    #[test]
    fn requests_are_answered_in_order_until_stop() {
        let requests = [AgentRequest::Describe, AgentRequest::Load, AgentRequest::Stop];
        let mut input: String = requests.iter().map(write_request).collect();
        input.insert_str(0, "hello\n{\"jitterscope\":9}\n");
        input.push_str("never read\n");
        let answers = answers(input.as_bytes());
        assert_eq!(answers.len(), 4, "{answers:?}");
        assert!(matches!(&answers[0], AgentAnswer::Refused(why) if why.contains("hello")));
        assert!(matches!(&answers[1], AgentAnswer::Refused(why) if why.contains("version 9")));
        let AgentAnswer::Machine(facts) = &answers[2] else { panic!("{answers:?}") };
        assert_eq!(facts.cpus, platform::cpu_facts());
        assert_eq!(facts.capabilities.len(), probe().outcomes.len());
        assert_eq!(answers[3], AgentAnswer::Load(None));
    }

    #[test]
    fn an_impossible_plan_and_an_endless_line_are_refused() {
        let mut plan = Plan::all().remove(0);
        if let Plan::FrameLoop(frame_loop) = &mut plan {
            frame_loop.fps = 1e9;
        }
        let run = AgentRequest::Run { plan: Box::new(plan), trace: TraceMode::Off };
        let refused = answers(write_request(&run).as_bytes());
        assert!(
            matches!(&refused[..], [AgentAnswer::Refused(why)] if why.contains("1000")),
            "{refused:?}"
        );
        let endless = answers(&vec![b'x'; 3 << 20]);
        assert!(matches!(&endless[..], [AgentAnswer::Refused(why)] if why.contains("1 MiB")));
        assert_eq!(answers(b""), []);
    }

    /// Returns the number of random inputs per test.
    fn cases() -> ProptestConfig {
        let is_long = std::env::var_os("JITTERSCOPE_LONG_TESTS").is_some_and(|value| value == "1");
        ProptestConfig::with_cases(if is_long { 100_000 } else { 200 })
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn whatever_an_agent_reads_it_answers_or_ends(
            which in prop::collection::vec(0_usize..5, 0..MAX_WAITING),
            at in any::<prop::sample::Index>(),
            removed in 0_usize..20,
            piece in prop::collection::vec(any::<u8>(), 0..12),
        ) {
            let impossible = Plan::FrameLoop(crate::plan::FrameLoop {
                fps: 1e9,
                ..crate::plan::FrameLoop::default()
            });
            let run = AgentRequest::Run { plan: Box::new(impossible), trace: TraceMode::Off };
            let lines = [
                write_request(&AgentRequest::Load),
                write_request(&AgentRequest::Cancel),
                write_request(&run),
                write_request(&AgentRequest::Stop),
                "hello\n".to_owned(),
            ];
            let mut input: Vec<u8> =
                which.iter().flat_map(|one| lines[*one].bytes()).collect();
            let until_stop = which.iter().take_while(|one| **one != 3);
            let expected = until_stop.filter(|one| **one != 1).count();
            prop_assert_eq!(answers(&input).len(), expected, "{:?}", which);
            let from = at.index(input.len() + 1);
            let to = (from + removed).min(input.len());
            input.splice(from..to, piece);
            // The changed input may request a plan that can be measured. Its journal, too, must end
            // with a whole line.
            let written = written(&input);
            prop_assert!(written.is_empty() || written.ends_with(b"\n"));
        }
    }
}
