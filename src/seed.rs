//! Seeds for numbered random streams, such as those of workers and games.

/// Derives the seed of random stream number `index` from `seed`; stream 0 uses `seed` itself.
pub fn mix_seed(seed: u64, index: u64) -> u64 {
    // 2^64 over the golden ratio: consecutive indices differ in about half of the bits.
    seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
