//! The top level: its name, its key and where a name is in relation to it.

use crate::key::SigningKey;
use crate::name;
use core::fmt;

/// A zone that cannot be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApexError {
    /// The zone's name is no domain name.
    NoName(String),
}

impl fmt::Display for ApexError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::NoName(tld) = self;
        write!(out, "the zone '{tld}' is no domain name; give labels of 1 to 63 letters, digits and hyphens")
    }
}

impl core::error::Error for ApexError {}

/// Where a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position<'q> {
    /// Outside of the zone.
    Outside,
    /// The zone's own name.
    Apex,
    /// At or below this registered name, in wire form: the label left of the zone's name, and the zone's name.
    Below(&'q [u8]),
}

/// The zone that is served.
#[derive(Debug)]
pub struct Apex {
    name: Vec<u8>,
    key: SigningKey,
    serial: u32,
}

impl Apex {
    /// `tld` is text like `chronym`; `serial` goes into the SOA record.
    ///
    /// # Errors
    /// [`ApexError`].
    pub fn new(tld: &str, key: SigningKey, serial: u32) -> Result<Self, ApexError> {
        let name = name::from_text(tld).ok_or_else(|| ApexError::NoName(tld.to_owned()))?;
        Ok(Self { name, key, serial })
    }

    /// Where a name in lower-case wire form is.
    #[must_use]
    pub fn registered_name<'q>(&self, qname: &'q [u8]) -> Position<'q> {
        if !name::is_within(qname, &self.name) {
            return Position::Outside;
        }
        let registered = name::ancestors(qname).find(|suffix| name::parent(suffix) == Some(&self.name));
        registered.map_or(Position::Apex, Position::Below)
    }

    /// The zone's name in wire form.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The zone's key.
    #[must_use]
    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// The serial number of the SOA record.
    #[must_use]
    pub fn serial(&self) -> u32 {
        self.serial
    }
}
