//! One end of a tunnel: a socket, with TLS or without. Calls never block.

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use rustls::Connection;
use std::io::{self, Read, Write};
use std::net::Shutdown;

/// Has events of a socket come with this token.
pub fn watch(registry: &Registry, socket: &mut TcpStream, token: usize) -> io::Result<()> {
    registry.register(socket, Token(token), Interest::READABLE | Interest::WRITABLE)
}

/// A socket, and what it has yet to send.
pub struct Side {
    pub socket: TcpStream,
    tls: Option<Box<Connection>>,
    out: Vec<u8>,
    /// Bytes that may still be carried from it.
    pub left: u64,
    /// It sends no more.
    pub has_ended: bool,
    is_ending: bool,
    is_shut: bool,
}

/// What a read gave.
#[derive(Debug, PartialEq, Eq)]
pub enum Got {
    Bytes(usize),
    Nothing,
    /// The end, as it should be.
    End,
    /// The connection ended without TLS saying so: bytes may be missing.
    Cut,
}

impl Side {
    pub fn new(socket: TcpStream) -> Self {
        Self { socket, tls: None, out: Vec::new(), left: u64::MAX, has_ended: false, is_ending: false, is_shut: false }
    }

    /// Speaks TLS from now on.
    pub fn encrypt(&mut self, tls: Connection) {
        self.tls = Some(Box::new(tls));
    }

    pub fn tls(&self) -> Option<&Connection> {
        self.tls.as_deref()
    }

    /// Counts bytes to be carried from it; more than may be are an error.
    pub fn spend(&mut self, count: usize) -> io::Result<()> {
        self.left = self.left.checked_sub(count as u64).ok_or(io::ErrorKind::InvalidData)?;
        Ok(())
    }

    /// Reads once. `Nothing`: wait for an event.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Got> {
        let Some(tls) = &mut self.tls else {
            return match retry(|| self.socket.read(buffer)) {
                Ok(0) => Ok(Got::End),
                Ok(count) => Ok(Got::Bytes(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Got::Nothing),
                Err(error) => Err(error),
            };
        };
        loop {
            match tls.reader().read(buffer) {
                Ok(0) => return Ok(Got::End),
                Ok(count) => return Ok(Got::Bytes(count)),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Got::Cut),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            match retry(|| tls.read_tls(&mut self.socket)) {
                // Within a handshake the reader does not tell.
                Ok(0) if tls.is_handshaking() => return Ok(Got::Cut),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Got::Nothing),
                Err(error) => return Err(error),
            }
            if let Err(error) = tls.process_new_packets() {
                // The alert that says why.
                let _ = tls.write_tls(&mut self.socket);
                return Err(io::Error::other(error));
            }
        }
    }

    /// Whether the other end sends no more, and nothing of it is to be read.
    pub fn is_at_end(&self) -> bool {
        matches!(retry(|| self.socket.peek(&mut [0])), Ok(0))
    }

    /// Goes on with the handshake of TLS; whether it is done.
    pub fn greet(&mut self) -> io::Result<bool> {
        loop {
            self.flush()?;
            let Some(tls) = self.tls.as_mut().filter(|tls| tls.is_handshaking()) else { return Ok(true) };
            match retry(|| tls.read_tls(&mut self.socket)) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
            if let Err(error) = tls.process_new_packets() {
                let _ = tls.write_tls(&mut self.socket);
                return Err(io::Error::other(error));
            }
        }
    }

    /// Takes bytes to send. Call it after a [`Side::flush`] that sent all, so that no more than one piece is held.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(tls) = &mut self.tls {
            return tls.writer().write_all(bytes);
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// No bytes follow those that were written.
    pub fn end(&mut self, is_whole: bool) {
        if self.is_ending {
            return;
        }
        self.is_ending = true;
        if let (Some(tls), true) = (&mut self.tls, is_whole) {
            tls.send_close_notify();
        }
    }

    /// Hands over to the socket what waits; false: some is left.
    pub fn flush(&mut self) -> io::Result<bool> {
        while !self.out.is_empty() {
            match retry(|| self.socket.write(&self.out)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
                Ok(count) => drop(self.out.drain(..count)),
            }
        }
        if let Some(tls) = &mut self.tls {
            while tls.wants_write() {
                match retry(|| tls.write_tls(&mut self.socket)) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                    result => result?,
                };
            }
        }
        if self.is_ending && !self.is_shut {
            self.is_shut = true;
            match self.socket.shutdown(Shutdown::Write) {
                Err(error) if error.kind() != io::ErrorKind::NotConnected => return Err(error),
                _ => {}
            }
        }
        Ok(true)
    }

    /// Whether all was sent, and the other end knows that no more comes.
    pub fn is_shut(&self) -> bool {
        self.is_shut
    }
}

fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
