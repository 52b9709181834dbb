//! The thread that answers queries which waited: neither the threads of sockets nor the event loop does.

use super::guard::Shared;
use crate::engine::Settled;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Waiting queries are looked through this often.
const EXPIRY: Duration = Duration::from_millis(100);

/// What the thread is told.
pub enum Job {
    /// These no longer wait.
    Serve(Settled),
    /// Queries may wait now.
    Wake,
    /// The end.
    End,
}

/// Runs until told to end.
pub fn run(shared: &Shared, jobs: &Receiver<Job>) {
    loop {
        // Nothing waits: nothing can expire.
        let job = if shared.engine.stats().waiting == 0 {
            jobs.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            jobs.recv_timeout(EXPIRY)
        };
        if matches!(job, Ok(Job::End) | Err(RecvTimeoutError::Disconnected)) || shared.has_ended() {
            return;
        }
        // A panic loses the queries at hand, not the thread.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let now = shared.clock.now();
            if let Ok(Job::Serve(settled)) = job {
                shared.engine.serve(settled, now);
            }
            shared.engine.expire(now);
        }));
    }
}
