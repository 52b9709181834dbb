//! One connection: queries in, replies out, in whatever order they are ready (RFC 7766, 6.2.1.1).

use super::super::guard::QUERY_BYTES;
use super::channel::Channel;
use super::table::Held;
use crate::engine::Handled;
use std::io;
use std::net::IpAddr;

/// Bytes of the length before each message.
const LENGTH_BYTES: usize = 2;

/// Bytes that are read at once.
const READ_BYTES: usize = 16_384;

/// Room for what is read, behind the start of a query that came before.
pub const SCRATCH_BYTES: usize = READ_BYTES + LENGTH_BYTES + QUERY_BYTES;

/// A client that does not read its replies gets no more of them from here on.
const OUT_BYTES: usize = 16_384;

/// Queries of one connection that wait at once.
const WAITING: usize = 64;

/// Reads of one connection before the others get their turn.
const READS: usize = 4;

/// What a connection needs next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// An event of its socket, or a late reply.
    Event,
    /// Another turn.
    Turn,
    /// Its end.
    End,
}

/// Answers a query of a connection into the buffer.
pub type Handle<'a> = &'a mut dyn FnMut(&Connection, &[u8], &mut Vec<u8>) -> Handled;

/// A connection.
pub struct Connection {
    pub channel: Channel,
    pub client: IpAddr,
    /// When a query was last read whole, or the last reply was written whole: trickled bytes do not count.
    progress_ms: u64,
    /// Queries that wait.
    waiting: usize,
    partial: Vec<u8>,
    out: Vec<u8>,
    out_at: usize,
    is_readable: bool,
    is_half_closed: bool,
}

impl Connection {
    /// A new one. There may be something to read already.
    pub fn new(channel: Channel, client: IpAddr, now_ms: u64) -> Self {
        Self {
            channel,
            client,
            progress_ms: now_ms,
            waiting: 0,
            partial: Vec::new(),
            out: Vec::new(),
            out_at: 0,
            is_readable: true,
            is_half_closed: false,
        }
    }

    /// The system says that there is something to read.
    pub fn set_readable(&mut self) {
        self.is_readable = true;
    }

    /// Adds a reply that came late.
    pub fn reply_late(&mut self, reply: &[u8]) {
        self.waiting = self.waiting.saturating_sub(1);
        self.push(reply);
    }

    /// Reads, answers and writes as far as it goes. `handle` answers a query into its second argument.
    pub fn pump(&mut self, scratch: &mut [u8], reply: &mut Vec<u8>, now_ms: u64, handle: Handle<'_>) -> Next {
        match self.try_pump(scratch, reply, now_ms, handle) {
            Ok(next) => next,
            Err(_) => Next::End,
        }
    }

    fn try_pump(
        &mut self,
        scratch: &mut [u8],
        reply: &mut Vec<u8>,
        now_ms: u64,
        handle: Handle<'_>,
    ) -> io::Result<Next> {
        for _ in 0..READS {
            let length = self.partial.len();
            scratch[..length].copy_from_slice(&self.partial);
            let read =
                if self.has_query() || !self.takes_more() { Some(0) } else { self.read(&mut scratch[length..])? };
            let length = length + read.unwrap_or(0);
            let used = self.answer(&scratch[..length], reply, now_ms, handle);
            self.partial.clear();
            self.partial.extend_from_slice(&scratch[used..length]);
            self.write(now_ms)?;
            let is_stuck = !self.takes_more() || (read.is_none() && !self.has_query());
            if self.is_half_closed && !self.has_query() && self.is_idle() {
                return Ok(Next::End);
            }
            if is_stuck {
                return Ok(Next::Event);
            }
        }
        Ok(Next::Turn)
    }

    /// `None`: nothing to read now, or ever.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if !self.is_readable || self.is_half_closed {
            return Ok(None);
        }
        match self.channel.read(&mut buffer[..READ_BYTES]) {
            Ok(0) => self.is_half_closed = true,
            Ok(read) => return Ok(Some(read)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.is_readable = false,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(Some(0)),
            Err(error) => return Err(error),
        }
        Ok(None)
    }

    fn takes_more(&self) -> bool {
        self.waiting < WAITING && self.out.len() - self.out_at < OUT_BYTES
    }

    /// Whether what was read holds a whole query, which waits for room.
    fn has_query(&self) -> bool {
        frame(&self.partial).is_ok_and(|frame| frame.is_some())
    }

    /// Answers queries from the front; how many bytes they were. What is not a query ends the connection, once those
    /// before it are answered: nothing behind it can be found.
    fn answer(&mut self, bytes: &[u8], reply: &mut Vec<u8>, now_ms: u64, handle: Handle<'_>) -> usize {
        let mut used = 0;
        while self.takes_more() {
            let query = match frame(&bytes[used..]) {
                Ok(Some(query)) => query,
                Ok(None) => break,
                Err(_) => return self.read_no_more(bytes),
            };
            self.progress_ms = now_ms;
            used += LENGTH_BYTES + query.len();
            match handle(self, query, reply) {
                Handled::Reply => self.push(reply),
                Handled::Later => self.waiting += 1,
                Handled::Dropped => return self.read_no_more(bytes),
            }
        }
        used
    }

    fn read_no_more(&mut self, bytes: &[u8]) -> usize {
        self.is_half_closed = true;
        bytes.len()
    }

    fn push(&mut self, reply: &[u8]) {
        // Replies have at most 65,535 bytes.
        let Ok(length) = u16::try_from(reply.len()) else { return };
        self.out.extend_from_slice(&length.to_be_bytes());
        self.out.extend_from_slice(reply);
    }

    fn write(&mut self, now_ms: u64) -> io::Result<()> {
        let owed = !self.out.is_empty();
        while self.out_at < self.out.len() {
            match self.channel.write(&self.out[self.out_at..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => self.out_at += written,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        // What is written can be forgotten; a long reply's room is given back.
        self.out.clear();
        self.out.shrink_to(OUT_BYTES);
        self.out_at = 0;
        if self.channel.flush()? && owed {
            self.progress_ms = now_ms;
        }
        Ok(())
    }
}

impl Held for Connection {
    fn client(&self) -> IpAddr {
        self.client
    }

    fn progress_ms(&self) -> u64 {
        self.progress_ms
    }

    fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    fn is_idle(&self) -> bool {
        self.waiting == 0 && self.out.is_empty()
    }

    fn end(&mut self) {
        self.channel.end();
    }
}

/// The first query if it is whole. Fails for one that is too long.
fn frame(bytes: &[u8]) -> io::Result<Option<&[u8]>> {
    let Some((&length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
    let length = usize::from(u16::from_be_bytes(length));
    if length > QUERY_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(rest.get(..length))
}
