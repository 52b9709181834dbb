//! The intermediate forms of a segment, as records that are only ever appended.

use super::record::{self, RECORD_BYTES};
use crate::discriminant::Discriminant;
use crate::form::Form;

/// Records of a chunk: a mebibyte, so that growing never copies what is there, nor takes twice its room.
const CHUNK_RECORDS: usize = (1 << 20) / RECORD_BYTES;

type Record = [u8; RECORD_BYTES];

#[derive(Default)]
pub(super) struct Records {
    /// All but the last are full.
    chunks: Vec<Vec<Record>>,
}

impl Records {
    pub(super) fn push(&mut self, record: &Record) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK_RECORDS => chunk.push(*record),
            _ => {
                // the first one grows, since most evaluations end before it is full
                let mut chunk = Vec::with_capacity(if self.chunks.is_empty() { 1 } else { CHUNK_RECORDS });
                chunk.push(*record);
                self.chunks.push(chunk);
            }
        }
    }

    pub(super) fn count(&self) -> u64 {
        let last = self.chunks.last().map_or(0, Vec::len);
        (self.chunks.len().saturating_sub(1) * CHUNK_RECORDS + last) as u64
    }

    /// Appends the bytes of the records from an index on.
    pub(super) fn copy_from(&self, index: u64, out: &mut Vec<u8>) {
        let index = index.min(self.count()) as usize;
        let (first, mut skipped) = (index / CHUNK_RECORDS, index % CHUNK_RECORDS);
        for chunk in self.chunks.iter().skip(first) {
            out.extend_from_slice(chunk[core::mem::take(&mut skipped)..].as_flattened());
        }
    }

    pub(super) fn form(&self, index: u64, discriminant: &Discriminant) -> Form {
        let record = &self.chunks[index as usize / CHUNK_RECORDS][index as usize % CHUNK_RECORDS];
        record::read_checked(record, discriminant).expect("only forms of this discriminant are pushed")
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_RECORDS, Records};

    #[test]
    fn records_are_copied_from_any_index_on() {
        let mut records = Records::default();
        let mut bytes = Vec::new();
        for index in 0..2 * CHUNK_RECORDS + 3 {
            assert_eq!(records.count(), index as u64);
            let record = core::array::from_fn(|i| (index * 7 + i) as u8);
            records.push(&record);
            bytes.extend(record);
        }
        for index in [0, 1, CHUNK_RECORDS - 1, CHUNK_RECORDS, CHUNK_RECORDS + 1, 2 * CHUNK_RECORDS + 3, usize::MAX] {
            let mut copy = vec![1, 2];
            records.copy_from(index as u64, &mut copy);
            assert_eq!(copy[..2], [1, 2]);
            assert!(copy[2..] == bytes[index.saturating_mul(128).min(bytes.len())..], "{index}");
        }
    }
}
