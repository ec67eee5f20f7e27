//! Game records in three formats: any record survives a round trip.

use fastrand::Rng;
use otrera::record::{Analysis, Mark, Note, Notes, Variation, Visits, ccgc, json, phase_of, read, sgf};
use otrera::{GameRecord, PlayedMove, Position, Side};
use proptest::prelude::*;
use testkit::{any_knowledge, random_record, scattered_position, size};

/// Generates strings from all of Unicode, strings of the formats' special characters, and the empty string.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), r#"[\[\]\\:;#(){}"',\r\n\t a-z甲胜；é]{0,12}"#, Just(String::new())]
}

fn start_of(edge: usize, set_up: bool, rng: &mut Rng) -> Position {
    if !set_up {
        return Position::start(size(edge));
    }
    let ply = rng.u16(..200) * 2;
    let position = scattered_position(size(edge), rng);
    position.with_ply(ply + u16::from(position.side() == Side::White))
}

prop_compose! {
    /// Generates a start position on any board, and up to 99 moves of a random game from there. If `set_up` is true,
    /// the start position is random; otherwise it is the standard one.
    fn any_game(set_up: bool)(
        seed in any::<u64>(),
        edge in 4..=10_usize,
        length in 0..100_usize,
    ) -> (Position, Vec<PlayedMove>) {
        let mut rng = Rng::with_seed(seed);
        let start = start_of(edge, set_up, &mut rng);
        (start, random_line(start, length, &mut rng))
    }
}

/// Chooses a random comment; some look like the line in which SGF stores time and effort.
fn any_comment(rng: &mut Rng) -> String {
    let comments = ["", "好棋", "5 s", "\n\n", "win rate 0.5, 1 s\n]", "a\\\n[b]:;(c)", "two\nlines\n"];
    comments[rng.usize(..comments.len())].into()
}

/// Generates random notes on the positions of a line, with nested variations.
fn any_notes(start: Position, moves: &[PlayedMove], rng: &mut Rng, nesting: usize) -> Notes {
    let (mut position, mut notes) = (start, Notes::new());
    for ply in 0..=moves.len() {
        let name = if rng.u8(..4) == 0 { "a [name]" } else { "" }.to_owned();
        let value = rng.bool().then(|| rng.f32() * 200.0 - 100.0);
        let mark = rng.choice([
            None,
            Some(Mark::Best),
            Some(Mark::Inaccuracy),
            Some(Mark::Mistake),
            Some(Mark::Blunder),
        ]);
        let line = random_line(position, rng.usize(..3), rng).into_iter().map(|played| played.mv).collect();
        let lead = rng.bool().then(|| rng.f32() * 20.0 - 10.0);
        let analysis = Analysis { black: rng.f32(), lead, visits: rng.u64(..), line };
        let analysis = rng.bool().then(|| Box::new(analysis));
        let comment = any_comment(rng);
        let mut note = Note { comment, name, value, mark: mark.flatten(), analysis, ..Note::default() };
        if let Some(played) = moves.get(ply) {
            for _ in 0..if nesting < 3 && rng.u8(..4) == 0 { rng.usize(1..3) } else { 0 } {
                let line = random_line(position, 1 + rng.usize(..4), rng);
                let notes = any_notes(position, &line, rng, nesting + 1);
                note.variations.push(Variation { moves: line, notes });
            }
            position = position.with_move(played.mv);
        }
        if rng.bool() && note != Note::default() {
            notes.insert(ply, note);
        }
    }
    notes
}

fn random_line(start: Position, count: usize, rng: &mut Rng) -> Vec<PlayedMove> {
    random_record(start, ["", ""], count, rng, any_knowledge).moves
}

prop_compose! {
    fn any_record()(
        (start, moves) in prop_oneof![any_game(false), any_game(true)],
        [black, white, when, event, control] in std::array::from_fn::<_, 5, _>(|_| any_text()),
        winner in prop_oneof![Just(None), Just(Some(Side::Black)), Just(Some(Side::White))],
        forfeit in proptest::option::of((any_text(), any_text())),
        number in prop_oneof![Just(0), any::<u64>()],
        seed in proptest::option::of(any::<u64>()),
    ) -> GameRecord {
        let notes = seed.map(|seed| any_notes(start, &moves, &mut Rng::with_seed(seed), 0)).unwrap_or_default();
        let visits = Visits::new();
        GameRecord { black, white, start, moves, winner, forfeit, when, event, control, number, notes, visits }
    }
}

