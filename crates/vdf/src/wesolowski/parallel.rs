//! Work shared among threads.

use std::sync::Mutex;
use std::thread;

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
