//! Moments: std's [`Instant`], and where std has no clock (`wasm32-unknown-unknown`) one of the host's.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use host::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use std::ops::{Add, Sub};
    use std::time::Duration;

    // SAFETY: whoever instantiates the module gives a function of this signature, or it is not instantiated.
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Milliseconds of a clock that never goes back: `performance.now()`.
        safe fn now() -> f64;
    }

    /// A moment of the host's clock, with as much of [`std::time::Instant`] as the search needs.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        pub fn now() -> Self {
            Self(Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default())
        }

        /// Time since then.
        pub fn elapsed(&self) -> Duration {
            Self::now().saturating_duration_since(*self)
        }

        /// So much later, if that can be told.
        pub fn checked_add(&self, duration: Duration) -> Option<Self> {
            self.0.checked_add(duration).map(Self)
        }

        /// Time from `earlier` to this moment, zero if that was later.
        pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, duration: Duration) -> Self {
            Self(self.0 + duration)
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Self) -> Duration {
            self.saturating_duration_since(earlier)
        }
    }
}
