//! DNS over TLS.

use crate::fixture::{option, packet};
use crate::running::{Running, ask_stream, listen, options, start};
use crate::seen::read;
use chronym_dns::engine::Transport;
use chronym_dns::server::{Server, ServerOptions, StartError, TlsFiles};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

fn start_tls() -> (Running, Arc<ClientConfig>) {
    let made = rcgen::generate_simple_self_signed(["dns.example".to_owned()]).unwrap();
    let files =
        TlsFiles { certificate: made.cert.pem().into_bytes(), key: made.signing_key.serialize_pem().into_bytes() };
    let running =
        start(ServerOptions { listen: vec![listen(Transport::Tls, "127.0.0.1:0")], tls: Some(files), ..options() });
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"dot".to_vec()];
    (running, Arc::new(config))
}

fn connect(running: &Running, config: &Arc<ClientConfig>) -> StreamOwned<ClientConnection, TcpStream> {
    let stream = TcpStream::connect(running.address(Transport::Tls)).unwrap();
    stream.set_read_timeout(Some(crate::running::PATIENCE)).unwrap();
    let name = ServerName::try_from("dns.example").unwrap();
    StreamOwned::new(ClientConnection::new(Arc::clone(config), name).unwrap(), stream)
}

#[test]
fn queries_over_tls_are_answered_and_padded_for_clients_that_pad() {
    let (running, config) = start_tls();
    let mut stream = connect(&running, &config);
    let padded = packet("alice.chronym", 1, Some(&option(12, &[0; 20])), false);
    // The first comes late, the second at once.
    for _ in 0..2 {
        let reply = ask_stream(&mut stream, &padded);
        assert_eq!(reply.len(), 468);
        assert_eq!(read(&reply).answer, ["alice.chronym. 300 A 192.0.2.1"]);
    }
    assert_eq!(stream.conn.alpn_protocol(), Some(&b"dot"[..]));
    let plain = ask_stream(&mut stream, &packet("alice.chronym", 1, Some(b""), false));
    assert!(plain.len() < 100);
    assert_eq!(running.server.stats().queries, [0, 0, 3, 0]);
}

#[test]
fn a_large_answer_is_longer_than_what_tls_holds() {
    let (running, config) = start_tls();
    let mut stream = connect(&running, &config);
    let query = packet("large.chronym", 1, None, false);
    for _ in 0..20 {
        stream.write_all(&crate::running::framed(&query)).unwrap();
    }
    for _ in 0..20 {
        assert_eq!(read(&crate::running::read_message(&mut stream)).answer.len(), 200);
    }
}

#[test]
fn what_is_no_tls_ends_and_others_go_on() {
    let (running, config) = start_tls();
    let mut plain = TcpStream::connect(running.address(Transport::Tls)).unwrap();
    plain.write_all(&crate::running::framed(&packet("alice.chronym", 1, None, false))).unwrap();
    let mut rest = Vec::new();
    let _ = plain.read_to_end(&mut rest);
    assert!(rest.len() < 20, "an alert at most");
    assert_eq!(read(&ask_stream(&mut connect(&running, &config), &packet("chronym", 6, None, false))).rcode, 0);
}

#[test]
fn a_certificate_that_cannot_be_used_is_an_error_with_a_cure() {
    let made = rcgen::generate_simple_self_signed(["dns.example".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(["dns.example".to_owned()]).unwrap();
    let certificate = made.cert.pem().into_bytes();
    let key = other.signing_key.serialize_pem().into_bytes();
    let message = |tls: Option<TlsFiles>| {
        let options = ServerOptions { listen: vec![listen(Transport::Tls, "127.0.0.1:0")], tls, ..options() };
        match Server::start(options, Box::new(|_, _| true)) {
            Err(StartError::Tls(message)) => message,
            Err(error) => panic!("another error: {error}"),
            Ok(_) => panic!("it starts"),
        }
    };
    assert!(message(None).contains("needs a certificate"));
    assert!(message(Some(TlsFiles { certificate: Vec::new(), key: key.clone() })).contains("no CERTIFICATE"));
    assert!(
        message(Some(TlsFiles { certificate: certificate.clone(), key: b"x".to_vec() })).contains("key cannot be read")
    );
    assert!(message(Some(TlsFiles { certificate, key })).contains("don't fit"));
}
