//! Connections, with TLS or without: one thread for all of them.

use super::guard::Shared;
use crate::engine::{Asker, Handled, Later, Now, Transport};
use channel::Channel;
pub use channel::tls_config;
use connection::{Connection, Next, SCRATCH_BYTES};
use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token, Waker};
use rustls::ServerConfig;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use table::{Place, Table};

mod channel;
mod connection;
mod table;

/// The end of the server, and late replies.
const WAKE: Token = Token(0);

/// Idle connections, and listeners that failed, are looked through this often.
const TICK: Duration = Duration::from_millis(500);

/// Events taken at once.
const EVENTS: usize = 256;

/// A late reply and the connection that waits for it.
type Late = (Place, Vec<u8>);

struct Listening {
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
}

/// All connections of a server.
pub struct Streams {
    poll: Poll,
    waker: Arc<Waker>,
    shared: Shared,
    listening: Vec<Listening>,
    table: Table<Connection>,
    turns: VecDeque<Place>,
    late: (Sender<Late>, Receiver<Late>),
    scratch: Vec<u8>,
    reply: Vec<u8>,
    /// Connections now, for the counts.
    open: Arc<AtomicUsize>,
    /// A listener failed, as when files ran out: its event will not come again.
    accepts_again: bool,
    ticked_ms: u64,
}

impl Streams {
    /// Connections of these listeners, which must not block; those with a configuration are encrypted.
    pub fn new(
        shared: Shared,
        listeners: Vec<(std::net::TcpListener, Option<Arc<ServerConfig>>)>,
        open: Arc<AtomicUsize>,
    ) -> io::Result<(Self, Arc<Waker>)> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        let mut listening = Vec::new();
        for (index, (listener, tls)) in listeners.into_iter().enumerate() {
            let mut listener = TcpListener::from_std(listener);
            poll.registry().register(&mut listener, Token(1 + index), Interest::READABLE)?;
            listening.push(Listening { listener, tls });
        }
        let streams = Self {
            poll,
            waker: Arc::clone(&waker),
            shared,
            listening,
            table: Table::new(),
            turns: VecDeque::new(),
            late: channel(),
            scratch: vec![0; SCRATCH_BYTES],
            reply: Vec::new(),
            open,
            accepts_again: false,
            ticked_ms: 0,
        };
        Ok((streams, waker))
    }

    /// Serves until the server ends.
    pub fn run(mut self) {
        let mut events = Events::with_capacity(EVENTS);
        while !self.shared.has_ended() {
            let timeout = match (self.turns.is_empty(), self.table.len() == 0 && !self.accepts_again) {
                (false, _) => Some(Duration::ZERO),
                (true, false) => Some(TICK),
                (true, true) => None,
            };
            if self.poll.poll(&mut events, timeout).is_err() {
                // Interrupted by a signal: the events come with the next call.
                continue;
            }
            let now = self.shared.clock.now();
            for event in &events {
                match event.token() {
                    WAKE => {}
                    Token(token) if token <= self.listening.len() => self.accept(token - 1, now),
                    Token(token) => {
                        let Some((place, connection)) = self.table.at(token - 1 - self.listening.len()) else {
                            continue;
                        };
                        if event.is_readable() || event.is_read_closed() || event.is_error() {
                            connection.set_readable();
                        }
                        self.pump(place, now);
                    }
                }
            }
            self.take_late(now);
            for _ in 0..self.turns.len() {
                if let Some(place) = self.turns.pop_front() {
                    self.pump(place, now);
                }
            }
            self.tick(now);
            self.open.store(self.table.len(), Ordering::Relaxed);
        }
    }

    fn tick(&mut self, now: Now) {
        if now.ms - self.ticked_ms < 500 {
            return;
        }
        self.ticked_ms = now.ms;
        self.table.end_idle(now.ms);
        if std::mem::take(&mut self.accepts_again) {
            (0..self.listening.len()).for_each(|index| self.accept(index, now));
        }
    }

    fn accept(&mut self, index: usize, now: Now) {
        loop {
            match self.listening[index].listener.accept() {
                Ok((socket, peer)) => {
                    if self.table.make_room(peer.ip()) {
                        // A connection that cannot be set up is closed by its drop.
                        let _ = self.welcome(index, socket, peer.ip(), now);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted) => {
                }
                Err(_) => {
                    self.accepts_again = true;
                    return;
                }
            }
        }
    }

    fn welcome(
        &mut self,
        index: usize,
        socket: mio::net::TcpStream,
        client: std::net::IpAddr,
        now: Now,
    ) -> io::Result<()> {
        socket.set_nodelay(true)?;
        let mut channel = Channel::new(socket, self.listening[index].tls.as_ref())?;
        let place = self.table.next_place();
        let token = Token(1 + self.listening.len() + place.index);
        let interest = Interest::READABLE | Interest::WRITABLE;
        if let Err(error) = self.poll.registry().register(channel.socket(), token, interest) {
            self.table.give_back(place);
            return Err(error);
        }
        self.table.put(place, Connection::new(channel, client, now.ms));
        self.pump(place, now);
        Ok(())
    }

    fn take_late(&mut self, now: Now) {
        while let Ok((place, reply)) = self.late.1.try_recv() {
            if let Some(connection) = self.table.get(place) {
                connection.reply_late(&reply);
                self.pump(place, now);
            }
        }
    }

    fn pump(&mut self, place: Place, now: Now) {
        let keepalive = u16::try_from(self.table.idle_ms() / 100).unwrap_or(u16::MAX);
        let Some(connection) = self.table.get(place) else { return };
        let (shared, waker, late) = (&self.shared, &self.waker, &self.late.0);
        let mut handle = |connection: &Connection, query: &[u8], out: &mut Vec<u8>| -> Handled {
            let transport = if connection.channel.is_encrypted() { Transport::Tls } else { Transport::Tcp };
            let asker = Asker { transport, client: connection.client, keepalive };
            let mut later = || -> Later {
                let (waker, late) = (Arc::clone(waker), late.clone());
                Box::new(move |reply| {
                    let _ = late.send((place, reply.to_vec()));
                    let _ = waker.wake();
                })
            };
            shared.handle(query, &asker, now, out, &mut later)
        };
        match connection.pump(&mut self.scratch, &mut self.reply, now.ms, &mut handle) {
            Next::Event => {}
            Next::Turn => self.turns.push_back(place),
            Next::End => self.table.end(place.index),
        }
    }
}

#[cfg(test)]
mod tests;
