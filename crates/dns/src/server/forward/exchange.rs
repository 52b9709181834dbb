//! One query on its way to upstreams.

use crate::codes::{HEADER_BYTES, UDP_BYTES, rcode};
use crate::header::{OPT_BYTES, push_opt_header};
use crate::query::Query;
use domain::base::Message;
use domain::base::iana::Rcode;
use mio::net::{TcpStream, UdpSocket};
use mio::{Interest, Registry, Token};
use ring::rand::{SecureRandom, SystemRandom};
use std::io;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket as StdUdpSocket};

/// Ports that are tried before the system chooses one.
const PORT_TRIES: usize = 8;

/// Datagrams that are looked at for one event: a flood of forged ones must not hold the loop.
const DATAGRAMS: usize = 16;

/// The largest datagram of an upstream that is taken, in bytes.
const DATAGRAM_BYTES: usize = 4_096;

/// A way to one upstream. A new one for each attempt, so that its source port says nothing about the next.
pub enum Way {
    /// A datagram.
    Datagram(UdpSocket),
    /// A connection: what is to be written, how much of it is, and what was read.
    Stream { socket: TcpStream, out: Vec<u8>, written: usize, read: Vec<u8> },
}

impl Way {
    /// Sends a request by a datagram from a random port, or by a connection.
    pub fn open(
        upstream: SocketAddr,
        request: &[u8],
        is_stream: bool,
        registry: &Registry,
        token: Token,
    ) -> io::Result<Self> {
        if is_stream {
            let mut socket = TcpStream::connect(upstream)?;
            registry.register(&mut socket, token, Interest::READABLE | Interest::WRITABLE)?;
            let length = u16::try_from(request.len()).map_err(io::Error::other)?;
            let out = [&length.to_be_bytes(), request].concat();
            return Ok(Self::Stream { socket, out, written: 0, read: Vec::new() });
        }
        let socket = random_port(upstream)?;
        socket.set_nonblocking(true)?;
        socket.connect(upstream)?;
        let mut socket = UdpSocket::from_std(socket);
        registry.register(&mut socket, token, Interest::READABLE)?;
        socket.send(request)?;
        Ok(Self::Datagram(socket))
    }

    /// Goes on after an event: the reply when it is whole, an error when this way leads nowhere.
    pub fn proceed(&mut self, request: &[u8], question_bytes: usize) -> io::Result<Option<Vec<u8>>> {
        match self {
            Self::Datagram(socket) => {
                let mut buffer = [0; DATAGRAM_BYTES];
                for _ in 0..DATAGRAMS {
                    let Some(length) = blocked(socket.recv(&mut buffer))? else { return Ok(None) };
                    if is_reply(request, question_bytes, &buffer[..length]) {
                        return Ok(Some(buffer[..length].to_vec()));
                    }
                }
                // A peer that sends that many wrong replies guesses: a new port and ID end that.
                Err(io::ErrorKind::InvalidData.into())
            }
            Self::Stream { socket, out, written, read } => {
                while *written < out.len() {
                    match socket.write(&out[*written..]) {
                        Ok(count) => *written += count,
                        Err(error) if error.kind() == io::ErrorKind::NotConnected => return Ok(None),
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                        Err(error) => return Err(error),
                    }
                }
                let mut buffer = [0; DATAGRAM_BYTES];
                while let Some(count) = blocked(socket.read(&mut buffer))? {
                    read.extend_from_slice(&buffer[..count]);
                    if let Some((&length, rest)) = read.split_first_chunk::<2>()
                        && let Some(reply) = rest.get(..usize::from(u16::from_be_bytes(length)))
                    {
                        let is_reply = is_reply(request, question_bytes, reply);
                        return if is_reply {
                            Ok(Some(reply.to_vec()))
                        } else {
                            Err(io::ErrorKind::InvalidData.into())
                        };
                    }
                    if count == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Ok(None)
            }
        }
    }

    /// Forgets it.
    pub fn close(mut self, registry: &Registry) {
        // A socket that is closed is no longer registered either.
        let _ = match &mut self {
            Self::Datagram(socket) => registry.deregister(socket),
            Self::Stream { socket, .. } => registry.deregister(socket),
        };
    }
}

fn blocked(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

/// Systems differ in how well they choose; this is 16 bits an attacker has to guess.
fn random_port(upstream: SocketAddr) -> io::Result<StdUdpSocket> {
    let any = |port| match upstream {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)),
    };
    for _ in 0..PORT_TRIES {
        let port = random_u16()?;
        if port >= 1_024
            && let Ok(socket) = StdUdpSocket::bind(any(port))
        {
            return Ok(socket);
        }
    }
    StdUdpSocket::bind(any(0))
}

