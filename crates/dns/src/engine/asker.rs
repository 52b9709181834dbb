//! Who asks, when, and how an answer reaches them.

use std::net::IpAddr;

/// How a query came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// RFC 1035 datagrams: the only one whose source address is unproved.
    Udp,
    /// RFC 7766.
    Tcp,
    /// DNS over TLS, RFC 7858.
    Tls,
    /// DNS over HTTPS, RFC 8484.
    Https,
}

/// The source of a query.
#[derive(Debug, Clone, Copy)]
pub struct Asker {
    /// How it came in.
    pub transport: Transport,
    /// Its address, for cookies and limits.
    pub client: IpAddr,
    /// Idle time-out of its connection in units of 100 ms, for RFC 7828; 0 for datagrams and HTTPS.
    pub keepalive: u16,
}

/// The time of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Milliseconds on a clock that only goes forward.
    pub ms: u64,
    /// Unix time in seconds, for signatures and cookies.
    pub unix: u32,
}

/// Takes the reply of a query that had to wait. Dropped without a call: there is none.
pub type Later = Box<dyn FnOnce(&[u8]) + Send>;

/// What became of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handled {
    /// The reply is in the buffer.
    Reply,
    /// The reply comes through the [`Later`] that was asked for.
    Later,
    /// There is none.
    Dropped,
}

/// Why the engine asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Queries wait for this name.
    Miss,
    /// The name is known, but its knowledge is old, or soon will be.
    Refresh,
}

/// Asks the control plane for a registered name, given as text (`alice.chronym`). False: its queue is full.
pub type Question = Box<dyn Fn(&str, Reason) -> bool + Send + Sync>;

/// What answers queries outside of the zone.
pub trait Outside: Send + Sync {
    /// Whether another query may be forwarded now.
    fn has_room(&self) -> bool;

    /// The time of an answer, on the clock of the queries.
    fn now(&self) -> Now;

    /// Forwards a query that [`crate::parse`] takes. The answer goes to `later`, at most `limit` bytes long, or cut
    /// down to its question with TC.
    fn forward(&self, packet: &[u8], transport: Transport, limit: usize, later: Later);
}
