//! What the daemon knows of names, the answers made of it, and the queries that wait for more. No sockets and no
//! clocks: the time comes with each call.

mod asker;
mod counters;
mod learn;
mod limits;
mod names;
mod onward;
mod outgoing;
mod packed;
mod respond;
mod view;
mod waiting;

pub use asker::{Asker, Handled, Later, Now, Outside, Question, Reason, Transport};
pub use counters::{ANSWERS, CACHE, Stats, TRANSPORTS};
pub use limits::Network;
pub use respond::{Engine, EngineOptions, Settled};
