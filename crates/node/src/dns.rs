//! The DNS server.

mod call;
mod options;
mod reply;

use crate::convert::{Code, Result, count, invalid, number};
use call::call;
use chronym_dns::engine::{Handled, Question, Reason};
use chronym_dns::server::{Server, StartError};
use chronym_dns::{Knowledge, Trust, Zone};
use chronym_https::Https;
use chronym_https::x509::{self, Authority};
use napi::bindgen_prelude::{AsyncTask, Either, Function, JsValue, Null, PromiseRaw, Uint8Array, Unknown};
use napi::threadsafe_function::{ThreadsafeFunctionCallMode, UnknownReturnValue};
use napi::{Env, Status, Task};
use napi_derive::napi;
use options::{DnsListen, DnsProxy, DnsServerOptions, checked, checked_proxy, ip};
use reply::{DnsAnchor, DnsStats};
use std::sync::Arc;

/// What the control plane is asked.
#[napi(object, object_from_js = false)]
pub struct DnsQuestion {
    /// The registered name.
    pub name: String,
    /// `miss` or `refresh`.
    pub reason: &'static str,
}

/// How far a zone is vouched for.
#[napi(object, object_to_js = false)]
pub struct DnsTrust {
    /// Whether it is signed.
    pub secure: bool,
    /// Why not.
    pub reason: String,
    /// Whether the user of this machine published it; false without.
    pub own: Option<bool>,
}

/// A DNS server with its threads.
#[napi]
pub struct DnsServer {
    server: Arc<Server>,
    https: Arc<Https>,
    tld: String,
}

#[napi]
impl DnsServer {
    /// Binds all addresses and starts. `on_question` is called from the event loop, which it does not keep alive.
    /// Throws `INVALID_ARGUMENT` and `LISTEN_FAILED`.
    #[napi(factory, catch_unwind)]
    pub fn start(
        options: DnsServerOptions,
        on_question: Function<'_, DnsQuestion, UnknownReturnValue>,
    ) -> Result<Self> {
        let question = question(&on_question)?;
        let server = Server::start(checked(&options)?, question).map_err(not_started)?;
        let server = Arc::new(server);
        Ok(Self { https: Arc::new(Https::new(Arc::clone(&server))), server, tld: options.tld })
    }

    /// Addresses as bound.
    #[napi(catch_unwind)]
    pub fn addresses(&self) -> Vec<DnsListen> {
        self.server.addresses().iter().map(DnsListen::from).collect()
    }

    /// A proxy for https from now on, in place of the former one; with null none. Throws as `start`.
    #[napi(catch_unwind)]
    pub fn set_proxy(&self, proxy: Either<DnsProxy<'_>, Null>) -> Result<()> {
        let proxy = match proxy {
            Either::A(proxy) => Some(checked_proxy(&proxy)?),
            Either::B(Null) => None,
        };
        self.https.set_proxy(proxy).map_err(not_started)
    }

    /// Port of the proxy for https.
    #[napi(catch_unwind)]
    pub fn proxy_port(&self) -> Option<u16> {
        self.https.proxy().map(|address| address.port())
    }

    /// Has the proxy take a host for one that had no key.
    #[napi(catch_unwind)]
    pub fn forget_keyed(&self, host: String) {
        self.https.forget_keyed(&host);
    }

    /// The local address of a host with a key; null: hosts have none.
    /// Throws as `start`.
    #[napi(catch_unwind)]
    pub fn local_address(&self, host: String, origins: Vec<String>) -> Result<Option<String>> {
        let origins = origins.iter().map(|text| ip(text, "origins")).collect::<Result<_>>()?;
        let address = self.https.place(&host, origins).map_err(|error| not_started(error.into()))?;
        Ok(address.map(|address| address.to_string()))
    }

    /// The proxy mints leaves with this authority (PKCS#8 and X.509, both DER) from now on; with null no more.
    #[napi(catch_unwind)]
    pub fn mint(&self, key: Either<&[u8], Null>, certificate: &[u8]) -> Result<()> {
        let authority = match key {
            Either::A(key) => Some(Authority::new(key, certificate.to_vec(), &self.tld).map_err(invalid)?),
            Either::B(Null) => None,
        };
        self.https.mint(authority).map_err(invalid)
    }

    /// The name is registered, with these records.
    #[napi(catch_unwind)]
    pub fn set_zone(&self, name: String, records: &[u8], trust: DnsTrust, fresh_ms: f64, stale_ms: f64) -> Result<()> {
        let wire = self.registered(&name)?;
        let zone = Zone::from_wire(&wire, records).map_err(invalid)?.owned_here(trust.own == Some(true));
        let trust =
            if trust.secure { Trust::Secure } else { Trust::Insecure { ede_text: trust.reason.as_str().into() } };
        self.learn(&wire, Knowledge::Zone { zone: Arc::new(zone), trust }, fresh_ms, stale_ms)
    }

    /// Nobody has registered the name.
    #[napi(catch_unwind)]
    pub fn set_absent(&self, name: String, fresh_ms: f64, stale_ms: f64) -> Result<()> {
        self.learn(&self.registered(&name)?, Knowledge::Absent, fresh_ms, stale_ms)
    }

