//! What the server knows of a registered name.

use crate::zone::Zone;
use std::sync::Arc;

/// The state of a registered name. A clone costs a reference count or two.
#[derive(Clone, Debug)]
pub enum Knowledge {
    /// The name is registered.
    Zone {
        /// Its records.
        zone: Arc<Zone>,
        /// Whether they are vouched for.
        trust: Trust,
    },
    /// Nobody has registered the name.
    Absent,
    /// The registry cannot say: queries get SERVFAIL.
    Failed {
        /// The code of the extended error (RFC 8914).
        ede: u16,
        /// Its text.
        text: Arc<str>,
    },
}

/// How far a name's records are vouched for.
#[derive(Clone, Debug)]
pub enum Trust {
    /// They are signed, and AD may be set.
    Secure,
    /// The name looks like an insecure delegation: no signatures, AD clear.
    Insecure {
        /// The reason, told as an extended error.
        ede_text: Arc<str>,
    },
}

/// Knowledge with its age.
#[derive(Clone, Debug)]
pub struct Known {
    /// What is known.
    pub knowledge: Knowledge,
    /// Seconds since it was fetched: TTLs are lower by that.
    pub age: u32,
    /// It is used past its time while it is asked for again: TTLs are 30 s (RFC 8767).
    pub stale: bool,
}

/// Where [`crate::answer`] finds knowledge: of the name asked for, and of targets of CNAME records.
pub trait Look {
    /// What is known of a registered name, in lower-case wire form; `None` when nothing is known now.
    fn look(&self, registered_name: &[u8]) -> Option<Known>;
}
