//! The one clock of a server.

use crate::engine::Now;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

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
