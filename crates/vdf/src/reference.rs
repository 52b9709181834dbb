//! The group's operations as a textbook has them: slow, plain, and the oracle for the fast ones.
//!
//! Henri Cohen, A Course in Computational Algebraic Number Theory, section 5.4.

mod compose;
mod square;
mod wide;

pub(crate) use compose::compose;
pub(crate) use square::square;
