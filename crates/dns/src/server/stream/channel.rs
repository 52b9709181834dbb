//! Bytes of a connection, with TLS or without. Calls never block.

use mio::net::TcpStream;
use rustls::{ServerConfig, ServerConnection};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Bytes of replies that TLS holds until the socket takes them; the connection's own buffer holds the rest.
const TLS_BYTES: usize = 16_384;

/// A connection's bytes.
pub struct Channel {
    socket: TcpStream,
    tls: Option<Box<ServerConnection>>,
}

impl Channel {
    /// Without a configuration, without TLS.
    pub fn new(socket: TcpStream, config: Option<&Arc<ServerConfig>>) -> io::Result<Self> {
        let tls =
            config.map(|config| ServerConnection::new(Arc::clone(config))).transpose().map_err(io::Error::other)?;
        let tls = tls.map(|mut tls| {
            tls.set_buffer_limit(Some(TLS_BYTES));
            Box::new(tls)
        });
        Ok(Self { socket, tls })
    }

    /// The socket, to register it.
    pub fn socket(&mut self) -> &mut TcpStream {
        &mut self.socket
    }

    /// Reads; 0: the peer sends no more.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return self.socket.read(buffer) };
        loop {
            match tls.reader().read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // Most clients don't bother to announce the end; messages have lengths, so nothing can be cut.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                result => return result,
            }
            if tls.read_tls(&mut self.socket)? == 0 {
                return Ok(0);
            }
            if let Err(error) = tls.process_new_packets() {
                // The alert that says why; if it does not fit now, the peer learns by the end.
                let _ = tls.write_tls(&mut self.socket);
                return Err(io::Error::other(error));
            }
        }
    }

    /// Writes as much as fits.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return self.socket.write(bytes) };
        let written = tls.writer().write(bytes)?;
        let is_flushed = self.flush()?;
        if written == 0 && !is_flushed { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(written) }
    }

    /// Hands what TLS holds to the socket; false: some is left.
    pub fn flush(&mut self) -> io::Result<bool> {
        let Some(tls) = &mut self.tls else { return Ok(true) };
        while tls.wants_write() {
            match tls.write_tls(&mut self.socket) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                result => result?,
            };
        }
        Ok(true)
    }

    /// Announces the end as far as that goes without waiting.
    pub fn end(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            let _ = tls.write_tls(&mut self.socket);
        }
    }

    /// Whether queries are hidden from the network.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }
}
