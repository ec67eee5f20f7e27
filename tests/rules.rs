//! The rules, compared with perft numbers of independent programs, real games and a brute-force generator. Also both
//! rules for the end of a game, and positions and moves as text. To check the large perft numbers:
//! `cargo test --release --test all rules:: -- --ignored`.

use fastrand::Rng;
use otrera::board::bitboard::Bitboard;
use otrera::board::perft::perft;
use otrera::board::reach::queen_reach;
use otrera::{IllegalMove, Move, Position, Rules, Side, Size};
use serde_json::Value;
use std::collections::HashSet;
use testkit::definitions::{king_moves, queen_moves};
use testkit::{random_game, scattered_position, size};

/// Maximum node count of the perft vectors that every test run checks.
const QUICK: u64 = 20_000_000;

#[test]
fn perft_agrees_with_independent_programs() {
    let counted = check_perft(|nodes| nodes <= QUICK);
    assert!(counted >= 59, "only {counted} vectors");
}

#[test]
#[cfg(not(debug_assertions))] // 10^10 moves
#[ignore = "slow"]
fn large_perft_agrees_with_independent_programs() {
    assert_eq!(check_perft(|nodes| nodes > QUICK), 2);
}

/// Checks the perft vectors whose node count satisfies `wanted`; returns the number of vectors checked.
fn check_perft(wanted: impl Fn(u64) -> bool) -> usize {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("data/perft.json")).unwrap();
    let mut checked = 0;
    for vector in vectors {
        let nodes = vector["nodes"].as_u64().unwrap();
        if wanted(nodes) {
            let depth = vector["depth"].as_u64().unwrap();
            assert_eq!(perft(&vector_position(&vector), depth as u32), nodes, "{vector}");
            checked += 1;
        }
    }
    checked
}

fn vector_position(vector: &Value) -> Position {
    let rows: Vec<&str> =
        vector["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
    assert_eq!(vector["size"].as_u64().unwrap() as usize, rows.len());
    let side = if vector["side"] == "B" { Side::Black } else { Side::White };
    Position::from_picture(&rows.join("\n"), side).unwrap()
}

#[test]
fn olympiad_games_are_legal() {
    let mut rng = Rng::with_seed(1);
    let games = include_str!("data/olympiad_games.txt").lines().filter(|line| !line.starts_with('#'));
    let mut replayed = 0;
    for game in games {
        let [title, _first, _second, _result, moves] = game.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("not a game: {game}")
        };
        let mut position = Position::standard();
        for text in moves.split_whitespace() {
            let mv: Move = text.parse().unwrap();
            refuse_variations(&position, mv, &mut rng);
            position =
                position.try_play(mv).unwrap_or_else(|why| panic!("{title} {text}: {why}\n{position}"));
        }
        assert_eq!(usize::from(position.ply()), moves.split_whitespace().count());
        replayed += 1;
    }
    assert!(replayed >= 19, "only {replayed} games");
}

/// Checks that three illegal variations of a legal move are refused for the right reason, and that random variations
/// are refused if and only if the brute-force check refuses them.
fn refuse_variations(position: &Position, mv: Move, rng: &mut Rng) {
    let theirs = position.amazons(position.side().opponent()).first().unwrap();
    assert_eq!(position.check(Move { from: theirs, ..mv }), Err(IllegalMove::NoAmazon(theirs)));
    assert!(matches!(position.check(Move { to: mv.from, ..mv }), Err(IllegalMove::Unreachable(_))));
    assert_eq!(position.check(Move { arrow: mv.to, ..mv }), Err(IllegalMove::ArrowBlocked(mv.to)));
    let (squares, legal) = (Bitboard::playable(position.size()), legal_by_definition(position));
    for _ in 0..20 {
        let mut any = || squares.nth(rng.u32(..squares.len()));
        for mv in [Move { arrow: any(), ..mv }, Move { to: any(), ..mv }, Move { from: any(), ..mv }] {
            assert_eq!(position.try_play(mv).is_ok(), legal.contains(&mv), "{mv}\n{position}");
        }
    }
}

