//! A fuzzer's bytes, read as choices.

use num_bigint::BigUint;
use num_traits::{One, Zero};

/// What is left of them; past the end, zeros.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// At most `length` bytes.
    pub fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// All that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        self.take(usize::MAX)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn u64(&mut self) -> u64 {
        self.take(8).iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    pub fn u16(&mut self) -> u16 {
        self.take(2).iter().fold(0, |value, &byte| value << 8 | u16::from(byte))
    }

    pub fn u8(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    pub fn bool(&mut self) -> bool {
        self.u8() & 1 == 1
    }

    pub fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.u8()) % choices.len()]
    }

    /// A number of exactly `bits` bits, at least 1: its bytes, or the lengths of runs of ones and zeros, which carries
    /// and borrows dread.
    pub fn number(&mut self, bits: u64) -> BigUint {
        let mut number = BigUint::one();
        if self.bool() {
            let bytes = usize::try_from(bits.div_ceil(8)).expect("a small number");
            number = BigUint::from_bytes_be(self.take(bytes));
            let top = bits - 1;
            number &= (BigUint::one() << top) - 1_u8;
            return number | BigUint::one() << top;
        }
        while number.bits() < bits {
            let byte = self.u8();
            let run = u64::from(byte >> 1).max(1).min(bits - number.bits());
            let ones = if byte & 1 == 1 { (BigUint::one() << run) - 1_u8 } else { BigUint::zero() };
            number = (number << run) + ones;
        }
        number
    }
}
