//! An HTTP proxy on loopback for names of the zone: https by TLSA records under the daemon's own verified answers.
//! One thread for all connections.

use crate::x509::{Authority, CertificateError};
use ask::Told;
use chronym_dns::engine::{Handled, Later, Now};
use chronym_dns::server::{ListenError, Server};
use local::{Change, Locals};
pub use local::{Way, try_ports};
use memory::Memory;
pub use memory::{Keep, NoneSince};
use mint::Minter;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Registry, Token, Waker};
use session::{Around, Next, SCRATCH_BYTES, Session};
use side::watch;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

mod ask;
mod goal;
mod local;
mod memory;
mod mint;
mod page;
mod session;
mod side;

/// The end of the server, and late replies.
const WAKE: Token = Token(0);
const LISTENER: Token = Token(1);
/// Of the first session's two sockets.
const FIRST: usize = 2;
/// Of the first listener at a local address; sessions have those below.
const LOCAL: usize = 1 << 24;
/// Sessions at once; beyond, the one that was idle for longest gives way.
const SESSIONS: usize = 1_024;
/// What takes too long is looked for this often.
const TICK: Duration = Duration::from_millis(500);
/// Events taken at once.
const EVENTS: usize = 256;

/// What a proxy is made of.
pub struct ProxyOptions {
    /// A loopback address.
    pub listen: SocketAddr,
    /// Names of the zone whose addresses may be private: these and all below them.
    pub allow_private: Vec<String>,
    /// Hosts that had a key, with what `keep` was told last.
    pub keyed: BTreeMap<String, NoneSince>,
    /// Called from the thread of the proxy.
    pub keep: Keep,
    /// What is served at local addresses; `None`: hosts have none.
    pub local: Option<Vec<(Way, u16)>>,
}

/// The authority of the machine, which is set while its key is open.
#[derive(Clone, Default)]
pub struct Mint(Arc<Mutex<Option<Arc<Minter>>>>);

impl Mint {
    /// Mints with this authority from now on, or no more.
    pub fn set(&self, authority: Option<Authority>) -> Result<(), CertificateError> {
        let minter = authority.map(Minter::new).transpose()?.map(Arc::new);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = minter;
        Ok(())
    }

    fn get(&self) -> Option<Arc<Minter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Names a session for as long as it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    index: usize,
    generation: u64,
}

/// A late reply of DNS: whose, to which question.
type Late = (Place, usize, Vec<u8>);

/// A proxy with its thread. Dropped, it ends, and its connections with it.
pub struct RunningProxy {
    pub address: SocketAddr,
    waker: Arc<Waker>,
    ended: Arc<AtomicBool>,
    locals: Option<Locals>,
    changes: Sender<Change>,
    thread: Option<JoinHandle<()>>,
}

impl RunningProxy {
    /// Takes a listener that does not block, at `options.listen`.
    pub fn start(
        dns: Arc<Server>,
        mint: Mint,
        listener: std::net::TcpListener,
        options: ProxyOptions,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let ended = Arc::<AtomicBool>::default();
        let (changes, received) = channel();
        let (proxy, waker) = Proxy::new(dns, mint, listener, options, Arc::clone(&ended), (changes.clone(), received))?;
        let locals = proxy.locals.clone();
        let thread = Builder::new().name("https-proxy".to_owned()).spawn(move || proxy.run())?;
        Ok(Self { address, waker, ended, locals, changes, thread: Some(thread) })
    }

    /// Takes a host for one that had no key.
    pub fn forget(&self, host: &str) {
        let _ = self.changes.send(Change::Forget(host.to_owned()));
        let _ = self.waker.wake();
    }

    /// As [`Locals::place`]; `None`: there are no such addresses.
    pub fn place(&self, host: &str, origins: Vec<IpAddr>) -> Result<Option<(Ipv4Addr, Option<String>)>, ListenError> {
        self.locals.as_ref().map(|locals| locals.place(host, origins)).transpose()
    }
}

impl Drop for RunningProxy {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        let _ = self.waker.wake();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

struct Proxy {
    poll: Poll,
    waker: Arc<Waker>,
    dns: Arc<Server>,
    ended: Arc<AtomicBool>,
    mint: Mint,
    allow_private: Vec<String>,
    memory: Memory,
    listener: TcpListener,
    locals: Option<Locals>,
    changes: Receiver<Change>,
    /// By token.
    local_listeners: HashMap<usize, (Ipv4Addr, Way, u16, TcpListener)>,
    next_local: usize,
    sessions: Vec<(u64, Option<Session>)>,
    count: usize,
    generation: u64,
    turns: VecDeque<Place>,
    late: (Sender<Late>, Receiver<Late>),
    scratch: Vec<u8>,
    /// The listener failed, as when files ran out: its event will not come again.
    accepts_again: bool,
    ticked_ms: u64,
}

impl Proxy {
    fn new(
        dns: Arc<Server>,
        mint: Mint,
        listener: std::net::TcpListener,
        ProxyOptions { allow_private, keyed, keep, local, .. }: ProxyOptions,
        ended: Arc<AtomicBool>,
        (sender, changes): (Sender<Change>, Receiver<Change>),
    ) -> io::Result<(Self, Arc<Waker>)> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        let mut listener = TcpListener::from_std(listener);
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let locals = local.map(|ports| Locals::new(&ports, sender, Arc::clone(&waker)));
        let proxy = Self {
            poll,
            waker: Arc::clone(&waker),
            dns,
            ended,
            mint,
            allow_private,
            memory: Memory::new(keyed, keep),
            listener,
            locals,
            changes,
            local_listeners: HashMap::new(),
            next_local: LOCAL,
            sessions: Vec::new(),
            count: 0,
            generation: 0,
            turns: VecDeque::new(),
            late: channel(),
            scratch: vec![0; SCRATCH_BYTES],
            accepts_again: false,
            ticked_ms: 0,
        };
        Ok((proxy, waker))
    }