/// Applies a function to each text of a record.
fn with_texts(record: &GameRecord, change: impl Fn(&str) -> String) -> GameRecord {
    GameRecord {
        black: change(&record.black),
        white: change(&record.white),
        when: change(&record.when),
        event: change(&record.event),
        control: change(&record.control),
        forfeit: record.forfeit.as_ref().map(|(kind, text)| (change(kind), change(text))),
        ..record.clone()
    }
}

fn spaces_for(text: &str, lost: impl Fn(char) -> bool) -> String {
    text.chars().map(|c| if lost(c) { ' ' } else { c }).collect()
}

proptest! {
    #[test]
    fn json_keeps_everything(record in any_record()) {
        let line = json::write(&record);
        prop_assert!(!line.contains(['\n', '\r']));
        prop_assert_eq!(json::read(&line), Ok(record));
    }

    #[test]
    fn sgf_keeps_everything_but_control_characters(records in proptest::collection::vec(any_record(), 1..4)) {
        let kept = records.iter().map(|record| with_texts(record, |text| spaces_for(text, char::is_control)));
        let file: String = records.iter().map(sgf::write).collect();
        prop_assert_eq!(sgf::read(&file).unwrap().games, kept.collect::<Vec<_>>());
    }

    #[test]
    fn ccgc_keeps_names_result_and_moves(record in any_record()) {
        let text = ccgc::write(&record);
        let mut reading = read(&text).unwrap();
        let kept = with_texts(&record, |text| spaces_for(text, |c| c.is_control() || "[];".contains(c)));
        let kept = with_texts(&kept, |text| text.trim().to_owned());
        let kept = GameRecord { forfeit: None, control: String::new(), number: 0, notes: Notes::new(), ..kept.with_moves(&record.played_moves()) };
        if ccgc::obstacle(&record).is_none() {
            prop_assert_eq!(&reading.warnings, &[]);
            prop_assert_eq!(reading.games.remove(0), kept);
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in any_text(), noise in r"[\[\];()#\\:A-Za-j0-9 \n]{0,60}") {
        for start in ["", "(;GM[18]", "(;", "#[AM][a][b][先手胜][][];\n", r#"{"moves":["#] {
            for text in [format!("{start}{text}"), format!("{start}{noise})")] {
                let _ = (json::read(&text), sgf::read(&text), read(&text));
            }
        }
    }
}

/// Texts that made a reader panic.
#[test]
fn a_damaged_property_before_the_first_node_is_no_panic() {
    for text in ["(A[][)", "((A[][)", "(A[][", "A[][", "(;A[][)"] {
        for reading in [read(text), sgf::read(text)].into_iter().flatten() {
            assert!(reading.games.iter().all(|game| game.moves.is_empty()), "{text}");
        }
    }
}

#[test]
fn phases_end_with_a_quarter_and_half_of_the_free_squares() {
    for (fen, phase) in [
        ("q3/4/4/3Q w - - 0 1", 0),
        ("q3/***1/4/3Q w - - 0 1", 0),
        ("q3/****/4/3Q w - - 0 1", 1),
        ("q3/****/**2/3Q w - - 0 1", 1),
        ("q3/****/***1/3Q w - - 0 1", 2),
        ("q***/****/****/***Q w - - 0 1", 2),
    ] {
        assert_eq!(phase_of(&Position::from_fen(fen).expect("a FEN")), phase, "{fen}");
    }
}

#[test]
fn games_on_8x8_and_10x10_fit_ccgc() {
    let mut rng = Rng::with_seed(5);
    for edge in [8, 10] {
        let game =
            random_record(Position::start(size(edge)), ["a", "b"], usize::MAX, &mut rng, |mv, _| mv.into());
        for length in 1..=game.moves.len() {
            let beginning = game.clone().with_moves(&game.played_moves()[..length]);
            assert_eq!(ccgc::obstacle(&beginning), None);
        }
    }
}
