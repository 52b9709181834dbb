//! Datagrams: one thread a socket.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod batch;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod single;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub use batch::{prepare, run};
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub use single::{prepare, run};
