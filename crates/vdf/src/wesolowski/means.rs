//! What the steps of proving share.

use crate::discriminant::Discriminant;
use crate::form::Form;
use std::sync::Mutex;
use std::thread;

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

// Work shared among threads.

/// Does `work` on every item, on up to `threads` threads, of which the caller's is one: with one, none is begun.
///
/// Where a thread cannot be started, the others do its part.
pub(super) fn for_each<T: Send>(
    threads: usize,
    items: impl ExactSizeIterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    let helpers = threads.min(items.len()).saturating_sub(1);
    if helpers == 0 {
        return items.for_each(work);
    }
    let queue = Mutex::new(items);
    // not `while let`: the lock must not be held during the work
    let next = || queue.lock().expect("taking an item does not panic").next();
    let run = || core::iter::from_fn(next).for_each(&work);
    thread::scope(|scope| {
        for _ in 0..helpers {
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
}

// A hint to the processor.

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

/// Bytes of a cache line on every x86-64 processor.
#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = 64;

#[cfg(test)]
mod tests {
    use super::for_each;
    use core::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn every_item_is_worked_on_once() {
        for threads in [0, 1, 2, 3, 10] {
            let counts: Vec<_> = (0..7).map(AtomicU64::new).collect();
            for_each(threads, counts.iter(), |count| _ = count.fetch_add(100, Ordering::Relaxed));
            let counts: Vec<_> = counts.into_iter().map(AtomicU64::into_inner).collect();
            assert_eq!(counts, (100..107).collect::<Vec<_>>(), "{threads}");
        }
    }
}
