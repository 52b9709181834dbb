//! A server on real sockets of this machine.

use crate::desk::{address, apex};
use crate::fixture::{name, record, zone};
use chronym_dns::engine::{Reason, Transport};
use chronym_dns::server::{Listen, Server, ServerOptions};
use chronym_dns::{Knowledge, Trust};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// Only what never comes is waited for as long.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Running {
    pub server: Arc<Server>,
    /// What was asked.
    pub asked: Receiver<(String, Reason)>,
}

pub fn listen(transport: Transport, text: &str) -> Listen {
    Listen { transport, address: text.parse().expect("an address") }
}

/// Datagrams and streams on one free port of this machine.
pub fn options() -> ServerOptions {
    ServerOptions {
        apex: apex(),
        listen: vec![listen(Transport::Udp, "127.0.0.1:0"), listen(Transport::Tcp, "127.0.0.1:0")],
        tls: None,
        forward: Vec::new(),
        is_public: false,
        cache_bytes: 8 << 20,
    }
}

/// Names with `slow` are learned by the test; those with `gone` are absent, `large` ones have 200 addresses.
pub fn start(options: ServerOptions) -> Running {
    let (asks, asked) = channel();
    let known = Arc::<OnceLock<Weak<Server>>>::default();
    let of_question = Arc::clone(&known);
    let question = Box::new(move |text: &str, reason: Reason| {
        asks.send((text.to_owned(), reason)).unwrap();
        let server = of_question.wait().upgrade();
        if let Some(server) = server.filter(|_| !text.contains("slow")) {
            server.learn(&name(text), knowledge(text), 60_000, 120_000);
        }
        true
    });
    let server = Arc::new(Server::start(options, question).expect("a server"));
    assert!(known.set(Arc::downgrade(&server)).is_ok());
    Running { server, asked }
}

fn knowledge(text: &str) -> Knowledge {
    if text.contains("gone") {
        return Knowledge::Absent;
    }
    if text.contains("large") {
        let records: Vec<_> = (0..200).map(|number| record(text, 1, 300, &[192, 0, 2, number])).collect();
        return Knowledge::Zone { zone: zone(text, &records), trust: Trust::Secure };
    }
    address(text)
}

impl Running {
    pub fn address(&self, transport: Transport) -> SocketAddr {
        let listen = self.server.addresses().iter().find(|listen| listen.transport == transport);
        listen.expect("an address of that transport").address
    }

    /// A socket whose other end is the server.
    pub fn udp(&self) -> UdpSocket {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.connect(self.address(Transport::Udp)).unwrap();
        socket
    }

    pub fn tcp(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address(Transport::Tcp)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    pub fn ask_udp(&self, packet: &[u8]) -> Vec<u8> {
        exchange(&self.udp(), packet)
    }
}

pub fn exchange(socket: &UdpSocket, packet: &[u8]) -> Vec<u8> {
    socket.send(packet).unwrap();
    receive(socket)
}

pub fn receive(socket: &UdpSocket) -> Vec<u8> {
    let mut buffer = vec![0; 65_535];
    let length = socket.recv(&mut buffer).expect("a reply");
    buffer[..length].to_vec()
}

/// With its length before it.
pub fn framed(packet: &[u8]) -> Vec<u8> {
    [&u16::try_from(packet.len()).unwrap().to_be_bytes()[..], packet].concat()
}

pub fn read_message(stream: &mut impl Read) -> Vec<u8> {
    let mut length = [0; 2];
    stream.read_exact(&mut length).expect("a reply");
    let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut message).expect("the whole reply");
    message
}

pub fn ask_stream(stream: &mut (impl Read + Write), packet: &[u8]) -> Vec<u8> {
    stream.write_all(&framed(packet)).unwrap();
    read_message(stream)
}

/// Waits for what other threads bring about.
pub fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let start = std::time::Instant::now();
    while !check() {
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
