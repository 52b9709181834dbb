#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod choice;
mod composition;
mod pieces;
mod reference;
mod squaring;
