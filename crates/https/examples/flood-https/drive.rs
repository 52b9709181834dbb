//! Sends heads and greetings of TLS with changes to a proxy for https, and gives it TLSA records with changes.

use crate::fixture::{name, record};
use crate::mutation::{Random, mutate};
use chronym_dns::server::{Server, ServerOptions};
use chronym_dns::{Apex, Knowledge, SigningKey, Trust, Zone};
use chronym_https::dane::{Tlsa, Verifier};
use chronym_https::x509::{Authority, authority};
use chronym_https::{Https, ProxyOptions};
use rcgen::{CertifiedKey, KeyPair, PublicKeyData};
use ring::digest::{SHA256, SHA512, digest};
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, RootCertStore, SupportedProtocolVersion, version};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::spawn;
use std::time::{Duration, SystemTime};

const HOST: &str = "alice.chronym";
/// Loopback, where nothing else listens: a changed port leads nowhere.
const ORIGIN: [u8; 4] = [127, 77, 0, 1];
const DAY_MS: u64 = 86_400_000;
/// A connection that is quiet for as long hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// One of this number of record sets goes through the proxy.
const SETS: usize = 256;

/// A proxy, and the origin of its one name.
pub struct Scene {
    server: Arc<Server>,
    https: Https,
    port: u16,
    leaf: CertificateDer<'static>,
    /// All that records can name of the leaf.
    named: Vec<Vec<u8>>,
    /// What reached the origin, and should not have.
    wrong: Receiver<String>,
}

impl Scene {
    pub fn new() -> Self {
        let key = SigningKey::from_pkcs8(&SigningKey::generate_pkcs8()).expect("a key");
        let proxy = ProxyOptions {
            listen: "127.0.0.1:0".parse().expect("an address"),
            allow_private: vec![HOST.to_owned()],
            keyed: BTreeMap::new(),
            keep: Box::new(|_, _| true),
            local: None,
        };
        let options = ServerOptions {
            apex: Apex::new("chronym", key, 1).expect("a zone's name"),
            listen: Vec::new(),
            tls: None,
            forward: Vec::new(),
            is_public: false,
            cache_bytes: 8 << 20,
        };
        // The control plane's queue is full for names that are made up.
        let server = Arc::new(Server::start(options, Box::new(|_, _| false)).expect("a server"));
        let https = Https::new(Arc::clone(&server));
        https.set_proxy(Some(proxy)).expect("a proxy");
        let key = KeyPair::generate().expect("a key").serialize_der();
        let unix = SystemTime::UNIX_EPOCH.elapsed().expect("a clock after 1970").as_secs();
        let certificate = authority(&key, "chronym", unix).expect("an authority");
        https.mint(Some(Authority::new(&key, certificate, "chronym").expect("an authority"))).expect("a mint");
        let CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed([HOST.to_owned()]).expect("a certificate");
        let named = [cert.der().to_vec(), signing_key.subject_public_key_info()]
            .into_iter()
            .flat_map(|whole| {
                let hashes = [&SHA256, &SHA512].map(|kind| digest(kind, &whole).as_ref().to_vec());
                hashes.into_iter().chain([whole])
            })
            .collect();
        let (port, wrong) = origin();
        let scene = Self { server, https, port, leaf: cert.der().clone(), named, wrong };
        scene.learn(&[[&[3, 1, 1], scene.named[3].as_slice()].concat()]);
        scene
    }

    /// The name leads to the origin, with these TLSA records.
    fn learn(&self, records: &[Vec<u8>]) {
        let owner = format!("_{}._tcp.{HOST}", self.port);
        let mut wire = vec![record(HOST, 1, 300, &ORIGIN)];
        wire.extend(records.iter().map(|data| record(&owner, 52, 300, data)));
        // The registry's zones hold no record that is shorter.
        if let Ok(zone) = Zone::from_wire(&name(HOST), &wire.concat()) {
            let knowledge = Knowledge::Zone { zone: Arc::new(zone), trust: Trust::Secure };
            self.server.learn(&name(HOST), knowledge, DAY_MS, DAY_MS);
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.https.proxy().expect("a proxy")).expect("the proxy accepts connections");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream
    }

