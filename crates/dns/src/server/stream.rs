//! Connections, with TLS or without: one thread for all of them.

mod channel;
mod connection;
mod events;
mod table;
#[cfg(test)]
mod tests;
mod tls;

pub use events::Streams;
pub use tls::tls_config;
