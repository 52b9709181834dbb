//! A DNS server without sockets, whose control plane is the test's.

use chronym_dns::engine::Reason;
use chronym_dns::server::{Server, ServerOptions};
use chronym_dns::{Apex, SigningKey};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Only what never comes is waited for as long.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Running {
    pub server: Arc<Server>,
    /// What was asked.
    pub asked: Receiver<(String, Reason)>,
}

pub fn start() -> Running {
    let key = SigningKey::from_pkcs8(&SigningKey::generate_pkcs8()).expect("a key");
    let options = ServerOptions {
        apex: Apex::new("chronym", key, 1).expect("a zone's name"),
        listen: Vec::new(),
        tls: None,
        forward: Vec::new(),
        is_public: false,
        cache_bytes: 8 << 20,
    };
    let (asks, asked) = channel();
    let question = Box::new(move |name: &str, reason| asks.send((name.to_owned(), reason)).is_ok());
    Running { server: Arc::new(Server::start(options, question).expect("a server")), asked }
}
