//! What all of it shares.

/// Numbers at once.
pub(super) const LANES: usize = 4;

/// Bits of a limb.
pub(super) const LIMB_BITS: usize = 28;
