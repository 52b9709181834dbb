//! A hint to the processor.

/// Has a value brought into the first cache, where the target has an instruction for it, without waiting for it.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a few instructions without a result")]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for offset in (0..size_of::<T>()).step_by(LINE_BYTES) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, and it never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast::<i8>().wrapping_add(offset)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Of a cache on every x86-64 processor.
#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = 64;
