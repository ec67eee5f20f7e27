//! Which child to descend to, and which to answer with: formulas over the statistics of the tree.

use super::params::{Formula, Params, Puct};
use super::shortlist::{Bonus, Known, Shortlists, best_of_all, highest};
use super::tree::{ArenaChunk, Node, NodeId, Tree};
use crate::board::square::Side;
use std::sync::LazyLock;

/// The child of an expanded node that `chooser` descends to. Children that are proven losses are out. All
/// children were tried before, or the formula has priors and may claim one that was not. `spread` is that of
/// the node, for PUCT.
pub fn best_child(
    tree: &Tree,
    id: NodeId,
    chooser: Side,
    params: &Params,
    spread: Spread,
    shortlists: &mut Shortlists,
    chunk: &mut ArenaChunk,
) -> Option<NodeId> {
    // The descent under way is counted in the node's visits, but has told nothing yet.
    let visits = tree.node(id).visits().saturating_sub(1).max(1);
    match params.formula {
        Formula::Uct { c } => {
            let exploration = c * (2.0 * libm::logf(visits as f32)).sqrt();
            by_uct(tree, id, chooser, visits, params, exploration, shortlists)
        }
        Formula::Puct(puct) => match by_prior(tree, id, chooser, visits, &puct, spread, shortlists) {
            Preference { best, untried: true } => tree.claim_untried(id, chunk).or(best),
            Preference { best, untried: false } => best,
        },
        Formula::Ucb1Tuned => by_ucb1_tuned(tree, id, chooser, visits, shortlists),
    }
}

/// The child with the highest score by UCT. Where the arrow comes [before the value](Params::has_arrow_before_value) a movement none of whose arrows was tried comes
/// before all others.
fn by_uct(
    tree: &Tree,
    id: NodeId,
    chooser: Side,
    visits: u32,
    params: &Params,
    exploration: f32,
    shortlists: &mut Shortlists,
) -> Option<NodeId> {
    let unexpanded_first = params.has_arrow_before_value() && !tree.is_full();
    let bonus = UctBonus { chooser, exploration, unexpanded_first, roots: &ROOTS };
    // A shortlist does not know what other workers have visited, nor that no movement is opened any more.
    let best = if tree.is_for_one_worker() && unexpanded_first == params.has_arrow_before_value() {
        shortlists.best(tree, id, visits, bonus)
    } else {
        best_of_all(tree, id, bonus)
    };
    best.map(|(child, _)| child)
}

/// How much the values below a node differ, as their variance: what PUCT measures exploration by.
///
/// In the opening all moves are worth nearly the same, later one is a win and the next a loss, and a constant
/// that suits one of the two does not suit the other (KataGo scales its constant likewise).
#[derive(Clone, Copy, Debug)]
pub struct Spread(pub f32);

impl Spread {
    /// Before anything is known: a standard deviation of one tenth.
    pub const START: Self = Self(0.01);

    /// The spread of an expanded node, which the descent under way has just entered, and whose parent's is `self`.
    /// As long as few values are known, that of the parent is worth `puct.spread_weight` of them.
    #[inline(always)]
    pub fn at(self, tree: &Tree, id: NodeId, puct: &Puct) -> Self {
        self.over(tree, id, tree.node(id).visits().saturating_sub(1), puct.spread_weight)
    }

    /// The same where no descent is under way.
    fn of_values(self, tree: &Tree, id: NodeId, weight: f32) -> Self {
        self.over(tree, id, tree.node(id).visits(), weight)
    }

    #[inline(always)]
    fn over(self, tree: &Tree, id: NodeId, visits: u32, weight: f32) -> Self {
        let (count, squares) = tree.deviations(id);
        let offset = tree.node(id).mean(visits.max(1)) - 0.5;
        let known = (squares - count as f32 * offset * offset).max(0.0);
        Self((known + weight * self.0) / (count as f32 + weight))
    }
}

