//! Recycling: frees the memory of the least-visited nodes, a slice of the pages at a time, by all threads together.
//!
//! A full tree makes the workers pause. A *hand* goes round the pages, as in the clock algorithm of page replacement
//! (Corbató 1968): each pause sweeps the slice of pages that was swept longest ago. A sweep frees the families whose
//! owners have fewer visits than a limit, with everything below them. The limit is set so that half of the memory would
//! stay in use if all pages were swept at once. A pause lasts some milliseconds.
//!
//! Threads sweep different pages. A family is freed by the thread that exchanges its header for 0, and its slot is not
//! reused before the pause is over, so that another thread may still read its nodes.

use super::Tree;
use super::arena::{FreeSlots, PAGE, Page, Pool, slot_words};
use super::family::{block_nodes, first_node};
use super::node::{NODE, NodeId, UNEXPANDED};
use crate::threads::ThreadPool;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Fraction of the memory that would stay in use if all pages were swept at once.
const KEPT: f64 = 0.5;
/// Pages that each thread sweeps in one pause: 8 MiB.
const SLICE: usize = 1 << 10;
/// Pages from which the limit of visits is estimated.
const SAMPLE: usize = 1 << 8;

/// A swept page: its number, and the slots that are free now.
struct Swept {
    number: u32,
    free: FreeSlots,
}

impl Tree {
    /// Makes a node the root and keeps the subtree below it. The memory of all other nodes is freed by
    /// [`Tree::recycle`].
    pub fn keep_only(&mut self, root: NodeId) {
        let old = self.node(Tree::ROOT);
        let (family, (count, tried)) = (old.family(), old.counts());
        if root == Tree::ROOT {
            return;
        }
        for word in 0..NODE {
            let kept = self.word(root + word).load(Relaxed);
            self.word(Tree::ROOT + word).store(kept, Relaxed);
        }
        self.node(root).collapse();
        self.set_owner(self.node(Tree::ROOT).family(), Tree::ROOT);
        if family != UNEXPANDED {
            let mut pool = self.pool();
            pool.cut_off.push((family, tried));
            pool.listed -= count as usize;
        }
    }

    /// Upper bound on the time of [`Tree::recycle`] with one thread: 20 ns a cache line.
    pub fn recycle_time(&self) -> Duration {
        Duration::from_nanos(20 * u64::from(PAGE / slot_words(0)) * self.slice(1) as u64)
    }

    /// Returns the number of pages that are swept at once.
    fn slice(&self, threads: usize) -> usize {
        (self.capacity() / 16).clamp(1, SLICE * threads)
    }

    /// Frees a part of the memory of a full tree: first of the nodes that [`Tree::keep_only`] cut off, then of those with
    /// the fewest visits. The root's children are always kept. Returns `false` if hardly any could be freed.
    pub fn recycle(&mut self, threads: Option<&ThreadPool>) -> bool {
        let slice = self.slice(threads.map_or(1, ThreadPool::current_num_threads));
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
        self.evacuate(slice);
        *self.full.get_mut() = false;
        freed >= wanted
    }

    /// Returns the lowest number of visits such that the families of all nodes with at least that many take [`KEPT`] of
    /// the memory: by a sample of the pages, and a histogram of visits whose last bin counts 4,095 and more.
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

    /// Frees some of what [`Tree::keep_only`] cut off.
    fn free_cut_off(&self, threads: Option<&ThreadPool>, slice: usize) {
        let mut cut_off = std::mem::take(&mut self.pool().cut_off);
        if cut_off.is_empty() {
            return;
        }
        let most = slice * (PAGE / slot_words(0)) as usize;
        let left = Mutex::new(Vec::new());
        let freed_children = AtomicUsize::new(0);
        // Enough subtrees for all threads.
        let count = threads.map_or(1, ThreadPool::current_num_threads);
        let mut children = 0;
        while count > 1 && cut_off.len() < 64 * count && !cut_off.is_empty() {
            let mut below = Vec::new();
            for (family, tried) in cut_off.drain(..) {
                children += self.free_family(family, tried, &mut below);
            }
            cut_off = below;
        }
        let share = cut_off.len().div_ceil(count).max(1);
        let parts: Vec<Mutex<Vec<(u32, u32)>>> =
            cut_off.chunks(share).map(|part| Mutex::new(part.to_vec())).collect();
        in_parallel(threads, parts.len(), |part| {
            let mut stack = std::mem::take(&mut *lock(&parts[part]));
            let mut children = 0;
            for _ in 0..most / count {
                let Some((family, tried)) = stack.pop() else { break };
                children += self.free_family(family, tried, &mut stack);
            }
            freed_children.fetch_add(children, Relaxed);
            lock(&left).append(&mut stack);
        });
        let mut pool = self.pool();
        pool.listed -= children + freed_children.into_inner();
        pool.cut_off = std::mem::take(&mut *lock(&left));
    }

