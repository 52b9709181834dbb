//! The engine with injected times, and the server with real sockets.

#[path = "../rules/fixture.rs"]
#[allow(dead_code, reason = "shared with the rules")]
mod fixture;
#[path = "../rules/seen.rs"]
#[allow(dead_code, reason = "shared with the rules")]
mod seen;
#[path = "../rules/verify.rs"]
#[allow(dead_code, reason = "shared with the rules")]
mod verify;

#[path = "../rules/mutation.rs"]
#[allow(dead_code, reason = "shared with the rules")]
mod mutation;

mod desk;
mod running;

mod ageing;
mod bounds;
mod chains;
mod forwarding;
mod limits;
mod listening;
mod streams;
mod tls;
mod udp;
mod waiting;
