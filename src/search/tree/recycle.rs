//! Recycling: all threads together free the memory of the least-visited nodes, a slice of the pages at a time.
//!
//! A full tree makes the workers pause for a few milliseconds. A *hand* moves around the pages, as in the clock
//! page-replacement algorithm (Corbató 1968): each pause sweeps the slice of pages that was swept longest ago. A sweep
//! frees each [family](super::family) whose owner has fewer visits than a limit, and all families below. The limit is
//! such that a sweep of all pages at once would keep half of the memory in use.
//!
//! The slots of one size can run out while slots of other sizes are free. Then [`super::evacuate`] empties pages, which
//! can be divided into slots of another size.
//!
//! ```text
//!                                        keep_only(node)
//!   tree grows  ------------------------------------------------------->  subtrees cut off
//!       |                                                                       |
//!       | no free slot of one size: the workers pause                           |
//!       v                                                                       |
//!   recycle ---- many slots of other sizes are free ----> evacuate sparse pages |
//!       |                                                      |                |
//!       | few are free                                         v                |
//!       v                                               the tree grows again    |
//!   prune: until a quarter of the slice is free <-------------------------------+
//!       1. free_cut_off: families below nodes that left the tree
//!       2. sweep the next slice: families of nodes with few visits, then list the free slots
//!       3. evacuate, to leave some empty pages
//! ```
//!
//! Threads sweep different pages. A thread frees a family by an atomic compare-exchange of its header for 0. Only the
//! thread whose exchange succeeds marks the owner as unexpanded and counts the children. Slots are reused only after
//! the pause, since other threads may still read the nodes.

use super::Tree;
use super::arena::{FreeSlots, PAGE, Page, Pool, SIZES, Subtree, slot_words};
use super::family::block_nodes;
use super::node::{NODE, NodeId, UNEXPANDED};
use crate::threads::{ThreadPool, count};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Fraction of the memory that would stay in use if all pages were swept at once.
const KEPT: f64 = 0.5;
/// Maximum number of pages in a slice per thread: 8 MiB.
const SLICE: usize = 1 << 10;
/// Maximum number of pages sampled by [`Tree::visits_that_fit`].
const SAMPLE: usize = 1 << 7;

/// A swept page: its index and its free slots.
struct Swept {
    number: u32,
    free: FreeSlots,
}

impl Tree {
    /// Makes a node the root and keeps only the subtree below. [`Tree::recycle`] later frees all other nodes.
    pub fn keep_only(&mut self, root: NodeId) {
        if root == Tree::ROOT {
            return;
        }
        let old = self.node(Tree::ROOT);
        let (family, (children, _)) = (old.family(), old.counts());
        for word in 0..NODE {
            let kept = self.word(root + word).load(Relaxed);
            self.word(Tree::ROOT + word).store(kept, Relaxed);
        }
        self.node(root).collapse();
        self.set_owner(self.node(Tree::ROOT).family(), Tree::ROOT);
        if family != UNEXPANDED {
            self.pool().cut_off.push(Subtree { family, children });
        }
    }

    /// Estimates the time that [`Tree::recycle`] needs for one slice with one thread, at 20 ns per cache line.
    pub fn recycle_time(&self) -> Duration {
        Duration::from_nanos(20 * u64::from(PAGE / slot_words(0)) * self.slice(None) as u64)
    }

    /// Returns the number of pages that these threads sweep as one slice.
    fn slice(&self, threads: Option<&ThreadPool>) -> usize {
        (self.capacity() / 16).clamp(1, SLICE * count(threads))
    }

    /// Makes room in a full tree. A tree is full as soon as the slots of one size run out. If many slots of other sizes
    /// are free, only empties pages; otherwise [prunes](Tree::prune) the tree. Returns `false` if there is still too
    /// little room.
    pub fn recycle(&mut self, threads: Option<&ThreadPool>) -> bool {
        let has_room = self.evacuate(self.slice(threads), PAGE / 2) || self.prune(threads);
        *self.full.get_mut() = false;
        has_room
    }

