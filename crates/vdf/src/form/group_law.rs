//! Squares, products and powers: by the fast kernel, and by NUDUPL and NUCOMP where it declines.

use super::{Form, nucomp};
use crate::discriminant::Discriminant;

impl Form {
    /// The form's class times itself.
    #[must_use]
    pub fn square(&self, discriminant: &Discriminant) -> Self {
        self.square_times(1, discriminant)
    }

    /// The class squared `count` times: its power to 2^count.
    #[must_use]
    pub fn square_times(&self, count: u64, discriminant: &Discriminant) -> Self {
        let (mut form, mut left) = self.square_fast(count, discriminant);
        while left > 0 {
            (form, left) = nucomp::square(&form, discriminant.bits()).square_fast(left - 1, discriminant);
        }
        form
    }

    /// The product of two classes.
    #[must_use]
    pub fn compose(&self, other: &Self, discriminant: &Discriminant) -> Self {
        self.compose_fast(other, discriminant).unwrap_or_else(|| nucomp::compose(self, other, discriminant.bits()))
    }

    /// The class to a power, given big-endian.
    #[must_use]
    pub fn pow(&self, exponent: &[u8], discriminant: &Discriminant) -> Self {
        let mut power = Self::identity(discriminant);
        let mut started = false;
        for byte in exponent {
            for bit in (0..8).rev() {
                if started {
                    power = power.square(discriminant);
                }
                if byte >> bit & 1 == 1 {
                    power = if started { power.compose(self, discriminant) } else { *self };
                    started = true;
                }
            }
        }
        power
    }
}
