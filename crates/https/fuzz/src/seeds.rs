//! Each target's first inputs.

use chronym_dns::SigningKey;
use chronym_https::x509::{authority, self_signed};

const UNIX: u64 = 1_800_000_000;
const HEADS: [&str; 6] = [
    "CONNECT alice.chronym:443 HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST http://alice.chronym:8080?a=1 HTTP/1.1\r\nContent-Length: 5\r\nConnection: keep-alive, X\r\n\r\nhello",
    "GET /a?b=1 HTTP/1.1\r\nAccept: */*\r\nhost:\tAlice.Chronym \r\n\r\n",
    "HTTP/1.1 200 OK\r\nConnection : keep-alive,\r\n  X\r\nkeep-alive: timeout=5\r\nA: b\r\n c\r\n\r\nbody",
    "HTTP/1.0 404 No\nA: b\n\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
];

/// Name and content of the first inputs of a target.
///
/// # Panics
/// When there is no such target.
#[must_use]
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let key = SigningKey::generate_pkcs8();
    match target {
        "certificate" => vec![
            ("authority".to_owned(), authority(&key, "chronym", UNIX).expect("an authority")),
            ("server".to_owned(), self_signed(&key, &["alice.chronym"], UNIX).expect("a certificate")),
        ],
        "head" => HEADS.iter().enumerate().map(|(at, head)| (format!("head-{at}"), head.as_bytes().to_vec())).collect(),
        _ => panic!("no target '{target}'"),
    }
}