    /// Frees part of the memory: first the subtrees cut off by [`Tree::keep_only`], then the descendants of the nodes
    /// with the fewest visits. Always keeps the root's children. Returns `false` if there is still too little room.
    pub fn prune(&mut self, threads: Option<&ThreadPool>) -> bool {
        let slice = self.slice(threads);
        let wanted = slice * PAGE as usize / 4;
        let (mut freed, mut swept) = (0, 0);
        let pages = self.pool().pages.len();
        while freed < wanted && swept < 2 * pages {
            let is_cut_off = !self.pool().cut_off.is_empty();
            let least = if is_cut_off { 0 } else { self.visits_that_fit() };
            self.free_cut_off(threads, slice);
            freed += self.sweep(threads, slice, least);
            swept += slice;
        }
        self.evacuate(slice, PAGE) || freed >= wanted
    }

    /// Returns the visit limit of a sweep: the families of all nodes with at least this many visits just fit into
    /// [`KEPT`] of the memory. Estimated from at most [`SAMPLE`] pages; the last bin of the histogram holds 4,095
    /// visits and more.
    fn visits_that_fit(&self) -> u32 {
        let pool = self.pool();
        let mut by_visits = vec![0; 1 << 12];
        let most = by_visits.len() as u32 - 1;
        let (stride, mut sampled) = (pool.pages.len() / SAMPLE + 1, 0);
        let start = pool.hand % stride;
        for number in (start..pool.pages.len()).step_by(stride).filter(|&number| pool.pages[number].size == 0)
        {
            sampled += 1;
            for family in self.slots(number as u32, 0) {
                let owner = self.owner(family);
                if owner != 0 {
                    let tried = self.node(owner).counts().1;
                    by_visits[self.rewards(family).min(most) as usize] += words_of_family(tried);
                }
            }
        }
        let share = sampled as f64 / pool.by_size[0].max(1) as f64;
        let words = (KEPT * share * (self.capacity() * PAGE as usize) as f64) as u64;
        let mut sum = 0;
        let fit = by_visits.iter().rev().take_while(|&&words_of_these| {
            sum += words_of_these;
            sum <= words
        });
        most + 1 - fit.count() as u32
    }

    /// Frees subtrees cut off by [`Tree::keep_only`], at most about as many families as fit in a slice.
    fn free_cut_off(&self, threads: Option<&ThreadPool>, slice: usize) {
        let mut cut_off = std::mem::take(&mut self.pool().cut_off);
        let count = count(threads);
        let most = slice * (PAGE / slot_words(0)) as usize / count;
        let mut children = 0;
        // Frees the subtrees level by level until there are enough for all threads.
        while count > 1 && !cut_off.is_empty() && cut_off.len() < 64 * count {
            let level = std::mem::take(&mut cut_off);
            children +=
                level.into_iter().map(|subtree| self.free_family(subtree, &mut cut_off)).sum::<usize>();
        }
        let parts: Vec<&[Subtree]> = cut_off.chunks(cut_off.len().div_ceil(count).max(1)).collect();
        let freed = in_parallel(threads, parts.len(), |part| {
            let mut stack = parts[part].to_vec();
            (self.free_subtrees(&mut stack, most), stack)
        });
        let mut pool = self.pool();
        for (of_part, mut left) in freed {
            children += of_part;
            pool.cut_off.append(&mut left);
        }
        pool.listed -= children;
    }

    /// Sweeps the next `slice` pages: frees the families whose owners have fewer than `least` visits, and lists the
    /// free slots. Returns the number of words freed in these pages.
    fn sweep(&self, threads: Option<&ThreadPool>, slice: usize, least: u32) -> usize {
        let pages: Vec<(u32, usize)> = {
            let mut pool = self.pool();
            let (hand, all) = (pool.hand, pool.pages.len());
            pool.hand = (hand + slice) % all.max(1);
            let numbers = (hand..hand + slice.min(all)).map(|number| number % all);
            let used = numbers.filter_map(|number| {
                let Page { size, free } = pool.pages[number];
                (free.count < PAGE / slot_words(size)).then_some((number as u32, size))
            });
            used.collect()
        };
        let parts = if threads.is_some() { 4 * count(threads) } else { 1 };
        let parts: Vec<&[(u32, usize)]> = pages.chunks(pages.len().div_ceil(parts).max(1)).collect();
        let parts = in_parallel(threads, parts.len(), |part| {
            let (mut swept, mut stack, mut children) = (Vec::with_capacity(parts[part].len()), Vec::new(), 0);
            for &(number, size) in parts[part] {
                if size == 0 && least > 0 {
                    children += self.prune_page(number, least, &mut stack);
                }
                swept.push(Swept { number, free: self.list_free_slots(number, size) });
            }
            (children, swept)
        });
        let mut pool = self.pool();
        pool.listed -= parts.iter().map(|(children, _)| children).sum::<usize>();
        let mut swept: Vec<Swept> = parts.into_iter().flat_map(|(_, swept)| swept).collect();
        // Pages filed last are used first, so pages with the lowest indices are filed last.
        swept.sort_unstable_by_key(|swept| std::cmp::Reverse(swept.number));
        self.file_swept(&mut pool, &swept)
    }