/// What PUCT prefers.
struct Preference {
    /// The best child of those that have been tried; `None` if all of them are out.
    best: Option<NodeId>,
    /// Whether the next that was not is to be preferred to it.
    untried: bool,
}

/// The child with the highest score by PUCT. Untried children lie in the order of their priors, so that only
/// the first of them need be looked at.
fn by_prior(
    tree: &Tree,
    id: NodeId,
    chooser: Side,
    visits: u32,
    puct: &Puct,
    Spread(variance): Spread,
    shortlists: &mut Shortlists,
) -> Preference {
    let parent = tree.node(id);
    let c = if is_movement(&parent) { puct.arrow_c } else { puct.movement_c };
    let exploration = c * (variance * visits as f32).sqrt();
    let best = shortlists.best(tree, id, visits, PuctBonus { chooser, exploration });
    let best_score = best.map_or(f32::NEG_INFINITY, |(_, score)| score);
    let untried = tree.next_prior(id).is_some_and(|prior| {
        let mean = parent.mean(visits);
        // Rewards are those of the side that moved here: of the chooser between movement and arrow.
        let for_chooser = if is_movement(&parent) { mean } else { 1.0 - mean };
        for_chooser - puct.reduction * variance.sqrt() + exploration * prior > best_score
    });
    Preference { best: best.map(|(child, _)| child), untried }
}

/// The child with the highest score by UCB1-tuned.
fn by_ucb1_tuned(
    tree: &Tree,
    id: NodeId,
    chooser: Side,
    visits: u32,
    shortlists: &mut Shortlists,
) -> Option<NodeId> {
    let log_visits = libm::logf(visits as f32);
    shortlists.best(tree, id, visits, Ucb1TunedBonus { chooser, log_visits }).map(|(child, _)| child)
}

/// UCT's: `exploration / sqrt(n)`.
#[derive(Clone, Copy)]
struct UctBonus<'a> {
    chooser: Side,
    exploration: f32,
    /// Whether a movement comes first as long as none of its arrows has been tried.
    unexpanded_first: bool,
    roots: &'a [f32],
}

impl Bonus for UctBonus<'_> {
    fn chooser(&self) -> Side {
        self.chooser
    }

    #[inline(always)]
    fn weight(&self, _: Node, visits: u32) -> f32 {
        root_of(visits, self.roots)
    }

    #[inline(always)]
    fn comes_first(&self, node: &Node) -> bool {
        self.unexpanded_first && is_movement(node) && !node.is_expanded()
    }

    #[inline(always)]
    fn of(&self, known: Known) -> f32 {
        if known.mean == f32::NEG_INFINITY { 0.0 } else { self.exploration / known.weight }
    }

    fn measure(&self) -> f32 {
        self.exploration
    }

    #[inline(always)]
    fn growth(&self, bonus: f32, before: f32) -> f32 {
        growth_in_proportion(bonus, self.exploration, before)
    }
}

/// PUCT's: `exploration * prior / (1 + n)`.
#[derive(Clone, Copy)]
struct PuctBonus {
    chooser: Side,
    exploration: f32,
}

impl Bonus for PuctBonus {
    fn chooser(&self) -> Side {
        self.chooser
    }

    #[inline(always)]
    fn weight(&self, node: Node, visits: u32) -> f32 {
        node.prior() / (1 + visits) as f32
    }

    #[inline(always)]
    fn of(&self, known: Known) -> f32 {
        self.exploration * known.weight
    }

    fn measure(&self) -> f32 {
        self.exploration
    }

    #[inline(always)]
    fn growth(&self, bonus: f32, before: f32) -> f32 {
        growth_in_proportion(bonus, self.exploration, before)
    }
}

/// How much a bonus grows with the exploration since that was `before`, and a little more, for what is rounded away.
#[inline(always)]
fn growth_in_proportion(bonus: f32, exploration: f32, before: f32) -> f32 {
    if before == 0.0 {
        return if exploration == 0.0 { 0.0 } else { f32::INFINITY };
    }
    (bonus * (exploration / before - 1.0)).max(0.0) + 1e-6 * (1.0 + bonus)
}

