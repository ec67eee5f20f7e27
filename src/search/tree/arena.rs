//! The arena: 64-bit words, handed to the workers in chunks and never given back one by one.

use super::Tree;
use super::node::NODE;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};

/// How much of the arena is used. It changes all the time, and so has a cache line apart from what is only read.
#[derive(Debug)]
pub(super) struct Growth {
    /// Words in use or in the chunk of a worker.
    pub used: AtomicU64,
    /// Children of all expanded nodes, and the root.
    pub listed: AtomicUsize,
}

/// Of a tree that is its root alone.
impl Default for Growth {
    fn default() -> Self {
        Self { used: AtomicU64::new(u64::from(Tree::ROOT + NODE)), listed: AtomicUsize::new(1) }
    }
}

/// One worker's piece of the arena, from which it takes words without a look at the other workers, and which
/// keeps them from writing to the same cache lines (thread-local allocation buffer).
///
/// It must go back by [`Tree::return_chunk`] before the tree is cleared or compacted.
#[derive(Debug, Default)]
pub struct ArenaChunk {
    words: Range<u32>,
    /// Children of the nodes that were expanded with it.
    pub(super) listed: usize,
}

impl ArenaChunk {
    /// Words of a chunk.
    const WORDS: u32 = 1 << 12;
}

/// Zeroed words that take about so many bytes, or fewer where the system refuses that much.
pub(super) fn zeroed_words(bytes: usize) -> Box<[AtomicU64]> {
    let mut count = (bytes / size_of::<AtomicU64>()).clamp(1 << 13, u32::MAX as usize - 1);
    loop {
        match bytemuck::try_zeroed_slice_box(count) {
            Ok(words) => return words,
            Err(()) => count /= 2,
        }
    }
}

impl Tree {
    /// Takes words of a chunk, or of a new one; `None` when there are not so many left.
    pub(super) fn take_words(&self, count: u32, chunk: &mut ArenaChunk) -> Option<u32> {
        if (chunk.words.len() as u32) < count {
            // A single worker gets its rest back with the new chunk, since that begins where the old one ended.
            self.return_chunk(std::mem::take(chunk));
            let words = self.claim_words(count.max(ArenaChunk::WORDS)).or_else(|| self.claim_words(count));
            let Some(words) = words else {
                self.full.store(true, Relaxed);
                return None;
            };
            chunk.words = words;
        }
        let first = chunk.words.start;
        chunk.words.start += count;
        Some(first)
    }

    /// Claims words of the arena. What is in use never exceeds the arena, not even for a moment, since another
    /// worker would find it full.
    fn claim_words(&self, count: u32) -> Option<Range<u32>> {
        let within = |first: u64| {
            let last = first + u64::from(count);
            (last <= self.words.len() as u64).then_some(last)
        };
        let first = self.growth.used.fetch_update(Relaxed, Relaxed, within).ok()? as u32;
        Some(first..first + count)
    }

    /// Gives a chunk back and counts the children of the nodes that were expanded with it. Its rest can be claimed
    /// again if no chunk was claimed after it, and is else lost until the tree is compacted.
    pub fn return_chunk(&self, chunk: ArenaChunk) {
        let ArenaChunk { words: Range { start, end }, listed } = chunk;
        self.growth.listed.fetch_add(listed, Relaxed);
        // It fails where another chunk has begun behind this one.
        let _ = self.growth.used.compare_exchange(end.into(), start.into(), Relaxed, Relaxed);
    }
}
