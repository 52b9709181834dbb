//! The proxy for https: clients, origins and DNS on sockets of this machine.

#[path = "../../../dns/tests/rules/fixture.rs"]
#[allow(dead_code, reason = "shared with the DNS server")]
mod fixture;
mod running;

use chronym_dns::engine::Reason;
use chronym_dns::{Knowledge, Trust, Zone};
use chronym_https::x509::{Authority, authority};
use chronym_https::{Https, NoneSince, ProxyOptions, Way};
use fixture::{name, record, zone};
use rcgen::{BasicConstraints, CertificateParams, CertifiedKey, IsCa, Issuer, KeyPair, PublicKeyData};
use ring::digest::{SHA256, digest};
use running::{PATIENCE, Running, start};
use rustls::crypto::ring::{default_provider, sign::any_supported_type};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::sign::{CertifiedKey as CertifiedKeys, SingleCertAndKey};
use rustls::{
    ClientConfig, ClientConnection, DEFAULT_VERSIONS, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    SupportedProtocolVersion,
};
use socket2::{Domain, Socket, Type};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{JoinHandle, spawn};
use std::time::SystemTime;

/// The test says what is known of it.
const NAME: &str = "slow.chronym";
const HOUR: u64 = 3_600_000;
const BODY: &str = "the site of slow";

struct Scene {
    running: Running,
    https: Https,
    visitor: Visitor,
    /// What is to be kept of hosts with a key.
    kept: Receiver<(String, Option<NoneSince>)>,
    /// Whether the user of this machine published the name.
    is_own: bool,
}

/// Who trusts the authority.
#[derive(Clone)]
struct Visitor {
    proxy: SocketAddr,
    ca: CertificateDer<'static>,
}

fn scene(allow_private: &[&str]) -> Scene {
    scene_with(allow_private, BTreeMap::new())
}

fn scene_with(allow_private: &[&str], keyed: BTreeMap<String, NoneSince>) -> Scene {
    scene_at(allow_private, keyed, None)
}

fn scene_at(allow_private: &[&str], keyed: BTreeMap<String, NoneSince>, local: Option<Vec<(Way, u16)>>) -> Scene {
    let (keeps, kept) = channel();
    let keep = Box::new(move |host: &str, next| keeps.send((host.to_owned(), next)).is_ok());
    let allow_private = allow_private.iter().map(|&name| name.to_owned()).collect();
    let proxy = ProxyOptions { listen: "127.0.0.1:0".parse().unwrap(), allow_private, keyed, keep, local };
    let running = start();
    let https = Https::new(Arc::clone(&running.server));
    https.set_proxy(Some(proxy)).unwrap();
    let key = KeyPair::generate().unwrap().serialize_der();
    let unix = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let authority = Authority::new(&key, authority(&key, "chronym", unix).unwrap(), "chronym").unwrap();
    let visitor = Visitor { proxy: https.proxy().unwrap(), ca: authority.certificate() };
    https.mint(Some(authority)).unwrap();
    Scene { running, https, visitor, kept, is_own: false }
}

impl Scene {
    /// The name leads to this machine, with these TLSA records.
    fn learn(&self, trust: Trust, port: u16, keys: &[Vec<u8>], fresh_ms: u64) {
        let mut records = vec![record(NAME, 1, 300, &[127, 0, 0, 1])];
        records.extend(keys.iter().map(|data| record(&format!("_{port}._tcp.{NAME}"), 52, 300, data)));
        let zone = Zone::from_wire(&name(NAME), &records.concat()).unwrap().owned_here(self.is_own);
        let knowledge = Knowledge::Zone { zone: Arc::new(zone), trust };
        self.running.server.learn(&name(NAME), knowledge, fresh_ms, HOUR);
    }

    fn get(&self, port: u16) -> (String, bool) {
        self.visitor.get(port)
    }
}

