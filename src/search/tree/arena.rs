//! The arena: pages of 64-bit words. Each page is divided into slots of one size. A worker takes all free slots of a
//! page at once; recycling frees slots.
//!
//! ```text
//!   slot size 0:     | 8 words | 8 words | 8 words | ...              | 128 slots in a page
//!   slot size 3:     | 64 words                    | ...              |  16 slots in a page
//!   free slot:       | next free slot of the page, 0 |  ...           |  owner (upper half of word 0) is 0
//! ```
//!
//! A page whose slots are all free can be divided into slots of another size.

use super::Tree;
use crate::limits::Resources;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{MutexGuard, PoisonError};

/// Number of words in a slot of size 0: a 64-byte cache line.
pub(super) const LINE: u32 = 8;
/// Number of words in a page, and in a slot of the largest size: 8 KiB.
pub(super) const PAGE: u32 = 1 << 10;
/// Number of slot size classes, each twice as large as the one before.
pub(super) const SIZES: usize = 8;

/// Returns the number of words in a slot of size class `size` (0 to 7).
pub(super) fn slot_words(size: usize) -> u32 {
    LINE << size
}

/// A linked list of free slots of one page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FreeSlots {
    /// Index of the page.
    pub page: u32,
    /// Address of the first free slot. Each free slot holds the address of the next, or 0 in the last.
    pub first: u32,
    pub count: u32,
}

/// A page in use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub size: usize,
    /// Free slots that no worker has taken.
    pub free: FreeSlots,
}

impl Page {
    /// Returns the number of the page's words in slots that are in use or held by a worker.
    pub fn used_words(&self) -> u32 {
        PAGE - self.free.count * slot_words(self.size)
    }
}

/// A subtree to free: a family and all families below it. `children` is the number of children of the family's owner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subtree {
    pub family: u32,
    pub children: u32,
}

/// All pages of the arena, with lists of the pages that have free slots, and counters of memory and nodes.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// The pages used so far, by page index. All later pages of the arena have never been touched.
    pub pages: Vec<Page>,
    /// Indices of the pages with both free and used slots, by slot size.
    pub with_room: [Vec<u32>; SIZES],
    /// Indices of the pages whose slots are all free.
    pub empty: Vec<u32>,
    /// Number of pages of each slot size, not counting those in `empty`.
    pub by_size: [usize; SIZES],
    /// Number of words in slots that are in use or held by a worker.
    pub used: u64,
    /// Number of children of all expanded nodes.
    pub listed: usize,
    /// Index of the page at which the next sweep begins: the clock hand, see [`super::recycle`].
    pub hand: usize,
    /// Subtrees cut off by [`Tree::keep_only`], not freed yet.
    pub cut_off: Vec<Subtree>,
}

impl Pool {
    /// Adds page `number` to the list `empty` if all its slots are free, or to `with_room` if some are.
    pub fn file(&mut self, number: u32) {
        let Page { size, free } = self.pages[number as usize];
        if free.count == PAGE / slot_words(size) {
            self.empty.push(number);
            self.by_size[size] -= 1;
        } else if free.count > 0 {
            self.with_room[size].push(number);
        }
    }

    /// Returns the number of free slots in the pages listed in `with_room`, by slot size.
    pub fn free_slots(&self) -> [u32; SIZES] {
        let free = |&number: &u32| self.pages[number as usize].free.count;
        self.with_room.each_ref().map(|numbers| numbers.iter().map(free).sum())
    }

    /// Removes the pages with these indices from the lists `with_room`.
    pub fn unfile(&mut self, numbers: impl Iterator<Item = u32>) {
        let mut is_removed = vec![false; self.pages.len()];
        numbers.for_each(|number| is_removed[number as usize] = true);
        self.with_room.iter_mut().for_each(|pages| pages.retain(|&number| !is_removed[number as usize]));
    }
}

/// One worker's free slots of each size (a thread-local allocation buffer). With separate chunks, workers allocate
/// without synchronization and do not write to the same cache lines.
///
/// A chunk must be passed to [`Tree::return_chunk`] before the tree is recycled, cleared or given another root.
#[derive(Debug, Default)]
pub struct ArenaChunk {
    free: [FreeSlots; SIZES],
    /// Number of children of the nodes expanded with this chunk.
    pub(super) listed: usize,
}

