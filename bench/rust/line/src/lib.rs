//! A program that is measured: it answers requests on stdin, one JSON object a line, with one JSON object a line on
//! stdout.
//!
//! It runs for as long as it is asked, so that two of them can be timed by turns, a fraction of a second each.

use cpu_time::ThreadTime;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Write as _, stdin, stdout};
use std::time::Instant;

pub use serde_json;

/// A request, whose field `do` names the operation. Reading a missing field, or one of another type, ends the program:
/// that is a bug of the caller.
pub struct Request(Value);

impl Request {
    /// The operation.
    pub fn verb(&self) -> &str {
        self.text("do")
    }

    pub fn text(&self, field: &str) -> &str {
        self.0[field].as_str().unwrap_or_else(|| panic!("{field}: a string is missing in {}", self.0))
    }

    pub fn count(&self, field: &str) -> u64 {
        self.0[field].as_u64().unwrap_or_else(|| panic!("{field}: a number is missing in {}", self.0))
    }

    /// Bytes, in hexadecimal.
    pub fn bytes(&self, field: &str) -> Vec<u8> {
        let text = self.text(field);
        assert!(text.len().is_multiple_of(2), "{field}: half a byte");
        (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap_or_else(|_| panic!("{field}: not hexadecimal")))
            .collect()
    }
}

/// Answers every request until stdin ends.
pub fn serve(mut answer: impl FnMut(&Request) -> Value) {
    for line in stdin().lines() {
        let line = line.expect("stdin is readable");
        let reply = answer(&Request(serde_json::from_str(&line).expect("a JSON object a line")));
        let mut out = stdout().lock();
        writeln!(out, "{reply}").and_then(|()| out.flush()).expect("stdout is writable");
    }
}

/// What `run` gives, and how long it took, in seconds: `{"wall": ..., "cpu": ...}`. `cpu` is this thread's own time,
/// which other work on the machine does not count in.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, Value) {
    let (wall, cpu) = (Instant::now(), ThreadTime::now());
    let value = run();
    let (cpu, wall) = (cpu.elapsed(), wall.elapsed());
    (value, json!({ "wall": wall.as_secs_f64(), "cpu": cpu.as_secs_f64() }))
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string grows");
        text
    })
}
