//! One connection of a client, from its request to the end: the daemon's own DNS is asked, the origin is dialled and
//! held against its TLSA records, then bytes go both ways.

use super::ask::{Told, queries};
use super::goal::{Goal, HTTPS, has_key, is_of_certificate, secured, targets, unlike, vouched};
use super::local::Way;
use super::mint::Minter;
use super::page::Refusal;
use super::side::{Got, Side, watch};
use crate::dane::{Tlsa, Verifier};
use crate::head::{Answer, BadHead, Request, parse, parse_answer, parse_direct};
use mio::Registry;
use mio::net::TcpStream;
use rustls::client::Resumption;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::ServerName;
use rustls::server::{Accepted, Acceptor};
use rustls::{ClientConfig, ClientConnection};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Bytes read at once, and the most that is held for a side that takes none.
pub const SCRATCH_BYTES: usize = 16_384;
/// Pieces moved before others have their turn.
const TURN: usize = 32;
/// A step before the tunnel is open.
const STEP_MS: u64 = 10_000;
/// One address of an origin.
const DIAL_MS: u64 = 4_000;
/// All of them.
const DIALS_MS: u64 = 20_000;
/// An open tunnel without a byte.
const IDLE_MS: u64 = 600_000;
/// The same, where no request is answered at once, as in a terminal.
const PASSED_IDLE_MS: u64 = 86_400_000;
/// An origin whose key no record names is asked for again, while the answer is an old one: its key may have been rolled.
const AGAIN: u8 = 8;

/// What a session asks of its proxy.
pub trait Around {
    /// Whether a host is of the zone: others are not served.
    fn serves(&self, host: &str) -> bool;
    /// Names whose addresses may be private.
    fn allows_private(&self, host: &str) -> bool;
    /// Makes leaves; none while the key of the authority is locked.
    fn minter(&self) -> Option<Arc<Minter>>;
    /// Asks the daemon's DNS. The reply goes to `told` now, or comes later.
    fn ask(&mut self, question: usize, packet: &[u8], told: &mut Told);
    /// Has events of a new socket come to this session.
    fn watch(&mut self, origin: &mut TcpStream) -> io::Result<()>;
    /// The host's own addresses, by its local one.
    fn origins(&self, address: IpAddr) -> Option<Vec<IpAddr>>;
    /// Takes an answer that is vouched for: whether the host has a key.
    fn note(&mut self, host: &str, has_key: bool);
    /// Days until a host that had a key is forgotten; `None`: it had none.
    fn days_left(&self, host: &str) -> Option<u32>;
    fn scratch(&mut self) -> &mut [u8];
    fn unix(&self) -> u32;
}

/// What to do with a session.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Wait for an event.
    Event,
    /// Go on when others had their turn.
    Turn,
    /// It is over.
    End,
}

enum Stage {
    Head(Vec<u8>),
    Asking(Box<Goal>),
    Hello(Box<(Goal, Acceptor)>),
    Dialling(Box<Dial>),
    Greeting(Box<Goal>),
    /// A newer answer of DNS is on its way.
    Again(Box<Goal>),
    /// Of plain HTTP, with what came of the answer's head.
    Answering(Vec<u8>),
    Open,
    /// A page waits for its request, or was sent.
    Page {
        response: Vec<u8>,
        seen: Vec<u8>,
    },
    Over,
}

struct Dial {
    goal: Goal,
    left: std::vec::IntoIter<SocketAddr>,
    socket: Option<TcpStream>,
    /// When the present address was dialled.
    tried_ms: u64,
    cause: String,
}

enum Step {
    Go(Stage),
    Wait(Stage, Next),
}

/// A session.
pub struct Session {
    client: Side,
    origin: Option<Side>,
    stage: Stage,
    since_ms: u64,
    /// What came to an address of this machine.
    local: Option<Way>,
}

impl Session {
    pub fn new(socket: TcpStream, now_ms: u64) -> Self {
        let stage = Stage::Head(Vec::new());
        Self { client: Side::new(socket), origin: None, stage, since_ms: now_ms, local: None }
    }

    /// Of a client that takes this machine for the host.
    pub fn local(socket: TcpStream, now_ms: u64, way: Way, host: String, port: u16) -> Self {
        let goal = Goal::new(host, port, None, Some(way));
        let stage = match way {
            Way::Tls => Stage::Hello(Box::new((goal, Acceptor::default()))),
            Way::Plain => Stage::Head(Vec::new()),
            Way::Passed => Stage::Again(Box::new(goal)),
        };
        Self { stage, local: Some(way), ..Self::new(socket, now_ms) }
    }