    /// Records the free slots of swept pages in the pool and updates its lists of pages. Returns the number of words
    /// freed in the pages.
    fn file_swept(&self, pool: &mut Pool, swept: &[Swept]) -> usize {
        pool.unfile(swept.iter().map(|swept| swept.number));
        let mut freed = 0;
        for &Swept { number, free } in swept {
            let page = &mut pool.pages[number as usize];
            freed += (free.count - page.free.count) * slot_words(page.size);
            page.free = free;
            pool.file(number);
        }
        pool.used -= u64::from(freed);
        freed as usize
    }

    /// Frees the [families](super::family) of a page whose parent nodes have fewer than `least` visits since their
    /// expansion, and all families below. Never frees the root's family. Returns the number of children freed.
    fn prune_page(&self, number: u32, least: u32, stack: &mut Vec<Subtree>) -> usize {
        let mut freed = 0;
        for family in self.slots(number, 0) {
            let owner = self.owner(family);
            if owner == 0 || owner == Tree::ROOT || self.rewards(family) >= least {
                continue;
            }
            let node = self.node(owner);
            let children = self.free_family(Subtree { family, children: node.counts().0 }, stack);
            if children > 0 {
                node.collapse();
                freed += children + self.free_subtrees(stack, usize::MAX);
            }
        }
        freed
    }

    /// Frees up to `most` [families](super::family) in the subtrees on the stack. Returns the number of children freed.
    fn free_subtrees(&self, stack: &mut Vec<Subtree>, most: usize) -> usize {
        let mut freed = 0;
        for _ in 0..most {
            let Some(subtree) = stack.pop() else { break };
            freed += self.free_family(subtree, stack);
        }
        freed
    }

    /// Frees a family with its blocks and adds the families of its nodes to the list `below`. Returns the number of
    /// children freed; 0 if the family is already free.
    fn free_family(&self, Subtree { family, children }: Subtree, below: &mut Vec<Subtree>) -> usize {
        let word = self.word(family);
        let header = word.load(Relaxed);
        // Each step reads the address of the next block before the header is cleared.
        let mut blocks = self.blocks(family);
        let first = blocks.next();
        if header >> 32 == 0 || word.compare_exchange(header, 0, Relaxed, Relaxed).is_err() {
            return 0;
        }
        for (index, block) in first.into_iter().chain(blocks) {
            if index > 0 {
                self.word(block).store(0, Relaxed);
            }
            // Untried nodes have no family.
            let expanded = self.nodes(block, index).map(|id| self.node(id)).filter(|node| node.is_expanded());
            below.extend(expanded.map(|node| Subtree { family: node.family(), children: node.counts().0 }));
        }
        children as usize
    }
}

/// Returns the number of words in a family with `tried` tried children, including all its blocks.
fn words_of_family(tried: u32) -> u64 {
    let (mut words, mut nodes, mut index) = (slot_words(0), block_nodes(0), 0);
    while nodes < tried {
        index += 1;
        nodes += block_nodes(index);
        words += slot_words(index.min(SIZES - 1));
    }
    words.into()
}

/// Runs `task(0)` to `task(parts - 1)`, on the pool `threads` if there is one. Returns the results in arbitrary order.
fn in_parallel<T: Send>(
    threads: Option<&ThreadPool>,
    parts: usize,
    task: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let Some(threads) = threads else { return (0..parts).map(task).collect() };
    let results = Mutex::new(Vec::with_capacity(parts));
    threads.scope(|scope| {
        let (task, results) = (&task, &results);
        for part in 0..parts {
            scope.spawn(move |_| {
                let result = task(part);
                results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}
