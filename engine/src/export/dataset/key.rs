//! Keys that replace names in datasets. A key is the SHA-256 hash of a name with a salt, a secret
//! that all machines of a fleet share.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{Row, Source};
use crate::format::checksum::sha256;
use crate::machine::{self, Machine};
use crate::plan::{Plan, Tail, Wait};
use crate::platform::{PowerSource, open_named};
use crate::run::Run;

/// Number of hexadecimal digits of a key. They make 64 bits: two of a million names have the same
/// key with a probability of 3 in 100 million.
const KEY_DIGITS: usize = 16;
/// Minimum size of a salt in bytes: a shorter salt could be guessed.
const MIN_SALT_BYTES: usize = 16;
/// Maximum size of a salt in bytes: a longer file was probably not made as a salt.
const MAX_SALT_BYTES: usize = 4096;
/// Maximum number of bytes to read from a salt file: enough to detect that the file is too long.
const MAX_READ_BYTES: u64 = 8192;

/// The reason why the file of a salt cannot be used.
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
    /// The file is too short or too long for a salt.
    #[error(
        "the salt has {count} bytes; expected {MIN_SALT_BYTES} to {MAX_SALT_BYTES}: {}",
        path.display()
    )]
    Length {
        /// Size of the file in bytes, without trailing whitespace.
        count: usize,
        /// The file.
        path: PathBuf,
    },
}

/// A salt: the secret bytes of a fleet. Because of the salt, the same name has different keys in
/// different fleets.
#[derive(Clone)]
pub struct Salt(Vec<u8>);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

impl Salt {
    /// Returns an empty salt, for rows from which only the columns are used.
    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Reads a salt from a file, without trailing whitespace.
    pub fn read(path: &Path) -> Result<Self, SaltError> {
        let mut bytes = Vec::new();
        open_named(path)
            .and_then(|file| file.take(MAX_READ_BYTES).read_to_end(&mut bytes))
            .map_err(|source| SaltError::Read { source, path: path.to_owned() })?;
        let bytes = bytes.trim_ascii_end();
        let count = bytes.len();
        if !(MIN_SALT_BYTES..=MAX_SALT_BYTES).contains(&count) {
            return Err(SaltError::Length { count, path: path.to_owned() });
        }
        Ok(Self(bytes.to_owned()))
    }

    /// Returns the key of a name. `kind` states what is named, such as "machine": equal names of
    /// different kinds have different keys.
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

/// Returns a key that changes when the user edits name, note, tags, or annotations of a run. The
/// key is salted: otherwise, anyone could test whether a guessed text is right.
pub(super) fn revision(run: &Run, salt: &Salt) -> String {
    salt.key("revision", &format!("{:?}", (&run.name, &run.note, &run.tags, &run.annotations)))
}

/// Returns a hash of the settings of a run; empty for imports. A quick check sets the spin tail to
/// a length that it measured. This length is ignored, so that it does not change the hash.
pub(super) fn settings(run: &Run) -> String {
    let Some(mut plan) = run.plan().cloned() else { return String::new() };
    if let Plan::FrameLoop(frame_loop) = &mut plan
        && let (Some(_), Wait::Hybrid(tail)) = (&run.group, &mut frame_loop.wait)
    {
        *tail = Tail::Measured;
    }
    digits(plan.fingerprint().as_bytes())
}

/// Returns a text that identifies the PC on which a run was measured: the host name of the PC if it
/// is known, otherwise a description of the hardware.
pub(super) fn machine(run: &Run) -> String {
    host(run).unwrap_or_else(|| hardware(&run.machine))
}

/// Returns the host name of the PC on which a run was measured; `None` if it is not known. A run
/// without a host counts as measured on this PC if the hardware is the same.
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

/// Returns the host name in an address, in lower case and without user and domain:
/// `user@Lab-7.example` becomes `lab-7`. An IP address remains complete.
fn short_host(address: &str) -> String {
    let host = address.rsplit('@').next().unwrap_or_default().to_lowercase();
    if host.parse::<std::net::IpAddr>().is_ok() {
        return host;
    }
    host.split('.').next().unwrap_or_default().to_owned()
}

/// Adds the columns of the machine on which a run was measured.
pub(super) fn add_machine(row: &mut Row, source: &Source<'_>) {
    let machine = &source.run.machine;
    let host = host(source.full).filter(|_| source.options.included_names.host).unwrap_or_default();
    row.text("host", "Host name of the PC; only with --with-names.", &host);
    let known = |text: &Option<String>| text.clone().unwrap_or_default();
    let count = |count: usize| i64::try_from(count).ok();
    row.text("cpu_model", "Name of the processor.", &known(&machine.cpu_model));
    row.text("arch", "Kind of processor.", &machine.arch);
    row.whole("physical_cores", "Physical cores.", machine.physical_cores.map(i64::from));
    let cpus = count(machine.cpus.len()).filter(|count| 0 < *count);
    row.whole("logical_cpus", "Logical CPUs.", cpus);
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
