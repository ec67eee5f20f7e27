//! Compaction: a sliding mark-compact collector, the LISP 2 algorithm
//! (<https://en.wikipedia.org/wiki/Mark–compact_algorithm>). It marks the pieces to keep, stores in each its new
//! address, updates all links, and moves the pieces down in address order.

use super::Tree;
use super::family::{FIRST_BLOCK, HEADER, family_words};
use super::node::{NODE, NodeId, UNEXPANDED};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A unit of compaction: a family, or one of its further blocks.
struct Piece {
    /// First word, and number of words.
    first: u32,
    words: u32,
    /// First node, and number of tried nodes.
    node: NodeId,
    tried: u32,
}

impl Tree {
    /// Makes a node the root, keeps the subtree below it, and frees all other memory.
    pub fn keep_only(&mut self, root: NodeId) {
        self.slide(root, Tree::ROOT, NODE);
        self.keep_below_nodes_with(0);
    }

    /// Prunes the least-visited nodes' subtrees until at most `part` of the memory, 0 to 1, is in use; the root's
    /// family is always kept. Returns `false` if `(1 + part) / 2` or more is still in use.
    pub fn prune(&mut self, part: f64) -> bool {
        let least = self.visits_that_fit((part * self.words.len() as f64) as usize);
        self.keep_below_nodes_with(least);
        self.filled() < (1.0 + part) / 2.0
    }

    /// Upper bound on the time of [`Tree::prune`] with the words now in use: 20 ns a word, on a slow machine.
    pub fn prune_time(&self) -> Duration {
        Duration::from_nanos(20 * self.growth.used.load(Relaxed))
    }

    /// Returns the lowest number of visits such that the families of all nodes with at least that many fit into
    /// `words`. Uses a histogram of visits whose last bin counts 4,095 and more.
    fn visits_that_fit(&self, words: usize) -> u32 {
        let mut by_visits = vec![0; 1 << 12];
        let most = by_visits.len() as u32 - 1;
        self.each_expanded_node(0, |id| {
            let visits = self.node(id).visits().min(most);
            self.each_piece(id, |piece| by_visits[visits as usize] += piece.words as usize);
        });
        let mut sum = 0;
        let fit = by_visits.iter().rev().take_while(|&&words_of_these| {
            sum += words_of_these;
            sum <= words
        });
        most + 1 - fit.count() as u32
    }

    /// Keeps the families of the root and of nodes with at least `least` visits; collapses all other nodes.
    fn keep_below_nodes_with(&mut self, least: u32) {
        let mut pieces = Vec::new();
        self.each_expanded_node(least, |id| self.each_piece(id, |piece| pieces.push(piece)));
        // Pieces slide down over freed words; address order ensures that none overwrites a piece not yet moved.
        pieces.sort_unstable_by_key(|piece| piece.first);
        let mut used = Tree::ROOT + NODE;
        for piece in &pieces {
            self.forward(piece.first, used);
            used += piece.words;
        }
        let root = Piece { first: Tree::ROOT, words: NODE, node: Tree::ROOT, tried: 1 };
        let listed: usize =
            std::iter::once(&root).chain(&pieces).map(|piece| self.relink(piece, least)).sum();
        for piece in &pieces {
            let to = self.forwarded(piece.first);
            self.slide(piece.first, to, piece.words);
            self.forward(to, 0);
        }
        *self.growth.used.get_mut() = u64::from(used);
        *self.growth.listed.get_mut() = 1 + listed;
        *self.full.get_mut() = false;
    }

    /// Calls `call` for the root and for each expanded node with at least `least` visits.
    fn each_expanded_node(&self, least: u32, mut call: impl FnMut(NodeId)) {
        let mut to_visit = vec![Tree::ROOT];
        while let Some(id) = to_visit.pop() {
            let is_kept = |child: &NodeId| self.is_expanded(*child) && self.node(*child).visits() >= least;
            to_visit.extend(self.tried(id).map(|(child, _)| child).filter(is_kept));
            call(id);
        }
    }

    /// Calls `take` for the family of an expanded node and for its further blocks.
    fn each_piece(&self, id: NodeId, mut take: impl FnMut(Piece)) {
        let node = self.node(id);
        let (family, (count, tried)) = (node.family(), node.counts());
        if family == UNEXPANDED {
            return;
        }
        let in_first = tried.min(FIRST_BLOCK);
        take(Piece { first: family, words: family_words(count), node: family + HEADER, tried: in_first });
        let (mut header, mut before, mut size) = (family, 0, FIRST_BLOCK);
        loop {
            header = self.next_block(header);
            if header == 0 {
                return;
            }
            (before, size) = (before + size, 2 * size);
            let words = 1 + NODE * size.min(count - before);
            let tried = size.min(tried.saturating_sub(before));
            take(Piece { first: header, words, node: header + 1, tried });
        }
    }

    /// Returns the block after a family or block, 0 for none.
    fn next_block(&self, header: u32) -> u32 {
        self.word(header).load(Relaxed) as u32
    }

    /// Stores a piece's new address in the upper half of its first word.
    fn forward(&mut self, piece: u32, to: u32) {
        let word = self.words[piece as usize].get_mut();
        *word = *word & u64::from(u32::MAX) | u64::from(to) << 32;
    }

    /// Reads a piece's new address from its first word.
    fn forwarded(&self, piece: u32) -> u32 {
        (self.word(piece).load(Relaxed) >> 32) as u32
    }

    /// Updates a piece's links to new addresses and collapses its nodes with fewer than `least` visits. Returns the
    /// number of children that its nodes keep.
    fn relink(&mut self, piece: &Piece, least: u32) -> usize {
        let next = if piece.first == Tree::ROOT { 0 } else { self.next_block(piece.first) };
        if next != 0 {
            let to = self.forwarded(next);
            let word = self.words[piece.first as usize].get_mut();
            *word = *word >> 32 << 32 | u64::from(to);
        }
        let mut listed = 0;
        for id in (piece.node..).step_by(NODE as usize).take(piece.tried as usize) {
            let node = self.node(id);
            let family = node.family();
            if family != UNEXPANDED && (id == Tree::ROOT || node.visits() >= least) {
                node.set_family(family, self.forwarded(family));
                listed += node.counts().0 as usize;
            } else {
                node.collapse();
            }
        }
        listed
    }

    /// Copies words to a lower address.
    fn slide(&mut self, from: u32, to: u32, words: u32) {
        for offset in 0..words {
            *self.words[(to + offset) as usize].get_mut() = *self.words[(from + offset) as usize].get_mut();
        }
    }
}
