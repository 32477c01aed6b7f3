//! Starts threads that do not inherit the pinning or the priority of the caller.
//!
//! A new thread inherits the CPUs and the priority of its creator, and a normal user cannot restore a
//! lowered priority. Therefore a spawner, a thread that is never pinned and never lowered, starts all
//! other threads. A program that lowers its own threads creates a spawner before that.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::join::join_all;

type SpawnJob = Box<dyn FnOnce() + Send>;

struct SpawnRequest {
    name: String,
    job: SpawnJob,
    reply: SyncSender<io::Result<JoinHandle<()>>>,
}

/// The first spawner, which starts all later ones; empty if the program did not create one.
static FIRST: OnceLock<Spawner> = OnceLock::new();

/// Creates the first spawner, from which all later tests start their threads. Call this function before
/// the calling thread is pinned or lowered. Further calls have no effect.
pub fn init_spawner() {
    if FIRST.get().is_none() {
        match Spawner::start() {
            Ok(spawner) => drop(FIRST.set(spawner)),
            Err(error) => log::warn!("tests start from the threads that request them: {error}"),
        }
    }
}

/// Starts a thread on the first spawner, so that it does not inherit from the caller. If there is no
/// first spawner, the new thread inherits from the caller.
///
/// # Errors
///
/// The system could not start a thread.
pub fn start_thread(
    name: impl Into<String>,
    job: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    match FIRST.get() {
        Some(first) => first.spawn(name, job),
        None => Builder::new().name(name.into()).spawn(job),
    }
}

/// A thread that starts other threads on request; it exits when this value is dropped.
#[derive(Debug)]
pub(super) struct Spawner {
    requests: Option<SyncSender<SpawnRequest>>,
    thread: Vec<JoinHandle<()>>,
}

impl Spawner {
    /// Starts a spawner, on the first spawner if there is one. Otherwise, call this function on a thread
    /// that is neither pinned nor lowered.
    pub(super) fn start() -> io::Result<Self> {
        let (requests, inbox) = sync_channel::<SpawnRequest>(1);
        let job = move || {
            while let Ok(SpawnRequest { name, job, reply }) = inbox.recv() {
                // A reply can fail only if the requester has stopped waiting, which happens when a run is dropped.
                reply.send(Builder::new().name(name).spawn(job)).ok();
            }
        };
        let thread = start_thread("spawner", job)?;
        Ok(Self { requests: Some(requests), thread: vec![thread] })
    }

    /// Starts a thread from the spawner's thread, and waits until it has started.
    pub(super) fn spawn(
        &self,
        name: impl Into<String>,
        job: impl FnOnce() + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        let gone = || io::Error::other("the thread that starts threads has exited");
        let (reply, answer) = sync_channel(1);
        let request = SpawnRequest { name: name.into(), job: Box::new(job), reply };
        self.requests.as_ref().ok_or_else(gone)?.send(request).ok().ok_or_else(gone)?;
        answer.recv().ok().ok_or_else(gone)?
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        drop(self.requests.take());
        join_all(&mut self.thread, "the spawner");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Conditions;
    use crate::platform;

    #[test]
    fn a_lowered_program_still_measures_at_the_default_priority_on_every_cpu() {
        let lowered = Builder::new().name("lowered".to_owned()).spawn(|| {
            let normal = || {
                let effective = platform::apply(&Conditions::NORMAL).0.effective;
                (effective.policy, effective.cpus)
            };
            let before = normal();
            init_spawner();
            platform::lower_ui_priority();
            let (sender, answer) = sync_channel(1);
            let of_a_test = Spawner::start()
                .and_then(|spawner| spawner.spawn("normal", move || drop(sender.send(normal()))));
            (before, of_a_test.is_ok(), answer.recv())
        });
        let (before, is_started, of_a_test) = lowered.unwrap().join().unwrap();
        assert!(is_started);
        assert_eq!(of_a_test.unwrap(), before);
    }
}
