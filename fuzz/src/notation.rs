//! Fuzz targets for the library's text formats: FEN, board pictures, moves, and game records.

use otrera::record::{self, ccgc, json, sgf};
use otrera::{GameRecord, Move, Position};

/// Checks that a parsed FEN survives a round trip, and that its picture shows the same board.
pub fn fen(bytes: &[u8]) {
    let Ok(position) = Position::from_fen(&String::from_utf8_lossy(bytes)) else { return };
    let normal = position.to_fen();
    assert_eq!(Position::from_fen(&normal), Ok(position), "{normal}");
    let picture = Position::from_picture(&position.to_picture(), position.side());
    let board = |fen: &str| fen.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(picture.map(|seen| board(&seen.to_fen())), Ok(board(&normal)));
}

/// Checks that a parsed move survives a round trip.
pub fn moves(bytes: &[u8]) {
    let Ok(mv) = String::from_utf8_lossy(bytes).parse::<Move>() else { return };
    assert_eq!(mv.to_string().parse(), Ok(mv));
}

/// Checks that games found in any bytes are legal, and that their start, moves and winner survive as a CCGC record.
pub fn ccgc(bytes: &[u8]) {
    let Ok(reading) = record::read_bytes(bytes) else { return };
    for record in reading.games {
        assert_eq!(record.first_illegal(), None);
        if ccgc::obstacle(&record).is_some() {
            continue;
        }
        let text = ccgc::write(&record);
        let again = record::read(&text).expect("what is written can be read").games.remove(0);
        assert_eq!(again.played_moves(), record.played_moves());
        assert_eq!((again.start, again.winner), (record.start, record.winner));
    }
}

/// Checks that every game of a parsed SGF file survives a round trip.
pub fn sgf(bytes: &[u8]) {
    let Ok(records) = sgf::read(&String::from_utf8_lossy(bytes)) else { return };
    for record in records.games {
        let text = sgf::write(&record);
        let again = sgf::read(&text).expect("what is written can be read");
        assert_eq!(again.games.iter().map(sgf::write).collect::<Vec<_>>(), [text]);
        let course = |record: &GameRecord| (record.start, record.winner, record.moves.clone());
        assert_eq!(again.games.iter().map(course).collect::<Vec<_>>(), [course(&record)]);
    }
}

/// Checks that a parsed JSON record survives a round trip.
pub fn json_record(bytes: &[u8]) {
    let Ok(record) = json::read(&String::from_utf8_lossy(bytes)) else { return };
    assert_eq!(json::read(&json::write(&record)), Ok(record));
}
