//! https for names of the zone. A proxy on loopback holds each server against the TLSA records that the daemon's own DNS
//! vouches for ([`dane`]), and shows browsers a certificate of this machine's authority ([`x509`]).
//!
//! [`Https`] is all that a daemon calls. Nothing listens and no thread runs before [`Https::set_proxy`].

mod certificate;
pub mod dane;
pub mod head;
mod proxy;
pub mod x509;

use chronym_dns::server::{ListenError, Server, StartError, bind_stream};
pub use proxy::{Keep, NoneSince, ProxyOptions, Way};
use proxy::{Mint, RunningProxy, try_ports};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use x509::{Authority, CertificateError};

/// https beside a DNS server, off until it gets a proxy. Dropped, it ends.
pub struct Https {
    dns: Arc<Server>,
    proxy: Mutex<Option<RunningProxy>>,
    mint: Mint,
}

impl Https {
    /// Without a proxy and without an authority.
    #[must_use]
    pub fn new(dns: Arc<Server>) -> Self {
        Self { dns, proxy: Mutex::default(), mint: Mint::default() }
    }

    /// An HTTP proxy for names of the zone from now on, in place of the former one, whose connections end; or none.
    ///
    /// # Errors
    /// [`StartError`]; then there is none.
    pub fn set_proxy(&self, options: Option<ProxyOptions>) -> Result<(), StartError> {
        let mut proxy = self.held();
        // Its port may be that of the next.
        *proxy = None;
        if let Some(options) = options {
            try_ports(options.local.as_deref().unwrap_or_default())?;
            let (_, listener) = bind_stream(options.listen)?;
            *proxy = Some(RunningProxy::start(Arc::clone(&self.dns), self.mint.clone(), listener, options)?);
        }
        Ok(())
    }

    /// Where the proxy listens.
    #[must_use]
    pub fn proxy(&self) -> Option<SocketAddr> {
        self.held().as_ref().map(|proxy| proxy.address)
    }

    /// Has the proxy take a host, lower-case, for one that had no key.
    pub fn forget_keyed(&self, host: &str) {
        if let Some(proxy) = self.held().as_ref() {
            proxy.forget(host);
        }
    }

    /// The local address of a host with a key; `None`: hosts have none.
    ///
    /// # Errors
    /// [`ListenError`]; then it has none.
    pub fn place(&self, host: &str, origins: Vec<IpAddr>) -> Result<Option<Ipv4Addr>, ListenError> {
        let placed = self.held().as_ref().map_or(Ok(None), |proxy| proxy.place(host, origins))?;
        let Some((address, gone)) = placed else { return Ok(None) };
        // What is known of that host shows an address which leads nowhere now.
        if let Some(registered) = gone.and_then(|host| self.dns.name_of_host(&host)) {
            let _ = self.dns.flush(Some(&registered));
        }
        Ok(Some(address))
    }

    /// The proxy mints with this authority from now on, or no more.
    ///
    /// # Errors
    /// [`CertificateError`]; then nothing has changed.
    pub fn mint(&self, authority: Option<Authority>) -> Result<(), CertificateError> {
        self.mint.set(authority)
    }

    fn held(&self) -> MutexGuard<'_, Option<RunningProxy>> {
        self.proxy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
