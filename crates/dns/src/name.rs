//! Names in wire form: labels with a length byte each, closed by the root label.

/// The longest name, in bytes (RFC 1035, 2.3.4).
pub(crate) const MAX_BYTES: usize = 255;
/// The longest label, in bytes.
pub(crate) const MAX_LABEL: usize = 63;

/// The length of the uncompressed name at the start of `bytes`, root label included.
pub(crate) fn length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let label = usize::from(*bytes.get(at)?);
        if label > MAX_LABEL {
            return None;
        }
        at += 1 + label;
        if at > MAX_BYTES {
            return None;
        }
        if label == 0 {
            return Some(at);
        }
    }
}

/// The name without its first label; `None` for the root.
pub(crate) fn parent(name: &[u8]) -> Option<&[u8]> {
    match name.first() {
        None | Some(0) => None,
        Some(&label) => name.get(1 + usize::from(label)..),
    }
}

/// The name and its ancestors, the root last.
pub(crate) fn ancestors(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    core::iter::successors(Some(name), |name| parent(name))
}

/// Labels, the root's not counted.
pub(crate) fn labels(name: &[u8]) -> usize {
    ancestors(name).count() - 1
}

/// Whether `name` is `ancestor` or below it.
pub(crate) fn is_within(name: &[u8], ancestor: &[u8]) -> bool {
    // The suffix must begin at a label's start: bytes within a label may look like one.
    name.ends_with(ancestor) && ancestors(name).any(|suffix| suffix.len() == ancestor.len())
}

/// Lower-cases in place. Length bytes are below 64, so they are not letters.
pub(crate) fn lower(name: &mut [u8]) {
    name.make_ascii_lowercase();
}

/// The wire form of dotted text without escapes, lower-case, with or without the closing dot; `None` for what is no name.
#[must_use]
pub fn from_text(text: &str) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(text.len() + 2);
    for label in text.strip_suffix('.').unwrap_or(text).split('.') {
        if label.is_empty() || label.len() > MAX_LABEL || !label.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        name.push(u8::try_from(label.len()).ok()?);
        name.extend(label.bytes());
    }
    name.push(0);
    lower(&mut name);
    (name.len() <= MAX_BYTES).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_names_and_refuses_what_is_none() {
        assert_eq!(length(b"\x01a\x00rest"), Some(3));
        assert_eq!(length(b"\x01a"), None);
        assert_eq!(length(b"\xc0\x0c"), None);
        assert_eq!(length(&[1; 300]), None);
    }

    #[test]
    fn is_within_compares_whole_labels() {
        assert!(is_within(b"\x01b\x01a\x00", b"\x01a\x00"));
        assert!(is_within(b"\x01a\x00", b"\x01a\x00"));
        // One label whose bytes end like the other name.
        assert!(!is_within(b"\x03b\x01a\x00", b"\x01a\x00"));
        assert!(!is_within(b"\x00", b"\x01a\x00"));
    }

    #[test]
    fn text_becomes_lower_case_wire_form() {
        assert_eq!(from_text("Ab.c."), Some(b"\x02ab\x01c\x00".to_vec()));
        for wrong in ["", ".", "a..b", "a b", &"a".repeat(64)] {
            assert_eq!(from_text(wrong), None);
        }
    }
}
