//! A form as 128 bytes: a, then |b|, each 64 bytes little-endian. b is odd, so its lowest bit carries no information
//! and holds the sign instead.

use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::{Uint, word};

/// Bytes of a stored form.
pub(super) const RECORD_BYTES: usize = 16 * HALF_LIMBS;

/// Where b begins.
const B_OFFSET: usize = RECORD_BYTES / 2;

/// Limbs of c in nearly all forms of 1024 bits: a is rarely below `sqrt(|D|) / 2^60`.
const USUAL_LIMBS: usize = HALF_LIMBS + 1;

pub(super) fn write(form: &Form) -> [u8; RECORD_BYTES] {
    debug_assert!(form.b.is_odd());
    let mut bytes = [0; RECORD_BYTES];
    let (a, b) = bytes.split_at_mut(B_OFFSET);
    form.a.write_le(a);
    form.b.write_le(b);
    b[0] ^= u8::from(!form.b_negative);
    bytes
}

/// The reduced form that a record encodes, or `None` if it is not one of this discriminant.
pub(super) fn read(bytes: &[u8; RECORD_BYTES], discriminant: &Discriminant) -> Option<Form> {
    let (a, b, negative) = parts(bytes);
    Form::from_ab(&a, &b, negative, discriminant)
}

/// The form of a record that [`write`] made or [`read`] accepted; what other bytes give is not a form.
pub(super) fn read_checked(bytes: &[u8; RECORD_BYTES], discriminant: &Discriminant) -> Option<Form> {
    let (a, b, b_negative) = parts(bytes);
    // |D| = 4ac - b^2 >= 3ac makes c <= |D| / 3a < 2^(bits of D - bits of a)
    let usual = discriminant.bits() <= a.bit_length() + 64 * USUAL_LIMBS;
    let Some(c) = usual.then(|| third_coefficient(&a, &b, &discriminant.magnitude)).flatten() else {
        return read(bytes, discriminant);
    };
    debug_assert_eq!(Form::from_ab(&a, &b, b_negative, discriminant).map(|form| form.c), Some(c));
    Some(Form { a, b, b_negative, c })
}

fn parts(bytes: &[u8; RECORD_BYTES]) -> (Uint<HALF_LIMBS>, Uint<HALF_LIMBS>, bool) {
    let (words, _) = bytes.as_chunks();
    let number = |first: usize| Uint(core::array::from_fn(|i| u64::from_le_bytes(words[first + i])));
    let (a, mut b) = (number(0), number(HALF_LIMBS));
    let negative = b.is_odd();
    b.0[0] |= 1;
    (a, b, negative)
}

/// `(b^2 + |D|) / 4a` modulo `2^576`, for a division that leaves no rest; `None` for an a with more than 61 factors 2.
///
/// By exact division from the lowest limb up (Jebelean), so only the lowest limbs of the square and of the rests play a
/// part. Each row has a length of its own that the compiler knows, so that all are unrolled.
fn third_coefficient(a: &Uint<HALF_LIMBS>, b: &Uint<HALF_LIMBS>, magnitude: &Uint<D_LIMBS>) -> Option<Uint<D_LIMBS>> {
    let twos = a.0[0].trailing_zeros() + 2;
    if twos >= 64 {
        return None;
    }
    let mut numerator = low_square(&b.0);
    let mut overflow = false;
    for (limb, of_d) in numerator.iter_mut().zip(&magnitude.0) {
        (*limb, overflow) = word::carrying_add(*limb, *of_d, overflow);
    }
    let mut rest: [u64; USUAL_LIMBS] = core::array::from_fn(|i| numerator[i] >> twos | numerator[i + 1] << (64 - twos));
    let odd = a.shr(twos as usize - 2).0;
    let inverse = word::inverse(odd[0]);
    let mut c = Uint::ZERO;
    // The digit that makes the lowest limb zero.
    let digit = |rest: u64| rest.wrapping_mul(inverse);
    c.0[0] = digit(rest[0]);
    let borrow = subtract_multiple::<8>(&mut rest, &odd, c.0[0]);
    rest[8] = rest[8].wrapping_sub(borrow);
    c.0[1] = digit(rest[1]);
    subtract_multiple::<8>(&mut rest[1..], &odd, c.0[1]);
    c.0[2] = digit(rest[2]);
    subtract_multiple::<7>(&mut rest[2..], &odd, c.0[2]);
    c.0[3] = digit(rest[3]);
    subtract_multiple::<6>(&mut rest[3..], &odd, c.0[3]);
    c.0[4] = digit(rest[4]);
    subtract_multiple::<5>(&mut rest[4..], &odd, c.0[4]);
    c.0[5] = digit(rest[5]);
    subtract_multiple::<4>(&mut rest[5..], &odd, c.0[5]);
    c.0[6] = digit(rest[6]);
    subtract_multiple::<3>(&mut rest[6..], &odd, c.0[6]);
    c.0[7] = digit(rest[7]);
    subtract_multiple::<2>(&mut rest[7..], &odd, c.0[7]);
    c.0[8] = digit(rest[8]);
    Some(c)
}

