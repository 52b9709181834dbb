//! Server cookies (RFC 7873) in their interoperable form (RFC 9018).

use crate::query::Cookie;
use domain::base::Serial;
use domain::base::opt::cookie::{ClientCookie, Cookie as Option, ServerCookie};
use std::net::IpAddr;

/// Older cookies are refused, in seconds (RFC 9018, 4.3).
const MAX_AGE: u32 = 3600;
/// Clocks of several servers may differ by this many seconds (RFC 9018, 4.3).
const MAX_AHEAD: u32 = 300;

/// Makes a whole cookie option for a client: its own 8 bytes and 16 of the server's.
#[must_use]
pub fn make(secret: &[u8; 16], cookie: &Cookie, client: IpAddr, now_unix: u32) -> [u8; 24] {
    let made = Option::new(client_part(cookie), None).create_response(Serial(now_unix), client, secret);
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(cookie.client());
    if let Some(server) = made.server() {
        bytes[8..].copy_from_slice(server.as_ref());
    }
    bytes
}

/// Whether the cookie holds a server part that this secret made for the client within the last hour: its address is
/// proved.
#[must_use]
pub fn check(secret: &[u8; 16], cookie: &Cookie, client: IpAddr, now_unix: u32) -> bool {
    let Ok(server) = <[u8; 16]>::try_from(cookie.server()) else { return false };
    let option = Option::new(client_part(cookie), Some(ServerCookie::from_octets(&server)));
    option.check_server_hash(client, secret, |made| {
        let age = now_unix.wrapping_sub(made.into_int());
        age <= MAX_AGE || age.wrapping_neg() <= MAX_AHEAD
    })
}

fn client_part(cookie: &Cookie) -> ClientCookie {
    ClientCookie::from_octets(cookie.client().try_into().expect("8 bytes"))
}
