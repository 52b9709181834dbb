//! Queries for other names, handed to upstream resolvers when the operator asks for that.

mod events;
mod exchange;
mod message;

pub use events::Forwarding;
