//! What all threads share, and a fence against panics: one bad packet must not end a thread that serves all.

use crate::engine::{Asker, Engine, Handled, Later, Now, Settled};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The longest query that is taken, in bytes: one question with cookies, and padding to RFC 8467's 128-byte blocks.
pub const QUERY_BYTES: usize = 4_096;

/// A blocked thread looks for the end of the server this often.
pub const LOOK_MS: u64 = 250;

/// What all threads of a server share.
#[derive(Clone)]
pub struct Shared {
    pub engine: Arc<Engine>,
    pub clock: Clock,
    pub ended: Arc<AtomicBool>,
}

impl Shared {
    /// Whether threads should end.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// [`Engine::handle`]; a panic drops the packet.
    pub fn handle(
        &self,
        packet: &[u8],
        asker: &Asker,
        now: Now,
        out: &mut Vec<u8>,
        later: &mut dyn FnMut() -> Later,
    ) -> Handled {
        catch_unwind(AssertUnwindSafe(|| self.engine.handle(packet, asker, now, out, later)))
            .unwrap_or(Handled::Dropped)
    }
}

// The one clock of a server.

/// Milliseconds since the start, and the system's idea of the date.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// Starts at 0.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time now.
    pub fn now(&self) -> Now {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Now {
            ms: u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX),
            // RFC 4034, 3.1.5: serial arithmetic, so the lower bits are what is meant.
            unix: u32::try_from(unix & 0xffff_ffff).unwrap_or(u32::MAX),
        }
    }
}

// The thread that answers queries which waited: neither the threads of sockets nor the event loop does.

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
