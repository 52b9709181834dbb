//! Sockets and threads around the engine.

mod clock;
mod forward;
mod guard;
mod late;
mod listen;
mod start;
mod stream;
mod udp;

pub use listen::{Listen, ListenError};
pub use start::{Server, ServerOptions, StartError, TlsFiles};
