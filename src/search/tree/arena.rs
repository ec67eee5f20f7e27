//! The arena: 64-bit words, allocated to workers in chunks, freed only by compaction.

use super::Tree;
use super::node::NODE;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};

/// Use of the arena. Changes often, hence in a cache line apart from the fields that are only read.
#[derive(Debug)]
pub(super) struct Growth {
    /// Words in use or in a worker's chunk.
    pub used: AtomicU64,
    /// The root and the children of all expanded nodes.
    pub listed: AtomicUsize,
}

/// A tree of the root alone.
impl Default for Growth {
    fn default() -> Self {
        Self { used: AtomicU64::new(u64::from(Tree::ROOT + NODE)), listed: AtomicUsize::new(1) }
    }
}

/// One worker's part of the arena (thread-local allocation buffer): allocates without synchronization and keeps
/// workers from writing to the same cache lines.
///
/// Must be returned by [`Tree::return_chunk`] before the tree is cleared or compacted.
#[derive(Debug, Default)]
pub struct ArenaChunk {
    words: Range<u32>,
    /// Children of the nodes expanded with this chunk.
    pub(super) listed: usize,
}

impl ArenaChunk {
    /// Size of a chunk in words.
    const WORDS: u32 = 1 << 12;
}

/// Allocates zeroed words for about `bytes` bytes; halves the number until the system grants it.
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
    /// Allocates `count` words from the chunk, or from a new chunk. `None` if the arena is full.
    pub(super) fn take_words(&self, count: u32, chunk: &mut ArenaChunk) -> Option<u32> {
        if (chunk.words.len() as u32) < count {
            // A single worker continues where the old chunk ended, so its rest is not lost.
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

    /// Claims words of the arena. `used` never exceeds the arena's size, not even briefly: another worker would take
    /// the arena for full.
    fn claim_words(&self, count: u32) -> Option<Range<u32>> {
        let within = |first: u64| {
            let last = first + u64::from(count);
            (last <= self.words.len() as u64).then_some(last)
        };
        let first = self.growth.used.fetch_update(Relaxed, Relaxed, within).ok()? as u32;
        Some(first..first + count)
    }

    /// Returns a chunk and counts the children of the nodes expanded with it. Its unused words are reusable at once
    /// if it is the last chunk of the arena, and otherwise after the next compaction.
    pub fn return_chunk(&self, chunk: ArenaChunk) {
        let ArenaChunk { words: Range { start, end }, listed } = chunk;
        self.growth.listed.fetch_add(listed, Relaxed);
        // Fails if another chunk follows this one.
        let _ = self.growth.used.compare_exchange(end.into(), start.into(), Relaxed, Relaxed);
    }
}
