//! Seeds for independent, numbered random streams, such as one per worker or per game.

/// Derives the seed of random stream `index` from `seed`; stream 0 uses `seed` itself.
pub fn mix_seed(seed: u64, index: u64) -> u64 {
    // 2^64 / golden ratio: the seeds of consecutive indices differ in about half of their bits.
    seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
