//! Queries for other names, handed to upstream resolvers when the operator asks for that.

use super::guard::Clock;
use crate::codes::{ede, rcode};
use crate::engine::{Later, Now, Outside, Transport};
use crate::finish::{Envelope, refuse};
use crate::message::ExtendedError;
use crate::query::{Query, parse};
use exchange::{Way, random_u16, relayed, request};
use mio::{Events, Poll, Token, Waker};
use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

mod exchange;

/// Queries under way at once.
const IN_FLIGHT: usize = 512;

/// An upstream has this long, then the next gets its turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// Time-outs are looked at this often.
const TICK: Duration = Duration::from_millis(100);

const WAKE: Token = Token(0);

struct Job {
    packet: Box<[u8]>,
    is_stream: bool,
    limit: usize,
    later: Later,
}

/// Takes queries from all threads.
pub struct Forwarder {
    jobs: Sender<Job>,
    waker: Arc<Waker>,
    in_flight: Arc<AtomicUsize>,
    clock: Clock,
}

impl Outside for Forwarder {
    fn has_room(&self) -> bool {
        self.in_flight.load(Ordering::Relaxed) < IN_FLIGHT
    }

    fn now(&self) -> Now {
        self.clock.now()
    }

    fn forward(&self, packet: &[u8], transport: Transport, limit: usize, later: Later) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        let is_stream = transport != Transport::Udp;
        let _ = self.jobs.send(Job { packet: packet.into(), is_stream, limit, later });
        let _ = self.waker.wake();
    }
}

struct Exchange {
    job: Job,
    query: Query,
    request: Vec<u8>,
    /// The index of the upstream asked, and the way to it.
    upstream: usize,
    way: Way,
    deadline: Instant,
}

/// The loop.
pub struct Forwarding {
    poll: Poll,
    upstreams: Vec<SocketAddr>,
    jobs: Receiver<Job>,
    in_flight: Arc<AtomicUsize>,
    exchanges: Vec<Option<Exchange>>,
    ended: Arc<AtomicBool>,
}

impl Forwarding {
    /// Asks these upstreams, the first first.
    pub fn new(
        upstreams: Vec<SocketAddr>,
        ended: Arc<AtomicBool>,
        clock: Clock,
    ) -> io::Result<(Self, Forwarder, Arc<Waker>)> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        let (sender, jobs) = channel();
        let in_flight = Arc::new(AtomicUsize::new(0));
        let (signal, counted) = (Arc::clone(&waker), Arc::clone(&in_flight));
        let forwarder = Forwarder { jobs: sender, waker: signal, in_flight: counted, clock };
        let forwarding = Self { poll, upstreams, jobs, in_flight, exchanges: Vec::new(), ended };
        Ok((forwarding, forwarder, waker))
    }

    /// Forwards until the server ends.
    pub fn run(mut self) {
        let mut events = Events::with_capacity(256);
        while !self.ended.load(Ordering::Acquire) {
            let idle = self.exchanges.iter().all(Option::is_none);
            if self.poll.poll(&mut events, (!idle).then_some(TICK)).is_err() {
                // Interrupted by a signal: the events come with the next call.
                continue;
            }
            while let Ok(job) = self.jobs.try_recv() {
                self.begin(job);
            }
            for event in &events {
                if event.token() != WAKE {
                    self.proceed(event.token().0 - 1);
                }
            }
            let now = Instant::now();
            for index in 0..self.exchanges.len() {
                if self.exchanges[index].as_ref().is_some_and(|exchange| now >= exchange.deadline) {
                    self.next_upstream(index);
                }
            }
        }
    }

    fn begin(&mut self, job: Job) {
        // It was read before; what cannot be read again is nobody's loss.
        let Ok(query) = parse(&job.packet) else { return self.finished() };
        let index = self.exchanges.iter().position(Option::is_none).unwrap_or_else(|| {
            self.exchanges.push(None);
            self.exchanges.len() - 1
        });
        self.ask(index, job, query, 0);
    }

    /// Asks the first upstream from `from` on that can be asked; the last word is SERVFAIL.
    fn ask(&mut self, index: usize, job: Job, query: Query, from: usize) {
        for upstream in from..self.upstreams.len() {
            let Ok(id) = random_u16() else { break };
            let request = request(&job.packet, &query, id);
            let opened =
                Way::open(self.upstreams[upstream], &request, job.is_stream, self.poll.registry(), Token(1 + index));
            if let Ok(way) = opened {
                let deadline = Instant::now() + PATIENCE;
                self.exchanges[index] = Some(Exchange { job, query, request, upstream, way, deadline });
                return;
            }
        }
        let error = ExtendedError { code: ede::NO_REACHABLE_AUTHORITY, text: "no upstream answered".into() };
        let envelope = Envelope { limit: job.limit, cookie: None, padding_block: None, keepalive: None, ra: true };
        let mut out = Vec::new();
        let error = (job.limit >= job.packet.len() + 64).then_some(&error);
        refuse(&query, &job.packet, rcode::SERVFAIL, error, &envelope, &mut out);
        self.finish(job.later, &out);
    }

    fn proceed(&mut self, index: usize) {
        let Some(exchange) = self.exchanges.get_mut(index).and_then(Option::as_mut) else { return };
        match exchange.way.proceed(&exchange.request, exchange.query.question.len()) {
            Ok(None) => {}
            Err(_) => self.next_upstream(index),
            Ok(Some(reply)) => {
                let Some(Exchange { job, query, way, .. }) = self.exchanges[index].take() else { return };
                way.close(self.poll.registry());
                let reply = relayed(reply, &query, job.limit);
                self.finish(job.later, &reply);
            }
        }
    }

    fn next_upstream(&mut self, index: usize) {
        let Some(Exchange { job, query, upstream, way, .. }) = self.exchanges[index].take() else { return };
        way.close(self.poll.registry());
        self.ask(index, job, query, upstream + 1);
    }

    /// A panic loses the query at hand, not the thread.
    fn finish(&self, later: Later, reply: &[u8]) {
        let _ = catch_unwind(AssertUnwindSafe(|| later(reply)));
        self.finished();
    }

    fn finished(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}