/// `rest -= digit limbs` over the lowest N limbs; what is to be subtracted from the next.
#[inline]
fn subtract_multiple<const N: usize>(rest: &mut [u64], limbs: &[u64], digit: u64) -> u64 {
    let (rest, limbs) = (&mut rest[..N], &limbs[..N]);
    let (mut carry, mut borrow) = (0, false);
    for i in 0..N {
        let low;
        (low, carry) = word::carrying_mul_add(digit, limbs[i], carry, 0);
        (rest[i], borrow) = word::borrowing_sub(rest[i], low, borrow);
    }
    // digit limbs < 2^(64 (N + 1)), so the carry is at most 2^64 - 2
    carry + u64::from(borrow)
}

/// `sum += digit limbs` over the lowest N limbs, and the carry into the next, if there is one.
#[inline]
fn add_multiple<const N: usize>(sum: &mut [u64], limbs: &[u64], digit: u64) {
    let mut carry = 0;
    for i in 0..N {
        (sum[i], carry) = word::carrying_mul_add(digit, limbs[i], sum[i], carry);
    }
    // each row is the first that reaches this limb
    if let Some(next) = sum.get_mut(N) {
        *next = carry;
    }
}

/// `b^2` modulo `2^640`: one limb more than c has, for the factors 2 to be shifted out. Products of different limbs are
/// taken once and doubled.
fn low_square(b: &[u64; HALF_LIMBS]) -> [u64; USUAL_LIMBS + 1] {
    let mut square = [0; USUAL_LIMBS + 1];
    add_multiple::<7>(&mut square[1..], &b[1..], b[0]);
    add_multiple::<6>(&mut square[3..], &b[2..], b[1]);
    add_multiple::<5>(&mut square[5..], &b[3..], b[2]);
    add_multiple::<3>(&mut square[7..], &b[4..], b[3]);
    add_multiple::<1>(&mut square[9..], &b[5..], b[4]);
    let (mut bit_below, mut carry) = (0, false);
    for (limb, pair) in b.iter().zip(square.as_chunks_mut::<2>().0) {
        let (low, high) = word::carrying_mul_add(*limb, *limb, 0, 0);
        for (limb, of_square) in pair.iter_mut().zip([low, high]) {
            let doubled = *limb << 1 | bit_below;
            bit_below = *limb >> 63;
            (*limb, carry) = word::carrying_add(doubled, of_square, carry);
        }
    }
    square
}

const _: () = assert!(HALF_LIMBS == 8 && USUAL_LIMBS == 9 && USUAL_LIMBS < D_LIMBS);

// The intermediate forms of a segment, as records that are only ever appended.

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
        read_checked(record, discriminant).expect("only forms of this discriminant are pushed")
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_RECORDS, Records, read, read_checked, write};
    use crate::{Discriminant, Form};

    #[test]
    fn records_are_read_as_they_were_written() {
        for bits in [8, 64, 256, 520, 1000, 1024] {
            let d = Discriminant::from_seed(b"records", bits).unwrap();
            // the first forms have a small a and a long c, inverses the other sign
            let mut form = Form::generator(&d);
            for _ in 0..300 {
                for form in [form, form.inverse(), Form::identity(&d)] {
                    let record = write(&form);
                    assert_eq!((read(&record, &d), read_checked(&record, &d)), (Some(form), Some(form)), "{bits}");
                }
                form = form.square(&d);
            }
        }
    }

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