/// Allocates about `bytes` bytes of zeroed words, clamped to the range of [`Resources::MEMORY`]; halves the size until
/// the allocation succeeds.
pub(super) fn zeroed_words(bytes: usize) -> Box<[AtomicU64]> {
    let mut count = (Resources::clamp_memory(bytes) / size_of::<AtomicU64>()).min(u32::MAX as usize - 1);
    loop {
        match bytemuck::try_zeroed_slice_box(count) {
            Ok(words) => return words,
            Err(()) => count /= 2,
        }
    }
}

/// Returns the address of the first page, which is aligned to a cache line. The address is at least [`PAGE`]: smaller
/// values in the address field of a header are codes of priors, see [`super::family`].
pub(super) fn first_page(words: &[AtomicU64]) -> u32 {
    let address = words.as_ptr() as usize / size_of::<AtomicU64>();
    PAGE + (address as u32).wrapping_neg() % LINE
}

impl Tree {
    /// Locks the page pool. During a run, the callers are workers that take or return free slots, and the report; each
    /// holds the lock only briefly.
    pub(super) fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of pages in the arena, used or not.
    pub(super) fn capacity(&self) -> usize {
        (self.words.len() - self.first_page as usize) / PAGE as usize
    }

    /// Returns the address of the first word of page `number`.
    pub(super) fn page_address(&self, number: u32) -> u32 {
        self.first_page + number * PAGE
    }

    /// Allocates a slot from the chunk, refilled from another page if necessary, and returns the slot's address. `None`
    /// if no page has a free slot of this size.
    pub(super) fn take_slot(&self, size: usize, chunk: &mut ArenaChunk) -> Option<u32> {
        let free = &mut chunk.free[size];
        if free.count == 0 {
            *free = self.take_page(size)?;
        }
        let slot = free.first;
        free.first = self.word(slot).load(Relaxed) as u32;
        free.count -= 1;
        Some(slot)
    }

    /// Takes all free slots of one page for a worker. Marks the tree as full and returns `None` if no page has a free
    /// slot.
    fn take_page(&self, size: usize) -> Option<FreeSlots> {
        let mut pool = self.pool();
        let Some(number) = pool.with_room[size].pop().or_else(|| self.empty_page(&mut pool, size)) else {
            self.full.store(true, Relaxed);
            return None;
        };
        let free = std::mem::take(&mut pool.pages[number as usize].free);
        pool.used += u64::from(free.count * slot_words(size));
        Some(free)
    }

    /// Divides an empty or never used page into slots of this size. Returns the page's index; `None` if none is left.
    fn empty_page(&self, pool: &mut Pool, size: usize) -> Option<u32> {
        let number = match pool.empty.pop() {
            Some(number) => number,
            None if pool.pages.len() < self.capacity() => {
                pool.pages.push(Page { size, free: FreeSlots::default() });
                pool.pages.len() as u32 - 1
            }
            None => return None,
        };
        let slots = self.slots(number, size);
        slots.clone().for_each(|slot| self.word(slot).store(0, Relaxed));
        pool.pages[number as usize] = Page { size, free: self.list_free_slots(number, size) };
        pool.by_size[size] += 1;
        Some(number)
    }

    /// Iterates over the addresses of the slots of page `number`.
    pub(super) fn slots(&self, number: u32, size: usize) -> impl DoubleEndedIterator<Item = u32> + Clone {
        let first = self.page_address(number);
        (first..first + PAGE).step_by(slot_words(size) as usize)
    }

    /// Links the free slots of a page into a list in address order, and returns the list.
    pub(super) fn list_free_slots(&self, page: u32, size: usize) -> FreeSlots {
        let mut free = FreeSlots { page, first: 0, count: 0 };
        for slot in self.slots(page, size).rev().filter(|&slot| self.owner(slot) == 0) {
            self.word(slot).store(free.first.into(), Relaxed);
            (free.first, free.count) = (slot, free.count + 1);
        }
        free
    }

    /// Returns a chunk's free slots to their pages, and adds the chunk's count of children to the tree's.
    pub fn return_chunk(&self, chunk: ArenaChunk) {
        let mut pool = self.pool();
        pool.listed += chunk.listed;
        for (size, free) in chunk.free.into_iter().enumerate().filter(|(_, free)| free.count > 0) {
            pool.used -= u64::from(free.count * slot_words(size));
            pool.pages[free.page as usize].free = free;
            pool.file(free.page);
        }
    }
}
