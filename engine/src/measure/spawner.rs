//! Starts threads that inherit nothing.
//!
//! A new thread inherits the CPUs and the priority of the one that starts it, and a plain user
//! cannot win back what a lowered thread passed on. So one thread that is never pinned and never
//! lowered starts all the others.

use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

type Job = Box<dyn FnOnce() + Send>;

struct Order {
    name: String,
    job: Job,
    reply: SyncSender<io::Result<JoinHandle<()>>>,
}

/// Starts threads on behalf of others until it is dropped.
#[derive(Debug)]
pub(super) struct Spawner {
    orders: Option<SyncSender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Spawner {
    /// Starts the starter; call it on a thread that is neither pinned nor lowered.
    pub(super) fn start() -> io::Result<Self> {
        let (orders, inbox) = sync_channel::<Order>(1);
        let thread = Builder::new().name("spawner".to_owned()).spawn(move || {
            while let Ok(Order { name, job, reply }) = inbox.recv() {
                // Nobody waits for the reply any more only when the run is being dropped.
                reply.send(Builder::new().name(name).spawn(job)).ok();
            }
        })?;
        Ok(Self { orders: Some(orders), thread: Some(thread) })
    }

    /// Starts a thread.
    pub(super) fn spawn(
        &self,
        name: impl Into<String>,
        job: impl FnOnce() + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        let gone = || io::Error::other("the thread that starts threads is gone");
        let (reply, answer) = sync_channel(1);
        let order = Order { name: name.into(), job: Box::new(job), reply };
        self.orders.as_ref().ok_or_else(gone)?.send(order).ok().ok_or_else(gone)?;
        answer.recv().ok().ok_or_else(gone)?
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::error!("the spawner panicked");
        }
    }
}