/// That of UCB1-tuned.
#[derive(Clone, Copy)]
struct Ucb1TunedBonus {
    chooser: Side,
    log_visits: f32,
}

impl Bonus for Ucb1TunedBonus {
    fn chooser(&self) -> Side {
        self.chooser
    }

    #[inline(always)]
    fn weight(&self, _: Node, visits: u32) -> f32 {
        1.0 / visits as f32
    }

    #[inline(always)]
    fn of(&self, known: Known) -> f32 {
        if known.mean == f32::NEG_INFINITY {
            return 0.0;
        }
        ucb1_tuned_bonus(known.mean, self.log_visits * known.weight)
    }

    fn measure(&self) -> f32 {
        self.log_visits
    }

    /// The bonus, at most `sqrt(ln N / 4n)`, grows no faster than `ln N`.
    #[inline(always)]
    fn growth(&self, _: f32, before: f32) -> f32 {
        let log_before = before.max(f32::MIN_POSITIVE);
        0.5 * log_before.sqrt() * (self.log_visits / log_before - 1.0)
    }
}

/// Square roots of small visit counts: most children have few visits, and a look-up is quicker.
static ROOTS: LazyLock<Vec<f32>> = LazyLock::new(|| (0..1024).map(|n| (n as f32).sqrt()).collect());

#[inline(always)]
fn root_of(visits: u32, roots: &[f32]) -> f32 {
    roots.get(visits as usize).copied().unwrap_or_else(|| (visits as f32).sqrt())
}

/// Kato et al. 2015, section 4: `ratio` is `ln N / n`.
#[inline(always)]
fn ucb1_tuned_bonus(mean: f32, ratio: f32) -> f32 {
    let variance = mean - mean * mean;
    // The root alone exceeds one quarter, as it does for all but much visited children: the bound is met.
    let bound = if ratio > 0.0313 { 0.25 } else { (variance + (2.0 * ratio).sqrt()).min(0.25) };
    (ratio * bound).sqrt()
}

fn is_movement(node: &Node) -> bool {
    node.edge().as_arrow().is_none()
}

/// The child to answer with: a proven win, else the one with most visits (the mean breaks ties), a
/// proven loss only when there is nothing else.
///
/// With `lcb_z` above zero a child with a fifth of the most visits takes the place of the most visited one if
/// its mean, less so many standard errors, is the highest: what was tried most may have been found wanting at
/// the end.
pub fn answer(tree: &Tree, id: NodeId, chooser: Side, lcb_z: f32) -> Option<NodeId> {
    let proof = |node: &Node| match node.proof() {
        Some(winner) if winner == chooser => 2,
        None => 1,
        Some(_) => 0,
    };
    let rank = |node: &Node| {
        let visits = node.visits();
        (proof(node), visits, node.mean(visits.max(1)))
    };
    let mut best: Option<(NodeId, (i32, u32, f32))> = None;
    for (child, node) in tree.tried(id) {
        let rank = rank(&node);
        if best.is_none_or(|(_, best_rank)| rank > best_rank) {
            best = Some((child, rank));
        }
    }
    let (most_visited, (proven, most, _)) = best?;
    if lcb_z == 0.0 || proven != 1 {
        return Some(most_visited);
    }
    let candidates = tree.tried(id).filter(|(_, node)| proof(node) == 1 && 5 * node.visits() >= most);
    let bounds = candidates.map(|(child, node)| {
        let visits = node.visits().max(1);
        let Spread(variance) = Spread::START.of_values(tree, child, 1.0);
        (child, node.mean(visits) - lcb_z * (variance / visits as f32).sqrt())
    });
    highest(bounds).map_or(Some(most_visited), |(child, _)| Some(child))
}
