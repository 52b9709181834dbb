//! Heads of requests and answers: each that is taken is whole, and says once which host it is for and how it ends.

use chronym_https::head::{Answer, HEAD_BYTES, Request, parse, parse_answer, parse_direct};

/// The bytes are a head and what follows.
///
/// # Panics
/// When a head is taken that could be read in two ways.
pub fn run(data: &[u8]) {
    for parsed in [parse(data), parse_direct(data)] {
        let Ok(Some((request, length))) = parsed else { continue };
        assert!(length <= data.len() && length <= HEAD_BYTES);
        if let Request::Plain { host, head, .. } = request {
            let text = String::from_utf8(head).expect("text");
            let lines: Vec<&str> = text.strip_suffix("\r\n\r\n").expect("an end").split("\r\n").collect();
            assert!(lines.iter().all(|line| !line.is_empty() && !line.contains(['\r', '\n', '\0'])));
            assert_eq!(named(&lines, "connection"), ["close"]);
            let hosts = named(&lines, "host");
            assert!(hosts.len() == 1 && hosts[0].starts_with(&host), "{hosts:?}");
            assert!(named(&lines, "content-length").len() <= 1 && named(&lines, "transfer-encoding").is_empty());
        }
    }
    if let Ok(Some((Answer::Final(head), length))) = parse_answer(data) {
        assert!(length <= data.len() && length <= HEAD_BYTES);
        let lines: Vec<&[u8]> = head.split(|&byte| byte == b'\n').collect();
        assert_eq!(lines[1], b"Connection: close\r");
        assert!(!lines[2..].iter().any(|line| line.to_ascii_lowercase().starts_with(b"connection:")));
        assert_eq!(parse_answer(&data[..length - 1]), Ok(None));
    }
}

fn named<'a>(lines: &[&'a str], name: &str) -> Vec<&'a str> {
    let fields = lines[1..].iter().filter_map(|line| line.split_once(':'));
    fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).collect()
}