/// For ports and IDs.
pub fn random_u16() -> io::Result<u16> {
    let mut bytes = [0; 2];
    SystemRandom::new().fill(&mut bytes).map_err(|_| io::Error::other("no random bytes"))?;
    Ok(u16::from_be_bytes(bytes))
}

// What goes to an upstream, and what of its reply reaches the client.

/// Bits of the third byte: response, opcode, truncated, recursion desired.
const QR: u8 = 0x80;
const OPCODE: u8 = 0x78;
const TC: u8 = 0x02;
const RD: u8 = 0x01;
/// Bits of the fourth byte: authentic data, checking disabled.
const AD: u8 = 0x20;
const CD: u8 = 0x10;

/// An OPT record up to its flags: root, type 41, our size, no extended code, version 0.
const OPT: [u8; 7] = [0, 0, 41, UDP_BYTES.to_be_bytes()[0], UDP_BYTES.to_be_bytes()[1], 0, 0];

/// The same question with an ID of ours. Options stay behind: they are between the client and this server (RFC 6891,
/// 6.2.6), and an upstream's cookie would take the place of ours.
pub fn request(packet: &[u8], query: &Query, id: u16) -> Vec<u8> {
    let mut request = Vec::with_capacity(HEADER_BYTES + query.question.len() + 11);
    request.extend_from_slice(&id.to_be_bytes());
    request.extend_from_slice(&[packet[2] & RD, packet[3] & (AD | CD), 0, 1, 0, 0, 0, 0]);
    request.extend_from_slice(&[0, u8::from(query.edns.is_some())]);
    request.extend_from_slice(&packet[query.question.clone()]);
    if query.edns.is_some() {
        request.extend_from_slice(&OPT);
        request.extend_from_slice(&[u8::from(query.dnssec_ok()) << 7, 0, 0, 0]);
    }
    request
}

/// Whether that is a reply to the request: same ID, same question, letter by letter (0x20).
pub fn is_reply(request: &[u8], question_bytes: usize, reply: &[u8]) -> bool {
    let end = HEADER_BYTES + question_bytes;
    reply.len() >= end
        && reply[..2] == request[..2]
        && reply[2] & (QR | OPCODE) == QR
        && reply[4..6] == [0, 1]
        && reply[HEADER_BYTES..end] == request[HEADER_BYTES..end]
}

/// The reply as the client gets it. AD is the upstream's word, which this server does not check: it is cleared. A reply
/// above the limit becomes its question with TC. A query with an OPT record gets one, even if the upstream sends none.
pub fn relayed(mut reply: Vec<u8>, query: &Query, limit: usize) -> Vec<u8> {
    let opt_bytes = if lacks_opt(&reply, query) { OPT_BYTES } else { 0 };
    reply[..2].copy_from_slice(&query.id.to_be_bytes());
    reply[3] &= !AD;
    if reply.len() + opt_bytes > limit {
        reply.truncate(HEADER_BYTES + query.question.len());
        reply[2] |= TC;
        reply[6..HEADER_BYTES].fill(0);
    }
    if lacks_opt(&reply, query) {
        let additional = u16::from_be_bytes([reply[10], reply[11]]).saturating_add(1);
        reply[10..HEADER_BYTES].copy_from_slice(&additional.to_be_bytes());
        push_opt_header(&mut reply, rcode::NOERROR, query.dnssec_ok(), 0);
    }
    reply
}

/// FORMERR stays as it is: without an OPT record, it tells the client to ask without one (RFC 6891, 7).
fn lacks_opt(reply: &[u8], query: &Query) -> bool {
    query.edns.is_some()
        && Message::from_slice(reply)
            .is_ok_and(|message| message.header().rcode() != Rcode::FORMERR && message.opt().is_none())
}