impl Visitor {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.proxy).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A tunnel with TLS in it.
    fn tunnel(&self, port: u16) -> StreamOwned<ClientConnection, TcpStream> {
        let mut stream = self.connect();
        write!(stream, "CONNECT {NAME}:{port} HTTP/1.1\r\n\r\n").unwrap();
        let mut head = [0; 39];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(&head[..12], b"HTTP/1.1 200");
        self.encrypted(stream, NAME)
    }

    fn encrypted(&self, stream: TcpStream, host: &'static str) -> StreamOwned<ClientConnection, TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.ca.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        StreamOwned::new(ClientConnection::new(Arc::new(config), ServerName::try_from(host).unwrap()).unwrap(), stream)
    }

    /// All that a client reads, and whether the end was announced.
    fn get(&self, port: u16) -> (String, bool) {
        let mut stream = self.tunnel(port);
        write!(stream, "GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut seen = Vec::new();
        let end = stream.read_to_end(&mut seen).map_err(|error| error.kind());
        assert!(matches!(end, Ok(_) | Err(ErrorKind::UnexpectedEof)), "{end:?}");
        (String::from_utf8(seen).unwrap(), end.is_ok())
    }
}

/// A server with a key, the data of the record that names it, and its port. It serves `count` connections.
struct Origin {
    port: u16,
    tlsa: Vec<u8>,
    /// Clients that did not take its certificate.
    refused: Receiver<()>,
    thread: JoinHandle<()>,
}

fn origin(count: usize, announces_end: bool) -> Origin {
    origin_that_cuts(0, count, announces_end)
}

/// First it takes `cut` connections and ends them, as a server that reloads may.
fn origin_that_cuts(cut: usize, count: usize, announces_end: bool) -> Origin {
    let CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let public_key = signing_key.subject_public_key_info();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    origin_with(vec![cert.der().clone()], &key, &public_key, DEFAULT_VERSIONS, (cut, count, announces_end))
}

/// With whatever certificates, which are not looked at, and the key that signs.
fn origin_with(
    chain: Vec<CertificateDer<'static>>,
    key: &PrivateKeyDer<'static>,
    public_key: &[u8],
    versions: &[&'static SupportedProtocolVersion],
    (cut, count, announces_end): (usize, usize, bool),
) -> Origin {
    let tlsa = [&[3, 1, 1], digest(&SHA256, public_key).as_ref()].concat();
    let shown = Arc::new(CertifiedKeys::new(chain, any_supported_type(key).unwrap()));
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(shown)));
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (refusals, refused) = channel();
    let thread = spawn(move || {
        for _ in 0..cut {
            drop(listener.accept().unwrap());
        }
        for _ in 0..count {
            let (socket, _) = listener.accept().unwrap();
            socket.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut stream = StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), socket);
            let mut seen = [0; 18];
            // A client that refuses the certificate sends nothing.
            if stream.read_exact(&mut seen).is_err() {
                let _ = refusals.send(());
                continue;
            }
            stream.write_all(BODY.as_bytes()).unwrap();
            if announces_end {
                stream.conn.send_close_notify();
            }
            stream.flush().unwrap();
        }
    });
    Origin { port, tlsa, refused, thread }
}

#[test]
fn nothing_listens_before_there_is_a_proxy() {
    let https = Https::new(start().server);
    assert_eq!(https.proxy(), None);
    assert!(https.place(NAME, Vec::new()).unwrap().is_none());
}

#[test]
fn a_site_is_carried_to_its_end() {
    let (scene, origin) = (scene(&[NAME]), origin(1, true));
    scene.learn(Trust::Secure, origin.port, &[origin.tlsa], HOUR);
    assert_eq!(scene.get(origin.port), (BODY.to_owned(), true));
    origin.thread.join().unwrap();
}

#[test]
fn an_answer_that_was_cut_off_is_cut_off_for_the_client_too() {
    let (scene, origin) = (scene(&[NAME]), origin(1, false));
    scene.learn(Trust::Secure, origin.port, &[origin.tlsa], HOUR);
    assert_eq!(scene.get(origin.port), (BODY.to_owned(), false));
    origin.thread.join().unwrap();
}

#[test]
fn a_key_that_no_old_answer_names_is_looked_for_in_the_new_one() {
    let (scene, origin) = (scene(&[NAME]), origin(9, true));
    scene.learn(Trust::Secure, origin.port, &[[&[3, 1, 1][..], &[7; 32]].concat()], 0);
    let (port, tlsa) = (origin.port, origin.tlsa);
    std::thread::scope(|scope| {
        let visitor = scene.visitor.clone();
        let visitor = scope.spawn(move || visitor.get(port));
        assert_eq!(scene.running.asked.recv_timeout(PATIENCE).unwrap(), (NAME.to_owned(), Reason::Refresh));
        // Not before all questions were answered with the old records.
        origin.refused.recv_timeout(PATIENCE).unwrap();
        scene.learn(Trust::Secure, port, &[tlsa], HOUR);
        assert_eq!(visitor.join().unwrap(), (BODY.to_owned(), true));
    });
}

