//! Evacuation: moves slots in use from sparse pages to other pages of their size. The emptied pages can be divided into
//! slots of another size: deeper searches need more large slots.

use super::Tree;
use super::arena::{PAGE, Page, Pool, slot_words};
use super::node::{NodeId, UNEXPANDED};
use std::sync::atomic::Ordering::Relaxed;

impl Tree {
    /// Empties pages with at most `most` used words, those with the fewest first, by moving their slots to other pages.
    /// Returns true if at least `slice / 16` pages are then empty, false if the other pages lack room. Moves nothing
    /// while [`Pool::cut_off`] holds subtrees.
    pub(super) fn evacuate(&self, slice: usize, most: u32) -> bool {
        let mut pool = self.pool();
        let reserve = (slice / 16).max(1);
        let missing = reserve.saturating_sub(pool.empty.len());
        if missing > 0 && pool.cut_off.is_empty() {
            let sparse = self.sparse_pages(&pool, missing, most);
            pool.unfile(sparse.iter().copied());
            for number in sparse {
                self.evacuate_page(&mut pool, number);
                pool.file(number);
            }
        }
        pool.empty.len() >= reserve
    }

    /// Returns the indices of up to `count` of the least-used pages with at most `most` used words, such that the other
    /// pages have room for their slots in use.
    fn sparse_pages(&self, pool: &Pool, count: usize, most: u32) -> Vec<u32> {
        // Some pages of one slot size can be emptied if all pages of that size have as many free slots as these pages
        // hold.
        let mut free = pool.free_slots();
        let held = |size| PAGE / slot_words(size);
        let sparse = pool.with_room.iter().flatten().filter_map(|&number| {
            let page = pool.pages[number as usize];
            (page.used_words() <= most && free[page.size] >= held(page.size))
                .then_some((page.used_words(), number))
        });
        let mut sparse: Vec<(u32, u32)> = sparse.collect();
        if count < sparse.len() {
            sparse.select_nth_unstable(count);
            sparse.truncate(count);
        }
        sparse.sort_unstable();
        let numbers = sparse.into_iter().map(|(_, number)| number);
        numbers
            .filter(|&number| {
                let Page { size, .. } = pool.pages[number as usize];
                let fits = free[size] >= held(size);
                free[size] -= if fits { held(size) } else { 0 };
                fits
            })
            .collect()
    }

    /// Moves all families and blocks of a page to other pages of its slot size, which must have room for them.
    fn evacuate_page(&self, pool: &mut Pool, number: u32) {
        let page = pool.pages[number as usize];
        let (size, mut unlisted) = (page.size, page.used_words());
        for slot in self.slots(number, size).filter(|&slot| self.owner(slot) != 0) {
            let Some(&other) = pool.with_room[size].last() else { break };
            let room = &mut pool.pages[other as usize].free;
            let to = room.first;
            (room.first, room.count) = (self.word(to).load(Relaxed) as u32, room.count - 1);
            if room.count == 0 {
                pool.with_room[size].pop();
            }
            self.relocate(slot, to, size);
            unlisted -= slot_words(size);
        }
        // The remainder are slots freed but not yet listed, since no sweep has reached the page.
        pool.used -= u64::from(unlisted);
        pool.pages[number as usize].free = self.list_free_slots(number, size);
    }

    /// Moves a family or block to a free slot and updates all links to the moved nodes.
    fn relocate(&self, from: u32, to: u32, size: usize) {
        let owner = self.node(self.owner(from));
        let before = self.blocks(owner.family()).take_while(|&(_, block)| block != from).last();
        let index = match before {
            None => {
                owner.set_family(from, to);
                0
            }
            Some((index, block)) => {
                self.link(block, to);
                index + 1
            }
        };
        for word in 0..slot_words(size) {
            self.word(to + word).store(self.word(from + word).load(Relaxed), Relaxed);
        }
        self.word(from).store(0, Relaxed);
        self.nodes(to, index).for_each(|id| self.set_owner(self.node(id).family(), id));
    }

    /// Stores `owner` in the headers of a family and its blocks. Does nothing if `family` is [`UNEXPANDED`].
    pub(super) fn set_owner(&self, family: u32, owner: NodeId) {
        if family != UNEXPANDED {
            for (_, block) in self.blocks(family) {
                let word = self.word(block);
                word.store(u64::from(owner) << 32 | word.load(Relaxed) & u64::from(u32::MAX), Relaxed);
            }
        }
    }
}
