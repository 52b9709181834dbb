//! What the steps of proving share.

use crate::discriminant::Discriminant;
use crate::form::Form;

/// What a prover works with; the same for all its threads.
pub(crate) struct Means<'a> {
    pub(crate) discriminant: &'a Discriminant,
    /// The stored form `C_j`.
    pub(crate) form_at: &'a (dyn Fn(u64) -> Form + Sync),
    /// Whether to stop; asked before every group operation.
    pub(crate) halted: &'a (dyn Fn() -> bool + Sync),
    pub(crate) threads: usize,
}

/// `product factor`, where no product yet is the neutral element.
pub(super) fn multiply(product: &mut Option<Form>, factor: &Form, discriminant: &Discriminant) {
    *product = Some(match product {
        Some(product) => product.compose(factor, discriminant),
        None => *factor,
    });
}
