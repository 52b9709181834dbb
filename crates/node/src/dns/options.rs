//! What a DNS server is started with.

use super::call::call;
use crate::convert::{Result, count, invalid};
use chronym_dns::engine::Transport;
use chronym_dns::server::{Listen, ServerOptions, TlsFiles};
use chronym_dns::{Apex, SigningKey};
use chronym_https::{Keep, ProxyOptions, Way};
use napi::Status;
use napi::bindgen_prelude::{Either, Either3, FnArgs, Function, Null, Uint8ArraySlice};
use napi::threadsafe_function::{ThreadsafeFunctionCallMode, UnknownReturnValue};
use napi_derive::napi;
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

/// An address to listen on.
#[napi(object)]
pub struct DnsListen {
    /// `udp`, `tcp` or `tls`.
    pub transport: String,
    /// An IP address.
    pub address: String,
    /// 0: any free one.
    pub port: f64,
}

/// A certificate with its key, both PEM.
#[napi(object, object_to_js = false)]
pub struct DnsTls<'a> {
    /// The chain, the server's own first.
    pub certificate: Uint8ArraySlice<'a>,
    /// PKCS#8, PKCS#1 or SEC1.
    pub key: Uint8ArraySlice<'a>,
}

/// The proxy for https.
#[napi(object, object_to_js = false)]
pub struct DnsProxy<'a> {
    /// A loopback address.
    pub address: String,
    /// 0: any free one.
    pub port: f64,
    /// Names whose addresses may be private.
    pub allow_private: Vec<String>,
    /// Hosts that had a key.
    pub keyed: Vec<KeyedHost>,
    /// Ports at local addresses; null: hosts have none.
    pub local_ports: Either<Vec<f64>, Null>,
    /// Called from the event loop, which it does not keep alive, with what is remembered of a host.
    pub on_keyed: Function<'a, FnArgs<KeyedArgs>, UnknownReturnValue>,
}

/// A host that had a key.
#[napi(object, object_to_js = false)]
pub struct KeyedHost {
    /// Lower-case.
    pub host: String,
    /// Unix time; null: it has one.
    pub none_since: Either<f64, Null>,
}

/// The host; and since when it has none, null where it has one, undefined where it is forgotten.
type KeyedArgs = (String, Either3<u32, Null, ()>);

/// See src/native/dns.ts.
#[napi(object, object_to_js = false)]
pub struct DnsServerOptions<'a> {
    /// The zone.
    pub tld: String,
    /// PKCS#8 DER, P-256.
    pub key: Uint8ArraySlice<'a>,
    /// The serial number of the SOA record.
    pub serial: f64,
    /// Addresses to listen on.
    pub listen: Vec<DnsListen>,
    /// For DNS over TLS.
    pub tls: Either<DnsTls<'a>, Null>,
    /// Upstreams, `ip:port`.
    pub forward: Vec<String>,
    /// Whether strangers may ask.
    pub is_public: bool,
    /// Bytes of knowledge and packed answers.
    pub cache_bytes: f64,
}

/// The options, checked.
pub fn checked(options: &DnsServerOptions) -> Result<ServerOptions> {
    let serial = u32::try_from(count(options.serial, "serial")?).map_err(|_| invalid("serial must have 32 bits"))?;
    let key = SigningKey::from_pkcs8(&options.key).map_err(invalid)?;
    let tls = match &options.tls {
        Either::A(tls) => Some(TlsFiles { certificate: tls.certificate.to_vec(), key: tls.key.to_vec() }),
        Either::B(Null) => None,
    };
    Ok(ServerOptions {
        apex: Apex::new(&options.tld, key, serial).map_err(invalid)?,
        listen: options.listen.iter().map(listen).collect::<Result<_>>()?,
        tls,
        forward: options.forward.iter().map(|text| upstream(text)).collect::<Result<_>>()?,
        is_public: options.is_public,
        cache_bytes: usize::try_from(count(options.cache_bytes, "cacheBytes")?).map_err(invalid)?,
    })
}

/// The options of a proxy, checked.
pub fn checked_proxy(proxy: &DnsProxy) -> Result<ProxyOptions> {
    let listen = SocketAddr::new(ip(&proxy.address, "address")?, port(proxy.port)?);
    if !listen.ip().is_loopback() {
        return Err(invalid("the proxy must listen on a loopback address"));
    }
    let mut keyed = BTreeMap::new();
    for KeyedHost { host, none_since } in &proxy.keyed {
        let since = match none_since {
            Either::A(since) => Some(u32::try_from(count(*since, "noneSince")?).map_err(invalid)?),
            Either::B(Null) => None,
        };
        keyed.insert(host.clone(), since);
    }
    let keep = keep(&proxy.on_keyed)?;
    let local = match &proxy.local_ports {
        Either::A(ports) => Some(ports.iter().map(|&number| port(number).map(way)).collect::<Result<_>>()?),
        Either::B(Null) => None,
    };
    Ok(ProxyOptions { listen, allow_private: proxy.allow_private.clone(), keyed, keep, local })
}

/// What comes in at a port.
fn way(port: u16) -> (Way, u16) {
    match port {
        443 => (Way::Tls, port),
        80 => (Way::Plain, port),
        _ => (Way::Passed, port),
    }
}

fn keep(on_keyed: &Function<'_, FnArgs<KeyedArgs>, UnknownReturnValue>) -> Result<Keep> {
    let call = call(on_keyed)?;
    Ok(Box::new(move |host, next| {
        let since = match next {
            Some(Some(since)) => Either3::A(since),
            Some(None) => Either3::B(Null),
            None => Either3::C(()),
        };
        call.call(FnArgs { data: (host.to_owned(), since) }, ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }))
}

/// An IP address in its text form.
pub fn ip(text: &str, what: &str) -> Result<IpAddr> {
    text.parse().map_err(|_| invalid(format_args!("{what} must be an IP address, not '{text}'")))
}

fn listen(listen: &DnsListen) -> Result<Listen> {
    let transport = match listen.transport.as_str() {
        "udp" => Transport::Udp,
        "tcp" => Transport::Tcp,
        "tls" => Transport::Tls,
        other => return Err(invalid(format_args!("transport must be udp, tcp or tls, not '{other}'"))),
    };
    let address = SocketAddr::new(ip(&listen.address, "address")?, port(listen.port)?);
    Ok(Listen { transport, address })
}

fn port(port: f64) -> Result<u16> {
    u16::try_from(count(port, "port")?).map_err(|_| invalid("port must be from 0 to 65535"))
}

fn upstream(text: &str) -> Result<SocketAddr> {
    text.parse().map_err(|_| {
        invalid(format_args!(
            "forward must hold addresses with a port, like 192.0.2.1:53 or [2001:db8::1]:53, not '{text}'"
        ))
    })
}

impl From<&Listen> for DnsListen {
    fn from(listen: &Listen) -> Self {
        let transport = match listen.transport {
            Transport::Tcp => "tcp",
            Transport::Tls => "tls",
            Transport::Udp | Transport::Https => "udp",
        };
        Self {
            transport: transport.to_owned(),
            address: listen.address.ip().to_string(),
            port: f64::from(listen.address.port()),
        }
    }
}