    /// Has events of its client come with this token.
    pub fn begin(&mut self, registry: &Registry, token: usize) -> io::Result<()> {
        self.client.socket.set_nodelay(true)?;
        watch(registry, &mut self.client.socket, token)
    }

    /// When it last got on.
    pub fn since_ms(&self) -> u64 {
        self.since_ms
    }

    /// Whether it took too long. An address that does not answer gives way to the next.
    pub fn is_late(&mut self, now_ms: u64) -> bool {
        let limit_ms = match &mut self.stage {
            Stage::Dialling(dial) => {
                let is_last = now_ms.saturating_sub(self.since_ms) >= DIALS_MS;
                if is_last {
                    dial.left = Vec::new().into_iter();
                }
                if is_last || now_ms.saturating_sub(dial.tried_ms) >= DIAL_MS {
                    "it does not answer".clone_into(&mut dial.cause);
                    dial.socket = None;
                }
                return false;
            }
            Stage::Open if self.local == Some(Way::Passed) => PASSED_IDLE_MS,
            Stage::Answering(_) => IDLE_MS,
            Stage::Open if self.client.tls().is_none_or(|tls| !tls.is_handshaking()) => IDLE_MS,
            _ => STEP_MS,
        };
        now_ms.saturating_sub(self.since_ms) >= limit_ms
    }

    /// Whether it must go on without an event: to the next address, or to ask again.
    pub fn is_due(&self) -> bool {
        match &self.stage {
            Stage::Dialling(dial) => dial.socket.is_none(),
            Stage::Again(_) => true,
            _ => false,
        }
    }

    /// A reply of DNS that came later.
    pub fn told(&mut self, question: usize, reply: &[u8]) {
        if let Stage::Asking(goal) = &mut self.stage {
            goal.told.take(question, Some(reply));
        }
    }

