//! The head of a request to a proxy (RFC 9110, 9.3.6; RFC 9112, 3.2).

/// A longer head is refused.
pub const HEAD_BYTES: usize = 16_384;

/// What is asked of a proxy.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// A tunnel.
    Connect {
        /// Lower-case, without a closing dot.
        host: String,
        /// Not 0.
        port: u16,
    },
    /// Plain HTTP, with the head as the origin gets it and the bytes that follow it.
    Plain {
        /// Lower-case, without a closing dot.
        host: String,
        /// Not 0.
        port: u16,
        /// As the origin gets it.
        head: Vec<u8>,
        /// Bytes that follow.
        body: u64,
    },
}

/// Why a head is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum BadHead {
    /// It can be read in two ways, or in none.
    Malformed,
    /// It does not say how long its body is.
    NoLength,
}

/// The request at the start of `bytes` and the length of its head; `None` while some of it is missing.
///
/// # Errors
/// [`BadHead`].
pub fn parse(bytes: &[u8]) -> Result<Option<(Request, usize)>, BadHead> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if bytes.len() > HEAD_BYTES { Err(BadHead::Malformed) } else { Ok(None) };
    };
    if end + 4 > HEAD_BYTES {
        return Err(BadHead::Malformed);
    }
    let text = std::str::from_utf8(&bytes[..end]).map_err(|_| BadHead::Malformed)?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(BadHead::Malformed);
    };
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_token(method)
        || !matches!(version, "HTTP/1.1" | "HTTP/1.0")
        || !target.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return Err(BadHead::Malformed);
    }
    let request = if method == "CONNECT" {
        let (host, port) = authority(target)?;
        Request::Connect { host, port: port.ok_or(BadHead::Malformed)? }
    } else {
        plain(method, target, lines)?
    };
    Ok(Some((request, end + 4)))
}

/// As [`parse`], of a client that takes this for the host itself: a path is its target, and the host is in a field.
///
/// # Errors
/// [`BadHead`].
pub fn parse_direct(bytes: &[u8]) -> Result<Option<(Request, usize)>, BadHead> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if bytes.len() > HEAD_BYTES { Err(BadHead::Malformed) } else { Ok(None) };
    };
    let text = std::str::from_utf8(&bytes[..end]).map_err(|_| BadHead::Malformed)?;
    let (line, fields) = text.split_once("\r\n").ok_or(BadHead::Malformed)?;
    let (method, target) =
        line.split_once(' ').filter(|(_, target)| target.starts_with('/')).ok_or(BadHead::Malformed)?;
    let mut hosts = fields.split("\r\n").filter_map(|field| {
        field.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, value)| value)
    });
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(BadHead::Malformed) };
    let host = host.trim_matches([' ', '\t']);
    if host.contains(['/', '?', '#']) {
        return Err(BadHead::Malformed);
    }
    let head = format!("{method} http://{host}{target}\r\n{fields}\r\n\r\n");
    Ok(parse(head.as_bytes())?.map(|(request, _)| (request, end + 4)))
}

fn plain<'a>(method: &str, target: &str, lines: impl Iterator<Item = &'a str>) -> Result<Request, BadHead> {
    let rest = target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://")).ok_or(BadHead::Malformed)?;
    let rest = &target[rest.len()..];
    let cut = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, port) = authority(&rest[..cut])?;
    let path = if rest[cut..].starts_with('/') { rest[cut..].to_owned() } else { format!("/{}", &rest[cut..]) };
    let mut fields = String::new();
    let (mut length, mut is_chunked) = (None, false);
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(BadHead::Malformed)?;
        // No continued lines, and no spaces before the colon, which programs read in different ways.
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) || line.contains(['\r', '\n', '\0']) {
            return Err(BadHead::Malformed);
        }
        if name.eq_ignore_ascii_case("content-length") && length.replace(content_length(value)?).is_some() {
            return Err(BadHead::Malformed);
        }
        is_chunked |= name.eq_ignore_ascii_case("transfer-encoding");
        if !is_ours(name) {
            fields.push_str(line);
            fields.push_str("\r\n");
        }
    }
    if is_chunked {
        return Err(if length.is_some() { BadHead::Malformed } else { BadHead::NoLength });
    }
    let shown = port.map_or(String::new(), |port| format!(":{port}"));
    // One request a connection: the next may be for another origin. The session holds the client to it.
    let head = format!("{method} {path} HTTP/1.1\r\nHost: {host}{shown}\r\nConnection: close\r\n{fields}\r\n");
    Ok(Request::Plain { host, port: port.unwrap_or(80), head: head.into_bytes(), body: length.unwrap_or(0) })
}

/// The head of an answer as the client gets it.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// Another one follows (RFC 9110, 15.2).
    Interim(Vec<u8>),
    /// The last one, which ends the connection.
    Final(Vec<u8>),
}

