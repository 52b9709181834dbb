//! The parts of an X.509 certificate (RFC 5280, 4.1), each with its tag and length. Version 1 and unknown critical
//! extensions are read as well: DANE-EE asks for the key alone (RFC 7671, 5.1).

const BIT_STRING: u8 = 0x03;
pub const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const ISSUER_ID: u8 = 0x81;
const SUBJECT_ID: u8 = 0x82;
const EXTENSIONS: u8 = 0xa3;

/// What a certificate says, and its signature.
pub struct Parts<'a> {
    /// All that the signature covers.
    pub body: &'a [u8],
    /// Within the body, and beside the signature.
    pub algorithms: [&'a [u8]; 2],
    pub signature: &'a [u8],
    pub issuer: &'a [u8],
    pub subject: &'a [u8],
    /// The `SubjectPublicKeyInfo`.
    pub public_key: &'a [u8],
    pub extensions: Vec<&'a [u8]>,
}

impl<'a> Parts<'a> {
    /// `None` for bytes that are no certificate, or more than one.
    pub fn of(certificate: &'a [u8]) -> Option<Self> {
        let mut outer = Values::within(certificate, SEQUENCE)?;
        let (body, algorithm) = (outer.next(SEQUENCE)?, outer.next(SEQUENCE)?);
        let signature = bits(outer.next(BIT_STRING)?)?;
        let mut inner = Values::within(body, SEQUENCE)?;
        inner.next(VERSION);
        inner.any()?;
        let algorithms = [inner.next(SEQUENCE)?, algorithm];
        let (issuer, _validity) = (inner.next(SEQUENCE)?, inner.next(SEQUENCE)?);
        let (subject, public_key) = (inner.next(SEQUENCE)?, inner.next(SEQUENCE)?);
        inner.next(ISSUER_ID);
        inner.next(SUBJECT_ID);
        let mut extensions = Vec::new();
        if let Some(tagged) = inner.next(EXTENSIONS) {
            let mut listed = Values::within(contents(tagged)?, SEQUENCE)?;
            while !listed.is_empty() {
                extensions.push(listed.next(SEQUENCE)?);
            }
        }
        let is_whole = outer.is_empty() && inner.is_empty();
        is_whole.then_some(Self { body, algorithms, signature, issuer, subject, public_key, extensions })
    }
}

/// Algorithm and key of a `SubjectPublicKeyInfo`: what follows the tag and length of the one, and the bits of the other.
pub fn algorithm_and_key(public_key: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut values = Values::within(public_key, SEQUENCE)?;
    Some((contents(values.next(SEQUENCE)?)?, bits(values.next(BIT_STRING)?)?))
}

/// What a value holds.
pub fn contents(value: &[u8]) -> Option<&[u8]> {
    split(value).filter(|(_, _, rest)| rest.is_empty()).map(|(_, contents, _)| contents)
}

/// Of a bit string in whole bytes.
fn bits(value: &[u8]) -> Option<&[u8]> {
    contents(value)?.strip_prefix(&[0])
}

/// Values one after the other.
pub struct Values<'a>(&'a [u8]);

impl<'a> Values<'a> {
    /// Those of a value that is all of `bytes`.
    pub fn within(bytes: &'a [u8], tag: u8) -> Option<Self> {
        (bytes.first() == Some(&tag)).then(|| contents(bytes).map(Self))?
    }

    /// The next one, if it has this tag.
    pub fn next(&mut self, tag: u8) -> Option<&'a [u8]> {
        if self.0.first() == Some(&tag) { self.any() } else { None }
    }

    /// The next one.
    pub fn any(&mut self) -> Option<&'a [u8]> {
        let (value, _, rest) = split(self.0)?;
        self.0 = rest;
        Some(value)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The first value, its contents, and what follows. A length has its shortest form (X.690, 10.1), with at most the three
/// bytes that a certificate has in TLS.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (&[_, first], rest) = bytes.split_first_chunk()?;
    let (length, rest) = match (first, rest) {
        (0..=0x7f, _) => (usize::from(first), rest),
        (0x81, &[length @ 0x80..=0xff, ref rest @ ..]) => (usize::from(length), rest),
        (0x82, &[high @ 1..=0xff, low, ref rest @ ..]) => (usize::from(u16::from_be_bytes([high, low])), rest),
        (0x83, &[high @ 1..=0xff, middle, low, ref rest @ ..]) => {
            (usize::try_from(u32::from_be_bytes([0, high, middle, low])).ok()?, rest)
        }
        _ => return None,
    };
    let (contents, after) = rest.split_at_checked(length)?;
    Some((&bytes[..bytes.len() - after.len()], contents, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_has_one_form() {
        for bytes in
            [&[4, 0x81, 0x7f][..], &[4, 0x82, 0, 0x80], &[4, 0x80, 0, 0], &[4, 0x83, 0, 1, 0], &[4, 2, 0], &[4]]
        {
            assert_eq!(split(&[bytes, &[0; 0x7f]].concat()[..bytes.len()]), None, "{bytes:?}");
        }
        let long = [&[4, 0x82, 1, 0][..], &[7; 257]].concat();
        assert_eq!(split(&long), Some((&long[..260], &long[4..260], &long[260..])));
    }
}
