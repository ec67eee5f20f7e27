//! Thread pools: re-exports `rayon`. Without the feature `rayon` (Botzone: one thread) there is a stub instead
//! that runs tasks one after the other and never creates a pool.

#[cfg(feature = "rayon")]
pub use rayon::{ThreadPool, join};

#[cfg(not(feature = "rayon"))]
pub use one_thread::{ThreadPool, join};

/// Creates a pool of `threads` threads; `None` for one thread, or if the system refuses to start them.
#[cfg(feature = "rayon")]
pub fn pool(threads: usize) -> Option<ThreadPool> {
    if threads == 1 {
        return None;
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()
}

/// Returns `None`: this build has no thread pools.
#[cfg(not(feature = "rayon"))]
pub fn pool(_threads: usize) -> Option<ThreadPool> {
    None
}

/// Returns the pool's number of threads; 1 without a pool.
pub fn count(pool: Option<&ThreadPool>) -> usize {
    pool.map_or(1, ThreadPool::current_num_threads)
}

#[cfg(not(feature = "rayon"))]
mod one_thread {
    use std::convert::Infallible;
    use std::marker::PhantomData;

    /// Runs both tasks, one after the other.
    pub fn join<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
        (first(), second())
    }

    /// Stub for rayon's pool. The type has no values, since no pool is ever created.
    pub enum ThreadPool {}

    impl ThreadPool {
        /// Unreachable, since no pool is ever created.
        pub fn current_num_threads(&self) -> usize {
            match *self {}
        }

        /// Unreachable, since no pool is ever created.
        pub fn scope<'scope>(&self, _task: impl FnOnce(&Scope<'scope>)) {
            match *self {}
        }
    }

    /// Stub for rayon's scope, which spawns tasks on a pool.
    pub struct Scope<'scope>(Infallible, PhantomData<&'scope ()>);

    impl<'scope> Scope<'scope> {
        /// Unreachable, since no pool is ever created.
        pub fn spawn(&self, _task: impl FnOnce(&Self) + 'scope) {
            match self.0 {}
        }
    }
}
