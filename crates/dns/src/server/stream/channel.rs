//! Bytes of a connection, with TLS or without. Calls never block.

use mio::net::TcpStream;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};
use std::io;
use std::io::{Read, Write};
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

// The TLS of DNS over TLS (RFC 7858).

/// TLS 1.2 and 1.3 with that chain, the server's own certificate first. Errors name cause and cure.
pub fn tls_config(certificate: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, String> {
    let chain: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(certificate).collect::<Result<_, _>>().map_err(|error| unreadable(&error))?;
    if chain.is_empty() {
        return Err(
            "the TLS certificate holds no CERTIFICATE block; give a PEM file, the server's own first".to_owned()
        );
    }
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|error| format!("the TLS key cannot be read: {error}; give a PEM file with an unencrypted key"))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be used: {error}"))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| format!("the TLS certificate and its key don't fit: {error}; give both of one pair"))?;
    config.alpn_protocols = vec![b"dot".to_vec()];
    Ok(Arc::new(config))
}

fn unreadable(error: &rustls::pki_types::pem::Error) -> String {
    format!("the TLS certificate cannot be read: {error}; give a PEM file")
}
