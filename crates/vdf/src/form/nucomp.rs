//! Squaring and composition for any discriminant: Shanks' NUDUPL and NUCOMP, seen as lattice reduction.
//!
//! The product of (a1, b1, c1) and (a2, b2, c2) is the form `(v2 x^2 + b2 x y + d c2 y^2) / v1` on the lattice of all
//! (x, y) with `x = r y mod v1`. Here d = gcd(a1, a2, (b1 + b2) / 2), v1 = a1 / d, v2 = a2 / d, and r is Cohen's
//! (algorithm 5.4.7). A partial Euclid on (v1, r) gives a short basis of it, on which the form is nearly reduced: no
//! number is ever twice as long. (Jacobson and van der Poorten, Computational Aspects of NUCOMP.)

mod basis;
mod compose;
mod square;

pub(crate) use compose::compose;
pub(crate) use square::square;
