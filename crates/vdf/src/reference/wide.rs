//! Integers wide enough for every step before reduction.

use crate::sizes::D_LIMBS;
use crate::uint::int::Int;

/// Limbs of every number here. Before reduction a product has `a <= a1 a2 < 2^1024`, `|b| < 2^1026` and
/// `c < (2^2052 + 2^1024) / 4a`; the largest number formed is `b^2`.
pub(super) const LIMBS: usize = 2 * D_LIMBS + 2;
pub(super) type Wide = Int<LIMBS>;