    /// Serves until it ends.
    fn run(mut self) {
        let mut events = Events::with_capacity(EVENTS);
        while !self.ended.load(Ordering::Acquire) {
            let timeout = match (self.turns.is_empty(), self.count == 0 && !self.accepts_again) {
                (false, _) => Some(Duration::ZERO),
                (true, false) => Some(TICK),
                (true, true) => None,
            };
            if self.poll.poll(&mut events, timeout).is_err() {
                // Interrupted by a signal: the events come with the next call.
                continue;
            }
            let now = self.dns.now();
            self.change(now);
            for event in &events {
                match event.token() {
                    WAKE => {}
                    LISTENER => self.accept(now),
                    Token(token) if token >= LOCAL => self.accept_local(token, now),
                    Token(token) => self.pump((token - FIRST) / 2, now),
                }
            }
            while let Ok((place, question, reply)) = self.late.1.try_recv() {
                if let Some((generation, Some(session))) = self.sessions.get_mut(place.index)
                    && *generation == place.generation
                {
                    match catch_unwind(AssertUnwindSafe(|| session.told(question, &reply))) {
                        Ok(()) => self.pump(place.index, now),
                        Err(_) => self.end(place.index),
                    }
                }
            }
            for _ in 0..self.turns.len() {
                if let Some(place) = self.turns.pop_front()
                    && self.sessions[place.index].0 == place.generation
                {
                    self.pump(place.index, now);
                }
            }
            self.tick(now);
        }
    }

    fn tick(&mut self, now: Now) {
        if now.ms - self.ticked_ms < 500 {
            return;
        }
        self.ticked_ms = now.ms;
        for index in 0..self.sessions.len() {
            let Some(session) = &mut self.sessions[index].1 else { continue };
            if session.is_late(now.ms) {
                self.end(index);
            } else if session.is_due() {
                self.pump(index, now);
            }
        }
        if std::mem::take(&mut self.accepts_again) {
            self.accept(now);
            for token in self.local_listeners.keys().copied().collect::<Vec<_>>() {
                self.accept_local(token, now);
            }
        }
    }

    fn change(&mut self, now: Now) {
        while let Ok(change) = self.changes.try_recv() {
            let (address, listeners) = match change {
                Change::Listen(address, listeners) => (address, listeners),
                Change::Forget(host) => {
                    self.memory.forget(&host);
                    continue;
                }
            };
            if listeners.is_empty() {
                self.local_listeners.retain(|_, (own, ..)| *own != address);
            }
            for (way, port, listener) in listeners {
                let (token, mut listener) = (self.next_local, TcpListener::from_std(listener));
                self.next_local += 1;
                if self.poll.registry().register(&mut listener, Token(token), Interest::READABLE).is_ok() {
                    self.local_listeners.insert(token, (address, way, port, listener));
                    // Who connected before has no event.
                    self.accept_local(token, now);
                }
            }
        }
    }

    fn accept(&mut self, now: Now) {
        while let Some(socket) = accepted(&self.listener, &mut self.accepts_again) {
            self.welcome(Session::new(socket, now.ms), now);
        }
    }

    fn accept_local(&mut self, token: usize, now: Now) {
        let (Some(locals), Some((address, way, port, _))) = (self.locals.clone(), self.local_listeners.get(&token))
        else {
            return;
        };
        let (address, way, port) = (*address, *way, *port);
        while let Some((.., listener)) = self.local_listeners.get(&token)
            && let Some(socket) = accepted(listener, &mut self.accepts_again)
        {
            if let Some(host) = locals.host(address) {
                self.welcome(Session::local(socket, now.ms, way, host, port), now);
            }
        }
    }

    fn welcome(&mut self, mut session: Session, now: Now) {
        if self.count >= SESSIONS {
            self.end_oldest();
        }
        let index = self.sessions.iter().position(|(_, session)| session.is_none()).unwrap_or(self.sessions.len());
        // A connection that cannot be set up is closed by its drop.
        if session.begin(self.poll.registry(), FIRST + 2 * index).is_err() {
            return;
        }
        self.generation += 1;
        let slot = (self.generation, Some(session));
        if index == self.sessions.len() {
            self.sessions.push(slot);
        } else {
            self.sessions[index] = slot;
        }
        self.count += 1;
        self.pump(index, now);
    }

