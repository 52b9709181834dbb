//! How long a router remembers a flow that nobody uses.

use std::time::Duration;

use crate::packet::TCP;

#[derive(Clone, Copy)]
pub struct Idle {
    pub tcp: Duration,
    pub udp: Duration,
}

impl Idle {
    /// The least that RFC 5382 and RFC 4787 allow.
    pub const BY_RFC: Self = Self { tcp: Duration::from_secs(7_440), udp: Duration::from_secs(120) };

    pub fn of(&self, protocol: u8) -> Duration {
        if protocol == TCP { self.tcp } else { self.udp }
    }
}
