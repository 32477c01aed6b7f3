//! Keys instead of names: a SHA-256 under a salt that a fleet shares.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{Row, Source};
use crate::format::checksum::sha256;
use crate::machine::{self, Machine};
use crate::plan::{Plan, Tail, Wait};
use crate::platform::PowerSource;
use crate::run::Run;

/// Digits of a key: 64 bits, of which two are the same by chance in one of 10 million fleets of a million names.
const KEY_DIGITS: usize = 16;
/// A shorter salt can be guessed.
const MIN_SALT_BYTES: usize = 16;
/// A longer file is something else.
const MAX_SALT_BYTES: usize = 4096;
/// How much of a file is read: enough to know that it is too long.
const MAX_READ_BYTES: u64 = 8192;

/// Why a salt cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SaltError {
    /// The file cannot be read.
    #[error("the salt cannot be read: {source}: {}", path.display())]
    Read {
        /// The system's error.
        #[source]
        source: io::Error,
        /// The file.
        path: PathBuf,
    },
    /// The file is no salt.
    #[error(
        "the salt has {count} bytes; expected {MIN_SALT_BYTES} to {MAX_SALT_BYTES}: {}",
        path.display()
    )]
    Length {
        /// How long it is.
        count: usize,
        /// The file.
        path: PathBuf,
    },
}

/// What makes keys of a fleet unlike those of any other.
#[derive(Clone)]
pub struct Salt(Vec<u8>);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

impl Salt {
    /// No salt: where only columns are described.
    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Reads a file; blanks at its end do not count.
    pub fn read(path: &Path) -> Result<Self, SaltError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_READ_BYTES).read_to_end(&mut bytes))
            .map_err(|source| SaltError::Read { source, path: path.to_owned() })?;
        let bytes = bytes.trim_ascii_end();
        let count = bytes.len();
        if !(MIN_SALT_BYTES..=MAX_SALT_BYTES).contains(&count) {
            return Err(SaltError::Length { count, path: path.to_owned() });
        }
        Ok(Self(bytes.to_owned()))
    }

    /// The key of a name of this kind.
    pub fn key(&self, kind: &str, name: &str) -> String {
        let mut bytes = self.0.clone();
        for part in [kind, name] {
            bytes.push(0);
            bytes.extend(part.as_bytes());
        }
        digits(&bytes)
    }
}

fn digits(bytes: &[u8]) -> String {
    sha256(bytes).get(..KEY_DIGITS).unwrap_or_default().to_owned()
}

/// A key of what the user can change of a run: salted, as a guessed name could be tried otherwise.
pub(super) fn revision(run: &Run, salt: &Salt) -> String {
    salt.key("revision", &format!("{:?}", (&run.name, &run.note, &run.tags, &run.annotations)))
}

/// A sum of the settings of a run; empty for imports. The tail that a quick check found for itself is none.
pub(super) fn settings(run: &Run) -> String {
    let Some(mut plan) = run.plan().cloned() else { return String::new() };
    if let Plan::FrameLoop(frame_loop) = &mut plan
        && let (Some(_), Wait::Hybrid(tail)) = (&run.group, &mut frame_loop.wait)
    {
        *tail = Tail::Measured;
    }
    digits(plan.fingerprint().as_bytes())
}

/// What identifies the PC that measured a run: its host name, where it is known; else its hardware.
pub(super) fn machine(run: &Run) -> String {
    host(run).unwrap_or_else(|| hardware(&run.machine))
}

/// The host name of the PC that measured a run: this one where its hardware is that of the run.
fn host(run: &Run) -> Option<String> {
    /// Hardware and host name of this PC.
    static HERE: OnceLock<(String, Option<String>)> = OnceLock::new();
    if let Some(address) = &run.host {
        return Some(short_host(address));
    }
    let (here, host) = HERE.get_or_init(|| (hardware(&Machine::read()), machine::host_name()));
    host.as_deref().filter(|_| hardware(&run.machine) == *here).map(short_host)
}

fn hardware(machine: &Machine) -> String {
    let Machine { cpu_model, arch, physical_cores, virtualization, cpus, .. } = machine;
    format!("{:?}", (cpu_model, arch, physical_cores, virtualization, cpus.len()))
}

/// The host of an address without user and domain: `user@Lab-7.example` is `lab-7`.
fn short_host(address: &str) -> String {
    let host = address.rsplit('@').next().unwrap_or_default().to_lowercase();
    if host.parse::<std::net::IpAddr>().is_ok() {
        return host;
    }
    host.split('.').next().unwrap_or_default().to_owned()
}

/// Adds the machine on which a run was measured.
pub(super) fn add_machine(row: &mut Row, source: &Source<'_>) {
    let machine = &source.run.machine;
    let host = host(source.full).filter(|_| source.options.included_names.host).unwrap_or_default();
    row.text("host", "Host name of the PC; only with --with-names.", &host);
    let known = |text: &Option<String>| text.clone().unwrap_or_default();
    let count = |count: usize| i64::try_from(count).ok();
    row.text("cpu_model", "Name of the processor.", &known(&machine.cpu_model));
    row.text("arch", "Kind of processor.", &machine.arch);
    row.whole("physical_cores", "Physical cores.", machine.physical_cores.map(i64::from));
    row.whole("logical_cpus", "Logical CPUs.", count(machine.cpus.len()));
    let memory = machine.memory_bytes.and_then(|bytes| i64::try_from(bytes).ok());
    row.whole("memory_bytes", "Memory.", memory);
    row.text("os", "Operating system.", &known(&machine.os));
    row.text("kernel", "Version of the kernel.", &known(&machine.kernel));
    row.text("virtualization", "Hypervisor of a virtual machine.", &known(&machine.virtualization));
    let power = match machine.power.source {
        None => "",
        Some(PowerSource::Mains) => "ac",
        Some(PowerSource::Battery { .. }) => "battery",
    };
    row.text("power_source", "Power source: ac or battery.", power);
    let plan = known(&machine.power.governor_or_plan);
    row.text("power_plan", "Governor (Linux) or power plan (Windows).", &plan);
    let facts: Vec<String> =
        machine.scheduler.iter().map(|(name, value)| format!("{name}={value}")).collect();
    row.text("scheduler", "Scheduler limits, separated by '; '.", &facts.join("; "));
    row.text("clock", "Clock that measured it.", &source.run.clock.name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_has_one_key_however_it_is_addressed() {
        for address in ["lab-7", "LAB-7.example.org", "qa@lab-7.lan"] {
            assert_eq!(short_host(address), "lab-7");
        }
        assert_eq!(short_host("qa@10.1.2.3"), "10.1.2.3");
    }

    #[test]
    fn keys_depend_on_salt_and_kind() {
        let salt = |text: &str| Salt(text.as_bytes().to_vec());
        let key = salt("one").key("machine", "lab-7");
        assert_eq!(key, salt("one").key("machine", "lab-7"));
        assert_eq!(key.len(), KEY_DIGITS);
        assert_ne!(key, salt("two").key("machine", "lab-7"));
        assert_ne!(key, salt("one").key("culprit", "lab-7"));
    }
}
