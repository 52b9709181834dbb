//! How soon new connections are there: `handshakes PORT NAME ORIGIN_PORT CA_FILE COUNT [tunnel]` opens 50 a second at
//! 127.0.0.1, one after the other, with TLS 1.3 and without resumption; through the tunnel of a proxy if asked to. Prints
//! for each the microseconds from its first packet to the end of the handshake, and to the origin's first byte.

use rustls::client::Resumption;
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use rustls::{ClientConfig, ClientConnection, RootCertStore, Stream};
use std::io::{Read, Result, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_millis(20);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, port, name, origin, authority, count, tunnel @ ..] = arguments.as_slice() else {
        panic!("handshakes PORT NAME ORIGIN_PORT CA_FILE COUNT [tunnel]");
    };
    let port: u16 = port.parse().expect("a port");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).expect("a PEM file")).expect("an authority");
    let mut config = ClientConfig::builder_with_protocol_versions(&[&rustls::version::TLS13])
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    let config = Arc::new(config);
    let begun = Instant::now();
    let mut waits = Vec::new();
    for number in 0..count.parse().expect("a number") {
        std::thread::sleep((EVERY * number).saturating_sub(begun.elapsed()));
        let server = ServerName::try_from(name.clone()).expect("a name");
        let mut tls = ClientConnection::new(Arc::clone(&config), server).expect("a client");
        let start = Instant::now();
        let mut socket = TcpStream::connect(("127.0.0.1", port))?;
        socket.set_nodelay(true)?;
        if !tunnel.is_empty() {
            socket.write_all(format!("CONNECT {name}:{origin} HTTP/1.1\r\n\r\n").as_bytes())?;
            let mut reply = [0; 1024];
            let length = socket.read(&mut reply)?;
            assert!(
                reply[..length].starts_with(b"HTTP/1.1 200 ") && reply[..length].ends_with(b"\r\n\r\n"),
                "no tunnel"
            );
        }
        tls.complete_io(&mut socket)?;
        let handshake = start.elapsed();
        let mut stream = Stream::new(&mut tls, &mut socket);
        stream.write_all(format!("GET /small HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n").as_bytes())?;
        let mut answer = [0; 13];
        stream.read_exact(&mut answer)?;
        waits.push((handshake.as_micros(), start.elapsed().as_micros()));
        assert_eq!(&answer, b"HTTP/1.1 200 ");
    }
    for (handshake, answer) in waits {
        println!("{handshake} {answer}");
    }
    Ok(())
}
