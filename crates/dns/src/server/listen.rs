//! Binding sockets, each to one address.

use crate::engine::Transport;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};

/// An address to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listen {
    /// Datagrams, streams or TLS; not HTTPS.
    pub transport: Transport,
    /// Port 0: any free one, the same for all datagrams and streams that ask for any.
    pub address: SocketAddr,
}

/// A socket that could not be bound.
#[derive(Debug)]
pub struct ListenError {
    listen: Listen,
    cause: io::Error,
}

impl fmt::Display for ListenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { listen: Listen { transport, address }, cause } = self;
        let transport = format!("{transport:?}").to_uppercase();
        let cure = match cause.kind() {
            io::ErrorKind::AddrInUse => "another program uses it: choose another port, or end that program",
            io::ErrorKind::PermissionDenied => {
                "ports below 1024 need a privilege (on Linux CAP_NET_BIND_SERVICE): grant it, or choose a higher port"
            }
            io::ErrorKind::AddrNotAvailable => "this machine has no such address: choose one of its own",
            _ => "choose another address",
        };
        write!(out, "cannot listen on {address} over {transport}: {cause}; {cure}")
    }
}

impl std::error::Error for ListenError {}

/// A bound socket.
pub enum Bound {
    /// Datagrams.
    Datagrams(UdpSocket),
    /// Connections; with TLS or without.
    Streams(TcpListener, Transport),
}

/// Bytes of queries that the system keeps while a thread is busy. Systems give less when they allow less.
const RECEIVE_BYTES: usize = 4 << 20;
const SEND_BYTES: usize = 1 << 20;
const BACKLOG: i32 = 512;

/// A common free port is tried for this often: other programs take ports in between.
const TRIES: usize = 64;

/// Binds all, in their order, or none.
pub fn bind_all(listens: &[Listen]) -> Result<Vec<(Listen, Bound)>, ListenError> {
    let shares = |listen: &&Listen| listen.address.port() == 0 && listen.transport != Transport::Tls;
    let mut tries = if listens.iter().filter(shares).count() > 1 { TRIES } else { 1 };
    loop {
        tries -= 1;
        match bind_each(listens) {
            Err(error) if tries > 0 && shares(&&error.listen) => {}
            result => return result,
        }
    }
}

/// Binds an address for connections, which do not block.
///
/// # Errors
/// [`ListenError`].
pub fn bind_stream(address: SocketAddr) -> Result<(SocketAddr, TcpListener), ListenError> {
    let failed = |cause| ListenError { listen: Listen { transport: Transport::Tcp, address }, cause };
    match bind(Transport::Tcp, address).map_err(failed)? {
        (address, Bound::Streams(listener, _)) => Ok((address, listener)),
        (_, Bound::Datagrams(_)) => Err(failed(io::ErrorKind::Unsupported.into())),
    }
}

fn bind_each(listens: &[Listen]) -> Result<Vec<(Listen, Bound)>, ListenError> {
    let mut shared = 0;
    let mut bound = Vec::with_capacity(listens.len());
    for &listen in listens {
        let Listen { transport, mut address } = listen;
        if address.port() == 0 && transport != Transport::Tls {
            address.set_port(shared);
        }
        let (actual, socket) = bind(transport, address).map_err(|cause| ListenError { listen, cause })?;
        if listen.address.port() == 0 && transport != Transport::Tls {
            shared = actual.port();
        }
        bound.push((Listen { transport, address: actual }, socket));
    }
    Ok(bound)
}

fn bind(transport: Transport, address: SocketAddr) -> io::Result<(SocketAddr, Bound)> {
    let domain = Domain::for_address(address);
    if transport == Transport::Udp {
        let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
        only_v6(&socket, address)?;
        // Serve also where the system does not allow it.
        let _ = socket.set_recv_buffer_size(RECEIVE_BYTES);
        let _ = socket.set_send_buffer_size(SEND_BYTES);
        socket.bind(&SockAddr::from(address))?;
        let socket = UdpSocket::from(socket);
        return Ok((socket.local_addr()?, Bound::Datagrams(socket)));
    }
    let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    only_v6(&socket, address)?;
    // On Windows this would let another program take the port over.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&SockAddr::from(address))?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    let listener = TcpListener::from(socket);
    Ok((listener.local_addr()?, Bound::Streams(listener, transport)))
}

/// `[::]` and `0.0.0.0` are two addresses.
fn only_v6(socket: &Socket, address: SocketAddr) -> io::Result<()> {
    if address.is_ipv6() { socket.set_only_v6(true) } else { Ok(()) }
}