    /// Sweeps the next `slice` pages. Returns the words freed in them.
    fn sweep(&self, threads: Option<&ThreadPool>, slice: usize, least: u32) -> usize {
        let numbers: Vec<u32> = {
            let mut pool = self.pool();
            let (hand, pages) = (pool.hand, pool.pages.len());
            pool.hand = (hand + slice) % pages.max(1);
            let numbers = (hand..hand + slice.min(pages)).map(|number| (number % pages) as u32);
            let is_used = |&number: &u32| {
                let Page { size, free } = pool.pages[number as usize];
                free.count < PAGE / slot_words(size)
            };
            numbers.filter(is_used).collect()
        };
        let sizes: Vec<usize> = {
            let pool = self.pool();
            numbers.iter().map(|&number| pool.pages[number as usize].size).collect()
        };
        let swept = Mutex::new(Vec::with_capacity(numbers.len()));
        let freed_children = AtomicUsize::new(0);
        let parts = threads.map_or(1, |threads| 4 * threads.current_num_threads());
        let share = numbers.len().div_ceil(parts).max(1);
        in_parallel(threads, numbers.len().div_ceil(share), |part| {
            let range = part * share..((part + 1) * share).min(numbers.len());
            let (mut mine, mut stack, mut children) = (Vec::with_capacity(share), Vec::new(), 0);
            for place in range {
                let (number, size) = (numbers[place], sizes[place]);
                if size == 0 && least > 0 {
                    children += self.prune_page(number, least, &mut stack);
                }
                mine.push(Swept { number, free: self.list_free_slots(number, size) });
            }
            freed_children.fetch_add(children, Relaxed);
            lock(&swept).append(&mut mine);
        });
        let mut swept = swept.into_inner().unwrap_or_default();
        // The last one filed is taken first.
        swept.sort_unstable_by_key(|swept| std::cmp::Reverse(swept.number));
        let mut pool = self.pool();
        pool.listed -= freed_children.into_inner();
        self.file_swept(&mut pool, &swept)
    }

