//! What a client wants, what DNS says of it, and whether it may be had: else the page that says why not.

use super::ask::{Told, is_own, is_public};
use super::local::Way;
use super::page::Refusal;
use crate::dane::{KINDS, Tlsa, Unfit};
use rustls::server::Accepted;
use rustls::{AlertDescription, CertificateError, OtherError};
use std::io;
use std::net::SocketAddr;

/// Addresses of an origin that are tried.
const ADDRESSES: usize = 8;
/// Plain HTTP.
const HTTP: u16 = 80;
/// Where a host of plain HTTP has TLS, if it has.
pub const HTTPS: u16 = 443;

/// A request on its way.
pub struct Goal {
    pub host: String,
    pub port: u16,
    /// What the origin of plain HTTP gets first; `None`: the client speaks TLS, or after `CONNECT` to port 80 nothing.
    pub first: Option<Vec<u8>>,
    pub told: Told,
    /// The client's greeting, once it came.
    pub client: Option<Accepted>,
    /// How often DNS was asked once more, since its answer was an old one.
    pub again: u8,
    /// What came to the host's local address; `None`: a request to a proxy.
    pub local: Option<Way>,
}

impl Goal {
    pub fn new(host: String, port: u16, first: Option<Vec<u8>>, local: Option<Way>) -> Self {
        Self { host, port, first, told: Told::new(), client: None, again: 0, local }
    }

    pub fn is_encrypted(&self) -> bool {
        self.first.is_none() && self.port != HTTP && !self.is_passed()
    }

    /// Whether its bytes are none of the proxy's business.
    pub fn is_passed(&self) -> bool {
        self.local == Some(Way::Passed)
    }

    /// The port whose TLSA records are asked for.
    pub fn asked_port(&self) -> u16 {
        if self.is_encrypted() { self.port } else { HTTPS }
    }
}

/// Where the origin may be dialled.
pub fn targets(goal: &Goal, allows_private: bool) -> Result<Vec<SocketAddr>, Refusal> {
    let Goal { host, port, told, .. } = goal;
    if told.is_absent {
        return Err(Refusal::new("502 Bad Gateway", format!("{host} does not exist"), explained(host, told)));
    }
    if told.addresses.is_empty() {
        return Err(Refusal::new("502 Bad Gateway", format!("{host} has no address"), explained(host, told)));
    }
    let allowed = told.addresses.iter().filter(|&&address| allows_private || (is_public(address) && !is_own(address)));
    let allowed: Vec<SocketAddr> = allowed.take(ADDRESSES).map(|&address| (address, *port).into()).collect();
    if allowed.is_empty() {
        let text = format!(
            "Its owner points it at {}, on this machine or in its own network. A stranger could reach what is not \
             meant for strangers. If you trust its owner: chronym config add https.allow_private {host}",
            told.addresses[0]
        );
        return Err(Refusal::new("403 Forbidden", format!("{host} leads to a private address"), text));
    }
    Ok(allowed)
}

/// Whether its owner named a key.
pub fn has_key(goal: &Goal) -> bool {
    goal.told.tlsa.iter().any(Tlsa::is_usable)
}

/// Whether the daemon vouches for the name, and its owner named a key. `days_left`: [`super::memory`] has the host.
pub fn vouched(goal: &Goal, days_left: Option<u32>) -> Result<(), Refusal> {
    let Goal { host, port, told, .. } = goal;
    if !told.is_vouched {
        let title = format!("The daemon does not vouch for {host}");
        let known = days_left.map_or("", |_| " Its server had a key before, so nothing is asked of it without https.");
        return Err(Refusal::new("502 Bad Gateway", title, explained(host, told) + known));
    }
    if let (false, Some(days)) = (has_key(goal), days_left) {
        let text = format!(
            "Its owner published the key of its server before, and no longer does. If that stays so, this machine \
             opens http://{host}/ again in {days} days. The owner makes a key with `chronym https cert {host}`."
        );
        return Err(Refusal::new("502 Bad Gateway", format!("{host} names no key any more"), text));
    }
    if !has_key(goal) {
        let text = format!(
            "Its owner published no TLSA record of usage 2 or 3 for port {port}, so nothing says which key its server \
             has. The owner makes both with `chronym https cert {host}`."
        );
        return Err(Refusal::new("502 Bad Gateway", format!("{host} names no key"), text));
    }
    Ok(())
}