#[test]
fn an_origin_that_cuts_off_the_handshake_is_asked_once_more() {
    let scene = scene(&[NAME]);
    let origin = origin_that_cuts(1, 1, true);
    scene.learn(Trust::Secure, origin.port, &[origin.tlsa], HOUR);
    assert_eq!(scene.get(origin.port), (BODY.to_owned(), true));
    let origin = origin_that_cuts(2, 0, true);
    scene.learn(Trust::Secure, origin.port, &[origin.tlsa], HOUR);
    let (page, _) = scene.get(origin.port);
    assert!(page.contains("slow.chronym cannot be reached"), "{page}");
    origin.thread.join().unwrap();
}

#[test]
fn another_key_gets_a_page_and_nothing_of_the_origin() {
    let (scene, origin) = (scene(&[NAME]), origin(1, true));
    scene.learn(Trust::Secure, origin.port, &[[&[3, 1, 1][..], &[7; 32]].concat()], HOUR);
    let (page, is_whole) = scene.get(origin.port);
    assert!(is_whole && page.starts_with("HTTP/1.1 502 ") && page.contains("Not the server of slow.chronym"), "{page}");
    assert!(!page.contains(BODY));
    origin.thread.join().unwrap();
}

#[test]
fn a_key_that_records_name_counts_in_whatever_certificate_over_both_versions_of_tls() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kinds");
    let read = |file: &str| std::fs::read(format!("{folder}/{file}")).unwrap();
    let key = PrivateKeyDer::try_from(read("ec.key")).unwrap();
    let other = PrivateKeyDer::try_from(KeyPair::generate().unwrap().serialize_der()).unwrap();
    for kind in ["version-1", "critical"] {
        let (shown, public_key) = (CertificateDer::from(read(&format!("{kind}.der"))), read(&format!("{kind}.spki")));
        for version in DEFAULT_VERSIONS {
            let scene = scene(&[NAME]);
            let origin = origin_with(vec![shown.clone()], &key, &public_key, &[version], (0, 1, true));
            scene.learn(Trust::Secure, origin.port, &[origin.tlsa], HOUR);
            assert_eq!(scene.get(origin.port), (BODY.to_owned(), true), "{kind} {version:?}");
            origin.thread.join().unwrap();
            // A server that shows the certificate of another, and does not have its key.
            let thief = origin_with(vec![shown.clone()], &other, &public_key, &[version], (0, 1, true));
            scene.learn(Trust::Secure, thief.port, &[thief.tlsa], HOUR);
            let (page, _) = scene.get(thief.port);
            assert!(page.contains("Not the server of slow.chronym") && page.contains("does not prove"), "{page}");
            thief.thread.join().unwrap();
        }
    }
}