#[test]
fn the_move_generator_agrees_with_brute_force() {
    for position in various_positions() {
        let legal = legal_by_definition(&position);
        assert_eq!(position.legal_moves().collect::<HashSet<_>>(), legal, "{position}");
        assert_eq!(position.legal_moves().count(), legal.len(), "duplicate moves in\n{position}");
        let squares = Bitboard::playable(position.size());
        for from in squares {
            for to in squares {
                for arrow in squares {
                    let mv = Move { from, to, arrow };
                    assert_eq!(position.check(mv).is_ok(), legal.contains(&mv), "{mv}\n{position}");
                }
            }
        }
    }
}

/// Returns the legal moves by definition, square by square and without bitboards.
fn legal_by_definition(position: &Position) -> HashSet<Move> {
    let mut legal = HashSet::new();
    for from in position.amazons(position.side()) {
        for to in queen_moves(position, from) {
            let mut amazons = position.all_amazons();
            amazons[position.side().index()] ^= Bitboard::from(from) | to.into();
            let moved = Position::from_parts(position.size(), amazons, position.arrows(), position.side());
            legal.extend(queen_moves(&moved, to).into_iter().map(|arrow| Move { from, to, arrow }));
        }
    }
    legal
}

/// Returns positions from random games and scattered positions, on boards of 4x4 to 8x8.
fn various_positions() -> Vec<Position> {
    let mut rng = Rng::with_seed(2);
    let mut positions = Vec::new();
    for size in (4..=8).map(size) {
        positions.extend(random_game(Position::start(size), &mut rng).into_iter().step_by(3));
        positions.extend((0..20).map(|_| scattered_position(size, &mut rng)));
    }
    positions
}

#[test]
fn queen_reach_equals_single_steps() {
    let mut rng = Rng::with_seed(7);
    for round in 0..20_000 {
        let size = size(4 + round % 7);
        let board = Bitboard::playable(size);
        let density = [0.25, 0.5][rng.usize(..2)];
        let walls = board.into_iter().filter(|_| rng.f64() < density).collect();
        let position = Position::from_parts(size, [Bitboard::EMPTY; 2], walls, Side::Black);
        let from = board.nth(rng.u32(..board.len()));
        let reach: Bitboard = queen_moves(&position, from).into_iter().collect();
        assert_eq!(queen_reach(from, position.empty()), reach, "{from}\n{position}");
    }
}

/// Also checks incrementally updated Zobrist keys, because a position read from text computes its key from scratch.
#[test]
fn positions_and_moves_survive_a_round_trip_through_text() {
    let mut rng = Rng::with_seed(11);
    for position in (4..=10).map(size).flat_map(|size| random_game(Position::start(size), &mut rng)) {
        assert_eq!(Position::from_fen(&position.to_fen()), Ok(position));
        assert_eq!(Position::from_picture(&position.to_picture(), position.side()), Ok(position));
        for mv in position.legal_moves().step_by(99) {
            assert_eq!(mv.to_string().parse(), Ok(mv));
        }
    }
}

#[test]
fn malformed_positions_are_rejected() {
    for fen in [
        "",
        "3q2q3",
        "4/4/4",
        "4/4/4/5",
        "4/4/4/3",
        "4/4/4/Q22",
        "4/4/4/KKKK",
        "4/4/4/4 x",
        "4/4/4/4 w - - 0 0",
        "4/4/4/4 w - - 0 99999",
        "4/4/4/4 w - - 0 -1",
        "99999999999999999999999/4/4/4",
    ] {
        assert!(Position::from_fen(fen).is_err(), "{fen}");
    }
    for picture in ["", "....", "....\n....\n....\n...", "....\n....\n....\n...Z"] {
        assert!(Position::from_picture(picture, Side::Black).is_err(), "{picture}");
    }
}