    /// Files swept pages anew. Returns the words freed in them.
    fn file_swept(&self, pool: &mut Pool, swept: &[Swept]) -> usize {
        let mut is_swept = vec![false; pool.pages.len()];
        swept.iter().for_each(|swept| is_swept[swept.number as usize] = true);
        pool.with_room.iter_mut().for_each(|pages| pages.retain(|&number| !is_swept[number as usize]));
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

    /// Frees the families of a page whose owners have fewer than `least` visits, and everything below them. Returns the
    /// number of children that their owners had.
    fn prune_page(&self, number: u32, least: u32, stack: &mut Vec<(u32, u32)>) -> usize {
        let mut children = 0;
        for family in self.slots(number, 0) {
            let owner = self.owner(family);
            if owner == 0 || owner == Tree::ROOT || self.rewards(family) >= least {
                continue;
            }
            let node = self.node(owner);
            let (count, tried) = node.counts();
            node.collapse();
            children += count as usize;
            stack.push((family, tried));
            while let Some((family, tried)) = stack.pop() {
                children += self.free_family(family, tried, stack);
            }
        }
        children
    }

    /// Frees a family with its blocks, unless another thread has. Adds the families of its nodes to `below`; returns the
    /// number of their children.
    fn free_family(&self, family: u32, tried: u32, below: &mut Vec<(u32, u32)>) -> usize {
        let header = self.word(family).load(Relaxed);
        let is_mine =
            header >> 32 != 0 && self.word(family).compare_exchange(header, 0, Relaxed, Relaxed).is_ok();
        if !is_mine {
            return 0;
        }
        let (mut block, mut header, mut index, mut left, mut children) = (family, header, 0, tried, 0);
        loop {
            let nodes = left.min(block_nodes(index));
            for id in (first_node(block, index)..).step_by(NODE as usize).take(nodes as usize) {
                let node = self.node(id);
                let below_node = node.family();
                if below_node != UNEXPANDED {
                    let (count, tried) = node.counts();
                    children += count as usize;
                    below.push((below_node, tried));
                }
            }
            left -= nodes;
            block = header as u32;
            if block < PAGE {
                return children;
            }
            header = self.word(block).load(Relaxed);
            self.word(block).store(0, Relaxed);
            index += 1;
        }
    }

    /// Empties the pages of the slice just swept that are used least, until some empty pages are in reserve: slots of
    /// one size may be needed where all free ones have another.
    fn evacuate(&mut self, slice: usize) {
        let mut pool = self.pool();
        if !pool.cut_off.is_empty() {
            return;
        }
        let pages = pool.pages.len();
        let reserve = (slice / 16).max(1);
        let first = (pool.hand + pages - slice.min(pages)) % pages.max(1);
        let mut candidates: Vec<(u32, u32)> = (first..first + slice.min(pages))
            .map(|number| number % pages)
            .filter(|&number| pool.pages[number].free.count > 0)
            .map(|number| {
                (PAGE - pool.pages[number].free.count * slot_words(pool.pages[number].size), number as u32)
            })
            .filter(|&(used, _)| used > 0)
            .collect();
        candidates.sort_unstable();
        for (_, number) in candidates {
            if pool.empty.len() >= reserve || !self.evacuate_page(&mut pool, number) {
                return;
            }
        }
    }

    /// Moves all that is in a page to other pages of its size; returns `false` and moves nothing if they lack room.
    fn evacuate_page(&self, pool: &mut Pool, number: u32) -> bool {
        let Page { size, free } = pool.pages[number as usize];
        let count = PAGE / slot_words(size) - free.count;
        let others = || pool.with_room[size].iter().filter(|&&other| other != number);
        if others().map(|&other| pool.pages[other as usize].free.count).sum::<u32>() < count {
            return false;
        }
        pool.with_room[size].retain(|&other| other != number);
        for slot in self.slots(number, size).filter(|&slot| self.owner(slot) != 0) {
            let Some(&other) = pool.with_room[size].last() else { return false };
            let room = &mut pool.pages[other as usize].free;
            let to = room.first;
            (room.first, room.count) = (self.word(to).load(Relaxed) as u32, room.count - 1);
            if room.count == 0 {
                pool.with_room[size].pop();
            }
            self.relocate(slot, to, size);
        }
        pool.pages[number as usize].free = self.list_free_slots(number, size);
        pool.file(number);
        true
    }

    /// Moves a family or block to a free slot.
    fn relocate(&self, from: u32, to: u32, size: usize) {
        let owner = self.node(self.owner(from));
        let index = if owner.family() == from {
            owner.set_family(from, to);
            0
        } else {
            let (mut block, mut index) = (owner.family(), 1);
            while let Some(next) = self.next_block(block).filter(|&next| next != from) {
                (block, index) = (next, index + 1);
            }
            self.link(block, to);
            index
        };
        for word in 0..slot_words(size) {
            self.word(to + word).store(self.word(from + word).load(Relaxed), Relaxed);
        }
        self.word(from).store(0, Relaxed);
        for id in (first_node(to, index)..).step_by(NODE as usize).take(block_nodes(index) as usize) {
            self.set_owner(self.node(id).family(), id);
        }
    }

    /// Notes the owner in a family and in its blocks.
    fn set_owner(&self, family: u32, owner: NodeId) {
        let mut block = Some(family).filter(|&family| family != UNEXPANDED);
        while let Some(this) = block {
            let word = self.word(this);
            word.store(u64::from(owner) << 32 | word.load(Relaxed) & u64::from(u32::MAX), Relaxed);
            block = self.next_block(this);
        }
    }
}

/// Returns the words of a family and its blocks with this many tried children.
fn words_of_family(tried: u32) -> u64 {
    let (mut words, mut nodes, mut index) = (slot_words(0), block_nodes(0), 0);
    while nodes < tried {
        index += 1;
        nodes += block_nodes(index);
        words += slot_words(index.min(super::arena::SIZES - 1));
    }
    words.into()
}

/// Runs a task for each part, on the threads if there are any.
fn in_parallel(threads: Option<&ThreadPool>, parts: usize, task: impl Fn(usize) + Sync) {
    match threads {
        Some(threads) => threads.scope(|scope| {
            let task = &task;
            (0..parts).for_each(|part| scope.spawn(move |_| task(part)));
        }),
        None => (0..parts).for_each(task),
    }
}

/// Locks a list; a panic of another thread does not matter.
fn lock<T>(list: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    list.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