/// What the page says of an origin below an authority that a record names.
fn page_of(leaf: &CertificateParams, names_root: bool) -> String {
    let (root_key, leaf_key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let mut root = CertificateParams::new(Vec::new()).unwrap();
    root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer_key = if names_root { &root_key } else { &leaf_key };
    let made = root.self_signed(&root_key).unwrap();
    let leaf = leaf.signed_by(&leaf_key, &Issuer::new(root, issuer_key)).unwrap();
    let key = PrivateKeyDer::try_from(leaf_key.serialize_der()).unwrap();
    let chain = vec![leaf.der().clone(), made.der().clone()];
    let origin = origin_with(chain, &key, &[], DEFAULT_VERSIONS, (0, 1, true));
    let scene = scene(&[NAME]);
    let record = [&[2, 1, 1], digest(&SHA256, &root_key.subject_public_key_info()).as_ref()].concat();
    scene.learn(Trust::Secure, origin.port, &[record], HOUR);
    let (page, _) = scene.get(origin.port);
    origin.thread.join().unwrap();
    page
}

#[test]
fn a_page_says_what_is_wrong_below_an_authority_that_a_record_names() {
    let leaf = |name: &str| CertificateParams::new(vec![name.to_owned()]).unwrap();
    assert_eq!(page_of(&leaf(NAME), true), BODY);
    let mut expired = leaf(NAME);
    expired.not_after = rcgen::date_time_ymd(2020, 1, 1);
    let page = page_of(&expired, true);
    assert!(page.contains("has expired") && !page.contains("Not the server"), "{page}");
    let mut early = leaf(NAME);
    early.not_before = rcgen::date_time_ymd(4000, 1, 1);
    assert!(page_of(&early, true).contains("is not valid yet"));
    assert!(page_of(&leaf("other.chronym"), true).contains("for other names"));
    let page = page_of(&leaf(NAME), false);
    assert!(page.contains("Not the server of slow.chronym"), "{page}");
}

#[test]
fn without_the_ad_bit_a_record_or_a_permission_nobody_is_dialled() {
    let origin = TcpListener::bind("127.0.0.1:0").unwrap();
    origin.set_nonblocking(true).unwrap();
    let port = origin.local_addr().unwrap().port();
    let key = [&[3, 1, 1][..], &[7; 32]].concat();
    let allowed = scene(&[NAME]);
    allowed.learn(Trust::Insecure { ede_text: "no firm pin yet".into() }, port, std::slice::from_ref(&key), HOUR);
    let (page, _) = allowed.get(port);
    assert!(page.contains("The daemon does not vouch for slow.chronym") && page.contains("no firm pin yet"), "{page}");
    // Usage 1 needs a public authority.
    for records in [vec![], vec![[&[1, 1, 1][..], &[7; 32]].concat()]] {
        allowed.learn(Trust::Secure, port, &records, HOUR);
        assert!(allowed.get(port).0.contains("slow.chronym names no key"));
    }
    // Permission for what ends in the same letters, or is below, is none.
    for others in
        [&["low.chronym"][..], &["www.slow.chronym"], &["*.slow.chronym"], &["s*x.chronym"], &["slow*w.chronym"], &[]]
    {
        let forbidden = scene(others);
        forbidden.learn(Trust::Secure, port, std::slice::from_ref(&key), HOUR);
        let page = forbidden.get(port).0;
        assert!(page.contains("slow.chronym leads to a private address"), "{page}");
        assert!(page.contains("chronym config add https.allow_private slow.chronym"), "{page}");
        let mut plain = forbidden.visitor.connect();
        write!(plain, "GET http://{NAME}:{port}/ HTTP/1.1\r\n\r\n").unwrap();
        let mut seen = String::new();
        plain.read_to_string(&mut seen).unwrap();
        assert!(seen.starts_with("HTTP/1.1 403 ") && seen.contains("leads to a private address"), "{seen}");
    }
    assert_eq!(origin.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_host_that_a_shell_would_read_as_more_than_a_word_is_not_served() {
    let scene = scene(&[]);
    scene.learn(Trust::Secure, 1, &[], HOUR);
    for label in ["$(id)", "a;id", "`id`", "a&b", "a'b", "*", "a|b", "a>b", "!1"] {
        for head in [format!("CONNECT {label}.{NAME}:443"), format!("GET http://{label}.{NAME}/")] {
            let mut stream = scene.visitor.connect();
            write!(stream, "{head} HTTP/1.1\r\n\r\n").unwrap();
            let mut seen = Vec::new();
            let _ = stream.read_to_end(&mut seen);
            let seen = String::from_utf8(seen).unwrap();
            assert!(seen.starts_with("HTTP/1.1 40") && !seen.contains("`chronym"), "{head}: {seen}");
        }
    }
}

#[test]
fn an_own_name_and_one_that_a_pattern_names_may_lead_to_a_private_address() {
    for (patterns, is_own) in
        [(&["*.chronym"][..], false), (&["s*w.chronym"], false), (&["slow*.chronym"], false), (&[], true)]
    {
        let origin = origin(1, true);
        let mut scene = scene(patterns);
        scene.is_own = is_own;
        scene.learn(Trust::Secure, origin.port, std::slice::from_ref(&origin.tlsa), HOUR);
        assert!(scene.get(origin.port).0.ends_with(BODY), "{patterns:?}");
    }
}

/// Asks an origin that keeps its connection open, whatever it is told. All that it saw, and what the client read.
fn kept_open(request: &str, next: &str) -> (String, String) {
    let scene = scene(&[NAME]);
    let origin = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = origin.local_addr().unwrap().port();
    scene.learn(Trust::Secure, port, &[], HOUR);
    let thread = spawn(move || {
        let (mut socket, _) = origin.accept().unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(b"\r\n\r\n") && !seen.ends_with(b"hello") {
            let mut byte = [0];
            socket.read_exact(&mut byte).unwrap();
            seen.extend(byte);
        }
        let head = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=9\r\nContent-Length: 2\r\n\r\n";
        write!(socket, "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n{head}ok").unwrap();
        // The session ends with or without a reset.
        let _ = socket.read_to_end(&mut seen);
        String::from_utf8(seen).unwrap()
    });
    let mut client = scene.visitor.connect();
    write!(client, "{}", request.replace("PORT", &port.to_string())).unwrap();
    // The connection is for one answer, whatever the origin says: a browser sends no other request by it.
    let expected = "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n\
                    HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
    let mut answer = vec![0; expected.len()];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(String::from_utf8(answer).unwrap(), expected);
    write!(client, "{next}").unwrap();
    let mut rest = String::new();
    let _ = client.read_to_string(&mut rest);
    (thread.join().unwrap(), rest)
}

#[test]
fn the_next_request_of_a_connection_does_not_reach_the_first_origin() {
    let next = "GET http://bob.chronym/ HTTP/1.1\r\nCookie: secret\r\n\r\n";
    let get = format!("GET http://{NAME}:PORT/ HTTP/1.1\r\n\r\n");
    let (seen, rest) = kept_open(&get, next);
    assert!(seen.starts_with("GET / HTTP/1.1\r\n") && !seen.contains("bob") && rest.is_empty(), "{seen} {rest}");
    let post = format!("POST http://{NAME}:PORT/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
    let (seen, rest) = kept_open(&post, next);
    assert!(seen.ends_with("\r\n\r\nhello") && rest.is_empty(), "{seen} {rest}");
}

#[test]
fn a_body_without_a_length_or_with_bytes_beyond_it_reaches_nobody() {
    let scene = scene(&[NAME]);
    let origin = TcpListener::bind("127.0.0.1:0").unwrap();
    origin.set_nonblocking(true).unwrap();
    let port = origin.local_addr().unwrap().port();
    scene.learn(Trust::Secure, port, &[], HOUR);
    for (fields, seen) in [
        ("Transfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 411 "),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 400 "),
        ("Content-Length: 5\r\n\r\nhello!", ""),
    ] {
        let mut client = scene.visitor.connect();
        write!(client, "POST http://{NAME}:{port}/ HTTP/1.1\r\n{fields}").unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with(seen) && answer.is_empty() == seen.is_empty(), "{answer}");
    }
    assert_eq!(origin.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn what_is_no_answer_of_http_gets_a_page() {
    let scene = scene(&[NAME]);
    for said in ["", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"] {
        let origin = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = origin.local_addr().unwrap().port();
        scene.learn(Trust::Secure, port, &[], HOUR);
        let thread = spawn(move || {
            let (mut socket, _) = origin.accept().unwrap();
            let mut seen = [0; 16];
            socket.read_exact(&mut seen).unwrap();
            socket.write_all(said.as_bytes()).unwrap();
            socket.shutdown(Shutdown::Write).unwrap();
            let _ = socket.read_to_end(&mut Vec::new());
        });
        let mut client = scene.visitor.connect();
        write!(client, "GET http://{NAME}:{port}/ HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 502 ") && answer.contains("No answer"), "{answer}");
        drop(client);
        thread.join().unwrap();
    }
}

#[test]
fn a_client_that_left_is_not_dialled_for() {
    // Its queue is full: who connects beyond waits.
    let origin = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    origin.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    origin.listen(0).unwrap();
    let address = origin.local_addr().unwrap().as_socket().unwrap();
    let _queued = TcpStream::connect(address).unwrap();
    let scene = scene(&[NAME]);
    scene.learn(Trust::Secure, address.port(), &[[&[3, 1, 1][..], &[7; 32]].concat()], HOUR);
    let mut tunnel = scene.visitor.tunnel(address.port());
    while tunnel.conn.wants_write() {
        tunnel.conn.write_tls(&mut tunnel.sock).unwrap();
    }
    tunnel.sock.shutdown(Shutdown::Write).unwrap();
    // Without a page, which would say that it does not answer.
    let mut seen = Vec::new();
    tunnel.sock.read_to_end(&mut seen).unwrap();
    assert!(seen.is_empty());
}

#[test]
fn a_name_with_a_key_is_not_served_without_tls() {
    let scene = scene(&[NAME]);
    let answer = |request: &str| {
        let mut client = scene.visitor.connect();
        write!(client, "{request}").unwrap();
        let mut seen = String::new();
        client.read_to_string(&mut seen).unwrap();
        seen
    };
    let key = [&[3, 1, 1][..], &[7; 32]].concat();
    scene.learn(Trust::Secure, 443, std::slice::from_ref(&key), HOUR);
    for method in ["GET", "HEAD"] {
        let seen = answer(&format!("{method} http://{NAME}//a?b=1 HTTP/1.1\r\n\r\n"));
        assert!(
            seen.starts_with("HTTP/1.1 307 ") && seen.contains("\r\nLocation: https://slow.chronym//a?b=1\r\n"),
            "{seen}"
        );
    }
    let seen = answer(&format!("POST http://{NAME}:80/ HTTP/1.1\r\nContent-Length: 0\r\n\r\n"));
    assert!(seen.starts_with("HTTP/1.1 403 ") && seen.contains("slow.chronym is served by https alone"), "{seen}");
    // As browsers open WebSockets.
    let mut tunnel = scene.visitor.connect();
    write!(tunnel, "CONNECT {NAME}:80 HTTP/1.1\r\n\r\n").unwrap();
    let mut head = [0; 39];
    tunnel.read_exact(&mut head).unwrap();
    write!(tunnel, "GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut seen = String::new();
    tunnel.read_to_string(&mut seen).unwrap();
    assert!(seen.starts_with("HTTP/1.1 403 ") && seen.contains("slow.chronym is served by https alone"), "{seen}");
}

#[test]
fn a_key_of_another_port_or_that_nobody_vouches_for_redirects_nobody() {
    let key = [&[3, 1, 1][..], &[7; 32]].concat();
    for (trust, port, records) in [
        (Trust::Insecure { ede_text: "no firm pin yet".into() }, 443, vec![key.clone()]),
        (Trust::Secure, 443, vec![[&[1, 1, 1][..], &[7; 32]].concat()]),
        (Trust::Secure, 80, vec![key]),
    ] {
        let scene = scene(&[NAME]);
        scene.learn(trust, port, &records, HOUR);
        let mut client = scene.visitor.connect();
        write!(client, "GET http://{NAME}/ HTTP/1.1\r\n\r\n").unwrap();
        let mut seen = String::new();
        client.read_to_string(&mut seen).unwrap();
        // It is passed on, and most machines serve nothing there.
        assert!(!seen.is_empty() && !seen.contains("is served by https alone"), "{seen}");
    }
}

#[test]
fn a_name_that_had_a_key_is_not_served_without_one() {
    let key = [&[3, 1, 1][..], &[7; 32]].concat();
    let unvouched = || Trust::Insecure { ede_text: "no firm pin yet".into() };
    let scene = scene(&[NAME]);
    let plain = |scene: &Scene, port: u16| {
        let mut client = scene.visitor.connect();
        write!(client, "GET http://{NAME}:{port}/ HTTP/1.1\r\n\r\n").unwrap();
        let mut seen = String::new();
        client.read_to_string(&mut seen).unwrap();
        seen
    };
    let is_refused = |seen: &str| seen.contains("slow.chronym is served by https alone");
    // What nobody vouches for teaches nothing.
    scene.learn(unvouched(), 443, std::slice::from_ref(&key), HOUR);
    assert!(!is_refused(&plain(&scene, 80)));
    scene.learn(Trust::Secure, 443, &[key], HOUR);
    for port in [80, 8080] {
        assert!(is_refused(&plain(&scene, port)));
    }
    assert_eq!(scene.kept.recv().unwrap(), (NAME.to_owned(), Some(None)));
    // The name as others may show it, or no answer.
    scene.learn(unvouched(), 443, &[], HOUR);
    assert!(is_refused(&plain(&scene, 80)));
    assert!(scene.get(443).0.contains("Its server had a key before"));
    assert!(scene.kept.try_recv().is_err());
    scene.learn(Trust::Secure, 443, &[], HOUR);
    assert!(is_refused(&plain(&scene, 80)));
    assert!(matches!(scene.kept.recv().unwrap(), (_, Some(Some(_)))));
    let (page, _) = scene.get(443);
    assert!(page.contains("slow.chronym names no key any more") && page.contains("again in 7 days"), "{page}");

    // The user knows better.
    scene.https.forget_keyed(NAME);
    assert_eq!(scene.kept.recv().unwrap(), (NAME.to_owned(), None));
    assert!(!is_refused(&plain(&scene, 80)));

    // After a restart, a week later.
    let unix = u32::try_from(SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap();
    let later = scene_with(&[NAME], BTreeMap::from([(NAME.to_owned(), Some(unix - 7 * 86_400))]));
    later.learn(unvouched(), 443, &[], HOUR);
    assert!(is_refused(&plain(&later, 80)));
    later.learn(Trust::Secure, 443, &[], HOUR);
    assert!(!is_refused(&plain(&later, 80)));
    assert_eq!(later.kept.recv().unwrap(), (NAME.to_owned(), None));
}

/// A scene with one port at addresses of its own, as DNS shows them; and the address of the name.
fn local_scene(way: Way, port: u16, allow_private: &[&str]) -> (Scene, SocketAddr) {
    let scene = scene_at(allow_private, BTreeMap::new(), Some(vec![(way, port)]));
    let real = vec!["127.0.0.1".parse().unwrap()];
    let address = scene.https.place(NAME, real).unwrap().unwrap();
    (scene, (address, port).into())
}

impl Scene {
    fn learn_local(&self, trust: Trust, address: SocketAddr, port: u16, key: &[u8]) {
        let SocketAddr::V4(address) = address else { panic!() };
        let records = [
            record(NAME, 1, 300, &address.ip().octets()),
            record(&format!("_{port}._tcp.{NAME}"), 52, 300, key),
            record(&format!("www.{NAME}"), 5, 300, b"\x04slow\x07chronym\0"),
            record(&format!("_{port}._tcp.www.{NAME}"), 52, 300, key),
        ];
        self.running.server.learn(&name(NAME), Knowledge::Zone { zone: zone(NAME, &records), trust }, HOUR, HOUR);
    }
}

#[test]
fn an_address_of_this_machine_leads_to_the_host_whose_it_is_and_to_its_aliases() {
    let origin = origin(2, true);
    let (scene, address) = local_scene(Way::Tls, origin.port, &[NAME]);
    scene.learn_local(Trust::Secure, address, origin.port, &origin.tlsa);
    let get = |host: &'static str| {
        let mut seen = String::new();
        let mut stream = scene.visitor.encrypted(TcpStream::connect(address).unwrap(), host);
        stream.sock.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET / HTTP/1.1\r\n\r\n").and_then(|()| stream.read_to_string(&mut seen)).map(|_| seen)
    };
    assert_eq!(get(NAME).unwrap(), BODY);
    assert_eq!(get("www.slow.chronym").unwrap(), BODY);
    origin.thread.join().unwrap();
    // No leaf for names of others.
    assert!(get("example.com").is_err());
    drop(scene);
    // The permission of the host counts, not that of its local address.
    let (forbidden, address) = local_scene(Way::Tls, origin.port, &[]);
    forbidden.learn_local(Trust::Secure, address, origin.port, &origin.tlsa);
    let mut stream = forbidden.visitor.encrypted(TcpStream::connect(address).unwrap(), NAME);
    write!(stream, "GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut seen = String::new();
    stream.read_to_string(&mut seen).unwrap();
    assert!(seen.contains("slow.chronym leads to a private address"), "{seen}");
}

#[test]
fn other_ports_of_such_an_address_are_passed_to_the_origin_while_the_name_is_vouched_for() {
    let origin = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = origin.local_addr().unwrap().port();
    let thread = spawn(move || {
        let (mut socket, _) = origin.accept().unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        // As sshd does it: before the client says anything.
        socket.write_all(b"SSH-2.0-x\r\n").unwrap();
        let mut seen = String::new();
        socket.read_to_string(&mut seen).unwrap();
        socket.write_all(b"bye").unwrap();
        (seen, origin)
    });
    let (scene, address) = local_scene(Way::Passed, port, &[NAME]);
    scene.learn_local(Trust::Secure, address, 443, &[&[3, 1, 1][..], &[7; 32]].concat());
    let talk = |seen: &mut String| {
        let mut client = TcpStream::connect(address)?;
        client.set_read_timeout(Some(PATIENCE))?;
        client.write_all(b"SSH-2.0-y\r\n")?;
        client.shutdown(Shutdown::Write)?;
        client.read_to_string(seen)
    };
    let mut answer = String::new();
    talk(&mut answer).unwrap();
    assert_eq!(answer, "SSH-2.0-x\r\nbye");
    let (seen, origin) = thread.join().unwrap();
    assert_eq!(seen, "SSH-2.0-y\r\n");
    scene.learn_local(Trust::Insecure { ede_text: "no firm pin yet".into() }, address, 443, &[3, 1, 1]);
    // A reset may come before each step of the client, and is as good an end.
    let mut nothing = String::new();
    assert_eq!(talk(&mut nothing).unwrap_or(0), 0);
    assert_eq!(nothing, "");
    origin.set_nonblocking(true).unwrap();
    assert_eq!(origin.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn what_shows_an_address_that_gave_way_is_forgotten() {
    let scene = scene_at(&[], BTreeMap::new(), Some(vec![]));
    let place = |host: &str| scene.https.place(host, Vec::new()).unwrap();
    scene.learn(Trust::Secure, 443, &[], HOUR);
    place("www.slow.chronym");
    for number in 1..256 {
        place(&format!("h{number}.chronym"));
    }
    assert!(scene.running.server.flush(Some(&name(NAME))) == 1);
    scene.learn(Trust::Secure, 443, &[], HOUR);
    place("one.more.chronym");
    assert!(scene.running.server.flush(Some(&name(NAME))) == 0);
}

#[test]
fn plain_http_at_such_an_address_is_sent_to_https() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (scene, address) = local_scene(Way::Plain, port, &[NAME]);
    scene.learn_local(Trust::Secure, address, 443, &[&[3, 1, 1][..], &[7; 32]].concat());
    for (host, answer) in [(NAME, "HTTP/1.1 307 "), ("example.com", "HTTP/1.1 403 ")] {
        let mut client = TcpStream::connect(address).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(client, "GET /a HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut seen = String::new();
        client.read_to_string(&mut seen).unwrap();
        assert!(seen.starts_with(answer), "{seen}");
        assert_eq!(seen.contains("\r\nLocation: https://slow.chronym/a\r\n"), host == NAME);
    }
}

#[test]
fn while_the_authority_is_locked_there_is_no_tunnel() {
    let scene = scene(&[NAME]);
    scene.learn(Trust::Secure, 443, &[[&[3, 1, 1][..], &[7; 32]].concat()], HOUR);
    scene.https.mint(None).unwrap();
    let mut stream = scene.visitor.connect();
    write!(stream, "CONNECT {NAME}:443 HTTP/1.1\r\n\r\n").unwrap();
    let mut seen = String::new();
    stream.read_to_string(&mut seen).unwrap();
    assert!(seen.starts_with("HTTP/1.1 503 "), "{seen}");
}

#[test]
fn a_proxy_gives_way_to_the_next_on_its_port() {
    let scene = scene(&[]);
    let mut held = scene.visitor.connect();
    let listen = scene.visitor.proxy;
    let next = || ProxyOptions {
        listen,
        allow_private: Vec::new(),
        keyed: BTreeMap::new(),
        keep: Box::new(|_, _| true),
        local: None,
    };
    scene.https.set_proxy(Some(next())).unwrap();
    assert_eq!(held.read(&mut [0]).unwrap_or(0), 0);
    assert_eq!(scene.https.proxy(), Some(listen));
    scene.visitor.connect();
    scene.https.set_proxy(None).unwrap();
    assert_eq!(scene.https.proxy(), None);
    let taken = TcpListener::bind(listen).unwrap();
    assert!(scene.https.set_proxy(Some(next())).is_err());
    drop(taken);
}

#[test]
fn more_connections_than_there_is_room_for_end_the_oldest() {
    let (scene, origin) = (scene(&[NAME]), origin(1, true));
    scene.learn(Trust::Secure, origin.port, &[origin.tlsa], HOUR);
    let mut held: Vec<_> = (0..1_100).map(|_| scene.visitor.connect()).collect();
    assert_eq!(scene.get(origin.port), (BODY.to_owned(), true));
    let mut byte = [0];
    assert_eq!(held[0].read(&mut byte).unwrap(), 0);
    held[1_099].set_nonblocking(true).unwrap();
    assert_eq!(held[1_099].read(&mut byte).unwrap_err().kind(), ErrorKind::WouldBlock);
}
