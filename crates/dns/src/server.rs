//! Sockets and threads around the engine.

use crate::apex::{Apex, Position};
use crate::engine::{Asker, Engine, EngineOptions, Handled, Later, Now, Outside, Question, Reason, Stats, Transport};
use crate::knowledge::Knowledge;
use crate::name;
use forward::Forwarding;
use guard::{Clock, Job, QUERY_BYTES, Shared};
use listen::{Bound, bind_all};
pub use listen::{Listen, ListenError, bind_stream};
use mio::Waker;
use ring::rand::{SecureRandom, SystemRandom};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::{fmt, io};
use stream::{Streams, tls_config};

mod forward;
mod guard;
mod listen;
mod stream;
mod udp;

/// What a server is made of.
pub struct ServerOptions {
    /// The zone served.
    pub apex: Apex,
    /// Addresses to listen on.
    pub listen: Vec<Listen>,
    /// For addresses of DNS over TLS.
    pub tls: Option<TlsFiles>,
    /// Where queries outside of the zone go, in this order; none: they are refused.
    pub forward: Vec<SocketAddr>,
    /// Whether strangers may ask: turns all limits on.
    pub is_public: bool,
    /// Bytes of knowledge and packed answers.
    pub cache_bytes: usize,
}

/// A server that did not start.
#[derive(Debug)]
pub enum StartError {
    /// An address cannot be listened on.
    Listen(ListenError),
    /// The system refused a thread, random bytes or a setting of a socket.
    System(io::Error),
    /// The certificate or its key cannot be used.
    Tls(String),
}

