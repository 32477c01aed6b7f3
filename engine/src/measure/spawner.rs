//! Starts threads that inherit nothing.
//!
//! A new thread inherits the CPUs and the priority of its creator, and a normal user cannot restore
//! a lowered priority. So one thread that is never pinned and never lowered starts all the others;
//! a program whose own threads are lowered creates one beforehand.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::join::join_all;

type Job = Box<dyn FnOnce() + Send>;

struct SpawnRequest {
    name: String,
    job: Job,
    reply: SyncSender<io::Result<JoinHandle<()>>>,
}

/// The starter of all starters, if the program created one.
static FIRST: OnceLock<Spawner> = OnceLock::new();

/// Creates a thread that is neither pinned nor lowered, from which every later test starts. Call it
/// before the calling thread is lowered; later calls have no effect.
pub fn init_spawner() {
    if FIRST.get().is_none() {
        match Spawner::start() {
            Ok(spawner) => drop(FIRST.set(spawner)),
            Err(error) => log::warn!("tests start from the threads that request them: {error}"),
        }
    }
}

/// Starts a thread that inherits nothing of the calling one if a starter exists; otherwise a plain
/// one.
///
/// # Errors
///
/// The system gave no thread.
pub fn start_thread(
    name: impl Into<String>,
    job: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    match FIRST.get() {
        Some(first) => first.spawn(name, job),
        None => Builder::new().name(name.into()).spawn(job),
    }
}

/// Starts threads on behalf of others until it is dropped.
#[derive(Debug)]
pub(super) struct Spawner {
    orders: Option<SyncSender<SpawnRequest>>,
    thread: Vec<JoinHandle<()>>,
}

impl Spawner {
    /// Starts the starter; without an earlier one, call it on a thread that is neither pinned nor
    /// lowered.
    pub(super) fn start() -> io::Result<Self> {
        let (orders, inbox) = sync_channel::<SpawnRequest>(1);
        let job = move || {
            while let Ok(SpawnRequest { name, job, reply }) = inbox.recv() {
                // The receiver is gone only when the run is being dropped.
                reply.send(Builder::new().name(name).spawn(job)).ok();
            }
        };
        let thread = start_thread("spawner", job)?;
        Ok(Self { orders: Some(orders), thread: vec![thread] })
    }

    /// Starts a thread.
    pub(super) fn spawn(
        &self,
        name: impl Into<String>,
        job: impl FnOnce() + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        let gone = || io::Error::other("the thread that starts threads has exited");
        let (reply, answer) = sync_channel(1);
        let order = SpawnRequest { name: name.into(), job: Box::new(job), reply };
        self.orders.as_ref().ok_or_else(gone)?.send(order).ok().ok_or_else(gone)?;
        answer.recv().ok().ok_or_else(gone)?
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        drop(self.orders.take());
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
