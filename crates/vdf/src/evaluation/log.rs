//! The append-only log of intermediate forms.

use super::record::{self, RECORD_BYTES};
use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::Form;
use sha2::{Digest, Sha256};

/// Records of forms, with a hash over all of them.
pub(super) struct Log {
    records: Vec<u8>,
    hash: Sha256,
}

impl Log {
    pub(super) fn new() -> Self {
        Self { records: Vec::new(), hash: Sha256::new() }
    }

    /// Takes the first `count` records of stored bytes; whatever follows them was appended after the state was taken.
    pub(super) fn restore(
        bytes: &[u8],
        count: u64,
        digest: [u8; 32],
        discriminant: &Discriminant,
    ) -> Result<Self, Error> {
        let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(RECORD_BYTES));
        let records = length.and_then(|length| bytes.get(..length)).ok_or(Error::CheckpointIntermediates)?;
        let hash = Sha256::new_with_prefix(records);
        if hash.clone().finalize() != digest.into() {
            return Err(Error::CheckpointIntermediates);
        }
        let (chunks, _) = records.as_chunks::<RECORD_BYTES>();
        if chunks.iter().any(|chunk| record::read(chunk, discriminant).is_none()) {
            return Err(Error::CheckpointIntermediates);
        }
        Ok(Self { records: records.to_vec(), hash })
    }

    pub(super) fn push(&mut self, form: &Form) {
        let bytes = record::write(form);
        self.hash.update(bytes);
        self.records.extend_from_slice(&bytes);
    }

    pub(super) fn count(&self) -> u64 {
        (self.records.len() / RECORD_BYTES) as u64
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }

    pub(super) fn bytes_from(&self, index: u64) -> &[u8] {
        let start = usize::try_from(index).unwrap_or(usize::MAX).saturating_mul(RECORD_BYTES).min(self.records.len());
        &self.records[start..]
    }

    pub(super) fn form(&self, index: u64, discriminant: &Discriminant) -> Form {
        let (records, _) = self.records.as_chunks::<RECORD_BYTES>();
        record::read(&records[index as usize], discriminant)
            .expect("only forms of this discriminant are pushed or restored")
    }
}