/// A certificate chain and its key, both PEM.
pub struct TlsFiles {
    /// The server's own certificate first.
    pub certificate: Vec<u8>,
    /// PKCS#8, PKCS#1 or SEC1.
    pub key: Vec<u8>,
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(error) => write!(out, "{error}"),
            Self::Tls(cause) => write!(out, "{cause}"),
            Self::System(error) => write!(out, "the system refused what the DNS server needs: {error}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<ListenError> for StartError {
    fn from(error: ListenError) -> Self {
        Self::Listen(error)
    }
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// A running server. Dropped, it ends.
pub struct Server {
    shared: Shared,
    addresses: Vec<Listen>,
    jobs: Sender<Job>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    wakers: Mutex<Vec<Arc<Waker>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Binds all addresses and starts a thread for each socket. `question` is called from those threads; false: its
    /// queue is full.
    ///
    /// # Errors
    /// [`StartError`]; then nothing runs and nothing is bound.
    pub fn start(options: ServerOptions, question: Question) -> Result<Self, StartError> {
        let tls = options.tls.as_ref().map(|files| tls_config(&files.certificate, &files.key)).transpose();
        let tls = tls.map_err(StartError::Tls)?;
        if tls.is_none() && options.listen.iter().any(|listen| listen.transport == Transport::Tls) {
            return Err(StartError::Tls("listening on tls needs a certificate and its key".to_owned()));
        }
        let bound = bind_all(&options.listen)?;
        let (jobs, received) = channel();
        let wake = Mutex::new(jobs.clone());
        let asks: Question = Box::new(move |name, reason| {
            if reason == Reason::Miss {
                let _ = wake.lock().unwrap_or_else(PoisonError::into_inner).send(Job::Wake);
            }
            question(name, reason)
        });
        let ended = Arc::new(AtomicBool::new(false));
        let clock = Clock::start();
        let (mut forwarding, mut outside) = (None, None);
        if !options.forward.is_empty() {
            let (forwards, forwarder, waker) = Forwarding::new(options.forward, Arc::clone(&ended), clock)?;
            forwarding = Some((forwards, waker));
            outside = Some(Box::new(forwarder) as Box<dyn Outside>);
        }
        let engine = Engine::new(EngineOptions {
            apex: options.apex,
            question: asks,
            outside,
            is_public: options.is_public,
            cache_bytes: options.cache_bytes,
            secrets: secrets()?,
        });
        let shared = Shared { engine: Arc::new(engine), clock, ended };
        let addresses = bound.iter().map(|(listen, _)| *listen).collect();
        // From here on a return drops the server, which ends the threads that run.
        let server = Self {
            shared,
            addresses,
            jobs,
            threads: Mutex::default(),
            wakers: Mutex::default(),
            connections: Arc::default(),
        };
        let shared = server.shared.clone();
        server.spawn("dns-late", move || guard::run(&shared, &received))?;
        if let Some((forwarding, waker)) = forwarding {
            server.wakers.lock().unwrap_or_else(PoisonError::into_inner).push(waker);
            server.spawn("dns-forward", move || forwarding.run())?;
        }
        let mut listeners = Vec::new();
        for (_, bound) in bound {
            match bound {
                Bound::Datagrams(socket) => {
                    udp::prepare(&socket)?;
                    let shared = server.shared.clone();
                    server.spawn("dns-udp", move || udp::run(socket, &shared))?;
                }
                Bound::Streams(listener, transport) => {
                    listeners.push((listener, tls.clone().filter(|_| transport == Transport::Tls)));
                }
            }
        }
        if !listeners.is_empty() {
            let (streams, waker) = Streams::new(server.shared.clone(), listeners, Arc::clone(&server.connections))?;
            server.wakers.lock().unwrap_or_else(PoisonError::into_inner).push(waker);
            server.spawn("dns-stream", move || streams.run())?;
        }
        Ok(server)
    }

    fn spawn(&self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let thread = Builder::new().name(name.to_owned()).spawn(run)?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }

    /// Addresses as bound, in the order of the options.
    #[must_use]
    pub fn addresses(&self) -> &[Listen] {
        &self.addresses
    }

    /// The zone served.
    #[must_use]
    pub fn apex(&self) -> &Apex {
        self.shared.engine.apex()
    }

    /// The registered name (in wire form) is known from now on: fresh for `fresh_ms`, then stale for the rest of
    /// `stale_ms`. A failure leaves knowledge that may still be used.
    pub fn learn(&self, name: &[u8], knowledge: Knowledge, fresh_ms: u64, stale_ms: u64) {
        let settled = self.shared.engine.learn(name, knowledge, self.shared.clock.now(), fresh_ms, stale_ms);
        if !settled.is_empty() {
            let _ = self.jobs.send(Job::Serve(settled));
        }
    }

    /// Forgets a name, or all; how many were known.
    #[must_use]
    pub fn flush(&self, name: Option<&[u8]>) -> usize {
        self.shared.engine.flush(name)
    }

    /// The wire form of a registered name of this zone, given as text; `None` for anything else.
    #[must_use]
    pub fn registered_name(&self, text: &str) -> Option<Vec<u8>> {
        let name = name::from_text(text)?;
        let is_registered = self.apex().registered_name(&name) == Position::Below(&name);
        is_registered.then_some(name)
    }

    /// The registered name, in wire form, that a host is or is below; `None` for hosts of other zones and what is none.
    #[must_use]
    pub fn name_of_host(&self, host: &str) -> Option<Vec<u8>> {
        match self.apex().registered_name(&name::from_text(host)?) {
            Position::Below(registered) => Some(registered.to_vec()),
            _ => None,
        }
    }

    /// Whether a host is of a name that the user of this machine published, as far as was learned.
    #[must_use]
    pub fn is_own(&self, host: &str) -> bool {
        self.name_of_host(host).is_some_and(|name| self.shared.engine.is_own(&name))
    }

    /// The time of this server.
    #[must_use]
    pub fn now(&self) -> Now {
        self.shared.clock.now()
    }

    /// Handles a message that came over HTTPS: the reply, or [`Handled::Later`] when it comes through `later`.
    pub fn query(&self, packet: &[u8], client: IpAddr, later: &mut dyn FnMut() -> Later) -> (Handled, Vec<u8>) {
        let asker = Asker { transport: Transport::Https, client, keepalive: 0 };
        let mut out = Vec::new();
        if self.shared.has_ended() || packet.len() > QUERY_BYTES {
            return (Handled::Dropped, out);
        }
        let handled = self.shared.handle(packet, &asker, self.shared.clock.now(), &mut out, later);
        (handled, out)
    }

    /// Whether [`Server::close`] was called.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.shared.has_ended()
    }

    /// The counts now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.engine.stats()
    }

    /// Open connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Ends all threads and closes all sockets, within a second. Queries that wait get no reply. May be called again.
    pub fn close(&self) {
        self.shared.ended.store(true, Ordering::Release);
        let _ = self.jobs.send(Job::End);
        for waker in self.wakers.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = waker.wake();
        }
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join();
        }
        self.shared.engine.close();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
    }
}

fn secrets() -> io::Result<[[u8; 16]; 3]> {
    let mut secrets = [[0; 16]; 3];
    for secret in &mut secrets {
        SystemRandom::new().fill(secret).map_err(|_| io::Error::other("no random bytes"))?;
    }
    Ok(secrets)
}