#[test]
fn malformed_text_and_illegal_moves_are_different_errors() {
    for text in ["", "d1", "resign", "d1-d7", "d1-d7/k7", "d1-d7/g11", "d1-d7/g", "d1-d7/g7/g8", "-1 -1 -1"] {
        assert!(text.parse::<Move>().is_err(), "{text:?} is no move");
    }
    type Reason = fn(Move) -> IllegalMove;
    let refused: [(&[&str], Reason); 3] = [
        (&["d2-d7/g7", "d10-d7/g7"], |mv| IllegalMove::NoAmazon(mv.from)),
        (&["d1-e3/e4", "d1-d1/d2", "d1-g1/g2", "d1-d10/d9", "d1-h1/h2"], |mv| {
            IllegalMove::Unreachable(mv.movement())
        }),
        (&["d1-d7/d7", "d1-d7/a7", "d1-d7/e9", "d1-d7/d10"], |mv| IllegalMove::ArrowBlocked(mv.arrow)),
    ];
    for (texts, error) in refused {
        for mv in texts.iter().map(|text| text.parse().expect("well-formed")) {
            assert_eq!(Position::standard().check(mv), Err(error(mv)), "{mv}");
        }
    }
    let mv: Move = "c1-c7/c9".parse().unwrap();
    assert_eq!(Position::start(Size::BOTZONE).check(mv), Err(IllegalMove::OffBoard(mv.arrow)));
    let back = "d1-d7/d1".parse().unwrap();
    assert_eq!(Position::standard().check(back), Ok(()), "an arrow may land where the amazon was");
}

/// Each case: a position, a move, and the winner after the move by the standard rules and by SAU's rules.
#[test]
fn both_rules_end_games_as_specified() {
    let (black, white) = (Some(Side::Black), Some(Side::White));
    for (picture, side, mv, expected) in [
        // A side blocks itself.
        ("W... .... XXX. .BX.", Side::Black, "b1-a1/b1", [None, white]),
        ("B... .... XXX. .WX.", Side::White, "b1-a1/b1", [None, black]),
        // One free amazon keeps the game going.
        ("W..B .... XXX. .BX.", Side::Black, "b1-a1/b1", [None, None]),
        // Both sides are blocked: Black wins under the SAU rules.
        ("XXXX XXXX XXXX B.WX", Side::Black, "a1-b1/a1", [black, black]),
        ("XXXX XXXX XXXX W.BX", Side::White, "a1-b1/a1", [white, black]),
        // A side blocks its opponent, or leaves a square free.
        ("...B .... X... WX..", Side::Black, "d4-d2/b2", [black, black]),
        ("...B .... X... WX..", Side::Black, "d4-d2/c2", [None, None]),
        ("...W .... X... BX..", Side::White, "d4-d2/b2", [white, white]),
        ("...W .... X... BX..", Side::White, "d4-d2/c2", [None, None]),
    ] {
        let position = Position::from_picture(picture, side).unwrap();
        let winners = [Rules::Standard, Rules::SelfBlocking].map(|rules| {
            let position = position.with_rules(rules);
            assert_eq!(position.winner(), None, "the game goes on before the move");
            position.try_play(mv.parse().unwrap()).unwrap().winner()
        });
        assert_eq!(winners, expected, "{mv}\n{position}");
    }
}

#[test]
fn winners_match_their_definitions() {
    let mut rng = Rng::with_seed(3);
    let mut ended = [0; 2];
    for _ in 0..3000 {
        let edge = rng.usize(4..=6);
        let scattered = scattered_position(size(edge), &mut rng);
        let cannot_move = scattered.legal_moves().next().is_none();
        assert_eq!(scattered.winner(), cannot_move.then_some(scattered.side().opponent()), "{scattered}");
        let platform = scattered.with_rules(Rules::SelfBlocking);
        assert_eq!(platform.winner(), winner_on_the_platform(&platform), "{platform}");
        ended[0] += u32::from(scattered.winner().is_some());
        ended[1] += u32::from(platform.winner().is_some());
    }
    assert!(ended[0] > 50 && ended[1] > ended[0], "{ended:?}");
}

/// Finds the winner as the SAU referee does: it checks White first, whichever side is to move.
fn winner_on_the_platform(position: &Position) -> Option<Side> {
    let blocked =
        |side| position.amazons(side).into_iter().all(|amazon| king_moves(position, amazon).is_empty());
    match (blocked(Side::Black), blocked(Side::White)) {
        (_, true) => Some(Side::Black),
        (true, false) => Some(Side::White),
        (false, false) => None,
    }
}