    fn end_oldest(&mut self) {
        let sessions = self.sessions.iter().enumerate();
        let oldest = sessions
            .filter_map(|(index, (_, session))| Some((session.as_ref()?.since_ms(), index)))
            .min_by_key(|(since_ms, _)| *since_ms);
        if let Some((_, index)) = oldest {
            self.end(index);
        }
    }

    fn end(&mut self, index: usize) {
        if self.sessions[index].1.take().is_some() {
            self.count -= 1;
        }
    }

    fn pump(&mut self, index: usize, now: Now) {
        let Some((generation, Some(session))) = self.sessions.get_mut(index) else { return };
        let place = Place { index, generation: *generation };
        let mut around = Here {
            registry: self.poll.registry(),
            dns: &self.dns,
            mint: &self.mint,
            allow_private: &self.allow_private,
            memory: &mut self.memory,
            locals: self.locals.as_ref(),
            late: (&self.waker, &self.late.0),
            scratch: &mut self.scratch,
            place,
            now,
        };
        // A panic ends one session, not the thread that serves all.
        match catch_unwind(AssertUnwindSafe(|| session.pump(&mut around, now.ms))).unwrap_or(Next::End) {
            Next::Event => {}
            Next::Turn => queue(&mut self.turns, place),
            Next::End => self.end(index),
        }
    }
}

/// The next connection. Where the system refuses one, as when files ran out, no event comes again.
fn accepted(listener: &TcpListener, again: &mut bool) -> Option<TcpStream> {
    loop {
        match listener.accept() {
            Ok((socket, _)) => return Some(socket),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted) => {}
            Err(_) => {
                *again = true;
                return None;
            }
        }
    }
}

/// An event may find a session that waits for its turn: it has one turn all the same.
fn queue(turns: &mut VecDeque<Place>, place: Place) {
    if !turns.contains(&place) {
        turns.push_back(place);
    }
}

/// The proxy as one session sees it.
struct Here<'a> {
    registry: &'a Registry,
    dns: &'a Server,
    mint: &'a Mint,
    allow_private: &'a [String],
    memory: &'a mut Memory,
    locals: Option<&'a Locals>,
    late: (&'a Arc<Waker>, &'a Sender<Late>),
    scratch: &'a mut [u8],
    place: Place,
    now: Now,
}

/// Whether a host has the labels of `pattern`, or is below. A `*` stands for any text within its label.
fn covers(pattern: &str, host: &str) -> bool {
    let mut labels = host.rsplit('.');
    pattern.rsplit('.').all(|pattern| {
        labels.next().is_some_and(|label| match pattern.split_once('*') {
            Some((start, end)) => label.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
            None => label == pattern,
        })
    })
}

impl Around for Here<'_> {
    fn serves(&self, host: &str) -> bool {
        // Pages have commands with the host, which somebody pastes into a shell.
        let is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        is_plain && self.dns.name_of_host(host).is_some()
    }

    fn allows_private(&self, host: &str) -> bool {
        self.dns.is_own(host) || self.allow_private.iter().any(|pattern| covers(pattern, host))
    }

    fn minter(&self) -> Option<Arc<Minter>> {
        self.mint.get()
    }

    fn ask(&mut self, question: usize, packet: &[u8], told: &mut Told) {
        let (waker, late, place) = (self.late.0, self.late.1, self.place);
        let mut later = || -> Later {
            let (waker, late) = (Arc::clone(waker), late.clone());
            Box::new(move |reply| {
                let _ = late.send((place, question, reply.to_vec()));
                let _ = waker.wake();
            })
        };
        match self.dns.query(packet, Ipv4Addr::LOCALHOST.into(), &mut later) {
            (Handled::Reply, reply) => told.take(question, Some(&reply)),
            (Handled::Later, _) => {}
            (Handled::Dropped, _) => told.take(question, None),
        }
    }

    fn watch(&mut self, origin: &mut TcpStream) -> io::Result<()> {
        watch(self.registry, origin, FIRST + 2 * self.place.index + 1)
    }

    fn origins(&self, address: IpAddr) -> Option<Vec<IpAddr>> {
        self.locals?.origins(address)
    }

    fn note(&mut self, host: &str, has_key: bool) {
        self.memory.note(host, has_key, self.now.unix);
    }

    fn days_left(&self, host: &str) -> Option<u32> {
        self.memory.days_left(host, self.now.unix)
    }

    fn scratch(&mut self) -> &mut [u8] {
        self.scratch
    }

    fn unix(&self) -> u32 {
        self.now.unix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_one_turn_at_a_time() {
        let [one, other] = [1, 2].map(|generation| Place { index: 0, generation });
        let mut turns = VecDeque::new();
        for place in [one, other, one, other, one] {
            queue(&mut turns, place);
        }
        assert_eq!(turns, [one, other]);
    }
}
