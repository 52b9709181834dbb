//! The group's operations as a textbook has them: slow, plain, and the oracle for the fast ones.
//!
//! Henri Cohen, A Course in Computational Algebraic Number Theory, section 5.4.

mod compose;
mod square;

pub(crate) use compose::compose;
pub(crate) use square::square;

use crate::discriminant::D_LIMBS;
use crate::int::Int;

/// Limbs of every number here. Before reduction a product has `a <= a1 a2 < 2^1024`, `|b| < 2^1026` and
/// `c < (2^2052 + 2^1024) / 4a`; the largest number formed is `b^2`.
const LIMBS: usize = 2 * D_LIMBS + 2;
type Wide = Int<LIMBS>;
