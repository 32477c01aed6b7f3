//! How much the same test differs from itself on this PC, for the page of the machine.

use jiff::Timestamp;
use jitterscope_engine::report::Metric;
use jitterscope_engine::report::comparison::NoiseFloor;
use jitterscope_engine::runner::RunSequence;
use jitterscope_engine::store::Store;

use super::Session;

/// The test that stands for the PC.
const TEST: &str = "frame-loop";
/// How often it is repeated.
const NOISE_REPEATS: u32 = 5;

/// What the newest repeats on this machine say.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// When the newest was measured.
    pub measured_at: Timestamp,
    /// How many repeats there are.
    pub count: usize,
    /// Their configuration.
    pub label: String,
    /// What two single runs differ by at most at p99 lateness in 95 of 100 cases, in nanoseconds.
    pub p99_nanos: f64,
}

/// What is known of it.
#[derive(Debug, Default)]
pub(super) struct Noises {
    /// The list of runs it was read from.
    version: Option<u64>,
    is_reading: bool,
    found: Option<Noise>,
}

impl Noises {
    /// Takes in what was read.
    pub(super) fn fill(&mut self, found: Option<Noise>) {
        self.is_reading = false;
        self.found = found;
    }
}

impl Session {
    /// The noise floor of this machine, where it was measured and has been read.
    pub const fn noise(&self) -> Option<&Noise> {
        self.noises.found.as_ref()
    }

    /// Whether there are other runs than those the noise floor was read from. While anything is measured,
    /// it waits: opening runs would disturb that.
    pub fn is_noise_due(&self) -> bool {
        let is_listed = self.library.items().is_some() && self.facts.is_some();
        is_listed
            && !self.is_busy()
            && !self.noises.is_reading
            && self.noises.version != Some(self.library.version())
    }

    /// Reads the noise floor from the saved runs, off this thread.
    pub(super) fn read_noise(&mut self) {
        let Some((store, facts)) = self.store.clone().zip(self.facts.as_ref()) else { return };
        if !self.is_noise_due() {
            return;
        }
        self.noises.version = Some(self.library.version());
        self.noises.is_reading = true;
        self.tasks.read_noise(store, facts.machine.short());
    }

    /// Measures the settings of the frame loop's page several times.
    pub(super) fn measure_noise(&mut self) {
        if self.is_busy() {
            return;
        }
        let Some(plan) = self.bench(TEST).map(|bench| bench.plan().clone()) else { return };
        self.start_series(RunSequence::repeats(&plan, "", NOISE_REPEATS));
    }

    /// How long measuring it takes; `None` while the machine is unknown.
    pub fn noise_duration(&self) -> Option<jitterscope_engine::nanos::Nanos> {
        let (bench, facts) = (self.bench(TEST)?, self.facts.as_ref()?);
        Some(bench.plan().duration(&facts.cpus) * i64::from(NOISE_REPEATS))
    }
}

/// The noise floor of a machine from what is saved; takes a while.
pub(super) fn read(store: &Store, machine: &str) -> Option<Noise> {
    let repeats = store.newest_repeats(TEST, machine).inspect_err(|error| {
        log::info!("no noise floor: {error}");
    });
    let repeats = repeats.ok()?;
    let floor = NoiseFloor::of_runs(&repeats)?;
    let stray = floor.strays.iter().find(|stray| stray.metric == Metric::P99)?;
    Some(Noise {
        measured_at: repeats.iter().map(|run| run.started_at).max()?,
        count: floor.count,
        label: stray.label.clone(),
        p99_nanos: stray.noise,
    })
}
