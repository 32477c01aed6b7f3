//! Background tasks on separate threads. Each part of the session has its own tasks and messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use jitterscope_engine::{measure, platform};

/// Maximum number of unread messages.
const CAPACITY: usize = 64;

/// The state that the tasks of all parts share.
#[derive(Clone)]
pub(super) struct TaskHost {
    wake: Arc<dyn Fn() + Send + Sync>,
    is_measuring: Arc<AtomicBool>,
}

impl TaskHost {
    /// Creates the shared state. `wake` is called on a task's thread when a message is available.
    pub(super) fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self { wake: Arc::new(wake), is_measuring: Arc::default() }
    }

    /// Wakes the window, so that it reads messages.
    pub(super) fn wake(&self) {
        (self.wake)();
    }

    /// Sets whether a test is being measured; tasks that start during a test run at a lower
    /// priority.
    pub(super) fn set_measuring(&self, is_measuring: bool) {
        self.is_measuring.store(is_measuring, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for TaskHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskHost").finish_non_exhaustive()
    }
}

/// Starts the tasks of one part, and receives their messages.
pub(super) struct Tasks<M> {
    /// The state that these tasks share with the tasks of other parts.
    pub(super) host: TaskHost,
    sender: SyncSender<M>,
    receiver: Receiver<M>,
}

impl<M> std::fmt::Debug for Tasks<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tasks").finish_non_exhaustive()
    }
}

impl<M: Send + 'static> Tasks<M> {
    pub(super) fn new(host: &TaskHost) -> Self {
        let (sender, receiver) = sync_channel(CAPACITY);
        Self { host: host.clone(), sender, receiver }
    }

    /// Returns the messages since the last call.
    pub(super) fn messages(&self) -> Vec<M> {
        self.receiver.try_iter().collect()
    }

    /// Runs work on a thread, at a lower priority during a test. `message` creates the message from
    /// the result; a panic counts as an error.
    pub(super) fn spawn<T: 'static>(
        &self,
        name: &str,
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
        message: impl FnOnce(Result<T, String>) -> M + Send + 'static,
    ) {
        let lowers = self.host.is_measuring.load(Ordering::Relaxed);
        let work = move || {
            if lowers {
                platform::lower_own_priority();
            }
            work()
        };
        self.spawn_at_own_priority(name, work, message);
    }

    /// Runs work on a thread like `spawn`, but never lowers the priority: for work that measures
    /// something.
    pub(super) fn spawn_at_own_priority<T: 'static>(
        &self,
        name: &str,
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
        message: impl FnOnce(Result<T, String>) -> M + Send + 'static,
    ) {
        let reply = Reply {
            task: name.to_owned(),
            host: self.host.clone(),
            sender: self.sender.clone(),
            message: Some(Box::new(message)),
        };
        start_thread(name, move || reply.send(work()));
    }

    /// Calls `look` immediately and after each pause, and sends the messages that it returns, until
    /// the returned watch is dropped. While a test is measured, `look` is not called.
    pub(super) fn watch(
        &self,
        name: &str,
        pause: Duration,
        mut look: impl FnMut() -> Option<M> + Send + 'static,
    ) -> Watch {
        let watch = Watch(Arc::new(()));
        let (kept, host, sender) =
            (Arc::downgrade(&watch.0), self.host.clone(), self.sender.clone());
        start_thread(name, move || {
            platform::lower_own_priority();
            while kept.upgrade().is_some() {
                if !host.is_measuring.load(Ordering::Relaxed)
                    && let Some(message) = look()
                {
                    match sender.send(message) {
                        Ok(()) => host.wake(),
                        Err(_) => break,
                    }
                }
                std::thread::sleep(pause);
            }
        });
        watch
    }

    /// Runs work on a thread at a lower priority; the work may send messages before it ends.
    pub(super) fn send_from(&self, name: &str, work: impl FnOnce(&dyn Fn(M)) + Send + 'static) {
        let (host, sender) = (self.host.clone(), self.sender.clone());
        let send = move |message| match sender.try_send(message) {
            Ok(()) => host.wake(),
            Err(_) => log::info!("a message was lost: the window does not answer"),
        };
        start_thread(name, move || {
            platform::lower_own_priority();
            work(&send);
        });
    }

    /// Sends the value of `read` after each pause, also during a test, until the part is dropped.
    pub(super) fn repeat(
        &self,
        name: &str,
        pause: Duration,
        mut read: impl FnMut() -> M + Send + 'static,
    ) {
        let sender = self.sender.clone();
        start_thread(name, move || {
            platform::lower_own_priority();
            loop {
                std::thread::sleep(pause);
                // If the channel is full, the window is asleep: drop this reading, the next one
                // will follow.
                if matches!(sender.try_send(read()), Err(TrySendError::Disconnected(_))) {
                    break;
                }
            }
        });
    }
}

/// Starts a thread; a failure is only logged.
fn start_thread(name: &str, work: impl FnOnce() + Send + 'static) {
    if let Err(error) = measure::start_thread(name, work) {
        log::error!("could not start a thread for '{name}': {error}");
    }
}

/// A periodic check that ends when this value is dropped.
#[derive(Debug)]
pub(super) struct Watch(Arc<()>);

/// Creates the message of a task from its result.
type Message<M, T> = Box<dyn FnOnce(Result<T, String>) -> M + Send>;

/// The pending message of a task. If it is dropped unsent, after a panic or because no thread could
/// be started, it sends an error, so that the part does not wait forever.
struct Reply<M, T> {
    task: String,
    host: TaskHost,
    sender: SyncSender<M>,
    message: Option<Message<M, T>>,
}

impl<M, T> Reply<M, T> {
    fn send(mut self, result: Result<T, String>) {
        if let Some(message) = self.message.take()
            && self.sender.send(message(result)).is_ok()
        {
            self.host.wake();
        }
    }
}

impl<M, T> Drop for Reply<M, T> {
    fn drop(&mut self) {
        let Some(message) = self.message.take() else { return };
        let error = format!("internal error in '{}'", self.task);
        match self.sender.try_send(message(Err(error))) {
            Ok(()) => self.host.wake(),
            Err(_) => log::error!("the end of '{}' could not be reported", self.task),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_panics_sends_an_error_and_others_go_on() {
        let tasks: Tasks<Result<u32, String>> = Tasks::new(&TaskHost::new(|| {}));
        tasks.spawn("first", || panic!("a defect"), |result: Result<u32, _>| result);
        let first = tasks.receiver.recv().unwrap();
        assert_eq!(first, Err("internal error in 'first'".to_owned()));
        tasks.spawn("second", || Ok(2), |result| result);
        assert_eq!(tasks.receiver.recv().unwrap(), Ok(2));
    }
}
