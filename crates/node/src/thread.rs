//! How the scheduler treats a thread that computes.

use napi_derive::napi;

/// Has threads that wake up take the place of this one, and of those it starts, at once. Else they wait for the end of
/// its slice, which Linux looks for at its ticks alone, up to 4 ms apart. Its share of the processor stays as it is.
/// Returns whether the scheduler took it: Linux 6.12 and newer do.
#[napi]
#[must_use]
pub fn be_preempted() -> bool {
    #[cfg(target_os = "linux")]
    return linux::set_slice();
    #[cfg(not(target_os = "linux"))]
    false
}

#[cfg(target_os = "linux")]
mod linux {
    /// Longer than the slice that others have by default, 2.8 ms at most: who has a shorter one need not wait.
    const SLICE_NS: u64 = 5_000_000;

    pub(super) fn set_slice() -> bool {
        let Some(mut found) = attributes() else { return false };
        found.sched_runtime = SLICE_NS;
        // SAFETY: the kernel reads a structure as long as its `size` says.
        let is_set = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const found, 0) } == 0;
        // An older kernel takes it and does nothing.
        is_set && attributes().is_some_and(|now| now.sched_runtime == SLICE_NS)
    }

    /// Of this thread.
    fn attributes() -> Option<libc::sched_attr> {
        let size = u32::try_from(size_of::<libc::sched_attr>()).ok()?;
        let mut found = libc::sched_attr {
            size,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        // SAFETY: the kernel writes at most `size` bytes there.
        (unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut found, size, 0) } == 0).then_some(found)
    }
}
