//! A thread that lives as long as this process. Linux ends a program that is tied to this one together with the thread
//! that started it.

use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use super::start_thread;

type LastingJob = Box<dyn FnOnce() + Send>;

/// The jobs of the thread; `None` until the first one.
static JOBS: Mutex<Option<SyncSender<LastingJob>>> = Mutex::new(None);

/// Does some short work on a thread that lives as long as this process, and returns its result.
///
/// # Errors
///
/// The system could not start the thread.
pub fn on_lasting_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (reply, result) = sync_channel(1);
    let job: LastingJob = Box::new(move || drop(reply.send(work())));
    {
        let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match &*jobs {
            Some(sender) => sender,
            None => jobs.insert(start()?),
        };
        sender.send(job).map_err(|_ended| io::ErrorKind::BrokenPipe)?;
    }
    result.recv().map_err(io::Error::other)
}

fn start() -> io::Result<SyncSender<LastingJob>> {
    let (sender, jobs) = sync_channel::<LastingJob>(1);
    start_thread("programs", move || {
        while let Ok(job) = jobs.recv() {
            job();
        }
    })?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_ended_threads_is_done_on_the_same_thread() {
        let from_another = || {
            let work = || on_lasting_thread(|| std::thread::current().id()).unwrap();
            std::thread::Builder::new().spawn(work).unwrap().join().unwrap()
        };
        assert_eq!(from_another(), from_another());
    }
}
