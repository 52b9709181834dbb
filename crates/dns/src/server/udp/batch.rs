//! Many datagrams with one call of the system.

use super::super::guard::{LOOK_MS, QUERY_BYTES, Shared};
use crate::engine::{Asker, Handled, Later, Transport};
use std::mem::size_of;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;
use std::{io, mem, ptr};

/// Datagrams taken at once: more gain nothing measurable.
const BATCH: usize = 32;

/// Sets what the loop needs.
pub fn prepare(socket: &UdpSocket) -> io::Result<()> {
    socket.set_read_timeout(Some(Duration::from_millis(LOOK_MS)))?;
    if is_wildcard(socket) { want_local_address(socket) } else { Ok(()) }
}

fn is_wildcard(socket: &UdpSocket) -> bool {
    socket.local_addr().is_ok_and(|address| address.ip().is_unspecified())
}

/// Serves until the server ends.
pub fn run(socket: UdpSocket, shared: &Shared) {
    let is_wildcard = is_wildcard(&socket);
    let socket = Arc::new(socket);
    let mut batch = Batch::<BATCH>::new(QUERY_BYTES);
    let mut replies: Vec<Vec<u8>> = (0..BATCH).map(|_| Vec::with_capacity(QUERY_BYTES)).collect();
    while !shared.has_ended() {
        // Errors of earlier replies (an ICMP of a closed port) arrive here too; none is a reason to end.
        let Ok(count) = batch.receive(&socket, is_wildcard) else { continue };
        let now = shared.clock.now();
        for (index, out) in replies[..count].iter_mut().enumerate() {
            let ends = &batch.ends[index];
            let handled = ends.client().map_or(Handled::Dropped, |client| {
                let asker = Asker { transport: Transport::Udp, client, keepalive: 0 };
                let mut later = || -> Later {
                    let (socket, ends) = (Arc::clone(&socket), *ends);
                    Box::new(move |reply| ends.send(&socket, reply))
                };
                shared.handle(batch.packet(index), &asker, now, out, &mut later)
            });
            if handled != Handled::Reply {
                out.clear();
            }
        }
        let full = replies[..count].iter().enumerate().filter(|(_, out)| !out.is_empty());
        batch.send(&socket, full.map(|(index, out)| (index, out.as_slice())));
    }
}

// The system's structures for many datagrams at a time.

/// Room for one address to answer from: `CMSG_SPACE` of `in6_pktinfo` is 40 bytes.
const CONTROL_WORDS: usize = 8;

/// Where a datagram came from, and at which of our addresses it arrived if the socket is bound to all of them.
#[derive(Clone, Copy)]
pub struct Ends {
    peer: libc::sockaddr_storage,
    peer_length: libc::socklen_t,
    control: [u64; CONTROL_WORDS],
    control_length: usize,
}

impl Ends {
    fn empty() -> Self {
        // SAFETY: all-zero bytes are a valid sockaddr_storage (family AF_UNSPEC).
        let peer = unsafe { mem::zeroed() };
        Self { peer, peer_length: 0, control: [0; CONTROL_WORDS], control_length: 0 }
    }

    /// The peer's address; `None` for a family other than IP.
    pub fn client(&self) -> Option<IpAddr> {
        let storage = &raw const self.peer;
        match libc::c_int::from(self.peer.ss_family) {
            libc::AF_INET => {
                // SAFETY: the family says that the storage holds this structure, which is smaller and no more aligned.
                let address = unsafe { &*storage.cast::<libc::sockaddr_in>() };
                Some(IpAddr::V4(Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr))))
            }
            libc::AF_INET6 => {
                // SAFETY: as above.
                let address = unsafe { &*storage.cast::<libc::sockaddr_in6>() };
                Some(IpAddr::V6(Ipv6Addr::from(address.sin6_addr.s6_addr)))
            }
            _ => None,
        }
    }

    /// Leaves the choice of the interface to the routes: what came in by one may leave by another. Link-local
    /// addresses mean nothing without their interface.
    #[expect(clippy::cast_ptr_alignment, reason = "read and written without alignment")]
    fn free_interface(&mut self) {
        let mut header = blank();
        header.msg_control = self.control.as_mut_ptr().cast();
        header.msg_controllen = self.control_length as _;
        // SAFETY: the control buffer is aligned and `control_length` bytes of it were written by the kernel, which
        // keeps each message within them.
        unsafe {
            let message = libc::CMSG_FIRSTHDR(&raw const header);
            if message.is_null() {
                return;
            }
            if (*message).cmsg_level == libc::IPPROTO_IP && (*message).cmsg_type == libc::IP_PKTINFO {
                let info = libc::CMSG_DATA(message).cast::<libc::in_pktinfo>();
                (&raw mut (*info).ipi_ifindex).write_unaligned(0);
            } else if (*message).cmsg_level == libc::IPPROTO_IPV6 && (*message).cmsg_type == libc::IPV6_PKTINFO {
                let info = libc::CMSG_DATA(message).cast::<libc::in6_pktinfo>();
                let address = Ipv6Addr::from((&raw const (*info).ipi6_addr).read_unaligned().s6_addr);
                if !address.is_unicast_link_local() {
                    (&raw mut (*info).ipi6_ifindex).write_unaligned(0);
                }
            }
        }
    }

    /// Sends one datagram to the peer, from the address it asked.
    pub fn send(&self, socket: &UdpSocket, reply: &[u8]) {
        let mut ends = *self;
        let mut vector = libc::iovec { iov_base: reply.as_ptr().cast_mut().cast(), iov_len: reply.len() };
        let header = ends.header(&mut vector);
        // SAFETY: the header points to `ends`, `vector` and `reply`, which live until the call returns; the kernel only
        // reads them.
        unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const header, libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL) };
    }

    fn header(&mut self, vector: &mut libc::iovec) -> libc::msghdr {
        let mut header = blank();
        header.msg_name = (&raw mut self.peer).cast();
        header.msg_namelen = self.peer_length;
        header.msg_iov = vector;
        header.msg_iovlen = 1;
        if self.control_length > 0 {
            header.msg_control = self.control.as_mut_ptr().cast();
            header.msg_controllen = self.control_length as _;
        }
        header
    }
}

