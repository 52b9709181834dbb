//! What a person reads in place of a site.

use std::fmt::Write as _;

/// Why a request is refused.
#[derive(Debug)]
pub struct Refusal {
    pub status: &'static str,
    pub title: String,
    pub text: String,
    /// Where a browser goes on by itself.
    pub location: Option<String>,
}

impl Refusal {
    pub fn new(status: &'static str, title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { status, title: title.into(), text: text.into(), location: None }
    }

    /// A whole HTTP/1.1 response, after which the connection ends. It loads nothing and runs nothing.
    pub fn response(&self) -> Vec<u8> {
        let (title, text) = (escaped(&self.title), with_code(&escaped(&self.text)));
        let location = self.location.as_ref().map_or(String::new(), |location| format!("Location: {location}\r\n"));
        let body = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
             <meta name=\"viewport\" content=\"width=device-width\">\
             <style>:root{{color-scheme:light dark}}body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:38rem;\
             margin:4rem auto;padding:0 1rem;overflow-wrap:anywhere}}</style>\
             <h1>{title}</h1><p>{text}</p><p><small>Chronym, on this machine</small></p></html>\n"
        );
        format!(
            "HTTP/1.1 {}\r\n{location}Chronym-Refusal: 1\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
             Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'\r\n\r\n{body}",
            self.status,
            body.len()
        )
        .into_bytes()
    }
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, character| {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
        out
    })
}

/// Commands, which the texts have between backticks, are code.
fn with_code(text: &str) -> String {
    let mut parts = text.split('`');
    let mut out = parts.next().unwrap_or_default().to_owned();
    while let Some(code) = parts.next() {
        match parts.next() {
            Some(rest) => write!(out, "<code>{code}</code>{rest}").expect("a String takes all"),
            None => write!(out, "`{code}").expect("a String takes all"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_owner_published_is_text() {
        let response = Refusal::new("502 Bad Gateway", "<b>", "\"&amp;<script>").response();
        let text = String::from_utf8(response).unwrap();
        assert!(text.contains("color-scheme:light dark"));
        assert!(text.contains("<h1>&lt;b&gt;</h1><p>&quot;&amp;amp;&lt;script&gt;</p>"));
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())));
    }

    #[test]
    fn commands_are_code() {
        assert_eq!(with_code("run `a b`, then `c`."), "run <code>a b</code>, then <code>c</code>.");
        assert_eq!(with_code("an odd ` mark"), "an odd ` mark");
    }
}
