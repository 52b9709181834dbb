//! Long integers, and binary steps on rows of them in batches on machine words.

pub(super) mod batch;
pub(super) mod coordinate;
pub(super) mod modulus;
pub(super) mod rows;
pub(super) mod steps;
pub(super) mod update;
pub(super) mod word;
