//! Forms on their way in and out of the kernel.

pub(super) mod candidate;
pub(super) mod form;
pub(super) mod odd_form;
