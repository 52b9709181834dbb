//! Small changes to valid bytes, which get further into a parser than a fuzzer's own bytes.

use crate::input::Input;

/// Longest that bytes are made.
const MAX_BYTES: usize = 4096;

/// Changes `bytes` as the rest of the input says.
pub fn apply(bytes: &mut Vec<u8>, input: &mut Input) {
    while !input.is_empty() {
        let kind = input.u8();
        let at = usize::from(input.u16()) % (bytes.len() + 1);
        match kind % 6 {
            0 if at < bytes.len() => bytes[at] ^= 1 << (kind >> 5),
            1 if at < bytes.len() => bytes[at] = input.u8(),
            2 => bytes.truncate(at),
            3 if bytes.len() < MAX_BYTES => bytes.insert(at, input.u8()),
            4 => {
                let length = usize::from(input.u8()).min(bytes.len() - at);
                let from = usize::from(input.u16()) % (bytes.len() - length + 1);
                bytes.copy_within(from..from + length, at);
            }
            5 => {
                let length = usize::from(input.u8()).min(bytes.len() - at);
                let fill = input.u8();
                bytes[at..at + length].fill(fill);
            }
            _ => {}
        }
    }
}
