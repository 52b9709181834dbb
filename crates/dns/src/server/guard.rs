//! What all threads share, and a fence against panics: one bad packet must not end a thread that serves all.

use super::clock::Clock;
use crate::engine::{Asker, Engine, Handled, Later, Now};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