/// A host that has a key, or had one, is not served without TLS: else who is on the way could be its origin.
pub fn secured(Goal { host, port, first, .. }: &Goal) -> Refusal {
    let mut words = first.as_deref().unwrap_or_default().split(|&byte| byte == b' ');
    let title = format!("{host} is served by https alone");
    let text = format!(
        "Its owner published the key of its server, so nothing is asked of it without https. Go to https://{host}/."
    );
    match (words.next(), words.next()) {
        (Some(b"GET" | b"HEAD"), Some(path)) if *port == HTTP => {
            let location = format!("https://{host}{}", String::from_utf8_lossy(path));
            Refusal { location: Some(location), ..Refusal::new("307 Temporary Redirect", title, text) }
        }
        _ => Refusal::new("403 Forbidden", title, text),
    }
}

fn explained(host: &str, told: &Told) -> String {
    let reason = told.reason.as_deref().map_or(String::new(), |reason| format!("The daemon says: {reason}. "));
    format!("{reason}`chronym explain {host}` shows why a name means what it does.")
}

pub fn is_of_certificate(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    matches!(inner, Some(rustls::Error::InvalidCertificate(_)))
}

/// Why an origin is refused.
pub fn unlike(goal: &Goal, error: &io::Error) -> Refusal {
    let host = &goal.host;
    let (is_other, text) = match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(error)) => unfit(host, error),
        Some(rustls::Error::AlertReceived(AlertDescription::HandshakeFailure)) => (
            false,
            format!(
                "Its server ended the handshake: it has no version, cipher or kind of key in common with this daemon, \
                 which takes TLS 1.2 and 1.3, and keys of {KINDS}."
            ),
        ),
        _ => (false, format!("Its server does not speak TLS as it should: {error}.")),
    };
    let title = if is_other { format!("Not the server of {host}") } else { format!("{host} cannot be reached") };
    Refusal::new("502 Bad Gateway", title, text)
}

/// Whether the server may be somebody else's, and what is wrong with its certificate.
fn unfit(host: &str, error: &CertificateError) -> (bool, String) {
    let made_anew = format!("Its owner makes one with `chronym https cert {host}`.");
    let unfit = match error {
        CertificateError::Other(OtherError(unfit)) => unfit.downcast_ref::<Unfit>(),
        _ => None,
    };
    match (unfit, error) {
        (Some(Unfit::OtherKey), _) => (
            true,
            format!(
                "The server that answered shows another key than the TLSA records of {host} name. It may be somebody \
                 else's, or its key was changed before its record. Nothing was sent to it."
            ),
        ),
        (Some(Unfit::Unproved), _) => (
            true,
            format!(
                "The server that answered shows the key that the TLSA records of {host} name, and does not prove that \
                 it has that key. It may be somebody else's. Nothing was sent to it."
            ),
        ),
        (Some(Unfit::Unreadable), _) => (
            false,
            format!(
                "A certificate that its server shows cannot be read, so nothing says whether it has the key that the \
                 TLSA records of {host} name. {made_anew}"
            ),
        ),
        (Some(Unfit::Kind(kind)), _) => (
            false,
            format!(
                "Its server, or the authority that the TLSA records of {host} name, has a key that this daemon cannot check \
                 ({kind}). It takes {KINDS}. {made_anew}"
            ),
        ),
        (None, CertificateError::Expired | CertificateError::ExpiredContext { .. }) => (
            false,
            format!(
                "A certificate of its server, or of the authority that the TLSA records of {host} name, has expired. \
                 Under an authority (usage 2) dates count, so its owner must renew it."
            ),
        ),
        (None, CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }) => (
            false,
            format!(
                "A certificate of its server, or of the authority that the TLSA records of {host} name, is not valid \
                 yet. Its owner made it for later, or the clock of this machine is behind."
            ),
        ),
        (None, CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }) => (
            true,
            format!(
                "The authority that the TLSA records of {host} name signed the certificate of this server for other \
                 names. Nothing was sent to it."
            ),
        ),
        (None, CertificateError::UnknownIssuer | CertificateError::BadSignature) => (
            true,
            format!(
                "The server that answered shows the authority that the TLSA records of {host} name, and no certificate \
                 that this authority signed in a way that can be checked here. Nothing was sent to it."
            ),
        ),
        _ => (
            false,
            format!("The certificate of its server does not hold under the authority that its owner named: {error}."),
        ),
    }
}
