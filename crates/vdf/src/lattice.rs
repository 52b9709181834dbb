//! Squaring and composition of binary quadratic forms by binary lattice reduction.
//!
//! The square of a form f = (A, B, C) is f restricted to the lattice of all (x, y) with `B x + C y = 0 mod A`, divided
//! by A: squaring is finding a short basis. Both extended gcds that this takes are binary ones, in batches on machine
//! words (Pornin, "Optimized Binary GCD for Modular Inversion", 2020), and no quotient is ever computed but a few of 64
//! bits.
//!
//! 1. *Odd A.* `|D| = 7 mod 8`, so one of a, c, a + b + c is odd: an equivalent form has A odd, `|B| <= A`.
//!    (`forms`)
//! 2. *Inverse.* Binary steps on `(A; 0)`, `(|B|; 1)` down to x = 1 give `v |B| = +-2^T mod A`. (`gcds`, `batch`,
//!    `steps`)
//! 3. *K* `= -C B^-1 2^t mod A`. (`modulus`)
//! 4. *Partial reduction.* Steps of exactly t shift bits on `(A; 0)`, `(K; +-1)` give `2^t x = K y`, hence two vectors
//!    of the lattice, of determinant `+-A`, with x and y near the square root of A. (`gcds`)
//! 5. *Gauss's reduction*, in doubles, of the points `(U, W) = (x + B / 2A y, sqrt |D| / 2A y)`, whose norm `U^2 + W^2`
//!    is the form's value. (`gauss`)
//! 6. *The new form* on that basis, with exact quotients by A. (`square`, `compose`)
//!
//! *Why a result is right.* Every operation on the rows is exact: approximations only choose between steps that all
//! keep the row in its lattice, so they cost time, never truth, and each file proves the bounds its words rest on. The
//! determinant is checked modulo `2^64`; a basis of determinant `+-A` of the right lattice has a form of the right
//! class and discriminant, and the form is returned only if `|b| < a < c` holds exactly, which makes it the one reduced
//! form of its class. So doubles decide nothing either.
//!
//! *What is checked nevertheless* against a slip of this code or of the machine: `b^2 - 4ac = D` modulo `2^64`, and a
//! against the norm within 1%. The first misses a vector off the lattice, which the second sees: its a is wrong by a
//! factor near `2^60`. (`candidate`)
//!
//! *What is refused* (`None`; the caller has a general path): forms far from the usual size (c above `2^560`, A below
//! `2^448`; one in `2^60` but for the first squarings from a generator), squares on the edge of reducedness, and
//! products whose first coefficients have too many common divisors (one in some thousand).
//!
//! The feature `stress` makes the approximations poor, so that tests take the rare paths all the time.

#![allow(
    clippy::inline_always,
    reason = "a squaring is one function per instruction set: inlined parts take over its target features"
)]
#![allow(clippy::cast_possible_truncation, reason = "the lower half of a wide product is meant")]
#![allow(clippy::cast_precision_loss, reason = "doubles here are approximations, checked exactly afterwards")]
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "a comparison with NaN must come out as a refusal")]

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod arithmetic;
mod candidate;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod choice;
mod compose;
mod context;
mod dispatch;
mod forms;
mod gauss;
mod gcds;
mod square;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub(crate) use context::LatticeContext;
pub(crate) use dispatch::steps_name;
pub(crate) use forms::{FORM_LIMBS, FastForm};

#[cfg(test)]
mod tests;
