//! Opens the device of a place. It stays in that namespace, whatever thread reads it.

use std::fs::{File, OpenOptions};
use std::io::{Error, Result};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

const NAME: &[u8] = b"wan";

pub fn open(namespace: &str) -> Result<File> {
    let path = format!("/var/run/netns/{namespace}");
    // Entering counts for a thread: this one ends with it.
    std::thread::spawn(move || in_namespace(&path)).join().map_err(|_| Error::other("the thread panicked"))?
}

fn in_namespace(path: &str) -> Result<File> {
    let namespace = File::open(path)?;
    // SAFETY: the descriptor is open for the whole call.
    if unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) } != 0 {
        return Err(Error::last_os_error());
    }
    let device = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    // SAFETY: zeroed, it is a request without a name and flags.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(NAME) {
        *place = libc::c_char::from_ne_bytes([*byte]);
    }
    request.ifr_ifru.ifru_flags = libc::c_short::try_from(libc::IFF_TUN | libc::IFF_NO_PI).map_err(Error::other)?;
    // SAFETY: TUNSETIFF reads and writes one `ifreq`, which lives through the call.
    if unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request) } != 0 {
        return Err(Error::last_os_error());
    }
    Ok(device)
}
