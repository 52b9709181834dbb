//! An engine whose time and control plane are the test's.

use crate::fixture::{NOW, SERIAL, name, packet, record, zone};
use crate::seen::{Seen, read};
use chronym_dns::engine::{Asker, Engine, EngineOptions, Handled, Later, Now, Outside, Reason, Transport};
use chronym_dns::{Apex, Knowledge, SigningKey, Trust};
use std::net::IpAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// Plenty.
const CACHE_BYTES: usize = 8 << 20;

pub struct Desk {
    pub engine: Arc<Engine>,
    /// Milliseconds since the start.
    pub ms: u64,
    asked: Arc<Mutex<Vec<(String, Reason)>>>,
    late: (Sender<Vec<u8>>, Receiver<Vec<u8>>),
}

/// The zone of a name with one address.
pub fn address(owner: &str) -> Knowledge {
    let records = [record(owner, 1, 300, &[192, 0, 2, 1])];
    Knowledge::Zone { zone: zone(owner, &records), trust: Trust::Secure }
}

pub fn apex() -> Apex {
    let key = SigningKey::from_pkcs8(&SigningKey::generate_pkcs8()).expect("a key");
    Apex::new("chronym", key, SERIAL).expect("a zone's name")
}

pub fn asker(transport: Transport, client: &str) -> Asker {
    Asker { transport, client: client.parse::<IpAddr>().expect("an address"), keepalive: 0 }
}

impl Desk {
    pub fn new() -> Self {
        Self::with(|_| {}, |_, _| true)
    }

    /// `answers`: whether the control plane's queue takes a question.
    pub fn with(
        change: impl FnOnce(&mut EngineOptions),
        answers: impl Fn(&str, Reason) -> bool + Send + Sync + 'static,
    ) -> Self {
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let asks = Arc::clone(&asked);
        let mut options = EngineOptions {
            apex: apex(),
            question: Box::new(move |name, reason| {
                asks.lock().unwrap().push((name.to_owned(), reason));
                answers(name, reason)
            }),
            outside: None::<Box<dyn Outside>>,
            is_public: false,
            cache_bytes: CACHE_BYTES,
            secrets: [[1; 16], [2; 16], [3; 16]],
        };
        change(&mut options);
        Self { engine: Arc::new(Engine::new(options)), ms: 1_000, asked, late: channel() }
    }

    pub fn now(&self) -> Now {
        Now { ms: self.ms, unix: NOW + u32::try_from(self.ms / 1_000).expect("seconds") }
    }

    /// What was asked since the last call.
    pub fn asked(&self) -> Vec<(String, Reason)> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    /// The control plane says something.
    pub fn learn(&self, registered: &str, knowledge: Knowledge, fresh_ms: u64, stale_ms: u64) {
        let settled = self.engine.learn(&name(registered), knowledge, self.now(), fresh_ms, stale_ms);
        self.engine.serve(settled, self.now());
    }

    /// Handles a packet; the bytes of a reply that comes at once.
    pub fn handle(&self, packet: &[u8], asker: &Asker) -> (Handled, Vec<u8>) {
        let mut out = vec![0xff; 3];
        let late = self.late.0.clone();
        let mut later = || -> Later {
            let late = late.clone();
            Box::new(move |reply| late.send(reply.to_vec()).unwrap())
        };
        let handled = self.engine.handle(packet, asker, self.now(), &mut out, &mut later);
        (handled, out)
    }

    /// Asks over TCP with EDNS.
    pub fn ask(&self, qname: &str, qtype: u16) -> Option<Seen> {
        let packet = packet(qname, qtype, Some(b""), false);
        let (handled, out) = self.handle(&packet, &asker(Transport::Tcp, "127.0.0.1"));
        (handled == Handled::Reply).then(|| read(&out))
    }

    /// A reply that came late.
    pub fn late(&self) -> Option<Seen> {
        self.late.1.try_recv().ok().map(|bytes| read(&bytes))
    }

    pub fn cache(&self, what: &str) -> u64 {
        let index = chronym_dns::engine::CACHE.iter().position(|name| *name == what).expect("a count");
        self.engine.stats().cache[index]
    }

    pub fn answers(&self, what: &str) -> u64 {
        let index = chronym_dns::engine::ANSWERS.iter().position(|name| *name == what).expect("a count");
        self.engine.stats().answers[index]
    }
}
