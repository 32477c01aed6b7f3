//! Asks rtkit, the desktop's broker, for real-time priority on behalf of a plain user.

use std::time::Duration;

use super::super::applied::Refusal;
use super::super::{ThreadId, thread_id};

/// How long the broker may take to answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Asks that the calling thread be made `SCHED_RR` at this priority.
///
/// The broker wants `RLIMIT_RTTIME` at 200 ms or less, which [`RealtimeGuard`](super::RealtimeGuard)
/// sets, and grants 20 at most.
pub(super) fn make_realtime(priority: u8) -> Result<(), Refusal> {
    let refuse = |reason: &str| Refusal {
        asked: format!("RR {priority} through rtkit"),
        call: "rtkit MakeThreadRealtime".to_owned(),
        errno: None,
        error_name: String::new(),
        reason: reason.to_owned(),
        remedy: "install and start rtkit (the package is called rtkit)".to_owned(),
    };
    let connection = zbus::blocking::connection::Builder::system()
        .and_then(|builder| builder.method_timeout(PATIENCE).build())
        .ok()
        .ok_or_else(|| refuse("there is no system bus here, so no rtkit"))?;
    let ThreadId(thread) = thread_id();
    connection
        .call_method(
            Some("org.freedesktop.RealtimeKit1"),
            "/org/freedesktop/RealtimeKit1",
            Some("org.freedesktop.RealtimeKit1"),
            "MakeThreadRealtime",
            &(thread, u32::from(priority)),
        )
        .map(|_| ())
        .map_err(|error| refuse(&format!("rtkit does not answer or refuses: {error}")))
}
