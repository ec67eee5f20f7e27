//! Points in time: std's [`Instant`], or the host's clock on `wasm32-unknown-unknown`, where std has none.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use host::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use std::time::Duration;

    // SAFETY: a module is instantiated only if its host supplies a function of this signature.
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Reads a monotonic clock in milliseconds: `performance.now()`.
        safe fn now() -> f64;
    }

    /// A point in time on the host's clock, with the methods of [`std::time::Instant`] that the search needs.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// Returns the current time.
        pub fn now() -> Self {
            Self(Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default())
        }

        /// Returns the time since `self`.
        pub fn elapsed(&self) -> Duration {
            Self::now().0.saturating_sub(self.0)
        }

        /// Adds a duration; `None` on overflow.
        pub fn checked_add(&self, duration: Duration) -> Option<Self> {
            self.0.checked_add(duration).map(Self)
        }
    }
}