/// A header that points to nothing. musl's has private padding, so it cannot be written out.
fn blank() -> libc::msghdr {
    // SAFETY: null pointers and zero lengths are a valid msghdr.
    unsafe { mem::zeroed() }
}

/// The field is a `size_t` with some C libraries and a `socklen_t` with others.
#[allow(clippy::unnecessary_cast, reason = "unnecessary with some C libraries only")]
fn control_length(header: &libc::msghdr) -> usize {
    header.msg_controllen as usize
}

/// Buffers for `N` datagrams in, and headers for `N` in or out.
pub struct Batch<const N: usize> {
    packets: Box<[u8]>,
    packet_bytes: usize,
    pub ends: Box<[Ends]>,
    lengths: [usize; N],
    headers: Box<[libc::mmsghdr]>,
    vectors: Box<[libc::iovec]>,
}

impl<const N: usize> Batch<N> {
    #[expect(clippy::cast_possible_truncation, reason = "a batch is a few dozen")]
    const COUNT: libc::c_uint = N as libc::c_uint;

    /// For datagrams of at most that many bytes; longer ones are cut there.
    pub fn new(packet_bytes: usize) -> Self {
        let empty = libc::mmsghdr { msg_hdr: blank(), msg_len: 0 };
        let nowhere = libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 };
        Self {
            packets: vec![0; N * packet_bytes].into(),
            packet_bytes,
            ends: vec![Ends::empty(); N].into(),
            lengths: [0; N],
            headers: vec![empty; N].into(),
            vectors: vec![nowhere; N].into(),
        }
    }

    /// A datagram that was received.
    pub fn packet(&self, index: usize) -> &[u8] {
        &self.packets[index * self.packet_bytes..][..self.lengths[index]]
    }

    /// Waits for one datagram or the socket's time-out, and takes all that are there. Returns how many.
    pub fn receive(&mut self, socket: &UdpSocket, wants_local: bool) -> io::Result<usize> {
        for (index, ends) in self.ends.iter_mut().enumerate() {
            let packet = &mut self.packets[index * self.packet_bytes..][..self.packet_bytes];
            self.vectors[index] = libc::iovec { iov_base: packet.as_mut_ptr().cast(), iov_len: packet.len() };
            ends.peer_length = u32::try_from(size_of::<libc::sockaddr_storage>()).unwrap_or(0);
            ends.control_length = if wants_local { size_of::<[u64; CONTROL_WORDS]>() } else { 0 };
            self.headers[index].msg_hdr = ends.header(&mut self.vectors[index]);
        }
        // SAFETY: N headers, each with pointers into boxes of this struct that are not touched until the call returns.
        let count = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                self.headers.as_mut_ptr(),
                Self::COUNT,
                libc::MSG_WAITFORONE as _,
                ptr::null_mut(),
            )
        };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        for (index, header) in self.headers[..count].iter().enumerate() {
            self.lengths[index] = (header.msg_len as usize).min(self.packet_bytes);
            let ends = &mut self.ends[index];
            ends.peer_length = header.msg_hdr.msg_namelen;
            ends.control_length = if wants_local { control_length(&header.msg_hdr) } else { 0 };
            if wants_local {
                ends.free_interface();
            }
        }
        Ok(count)
    }

    /// Sends replies: each is the index of the datagram that it answers, and its bytes. What the system cannot take now
    /// is lost, as datagrams are.
    pub fn send<'r>(&mut self, socket: &UdpSocket, replies: impl Iterator<Item = (usize, &'r [u8])>) {
        let mut count = 0;
        for (index, reply) in replies {
            self.vectors[count] = libc::iovec { iov_base: reply.as_ptr().cast_mut().cast(), iov_len: reply.len() };
            self.headers[count].msg_hdr = self.ends[index].header(&mut self.vectors[count]);
            count += 1;
        }
        let mut sent = 0;
        while sent < count {
            let left = u32::try_from(count - sent).unwrap_or(Self::COUNT);
            // SAFETY: the headers from `sent` to `count` point into this struct and to the replies, all of which live
            // until the call returns; the kernel reads all but the lengths.
            let result = unsafe {
                libc::sendmmsg(
                    socket.as_raw_fd(),
                    self.headers[sent..count].as_mut_ptr(),
                    left,
                    (libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL) as _,
                )
            };
            // An error is about the first that was left: it is lost, the others are not.
            sent += usize::try_from(result).unwrap_or(0).max(1);
        }
    }
}

/// Asks for the address at which each datagram arrived.
pub fn want_local_address(socket: &UdpSocket) -> io::Result<()> {
    let (level, option) = if socket.local_addr()?.is_ipv4() {
        (libc::IPPROTO_IP, libc::IP_PKTINFO)
    } else {
        (libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO)
    };
    let on: libc::c_int = 1;
    let length = u32::try_from(size_of::<libc::c_int>()).unwrap_or(0);
    // SAFETY: the option takes an int, which lives until the call returns.
    let result = unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const on).cast(), length) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