/// The head of an origin's answer at the start of `bytes`, and its length there; `None` while some of it is missing. It
/// ends the client's connection: the next request may be for another origin.
///
/// # Errors
/// [`BadHead::Malformed`].
pub fn parse_answer(bytes: &[u8]) -> Result<Option<(Answer, usize)>, BadHead> {
    let Some(length) = head_length(bytes).filter(|&length| length <= HEAD_BYTES) else {
        return if bytes.len() > HEAD_BYTES { Err(BadHead::Malformed) } else { Ok(None) };
    };
    let mut lines = bytes[..length].split_inclusive(|&byte| byte == b'\n');
    let status = lines.next().unwrap_or_default();
    let (Some(b"HTTP/1."), Some(&[_, b' ', class @ b'1'..=b'5', tens, units])) = (status.get(..7), status.get(7..12))
    else {
        return Err(BadHead::Malformed);
    };
    if class == b'1' {
        // Nobody asked for another protocol.
        let is_upgrade = [tens, units] == *b"01";
        let head = Answer::Interim(bytes[..length].to_vec());
        return if is_upgrade { Err(BadHead::Malformed) } else { Ok(Some((head, length))) };
    }
    let mut head = [status, b"Connection: close\r\n"].concat();
    let mut is_kept = true;
    for line in lines {
        // A line that begins with a space continues the one before (RFC 9112, 5.2).
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            let name = line.split(|&byte| byte == b':').next().unwrap_or_default().trim_ascii();
            is_kept = !["connection", "keep-alive", "proxy-connection"]
                .iter()
                .any(|hop| name.eq_ignore_ascii_case(hop.as_bytes()));
        }
        if is_kept {
            head.extend_from_slice(line);
        }
    }
    Ok(Some((Answer::Final(head), length)))
}

