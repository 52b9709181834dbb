//! Messages to the service manager: one datagram to the socket that it named, which Node itself cannot send.

use crate::convert::{Code, Result};
use napi_derive::napi;

/// Sends `message` to the datagram socket at `address`: a path, or `@` and a name in Linux's abstract namespace.
///
/// # Errors
/// `NOTIFY_FAILED` when the system refuses, when nobody reads the socket in time, and where there are no such sockets.
#[napi(catch_unwind)]
pub fn notify(address: String, message: String) -> Result<()> {
    send(&address, message.as_bytes())
        .map_err(|error| napi::Error::new(Code::NotifyFailed, format!("{address} did not take a message: {error}")))
}

#[cfg(unix)]
fn send(address: &str, message: &[u8]) -> std::io::Result<()> {
    use core::time::Duration;
    use std::os::unix::net::UnixDatagram;

    /// The call blocks the daemon's event loop. A service manager reads within microseconds.
    const TIMEOUT: Duration = Duration::from_millis(200);

    let socket = UnixDatagram::unbound()?;
    socket.set_write_timeout(Some(TIMEOUT))?;
    // One datagram is sent whole or not at all.
    socket.send_to_addr(message, &socket_address(address)?)?;
    Ok(())
}

#[cfg(not(unix))]
fn send(_address: &str, _message: &[u8]) -> std::io::Result<()> {
    Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
}

#[cfg(unix)]
fn socket_address(address: &str) -> std::io::Result<std::os::unix::net::SocketAddr> {
    use std::os::unix::net::SocketAddr;

    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Some(name) = address.strip_prefix('@') {
        use std::os::linux::net::SocketAddrExt;
        return SocketAddr::from_abstract_name(name);
    }
    SocketAddr::from_pathname(address)
}
