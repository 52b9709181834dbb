//! The group's operations as a textbook has them: slow, plain, and the oracle for the fast ones.
//!
//! Henri Cohen, A Course in Computational Algebraic Number Theory, section 5.4.

mod compose;
mod reduce;
mod square;

pub(crate) use compose::compose;
pub(crate) use reduce::reduce;
pub(crate) use square::square;

use crate::discriminant::D_LIMBS;
use crate::form::Form;
use crate::int::Int;

/// Limbs of every number here. Before reduction a product has `a <= a1 a2 < 2^1024`, `|b| < 2^1026` and
/// `c < (2^2052 + 2^1024) / 4a`; the largest number formed is `b^2`.
const LIMBS: usize = 2 * D_LIMBS + 2;
type Wide = Int<LIMBS>;

/// Any form, not necessarily reduced.
#[derive(Clone, Copy)]
pub(crate) struct WideForm {
    pub(crate) a: Wide,
    pub(crate) b: Wide,
    pub(crate) c: Wide,
}

impl From<&Form> for WideForm {
    fn from(form: &Form) -> Self {
        Self {
            a: Int::from_uint(false, &form.a),
            b: Int::from_uint(form.b_negative, &form.b),
            c: Int::from_uint(false, &form.c),
        }
    }
}
