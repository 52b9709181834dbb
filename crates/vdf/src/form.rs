//! Reduced binary quadratic forms `a x^2 + b x y + c y^2` of one discriminant: the elements of its class group.

mod codec;
mod element;
pub(crate) mod euclid;
mod group_law;
mod norm_two;
pub(crate) mod nucomp;
mod partial_xgcd;
mod reduce;

pub(crate) use codec::is_plausible;
pub use element::Form;
pub(crate) use reduce::{WideForm, reduce};

#[cfg(test)]
mod tests;
