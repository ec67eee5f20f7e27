//! Threads: `rayon`'s. The build for Botzone (`--cfg botzone_only`) has one thread and a substitute that runs tasks one
//! after the other and creates no pool.

#[cfg(not(botzone_only))]
pub use rayon::{ThreadPool, ThreadPoolBuilder, join};

#[cfg(botzone_only)]
pub use one_thread::{ThreadPool, ThreadPoolBuilder, join};

#[cfg(botzone_only)]
mod one_thread {
    use std::convert::Infallible;
    use std::marker::PhantomData;

    /// Runs both tasks, the first one first.
    pub fn join<A, B>(first: impl FnOnce() -> A, second: impl FnOnce() -> B) -> (A, B) {
        (first(), second())
    }

    /// A pool of threads; there is none.
    pub enum ThreadPool {}

    impl ThreadPool {
        /// Returns the number of threads.
        pub fn current_num_threads(&self) -> usize {
            match *self {}
        }

        /// Runs a task on the pool.
        pub fn scope<'scope>(&self, _task: impl FnOnce(&Scope<'scope>)) {
            match *self {}
        }
    }

    /// Spawns tasks on a pool.
    pub struct Scope<'scope>(Infallible, PhantomData<&'scope ()>);

    impl<'scope> Scope<'scope> {
        /// Adds a task.
        pub fn spawn(&self, _task: impl FnOnce(&Self) + 'scope) {
            match self.0 {}
        }
    }

    /// Creates no pool.
    pub struct ThreadPoolBuilder(());

    impl ThreadPoolBuilder {
        /// Creates a builder.
        pub fn new() -> Self {
            Self(())
        }

        /// Takes a number of threads.
        pub fn num_threads(self, _threads: usize) -> Self {
            self
        }

        /// Grants no threads.
        pub fn build(self) -> Result<ThreadPool, ()> {
            Err(())
        }
    }
}
