//! Making room in the tree: what is kept slides together over what is dropped.

use super::{FIRST, FIRST_BLOCK, NODE, NodeId, OPENING, Tree, family_words};
use std::sync::atomic::Ordering::Relaxed;

impl Tree {
    /// Makes this node the root, keeps what is below it, and recycles the memory of all the rest.
    pub fn keep_only(&mut self, root: NodeId) {
        self.slide(root, FIRST, NODE);
        let (mut pieces, listed) = self.pieces_below(FIRST);
        // Every piece slides down over what is dropped before it; ascending order makes that safe.
        pieces.sort_unstable_by_key(|piece| piece.first);
        let mut used = FIRST + NODE;
        for piece in &mut pieces {
            piece.moved_to = used;
            self.slide(piece.first, used, piece.words);
            used += piece.words;
        }
        self.relink(&pieces);
        *self.used.get_mut() = used;
        *self.listed.get_mut() = 1 + listed;
        *self.full.get_mut() = false;
    }

    /// Copies words to a place before them.
    fn slide(&mut self, from: u32, to: u32, words: u32) {
        for offset in 0..words {
            *self.words[(to + offset) as usize].get_mut() = *self.words[(from + offset) as usize].get_mut();
        }
    }

    /// The families and blocks of the subtree of a node, and the number of children in them.
    fn pieces_below(&self, root: NodeId) -> (Vec<Piece>, usize) {
        let mut pieces = Vec::new();
        let mut listed = 0;
        let mut to_visit = vec![root];
        while let Some(id) = to_visit.pop() {
            let node = self.node(id);
            let (family, (count, _)) = (node.family(), node.counts());
            if family <= OPENING {
                continue;
            }
            listed += count as usize;
            pieces.push(Piece { first: family, words: family_words(count), moved_to: family });
            let (mut header, mut rest, mut size) = (family, count, FIRST_BLOCK);
            loop {
                header = self.word(header).load(Relaxed) as u32;
                if header == 0 {
                    break;
                }
                (rest, size) = (rest - size, 2 * size);
                pieces.push(Piece { first: header, words: 1 + NODE * size.min(rest), moved_to: header });
            }
            to_visit.extend(self.tried(id).map(|(child, _)| child));
        }
        (pieces, listed)
    }

    /// Makes everything point to where the pieces now are.
    fn relink(&mut self, pieces: &[Piece]) {
        let moved = |first: u32| match pieces.binary_search_by_key(&first, |piece| piece.first) {
            Ok(found) => pieces[found].moved_to,
            Err(_) => first,
        };
        let mut to_visit = vec![FIRST];
        while let Some(id) = to_visit.pop() {
            let family = self.node(id).family();
            if family <= OPENING {
                continue;
            }
            let mut header = moved(family);
            self.node(id).set_family(family, header);
            loop {
                let next = self.word(header).load(Relaxed) as u32;
                if next == 0 {
                    break;
                }
                self.word(header).store(u64::from(moved(next)), Relaxed);
                header = moved(next);
            }
            to_visit.extend(self.tried(id).map(|(child, _)| child));
        }
    }
}

/// A family or a block, and where it moves to.
struct Piece {
    first: u32,
    words: u32,
    moved_to: u32,
}
