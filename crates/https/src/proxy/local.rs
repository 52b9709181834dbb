//! Addresses of this machine that DNS gives for hosts with a key. Each host has its own, where the proxy listens.

use chronym_dns::server::{ListenError, bind_stream};
use mio::Waker;
use ring::digest::{SHA256, digest};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// Hosts that have an address; beyond, the one that was looked up longest ago gives way.
const HOSTS: usize = 256;
/// Of no host: whether ports can be had at all is tried there.
const TRIAL: Ipv4Addr = Ipv4Addr::new(127, 127, 255, 255);

/// What comes in at a port of such an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// TLS, ended here and begun again towards the origin.
    Tls,
    /// HTTP.
    Plain,
    /// Bytes that go to the same port of the origin.
    Passed,
}

/// What other threads have the proxy do.
pub enum Change {
    /// Listeners of an address from now on; without any it has none.
    Listen(Ipv4Addr, Vec<(Way, u16, TcpListener)>),
    /// The host had no key.
    Forget(String),
}

/// Fails where a port cannot be had.
pub fn try_ports(ports: &[(Way, u16)]) -> Result<(), ListenError> {
    ports.iter().try_for_each(|&(_, port)| bind_stream((TRIAL, port).into()).map(drop))
}

/// All such addresses.
#[derive(Clone)]
pub struct Locals {
    ports: Arc<[(Way, u16)]>,
    places: Arc<Mutex<HashMap<Ipv4Addr, Place>>>,
    changes: Sender<Change>,
    waker: Arc<Waker>,
}

struct Place {
    host: String,
    origins: Vec<IpAddr>,
    /// Grows with each look-up.
    used: u64,
}

impl Locals {
    /// Has `changes` told of every listener.
    pub fn new(ports: &[(Way, u16)], changes: Sender<Change>, waker: Arc<Waker>) -> Self {
        Self { ports: ports.into(), places: Arc::default(), changes, waker }
    }

    /// The address of a host, which leads to these; and the host that gave way for it.
    pub fn place(&self, host: &str, origins: Vec<IpAddr>) -> Result<(Ipv4Addr, Option<String>), ListenError> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let used = places.values().map(|place| place.used).max().unwrap_or(0) + 1;
        if let Some((address, place)) = places.iter_mut().find(|(_, place)| place.host == host) {
            (place.origins, place.used) = (origins, used);
            return Ok((*address, None));
        }
        let address = free(host, &places);
        let bound = self.ports.iter().map(|&(way, port)| {
            let (_, listener) = bind_stream((address, port).into())?;
            Ok((way, port, listener))
        });
        let listeners = bound.collect::<Result<_, ListenError>>()?;
        let mut gone = None;
        if places.len() >= HOSTS
            && let Some((&oldest, _)) = places.iter().min_by_key(|(_, place)| place.used)
        {
            gone = places.remove(&oldest).map(|place| place.host);
            let _ = self.changes.send(Change::Listen(oldest, Vec::new()));
        }
        places.insert(address, Place { host: host.to_owned(), origins, used });
        let _ = self.changes.send(Change::Listen(address, listeners));
        let _ = self.waker.wake();
        Ok((address, gone))
    }

    /// Where an address leads.
    pub fn origins(&self, address: IpAddr) -> Option<Vec<IpAddr>> {
        self.read(address, |place| place.origins.clone())
    }

    /// Whose address it is.
    pub fn host(&self, address: Ipv4Addr) -> Option<String> {
        self.read(address.into(), |place| place.host.clone())
    }

    fn read<T>(&self, address: IpAddr, of: impl FnOnce(&Place) -> T) -> Option<T> {
        let IpAddr::V4(address) = address else { return None };
        self.places.lock().unwrap_or_else(PoisonError::into_inner).get(&address).map(of)
    }
}

/// In 127.64.0.0/11, the same after a restart, so that what programs remember stays true.
fn free(host: &str, places: &HashMap<Ipv4Addr, Place>) -> Ipv4Addr {
    let hash = digest(&SHA256, host.as_bytes());
    let [a, b, c, ..] = *hash.as_ref() else { return TRIAL };
    let first = u32::from_be_bytes([127, 64 | (a & 31), b, c]);
    (0..=u32::from(u16::MAX))
        .map(|step| Ipv4Addr::from(first.wrapping_add(step)))
        .find(|one| !places.contains_key(one))
        .unwrap_or(TRIAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mio::{Poll, Token};
    use std::sync::mpsc::{Receiver, channel};

    fn listened(changes: &Receiver<Change>) -> Vec<Ipv4Addr> {
        let address = |change| match change {
            Change::Listen(address, _) => Some(address),
            Change::Forget(_) => None,
        };
        changes.try_iter().filter_map(address).collect()
    }

    #[test]
    fn each_host_has_an_address_of_its_own_and_the_oldest_gives_way() {
        let poll = Poll::new().unwrap();
        let waker = Arc::new(Waker::new(poll.registry(), Token(0)).unwrap());
        let (sender, changes) = channel();
        let locals = Locals::new(&[], sender, waker);
        let host = |number: usize| format!("h{number}.alice.chronym");
        let origin = |last| vec![Ipv4Addr::new(192, 0, 2, last).into()];
        let (first, _) = locals.place(&host(0), origin(1)).unwrap();
        let (second, _) = locals.place(&host(1), origin(2)).unwrap();
        for number in 2..HOSTS {
            locals.place(&host(number), origin(3)).unwrap();
        }
        assert_eq!(changes.try_iter().count(), HOSTS);
        // Looked up again, with another origin.
        assert_eq!(locals.place(&host(0), origin(9)).unwrap(), (first, None));
        assert_eq!(locals.origins(first.into()), Some(origin(9)));
        let (last, gone) = locals.place("bob.chronym", origin(4)).unwrap();
        assert_eq!(gone, Some(host(1)));
        assert_eq!(listened(&changes), [second, last]);
        assert_eq!((locals.host(second), locals.host(first)), (None, Some(host(0))));
        assert!([first, last].iter().all(|one| one.octets()[0] == 127 && one.octets()[1] & 0xe0 == 64));
    }
}