    /// The registry cannot say. Knowledge that may still be used stays.
    #[napi(catch_unwind)]
    pub fn set_failed(&self, name: String, ede: f64, text: String, fresh_ms: f64) -> Result<()> {
        let ede = u16::try_from(count(ede, "ede")?).map_err(|_| invalid("ede must have 16 bits"))?;
        let knowledge = Knowledge::Failed { ede, text: text.as_str().into() };
        self.learn(&self.registered(&name)?, knowledge, fresh_ms, fresh_ms)
    }

    /// Forgets a name, or with null all; how many were known.
    #[napi(catch_unwind)]
    pub fn flush(&self, name: Option<String>) -> Result<f64> {
        let wire = name.map(|name| self.registered(&name)).transpose()?;
        Ok(number(self.server.flush(wire.as_deref()) as u64))
    }

    /// A message that came over HTTPS from that IP address. Rejects with `SERVER_CLOSED`, and with `INVALID_ARGUMENT`
    /// for what is not a query.
    #[napi(catch_unwind)]
    pub fn query<'env>(&self, env: &'env Env, packet: &[u8], client: String) -> Result<Unknown<'env>> {
        let client = ip(&client, "client")?;
        let mut promise = None;
        let mut later = || -> chronym_dns::engine::Later {
            match reply::promised(env) {
                Ok((later, object)) => {
                    promise = Some(object);
                    later
                }
                // Memory ran out: the query gets the answer below.
                Err(_) => Box::new(|_| ()),
            }
        };
        let (handled, reply) = self.server.query(packet, client, &mut later);
        if let (Handled::Later, Some(promise)) = (handled, promise) {
            return Ok(promise.to_unknown());
        }
        let settled = if handled == Handled::Reply {
            PromiseRaw::resolve(env, Uint8Array::from(reply))
        } else {
            PromiseRaw::reject(env, napi::JsError::from(reply::unanswered(self.server.has_ended())).into_unknown(*env))
        };
        settled
            .map(|promise: PromiseRaw<'env, Uint8Array>| promise.to_unknown())
            .map_err(|error| napi::Error::new(Code::WorkerFailed, error.reason.clone()))
    }

    /// What validators need.
    #[napi(catch_unwind)]
    pub fn anchor(&self) -> Result<DnsAnchor> {
        reply::anchor(self.server.apex(), &self.tld).map_err(invalid)
    }

    /// Counts since the start.
    #[napi(catch_unwind)]
    pub fn stats(&self) -> DnsStats {
        reply::stats(&self.server.stats(), self.server.connections())
    }

    /// Ends threads and sockets within a second. May be called again.
    #[napi(catch_unwind)]
    pub fn close(&self) -> AsyncTask<Close> {
        AsyncTask::new(Close(Arc::clone(&self.server), Arc::clone(&self.https)))
    }

    fn registered(&self, name: &str) -> Result<Vec<u8>> {
        self.server.registered_name(name).ok_or_else(|| {
            invalid(format_args!("'{name}' is not a registered name: give one label and .{}, in ASCII", self.tld))
        })
    }

    fn learn(&self, name: &[u8], knowledge: Knowledge, fresh_ms: f64, stale_ms: f64) -> Result<()> {
        let (fresh_ms, stale_ms) = (count(fresh_ms, "freshMs")?, count(stale_ms, "staleMs")?);
        if stale_ms < fresh_ms {
            return Err(invalid("staleMs must not be less than freshMs"));
        }
        self.server.learn(name, knowledge, fresh_ms, stale_ms);
        Ok(())
    }
}

fn not_started(error: StartError) -> napi::Error<Code> {
    let code = match error {
        StartError::Listen(_) | StartError::System(_) => Code::ListenFailed,
        StartError::Tls(_) => Code::InvalidArgument,
    };
    napi::Error::new(code, error.to_string())
}

/// The certificate of a machine's authority for names below a suffix; keys are PKCS#8, all is DER.
#[napi(catch_unwind)]
pub fn authority_certificate(key: &[u8], suffix: String, unix: f64) -> Result<Uint8Array> {
    let made = x509::authority(key, &suffix, count(unix, "unix")?).map_err(invalid)?;
    Ok(made.into())
}

/// The suffix that an authority of ours is bound to. Throws `INVALID_ARGUMENT` for any other certificate.
#[napi(catch_unwind)]
pub fn authority_suffix(certificate: &[u8]) -> Result<String> {
    x509::authority_suffix(certificate).map_err(invalid)
}

/// A certificate that a server for these names signs itself.
#[napi(catch_unwind)]
pub fn server_certificate(key: &[u8], names: Vec<String>, unix: f64) -> Result<Uint8Array> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let made = x509::self_signed(key, &names, count(unix, "unix")?).map_err(invalid)?;
    Ok(made.into())
}

fn question(on_question: &Function<'_, DnsQuestion, UnknownReturnValue>) -> Result<Question> {
    let call = call(on_question)?;
    Ok(Box::new(move |name, reason| {
        let reason = match reason {
            Reason::Miss => "miss",
            Reason::Refresh => "refresh",
        };
        let question = DnsQuestion { name: name.to_owned(), reason };
        call.call(question, ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }))
}

/// Joins the threads, off the event loop.
pub struct Close(Arc<Server>, Arc<Https>);

impl Task for Close {
    type Output = ();
    type JsValue = ();

    fn compute(&mut self) -> napi::Result<()> {
        // Without a proxy there is nothing that can fail.
        let _ = self.1.set_proxy(None);
        self.0.close();
        Ok(())
    }

    fn resolve(&mut self, _: Env, (): ()) -> napi::Result<()> {
        Ok(())
    }
}