    /// Sends what may be nonsense, and reads until the proxy ends; how much came.
    fn send(mut stream: TcpStream, bytes: &[u8]) -> usize {
        // The proxy may have ended already.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut seen = Vec::new();
        match stream.read_to_end(&mut seen) {
            Err(error) if !matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted) => {
                panic!("{error} after {bytes:?}")
            }
            _ => seen.len(),
        }
    }

    /// A tunnel to the origin.
    fn tunnel(&self) -> TcpStream {
        let mut stream = self.connect();
        write!(stream, "CONNECT {HOST}:{} HTTP/1.1\r\n\r\n", self.port).expect("the proxy listens");
        let mut head = [0; 39];
        stream.read_exact(&mut head).expect("a tunnel");
        stream
    }

    /// Heads of requests to a proxy; how many were answered.
    pub fn heads(&self, count: usize, random: &mut Random) -> usize {
        let seeds = heads(self.port);
        (0..count).filter(|_| Self::send(self.connect(), &mutated(&seeds, random)) > 0).count()
    }

    /// What begins TLS; how many were answered.
    pub fn hellos(&self, count: usize, random: &mut Random) -> usize {
        let seeds = hellos();
        (0..count).filter(|_| Self::send(self.tunnel(), &mutated(&seeds, random)) > 0).count()
    }

    /// Sets of TLSA records; how many fit the origin's certificate.
    pub fn sets(&self, count: usize, random: &mut Random) -> usize {
        let mut seeds = Vec::new();
        for (at, data) in self.named.iter().enumerate() {
            for usage in 0..=3 {
                seeds.push([&[usage, u8::from(at >= 3), [1, 2, 0][at % 3]], data.as_slice()].concat());
            }
        }
        let hello = hellos().swap_remove(0);
        let host = ServerName::try_from(HOST).expect("a name");
        let mut fitting = 0;
        for number in 0..count {
            // Some are whole.
            let record = |random: &mut Random| match random.below(4) {
                0 => seeds[random.below(seeds.len())].clone(),
                _ => mutated(&seeds, random),
            };
            let set: Vec<Vec<u8>> = (0..=random.below(3)).map(|_| record(random)).collect();
            let records: Vec<Tlsa> = set.iter().filter_map(|data| Tlsa::from_rdata(data)).collect();
            let verdict = Verifier::new(records).verify_server_cert(&self.leaf, &[], &host, &[], UnixTime::now());
            let is_fitting = verdict.is_ok();
            let by_key = set.iter().any(|data| self.names_leaf(data));
            // A whole certificate is an authority by its key: the leaf signed itself.
            let key = &self.named[5];
            let by_authority = set.iter().any(|data| data.starts_with(&[2, 0, 0]) && holds(data, key));
            assert!(is_fitting || !by_key, "{set:?}: {verdict:?}");
            assert!(!is_fitting || by_key || by_authority, "{set:?}");
            fitting += usize::from(is_fitting);
            if number % SETS == 0 {
                self.learn(&set);
                Self::send(self.tunnel(), &hello);
            }
        }
        fitting
    }

    /// Whether a record of usage 3 names the leaf or its key.
    fn names_leaf(&self, data: &[u8]) -> bool {
        let Some(([3, selector @ 0..=1, matching @ 0..=2], data)) = data.split_first_chunk() else { return false };
        data == self.named[usize::from(3 * selector + (matching + 2) % 3)]
    }

    /// The first thing that reached the origin and should not have.
    pub fn wrong(&self) -> Option<String> {
        self.wrong.try_recv().ok()
    }
}

fn holds(data: &[u8], piece: &[u8]) -> bool {
    data.windows(piece.len()).any(|window| window == piece)
}

fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    mutate(&mut bytes, &seeds[random.below(seeds.len())], random);
    bytes
}

fn heads(port: u16) -> Vec<Vec<u8>> {
    let site = format!("http://{HOST}:{port}");
    [
        format!("CONNECT {HOST}:{port} HTTP/1.1\r\nHost: {HOST}:{port}\r\nProxy-Connection: keep-alive\r\n\r\n"),
        format!("GET {site}/ HTTP/1.1\r\nHost: {HOST}:{port}\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n"),
        format!("GET {site}?a=1#b HTTP/1.0\r\nHost: bob.chronym\r\nTE: trailers\r\nUpgrade: h2c\r\n\r\n"),
        format!("POST {site}/a/b HTTP/1.1\r\nhost: {HOST}\r\nContent-Length: 5\r\nCookie: a=b; c=d\r\n\r\nhello"),
        format!("POST {site}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        format!("HEAD HTTP://{}/ HTTP/1.1\r\n\r\n", HOST.to_uppercase()),
    ]
    .map(String::into_bytes)
    .to_vec()
}

fn hellos() -> Vec<Vec<u8>> {
    let both = &[&version::TLS13, &version::TLS12][..];
    let http: &[&[u8]] = &[b"h2", b"http/1.1"];
    let kinds: [(&[&SupportedProtocolVersion], &[&[u8]]); 4] =
        [(both, http), (both, &[]), (&[&version::TLS12], http), (&[&version::TLS13], &http[1..])];
    let hello = |(versions, protocols): (&[&'static SupportedProtocolVersion], &[&[u8]])| {
        let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(versions)
            .expect("versions")
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|each| each.to_vec()).collect();
        let host = ServerName::try_from(HOST).expect("a name");
        let mut client = ClientConnection::new(Arc::new(config), host).expect("a client");
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).expect("memory");
        bytes
    };
    kinds.map(hello).to_vec()
}

/// Answers what it is asked by plain HTTP, and ends what else comes. Its port, and requests that no proxy passes on.
fn origin() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind(SocketAddr::from((ORIGIN, 0))).expect("loopback has all of 127.0.0.0/8");
    let port = listener.local_addr().expect("an address").port();
    let (sender, wrong) = channel();
    let sender = Arc::new(Mutex::new(sender));
    spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut buffer = vec![0; 32_768];
            let count = stream.read(&mut buffer).unwrap_or(0);
            let seen = String::from_utf8_lossy(&buffer[..count]);
            if let Some((head, _)) = seen.split_once("\r\n\r\n").filter(|_| buffer[0] != 0x16)
                && !is_for_this_host(head, port)
            {
                let _ = sender.lock().expect("no panic").send(head.to_owned());
            }
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
    (port, wrong)
}

/// One reading of the head is possible, and it names this host.
fn is_for_this_host(head: &str, port: u16) -> bool {
    let mut lines = head.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let mut hosts = Vec::new();
    let is_read_alike = lines.all(|line| {
        let Some((name, value)) = line.split_once(':') else { return false };
        if name.eq_ignore_ascii_case("host") {
            hosts.push(value.trim().to_owned());
        }
        name.bytes().all(|byte| byte.is_ascii_graphic())
            && !line.contains(['\r', '\n', '\0'])
            && !name.eq_ignore_ascii_case("transfer-encoding")
    });
    matches!(first[..], [_, path, "HTTP/1.1"] if path.starts_with('/'))
        && is_read_alike
        && hosts == [format!("{HOST}:{port}")]
}
