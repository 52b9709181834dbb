//! The lock of a data directory: on the directory itself, so that it outlives the files in it. Node has no such call.

use napi_derive::napi;
use std::fs::{File, TryLockError};

/// A lock that this process holds until `release`, the end of the object or the end of the process.
#[napi]
pub struct DirectoryLock {
    held: Option<File>,
    is_taken: bool,
}

#[napi]
impl DirectoryLock {
    /// Tries to lock the directory at `path` without waiting. It holds nothing where the system can't lock a
    /// directory: Windows, and some network file systems.
    #[napi(constructor)]
    #[must_use]
    pub fn new(path: String) -> Self {
        let Ok(directory) = File::open(path) else { return Self { held: None, is_taken: false } };
        match directory.try_lock() {
            Ok(()) => Self { held: Some(directory), is_taken: false },
            Err(error) => Self { held: None, is_taken: matches!(error, TryLockError::WouldBlock) },
        }
    }

    /// Whether another holder has it.
    #[napi]
    #[must_use]
    pub const fn is_taken(&self) -> bool {
        self.is_taken
    }

    /// Gives the lock up; harmless where none is held.
    #[napi]
    pub fn release(&mut self) {
        self.held = None;
    }
}