    /// Goes as far as it can without waiting.
    pub fn pump(&mut self, around: &mut dyn Around, now_ms: u64) -> Next {
        loop {
            let step = match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Head(seen) => self.head(seen, around),
                Stage::Asking(goal) => self.asking(goal, around),
                Stage::Hello(hello) => self.hello(hello, around),
                Stage::Dialling(dial) => self.dialling(dial, around, now_ms),
                Stage::Greeting(goal) => self.greeting(goal, around),
                Stage::Again(goal) => ask(goal, around),
                Stage::Answering(seen) => self.answering(seen, around, now_ms),
                Stage::Open => self.open(around, now_ms),
                Stage::Page { response, seen } => self.page(response, seen, around),
                Stage::Over => return Next::End,
            };
            match step {
                Ok(Step::Go(stage)) => {
                    self.stage = stage;
                    self.since_ms = now_ms;
                }
                Ok(Step::Wait(stage, next)) => {
                    self.stage = stage;
                    return next;
                }
                Err(_) => return Next::End,
            }
        }
    }

    fn head(&mut self, mut seen: Vec<u8>, around: &mut dyn Around) -> io::Result<Step> {
        let (request, length) = loop {
            let parse = if self.local.is_some() { parse_direct } else { parse };
            match parse(&seen) {
                Ok(Some(found)) => break found,
                Ok(None) => {}
                Err(BadHead::NoLength) => {
                    let text = "A request for an http:// address says with Content-Length how long its body is.";
                    return Ok(shown(&Refusal::new("411 Length Required", "A request without a length", text)));
                }
                Err(BadHead::Malformed) => {
                    let text =
                        "This is the proxy of a Chronym daemon. It takes CONNECT, and requests for http:// addresses.";
                    return Ok(shown(&Refusal::new("400 Bad Request", "Not a request to a proxy", text)));
                }
            }
            match self.client.read(around.scratch())? {
                Got::Bytes(count) => seen.extend_from_slice(&around.scratch()[..count]),
                Got::Nothing => return Ok(Step::Wait(Stage::Head(seen), Next::Event)),
                Got::End | Got::Cut => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        };
        let rest = seen.split_off(length);
        let (host, port, first) = match request {
            // What a client sends before it has its tunnel would have to be kept apart from what follows.
            Request::Connect { .. } if !rest.is_empty() => return Err(io::ErrorKind::InvalidData.into()),
            Request::Connect { host, port } => (host, port, None),
            Request::Plain { host, port, head, body } => {
                // What follows the body may be for another origin.
                self.client.left = body;
                self.client.spend(rest.len())?;
                (host, port, Some([head, rest].concat()))
            }
        };
        if !around.serves(&host) {
            let text = format!("This proxy serves names of one zone, and {host} is none of them.");
            return Ok(shown(&Refusal::new("403 Forbidden", "Not a name of this zone", text)));
        }
        ask(Box::new(Goal::new(host, port, first, self.local)), around)
    }

    fn asking(&mut self, goal: Box<Goal>, around: &mut dyn Around) -> io::Result<Step> {
        if !goal.told.is_complete() {
            return Ok(Step::Wait(Stage::Asking(goal), Next::Event));
        }
        if goal.client.is_some() {
            return self.decide(*goal, around);
        }
        if goal.first.is_none() && goal.local.is_none() {
            if goal.is_encrypted() && around.minter().is_none() {
                let text = "The key of this machine's authority is locked. `chronym unlock` opens it.";
                return Ok(shown(&Refusal::new("503 Service Unavailable", "Locked", text)));
            }
            self.client.write(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
            self.client.flush()?;
        }
        if goal.is_encrypted() {
            return Ok(Step::Go(Stage::Hello(Box::new((*goal, Acceptor::default())))));
        }
        self.decide(*goal, around)
    }

    fn decide(&mut self, mut goal: Goal, around: &mut dyn Around) -> io::Result<Step> {
        let told = std::mem::take(&mut goal.told.addresses);
        goal.told.addresses =
            told.into_iter().flat_map(|one| around.origins(one).unwrap_or_else(|| vec![one])).collect();
        if goal.asked_port() == HTTPS && goal.told.is_vouched && !goal.told.is_stale {
            around.note(&goal.host, has_key(&goal));
        }
        let days_left = around.days_left(&goal.host).filter(|_| goal.asked_port() == HTTPS);
        let verdict = targets(&goal, around.allows_private(&goal.host)).and_then(|targets| {
            let vouched = vouched(&goal, days_left);
            if goal.is_encrypted() || goal.is_passed() && !goal.told.is_vouched {
                vouched?;
            } else if !goal.is_passed() && (vouched.is_ok() || days_left.is_some()) {
                return Err(secured(&goal));
            }
            Ok(targets)
        });
        match verdict {
            Ok(targets) => Ok(dial(goal, targets)),
            Err(refusal) => self.refuse(goal, &refusal, around),
        }
    }

    /// In place of the site. Over TLS a page needs a leaf for its name, as a site does. Not a byte of the origin is under
    /// it.
    fn refuse(&mut self, goal: Goal, refusal: &Refusal, around: &mut dyn Around) -> io::Result<Step> {
        if goal.is_passed() {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        let Some(accepted) = goal.client else {
            // After CONNECT the client's request is still to come.
            return Ok(if goal.first.is_none() { Step::Go(page(refusal, Vec::new())) } else { shown(refusal) });
        };
        let offers_http =
            accepted.client_hello().alpn().is_some_and(|mut offered| offered.any(|one| one == b"http/1.1"));
        self.accept(accepted, &goal.host, offers_http.then(|| b"http/1.1".to_vec()), around)?;
        Ok(Step::Go(page(refusal, Vec::new())))
    }

    fn hello(&mut self, mut hello: Box<(Goal, Acceptor)>, around: &mut dyn Around) -> io::Result<Step> {
        let accepted = loop {
            if let Some(accepted) = hello.1.accept().map_err(|(error, mut alert)| {
                let _ = alert.write(&mut self.client.socket);
                io::Error::other(error)
            })? {
                break accepted;
            }
            match hello.1.read_tls(&mut self.client.socket) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Step::Wait(Stage::Hello(hello), Next::Event));
                }
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
        };
        let mut goal = hello.0;
        let asked = accepted.client_hello().server_name().map(str::to_ascii_lowercase);
        goal.client = Some(accepted);
        if goal.local.is_none() {
            // A tunnel to one name is for no other.
            if asked.is_some_and(|name| name != goal.host) {
                return Err(io::ErrorKind::InvalidData.into());
            }
            return self.decide(goal, around);
        }
        // An alias of a host leads to its address.
        if let Some(name) = asked {
            goal.host = name;
        }
        if !around.serves(&goal.host) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        ask(Box::new(goal), around)
    }

    fn accept(
        &mut self,
        accepted: Accepted,
        host: &str,
        protocol: Option<Vec<u8>>,
        around: &mut dyn Around,
    ) -> io::Result<()> {
        let minter = around.minter().ok_or_else(|| io::Error::other("the authority is locked"))?;
        let config = minter.config(host, protocol, around.unix())?;
        let tls = accepted.into_connection(config).map_err(|(error, mut alert)| {
            let _ = alert.write(&mut self.client.socket);
            io::Error::other(error)
        })?;
        self.client.encrypt(tls.into());
        self.client.flush()?;
        Ok(())
    }

    fn dialling(&mut self, mut dial: Box<Dial>, around: &mut dyn Around, now_ms: u64) -> io::Result<Step> {
        // Without TLS a client may have sent all it has to send.
        if dial.goal.client.is_some() && self.client.is_at_end() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        loop {
            if let Some(socket) = &dial.socket {
                match (socket.take_error(), socket.peer_addr()) {
                    (Ok(None), Ok(_)) => break,
                    (Ok(None), Err(error)) if error.kind() == io::ErrorKind::NotConnected => {
                        return Ok(Step::Wait(Stage::Dialling(dial), Next::Event));
                    }
                    (Ok(Some(error)) | Err(error), _) | (_, Err(error)) => dial.cause = error.to_string(),
                }
            }
            dial.socket = None;
            let Some(address) = dial.left.next() else {
                let Dial { goal, cause, .. } = *dial;
                let refusal = Refusal::new(
                    "502 Bad Gateway",
                    format!("{} cannot be reached", goal.host),
                    format!("Its server could not be reached on port {}: {cause}.", goal.port),
                );
                return self.refuse(goal, &refusal, around);
            };
            match TcpStream::connect(address).and_then(|mut socket| around.watch(&mut socket).map(|()| socket)) {
                Ok(socket) => {
                    dial.socket = Some(socket);
                    dial.tried_ms = now_ms;
                    // Its event comes, also where it is connected already.
                    return Ok(Step::Wait(Stage::Dialling(dial), Next::Event));
                }
                Err(error) => dial.cause = error.to_string(),
            }
        }
        let Dial { goal, socket, .. } = *dial;
        let socket = socket.ok_or(io::ErrorKind::NotConnected)?;
        socket.set_nodelay(true)?;
        let mut origin = Side::new(socket);
        let Some(accepted) = &goal.client else {
            let stage = match &goal.first {
                Some(first) => {
                    origin.write(first)?;
                    Stage::Answering(Vec::new())
                }
                None => Stage::Open,
            };
            self.origin = Some(origin);
            return Ok(Step::Go(stage));
        };
        let protocols =
            accepted.client_hello().alpn().map(|each| each.map(<[u8]>::to_vec).collect()).unwrap_or_default();
        let tls = origin_tls(&goal.host, goal.told.tlsa.clone(), protocols)?;
        origin.encrypt(tls.into());
        self.origin = Some(origin);
        Ok(Step::Go(Stage::Greeting(Box::new(goal))))
    }

    fn greeting(&mut self, mut goal: Box<Goal>, around: &mut dyn Around) -> io::Result<Step> {
        let origin = self.origin.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        match origin.greet() {
            Ok(false) => Ok(Step::Wait(Stage::Greeting(goal), Next::Event)),
            Ok(true) => {
                let protocol = origin.tls().and_then(|tls| tls.alpn_protocol()).map(<[u8]>::to_vec);
                let Goal { host, client, .. } = *goal;
                let accepted = client.ok_or(io::ErrorKind::InvalidData)?;
                self.accept(accepted, &host, protocol, around)?;
                Ok(Step::Go(Stage::Open))
            }
            Err(error) => {
                self.origin = None;
                let may_be_rolled = is_of_certificate(&error) && goal.told.is_stale && goal.again < AGAIN;
                // A server that reloads may end connections that it has just taken. Nothing was sent to it yet.
                let may_reload = is_cut_off(&error) && goal.again == 0;
                if may_be_rolled || may_reload {
                    goal.again += 1;
                    return Ok(Step::Wait(Stage::Again(goal), Next::Event));
                }
                let refusal = unlike(&goal, &error);
                self.refuse(*goal, &refusal, around)
            }
        }
    }

    /// Carries a request, and the head of its answer so that the client asks nothing more on this connection.
    fn answering(&mut self, mut seen: Vec<u8>, around: &mut dyn Around, now_ms: u64) -> io::Result<Step> {
        let origin = self.origin.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        for _ in 0..TURN {
            let scratch = around.scratch();
            let up = carry(&mut self.client, origin, scratch)?;
            if !self.client.flush()? {
                return Ok(Step::Wait(Stage::Answering(seen), Next::Event));
            }
            let down = match origin.read(scratch)? {
                Got::Bytes(count) => {
                    seen.extend_from_slice(&scratch[..count]);
                    true
                }
                Got::Nothing => false,
                Got::End | Got::Cut => return Ok(shown(&unanswered())),
            };
            loop {
                match parse_answer(&seen) {
                    Ok(Some((Answer::Interim(head), length))) => {
                        self.client.write(&head)?;
                        seen.drain(..length);
                    }
                    Ok(Some((Answer::Final(head), length))) => {
                        self.client.write(&head)?;
                        self.client.write(&seen[length..])?;
                        self.client.flush()?;
                        return Ok(Step::Go(Stage::Open));
                    }
                    Ok(None) => break,
                    Err(_) => return Ok(shown(&unanswered())),
                }
            }
            if !up && !down {
                return Ok(Step::Wait(Stage::Answering(seen), Next::Event));
            }
            self.since_ms = now_ms;
        }
        Ok(Step::Wait(Stage::Answering(seen), Next::Turn))
    }

    fn open(&mut self, around: &mut dyn Around, now_ms: u64) -> io::Result<Step> {
        let origin = self.origin.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        for _ in 0..TURN {
            let scratch = around.scratch();
            let up = carry(&mut self.client, origin, scratch)?;
            let down = carry(origin, &mut self.client, scratch)?;
            if self.client.is_shut() && origin.is_shut() {
                return Err(io::ErrorKind::NotConnected.into());
            }
            if !up && !down {
                return Ok(Step::Wait(Stage::Open, Next::Event));
            }
            self.since_ms = now_ms;
        }
        Ok(Step::Wait(Stage::Open, Next::Turn))
    }

    fn page(&mut self, mut response: Vec<u8>, mut seen: Vec<u8>, around: &mut dyn Around) -> io::Result<Step> {
        for _ in 0..TURN {
            let is_asked = seen.windows(4).any(|four| four == b"\r\n\r\n") || seen.len() >= SCRATCH_BYTES;
            if is_asked && !response.is_empty() {
                self.client.write(&std::mem::take(&mut response))?;
                self.client.end(true);
            }
            self.client.flush()?;
            // Read to the end: a socket that is closed with bytes unread takes the page back.
            match self.client.read(around.scratch())? {
                Got::Bytes(count) if !is_asked => seen.extend_from_slice(&around.scratch()[..count]),
                Got::Bytes(_) => {}
                Got::Nothing => {
                    // A handshake, or a change of keys, has something to say.
                    self.client.flush()?;
                    return Ok(Step::Wait(Stage::Page { response, seen }, Next::Event));
                }
                Got::End | Got::Cut => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        Ok(Step::Wait(Stage::Page { response, seen }, Next::Turn))
    }
}

fn unanswered() -> Refusal {
    let text = "Its server ended the connection without an answer, or the answer is not one of HTTP/1.1.";
    Refusal::new("502 Bad Gateway", "No answer", text)
}

fn is_cut_off(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected | UnexpectedEof)
}

/// Moves one piece; whether something moved.
fn carry(from: &mut Side, to: &mut Side, scratch: &mut [u8]) -> io::Result<bool> {
    if !to.flush()? || from.has_ended {
        return Ok(false);
    }
    let is_whole = match from.read(scratch)? {
        Got::Nothing => {
            // A handshake, or a change of keys, has something to say.
            from.flush()?;
            return Ok(false);
        }
        Got::Bytes(count) => {
            from.spend(count)?;
            to.write(&scratch[..count])?;
            to.flush()?;
            return Ok(true);
        }
        Got::End => true,
        Got::Cut => false,
    };
    from.has_ended = true;
    to.end(is_whole);
    to.flush()?;
    Ok(true)
}

/// Asks all that is to be known of the goal.
fn ask(mut goal: Box<Goal>, around: &mut dyn Around) -> io::Result<Step> {
    let packets = queries(&goal.host, goal.asked_port()).ok_or(io::ErrorKind::InvalidData)?;
    goal.told = Told::new();
    for (question, packet) in packets.iter().enumerate() {
        around.ask(question, packet, &mut goal.told);
    }
    Ok(Step::Go(Stage::Asking(goal)))
}

fn dial(goal: Goal, targets: Vec<SocketAddr>) -> Step {
    let dial = Dial { goal, left: targets.into_iter(), socket: None, tried_ms: 0, cause: String::new() };
    Step::Go(Stage::Dialling(Box::new(dial)))
}

/// A page for a request that was read already.
fn shown(refusal: &Refusal) -> Step {
    Step::Go(page(refusal, b"\r\n\r\n".to_vec()))
}

fn page(refusal: &Refusal, seen: Vec<u8>) -> Stage {
    Stage::Page { response: refusal.response(), seen }
}

/// TLS to an origin. Nothing is resumed: a resumed handshake shows no certificate.
fn origin_tls(host: &str, records: Vec<Tlsa>, protocols: Vec<Vec<u8>>) -> io::Result<ClientConnection> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Verifier::new(records)))
        .with_no_client_auth();
    config.alpn_protocols = protocols;
    config.resumption = Resumption::disabled();
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{IpAddr, Ipv4Addr};

    fn goal(addresses: Vec<IpAddr>) -> Goal {
        let mut told = Told::new();
        told.addresses = addresses;
        Goal { told, ..Goal::new("alice.chronym".to_owned(), 443, None, None) }
    }

    /// A session, and the other end of its client.
    fn session(stage: Stage, now_ms: u64) -> (Session, std::net::TcpStream) {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (socket, _) = listener.accept().unwrap();
        socket.set_nonblocking(true).unwrap();
        let session = Session::new(TcpStream::from_std(socket), now_ms);
        (Session { stage, ..session }, client)
    }

    /// Of all around a session, the room for one byte.
    struct Narrow([u8; 1]);

    impl Around for Narrow {
        fn serves(&self, _: &str) -> bool {
            false
        }
        fn allows_private(&self, _: &str) -> bool {
            false
        }
        fn minter(&self) -> Option<Arc<Minter>> {
            None
        }
        fn ask(&mut self, _: usize, _: &[u8], _: &mut Told) {}
        fn watch(&mut self, _: &mut TcpStream) -> io::Result<()> {
            Ok(())
        }
        fn origins(&self, _: IpAddr) -> Option<Vec<IpAddr>> {
            None
        }
        fn note(&mut self, _: &str, _: bool) {}
        fn days_left(&self, _: &str) -> Option<u32> {
            None
        }
        fn scratch(&mut self) -> &mut [u8] {
            &mut self.0
        }
        fn unix(&self) -> u32 {
            0
        }
    }

    #[test]
    fn a_client_that_sends_on_under_a_page_leaves_others_their_turn() {
        let refusal = Refusal::new("502 Bad Gateway", "No", "No.");
        let (mut session, mut client) = session(page(&refusal, b"\r\n\r\n".to_vec()), 0);
        client.write_all(&[b'a'; 3 * TURN]).unwrap();
        // All that was sent is there to be read.
        let mut all = [0; 3 * TURN];
        while session.client.socket.peek(&mut all).ok() != Some(all.len()) {}
        for _ in 0..3 {
            assert_eq!(session.pump(&mut Narrow([0]), 0), Next::Turn);
        }
        assert_eq!(session.pump(&mut Narrow([0]), 0), Next::Event);
    }

    #[test]
    fn of_many_addresses_eight_are_dialled_for_twenty_seconds() {
        let many = (0..=255).map(|last| Ipv4Addr::new(1, 1, 1, last).into()).collect();
        let goal = goal(many);
        let targets = targets(&goal, false).unwrap();
        assert_eq!(targets.len(), 8);
        let Step::Go(stage) = dial(goal, targets) else { panic!() };
        let (mut session, _client) = session(stage, 1_000);
        let mut tried = 0;
        for now_ms in (1_000..).step_by(500) {
            assert!(!session.is_late(now_ms));
            // Others that are idle for less are not older.
            assert_eq!(session.since_ms(), 1_000);
            if !session.is_due() {
                continue;
            }
            // As if dialled; nobody answers.
            let Stage::Dialling(dial) = &mut session.stage else { panic!() };
            if dial.left.next().is_none() {
                assert_eq!((now_ms, tried), (21_000, 5));
                break;
            }
            dial.socket = Some(TcpStream::connect("127.0.0.1:1".parse().unwrap()).unwrap());
            dial.tried_ms = now_ms;
            tried += 1;
        }
    }
}