/// With the empty line at its end. Some servers end lines with a line feed alone.
fn head_length(bytes: &[u8]) -> Option<usize> {
    bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').find_map(|(at, _)| match bytes[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

fn content_length(value: &str) -> Result<u64, BadHead> {
    let digits = value.trim_matches([' ', '\t']);
    // A number may have a sign for `parse`.
    let digits = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or(BadHead::Malformed)
}

/// Between the client and this proxy alone, or written by it.
fn is_ours(name: &str) -> bool {
    ["host", "connection", "keep-alive", "te", "upgrade", "proxy-connection", "proxy-authorization"]
        .iter()
        .any(|ours| name.eq_ignore_ascii_case(ours))
}

/// A host, lower-case, without the closing dot, and its port.
fn authority(text: &str) -> Result<(String, Option<u16>), BadHead> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (host, Some(port.parse().ok().filter(|&port| port != 0).ok_or(BadHead::Malformed)?))
        }
        Some(_) => return Err(BadHead::Malformed),
        None => (text, None),
    };
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    if host.len() > 253 || !host.split('.').all(is_label) {
        return Err(BadHead::Malformed);
    }
    Ok((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_head(head: &str) -> Option<String> {
        match parse(head.as_bytes()) {
            Ok(Some((Request::Plain { head, .. }, _))) => String::from_utf8(head).ok(),
            _ => None,
        }
    }

    #[test]
    fn a_tunnel_has_a_host_and_a_port() {
        let head = b"CONNECT Alice.Chronym.:443 HTTP/1.1\r\nHost: x\r\n\r\n\x16rest";
        let request = Request::Connect { host: "alice.chronym".to_owned(), port: 443 };
        assert_eq!(parse(head), Ok(Some((request, head.len() - 5))));
        for cut in 0..head.len() - 5 {
            assert_eq!(parse(&head[..cut]), Ok(None));
        }
    }

    #[test]
    fn plain_http_reaches_the_origin_as_if_asked_directly() {
        let head = "GET http://alice.chronym:8080?a=1 HTTP/1.1\r\nHost: evil.chronym\r\nProxy-Connection: keep-alive\r\n\
                    Connection: keep-alive, X\r\nAccept: */*\r\n\r\n";
        let seen = "GET /?a=1 HTTP/1.1\r\nHost: alice.chronym:8080\r\nConnection: close\r\nAccept: */*\r\n\r\n";
        assert_eq!(plain_head(head).as_deref(), Some(seen));
    }

    #[test]
    fn a_client_without_a_proxy_names_its_host_once() {
        let head = b"GET /a?b=1 HTTP/1.1\r\nAccept: */*\r\nhost:\tAlice.Chronym \r\n\r\nrest";
        let Ok(Some((Request::Plain { host, port, head: sent, .. }, length))) = parse_direct(head) else { panic!() };
        assert_eq!((host.as_str(), port, length), ("alice.chronym", 80, head.len() - 4));
        assert_eq!(sent, b"GET /a?b=1 HTTP/1.1\r\nHost: alice.chronym\r\nConnection: close\r\nAccept: */*\r\n\r\n");
        assert_eq!(parse_direct(&head[..head.len() - 5]), Ok(None));
        for wrong in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a.chronym\r\nHost: b.chronym\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a.chronym/b\r\n\r\n",
            "GET http://a.chronym/ HTTP/1.1\r\nHost: a.chronym\r\n\r\n",
            "CONNECT a.chronym:443 HTTP/1.1\r\nHost: a.chronym\r\n\r\n",
        ] {
            assert_eq!(parse_direct(wrong.as_bytes()), Err(BadHead::Malformed), "{wrong}");
        }
    }

    #[test]
    fn a_body_has_one_length_in_digits() {
        let parse =
            |fields: &str| match parse(format!("POST http://alice.chronym/ HTTP/1.1\r\n{fields}\r\n").as_bytes()) {
                Ok(Some((Request::Plain { body, .. }, _))) => Ok(body),
                other => Err(other.unwrap_err()),
            };
        assert_eq!(parse(""), Ok(0));
        assert_eq!(parse("content-length:\t18446744073709551615 \r\n"), Ok(u64::MAX));
        for value in ["", "+5", "-5", "5, 5", "5 5", "0x5", "18446744073709551616"] {
            assert_eq!(parse(&format!("Content-Length: {value}\r\n")), Err(BadHead::Malformed), "{value}");
        }
        assert_eq!(parse("Content-Length: 5\r\nContent-length: 5\r\n"), Err(BadHead::Malformed));
        assert_eq!(parse("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), Err(BadHead::Malformed));
        assert_eq!(parse("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), Err(BadHead::Malformed));
        assert_eq!(parse("Transfer-encoding: chunked\r\n"), Err(BadHead::NoLength));
    }

    #[test]
    fn an_answer_ends_the_connection_of_its_client() {
        let last = |head: &str| match parse_answer(head.as_bytes()) {
            Ok(Some((Answer::Final(head), length))) => Some((String::from_utf8(head).unwrap(), length)),
            _ => None,
        };
        let head = "HTTP/1.1 200 OK\r\nConnection : keep-alive,\r\n  X\r\nkeep-alive: timeout=5\r\nA: b\r\n c\r\n\r\n";
        let seen = "HTTP/1.1 200 OK\r\nConnection: close\r\nA: b\r\n c\r\n\r\n";
        assert_eq!(last(&format!("{head}body\r\n\r\n")), Some((seen.to_owned(), head.len())));
        for cut in 0..head.len() {
            assert_eq!(parse_answer(&head.as_bytes()[..cut]), Ok(None), "{cut}");
        }
        assert_eq!(last("HTTP/1.0 404 No\nA: b\n\n").unwrap().0, "HTTP/1.0 404 No\nConnection: close\r\nA: b\n\n");
        let interim = b"HTTP/1.1 100 Continue\r\n\r\n";
        assert_eq!(parse_answer(interim), Ok(Some((Answer::Interim(interim.to_vec()), interim.len()))));
        for wrong in
            ["HTTP/1.1 101 Switching\r\n\r\n", "HTTP/2 200\r\n\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/1.1  200\r\n\r\n"]
        {
            assert_eq!(parse_answer(wrong.as_bytes()), Err(BadHead::Malformed), "{wrong}");
        }
        assert_eq!(parse_answer(&vec![b'a'; HEAD_BYTES]), Ok(None));
        assert_eq!(parse_answer(&vec![b'a'; HEAD_BYTES + 1]), Err(BadHead::Malformed));
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for head in [
            "GET / HTTP/1.1\r\nHost: alice.chronym\r\n\r\n",
            "GET https://alice.chronym/ HTTP/1.1\r\n\r\n",
            "GET http://a@alice.chronym/ HTTP/1.1\r\n\r\n",
            "GET http://alice.chronym/ HTTP/1.1\r\nA : b\r\n\r\n",
            "GET http://alice.chronym/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
            "GET http://alice.chronym/ HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
            "GET  http://alice.chronym/ HTTP/1.1\r\n\r\n",
            "CONNECT alice.chronym HTTP/1.1\r\n\r\n",
            "CONNECT alice.chronym:0 HTTP/1.1\r\n\r\n",
            "CONNECT alice.chronym:65536 HTTP/1.1\r\n\r\n",
            "CONNECT *.chronym:443 HTTP/1.1\r\n\r\n",
            "CONNECT [::1]:443 HTTP/1.1\r\n\r\n",
            "CONNECT alice..chronym:443 HTTP/1.1\r\n\r\n",
            "CONNECT alice.chronym:443 HTTP/2\r\n\r\n",
        ] {
            assert_eq!(parse(head.as_bytes()), Err(BadHead::Malformed), "{head}");
        }
        assert_eq!(parse(&vec![b'a'; HEAD_BYTES]), Ok(None));
        assert_eq!(parse(&vec![b'a'; HEAD_BYTES + 1]), Err(BadHead::Malformed));
    }
}
