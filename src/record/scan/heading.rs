//! Names, event and result of a game.

use super::piece::{Colour, Label, Mark, Player};
use super::statements::{Named, Outcome};
use super::{Scan, verdict};
use crate::board::position::Position;
use crate::board::square::Side;
use crate::record::GameRecord;
use verdict::Verdict;

/// Statements about one game.
#[derive(Default)]
pub(super) struct Heading {
    pub(super) black: String,
    pub(super) white: String,
    pub(super) when: String,
    pub(super) event: String,
    /// Values of tags and fields that state the result, as `label: value`, with their offsets.
    pub(super) results: Vec<(String, usize)>,
    /// Colour of the first mover.
    pub(super) first: Option<Colour>,
    pub(super) start: Option<Position>,
    pub(super) edge: Option<usize>,
    /// True for the header of a CCGC record, which is a game even without moves.
    pub(super) is_ccgc: bool,
    pub(super) has_tags: bool,
    /// True if the names are those of White and Black, of which White moves first.
    pub(super) by_colour: bool,
    pub(super) offset: usize,
}

impl Scan<'_, '_, '_> {
    /// Adds a statement to a heading.
    pub(super) fn state(&mut self, heading: &mut Heading, mark: &Mark, offset: usize) {
        match mark {
            Mark::Begins(_) if self.is_json => {}
            Mark::Begins(colour) => heading.first = Some(*colour),
            Mark::Edge(edge) => heading.edge = Some(*edge),
            Mark::Fen(fen) => match Position::from_fen(fen) {
                Ok(_) if self.start.is_some() => self.warn(offset, "the start position is given already"),
                Ok(position) => heading.start = Some(position),
                Err(error) => self.warn(offset, format!("FEN: {error}")),
            },
            Mark::Header(fields) => {
                let field = |index: usize| fields.get(index).cloned().unwrap_or_default();
                (heading.black, heading.white, heading.when, heading.event) =
                    (field(0), field(1), field(3), field(4));
                heading.is_ccgc = true;
                heading.offset = offset;
                heading.results.push((format!("result: {}", field(2)), offset));
            }
            Mark::Tag(label, _) if self.is_json && *label != Label::Unordered => {}
            Mark::Tag(label, value) => self.tag(heading, *label, value, offset),
            Mark::Start(Some(position)) if self.start.is_none() => heading.start = Some(**position),
            Mark::Start(_) => {
                self.warn(
                    offset,
                    "the start position is not understood; the game is read from the usual start",
                );
            }
            Mark::Gap(last, next) => {
                self.remark(
                    offset,
                    format!("number {next} follows number {last}: moves between them are missing"),
                );
            }
            Mark::Rivals(_) if !heading.black.is_empty() || !heading.white.is_empty() => {}
            Mark::Rivals(names) => {
                self.warn(offset, format!("the name {names} is not kept: name 先手 and 后手"));
            }
            Mark::Won(_) | Mark::Sentence { .. } | Mark::Named(..) => {}
        }
    }

    /// Adds the value of a tag to a heading.
    pub(super) fn tag(&mut self, heading: &mut Heading, label: Label, value: &str, offset: usize) {
        heading.has_tags = true;
        heading.first = heading.first.or(Some(Colour::White));
        match label {
            Label::Name(Colour::White) => (heading.black, heading.by_colour) = (value.to_owned(), true),
            Label::Name(Colour::Black) => (heading.white, heading.by_colour) = (value.to_owned(), true),
            Label::First => heading.black = value.to_owned(),
            Label::Second => heading.white = value.to_owned(),
            Label::Unordered => {
                self.warn(offset, format!("the name {value} is not kept: name 先手 and 后手"))
            }
            Label::Date => heading.when = value.to_owned(),
            Label::Event => heading.event = value.to_owned(),
            Label::Result => heading.results.push((format!("result: {value}"), offset)),
            Label::Winner => heading.results.push((format!("winner: {value}"), offset)),
            Label::Loser => heading.results.push((format!("loser: {value}"), offset)),
            Label::Fen | Label::Other => {}
        }
    }

    /// Adds the names of the players to a heading without tags. Names of colours belong to the sides if the first
    /// mover's colour is known; else as if Black moved first.
    pub(super) fn name(
        &mut self,
        heading: &mut Heading,
        named: &[&Named],
        first: Option<Colour>,
        mover: Side,
    ) {
        if !heading.black.is_empty() || !heading.white.is_empty() {
            return;
        }
        let pair = |players: [Player; 2]| {
            players.map(|player| {
                named.iter().find(|named| named.player == player).map(|named| named.name.clone())
            })
        };
        let colours = pair([Colour::Black, Colour::White].map(Player::Of));
        let (names, by_colour) = match pair([Player::First, Player::Second]) {
            [None, None] => (colours, true),
            names => (names, false),
        };
        (heading.black, heading.white) = names.map(Option::unwrap_or_default).into();
        let is_unknown = by_colour && first.is_none();
        // The player named first is likely to move first.
        let likely = named.iter().find_map(|named| match named.player {
            Player::Of(colour) => Some(colour),
            Player::First | Player::Second => None,
        });
        let first_name = first.or(likely).filter(|_| by_colour).unwrap_or(Colour::Black);
        if (first_name == Colour::Black) != (mover == Side::Black) {
            std::mem::swap(&mut heading.black, &mut heading.white);
        }
        if let Some(named) = named.first().filter(|_| is_unknown) {
            let colour = if first_name == Colour::Black { "Black" } else { "White" };
            let text =
                format!("the first mover's colour is unknown; the names are kept as if {colour} moved first");
            self.remark(named.offset, text);
        }
    }

    /// Sets names, event and result of a game.
    pub(super) fn head(
        &mut self,
        heading: &Heading,
        record: &mut GameRecord,
        first: Option<Colour>,
        results: &[&Outcome],
    ) {
        let mover = record.start.side();
        // Tags of PGN name White first, whoever moves first from a set-up position.
        let is_second = heading.has_tags && mover == Side::White;
        let stated = heading.first.map(|colour| if is_second { colour.other() } else { colour });
        let first = first.or(stated).or(heading.is_ccgc.then_some(Colour::Black));
        let of_first = |is_first: bool| if is_first { mover } else { mover.opponent() };
        (record.black, record.white) = (heading.black.clone(), heading.white.clone());
        if heading.by_colour && first.is_some_and(|first| of_first(first == Colour::White) == Side::White) {
            std::mem::swap(&mut record.black, &mut record.white);
        }
        (record.when, record.event) = (heading.when.clone(), heading.event.clone());
        let side = |player| match player {
            Player::First => Some(of_first(!is_second)),
            Player::Second => Some(of_first(is_second)),
            Player::Of(colour) => first.map(|first| of_first(first == colour)),
        };
        let names = [true, false].map(|is_first| record.name(of_first(is_first != is_second)).to_owned());
        let names = names.each_ref().map(String::as_str);
        let stated = heading.results.iter();
        let mut said: Vec<(Option<Player>, usize)> =
            stated.map(|(text, offset)| (self.judge(text, Some(names), *offset), *offset)).collect();
        for outcome in results {
            let player = match outcome.winner {
                Ok(player) => Some(player),
                Err([from, to]) => {
                    let names = if outcome.may_name { Some(names) } else { None };
                    self.judge(&self.text[from..to], names, outcome.offset)
                }
            };
            said.push((player, outcome.offset));
        }
        record.winner = self.agreed(said.into_iter().map(|(player, offset)| (player.map(side), offset)));
    }

    /// Returns the winner of a game by results, each with its place: none, a side, or a colour of unknown side. Warns of
    /// those that contradict one another.
    pub(super) fn agreed(
        &mut self,
        said: impl Iterator<Item = (Option<Option<Side>>, usize)>,
    ) -> Option<Side> {
        let mut winner = None;
        for (side, offset) in said {
            match (side, winner) {
                (Some(None), _) => {
                    self.warn(offset, "the result names a colour, but the first mover's colour is unknown");
                }
                (Some(Some(found)), Some(known)) if found != known => {
                    self.warn(offset, format!("another result of this game says that {known} has won"));
                }
                (Some(found), _) => winner = found,
                (None, _) => {}
            }
        }
        winner
    }

    /// Returns the winner that a sentence names; warns if it is unclear. Without `names`, it is.
    pub(super) fn judge(
        &mut self,
        sentence: &str,
        names: Option<[&str; 2]>,
        offset: usize,
    ) -> Option<Player> {
        let said = names.map(|names| match verdict::read(sentence, ["", ""]) {
            // No name changes these.
            said @ (Verdict::Won(Player::First | Player::Second) | Verdict::Open | Verdict::Nothing) => said,
            _ => verdict::read(sentence, names),
        });
        match said {
            Some(Verdict::Won(player)) => Some(player),
            Some(Verdict::Nothing | Verdict::Weak | Verdict::Open) => None,
            Some(Verdict::Unclear) | None => {
                let value = sentence.strip_prefix("result: ");
                let is_unknown =
                    value.is_some_and(|value| verdict::read(value, ["", ""]) == Verdict::Nothing);
                let text = value.unwrap_or(sentence).trim().chars().filter(|c| *c != '"');
                let text: String = text.take(60).collect();
                let unknown = || format!("the result {text:?} is not understood");
                let unclear = || format!("the result {text:?} does not name the winner");
                self.warn(offset, if is_unknown { unknown() } else { unclear() });
                None
            }
        }
    }
}
