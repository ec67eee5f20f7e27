//! Shards: compact binary files of self-play games, with a checksum in each block.
//!
//! ```text
//! file     magic "OTRERA SHARD 1\n\0", header block, a block for each game, end block
//! block    head (16 bytes), payload
//! head     length of the payload, number of the block, CRC-32 of the payload, CRC-32 of the 12 bytes before
//! header   the conditions of the run as JSON text; block 0
//! game     number (8 bytes), winner (1), number of moves (2), moves
//! move     from, to, arrow, flag (1 byte each); if the flag is 1, the search that chose the move:
//!          win rate (4 bytes, float), iterations (4), number of root moves (1), and for each root move
//!          from, to, arrow (1 byte each) and visits (2)
//! end      number of games (8 bytes), number of searched positions (8); block number 2^32 - 1
//! ```
//!
//! Numbers are little-endian, squares are [`Square::index`]. A searched position takes 13 bytes and 5 for each root
//! move with visits; a move without a search takes 4. Visits above 2^16 are halved until all of a position fit.
//!
//! A file without its end block is unfinished: `lab self-play --resume` continues it. Any other flaw is an error that
//! names the file, the block and its offset.

use crate::files::{Locked, check_settings, open_locked, problem};
use crate::interrupt;
use otrera::board::square::STRIDE;
use otrera::{GameRecord, Move, PlayedMove, Position, Side, Size, Square};
use serde_json::Value;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// First bytes of every shard; the digit is the version of the format.
const MAGIC: [u8; 16] = *b"OTRERA SHARD 1\n\0";

/// Length of a block's head in bytes.
const HEAD: usize = 16;

/// Number of the end block.
const END: u32 = u32::MAX;

/// Maximum length of a payload in bytes, far above that of any game.
const MAX_PAYLOAD: u32 = 1 << 24;

/// A shard open for reading, game by game.
pub struct Shard {
    path: PathBuf,
    input: BufReader<File>,
    /// Offset of the next block.
    offset: u64,
    /// Number of the next block.
    block: u32,
    /// The conditions of the run, from the header.
    conditions: Value,
    start: Position,
    games: u64,
    positions: u64,
    is_finished: bool,
}

impl Shard {
    /// Opens a shard and reads its header.
    pub fn open(path: &Path) -> Result<Self, String> {
        let mut file = File::open(path).map_err(|error| problem(path, error))?;
        let magic = first_bytes(&mut file).map_err(|error| problem(path, error))?;
        if !MAGIC.starts_with(&magic) {
            let what = if magic.starts_with(b"OTRERA SHARD ") {
                "is a shard of another version"
            } else if resembles_magic(&magic) {
                "is a shard whose first bytes are damaged"
            } else {
                "is not a shard"
            };
            return Err(problem(path, format!("{what}: name a file of this version's lab self-play")));
        }
        let mut shard = Self {
            path: path.to_owned(),
            input: BufReader::with_capacity(1 << 18, file),
            offset: MAGIC.len() as u64,
            block: 0,
            conditions: Value::Null,
            start: Position::standard(),
            games: 0,
            positions: 0,
            is_finished: false,
        };
        if let Some((0, header)) = shard.next_block()? {
            shard.conditions = serde_json::from_slice(&header).map_err(|error| problem(path, error))?;
            let edge = shard.conditions["self-play"]["size"].as_u64().unwrap_or(0);
            let size = Size::new(edge as usize).ok_or_else(|| problem(path, "the header has no size"))?;
            shard.start = Position::start(size);
        }
        Ok(shard)
    }

    /// Returns the next game; `None` at the end of the file. The file can end without its end block, see
    /// [`Self::finished`].
    pub fn next_game(&mut self) -> Result<Option<GameRecord>, String> {
        let begin = self.offset;
        let block = self.block;
        let Some((number, payload)) = self.next_block()? else { return Ok(None) };
        let flawed = |what: &str| Err(flaw(&self.path, block, begin, what));
        if number == END {
            let totals = [self.games, self.positions].map(u64::to_le_bytes).concat();
            if payload != totals {
                return flawed("the end block counts other games");
            }
            if !matches!(self.input.read(&mut [0]), Ok(0)) {
                return flawed("bytes follow the end block");
            }
            // A run with more games writes its next block here.
            (self.is_finished, self.offset, self.block) = (true, begin, block);
            return Ok(None);
        }
        let Some(game) = decode(&payload, self.start, &self.conditions["self-play"]) else {
            return flawed("the checksum matches, but the content is no game");
        };
        self.games += 1;
        self.positions += searched(&game);
        Ok(Some(game))
    }

    /// Fails if the file ends without its end block.
    pub fn finished(&self) -> Result<(), String> {
        if self.is_finished {
            return Ok(());
        }
        let what = "the file ends here, without an end block: finish it with lab self-play --resume; lab train and the \
                    fits read its whole blocks with --unfinished";
        Err(flaw(&self.path, self.block, self.offset, what))
    }

    /// Reads the next block: its number and payload. `None` if the file ends before the end of the block.
    fn next_block(&mut self) -> Result<Option<(u32, Vec<u8>)>, String> {
        if self.is_finished {
            return Ok(None);
        }
        let (path, block, offset) = (&self.path, self.block, self.offset);
        let failed = |error| problem(path, error);
        let mut head = [0; HEAD];
        if read_up_to(&mut self.input, &mut head).map_err(failed)? < HEAD {
            return Ok(None);
        }
        let [length, number, sum, head_sum] = words(head);
        if crc32fast::hash(&head[..HEAD - 4]) != head_sum || length > MAX_PAYLOAD {
            return Err(flaw(path, block, offset, "the checksum of the block's head does not match"));
        }
        if number != block && number != END {
            return Err(flaw(path, block, offset, &format!("block {number} is here instead")));
        }
        let mut payload = vec![0; length as usize];
        if read_up_to(&mut self.input, &mut payload).map_err(failed)? < payload.len() {
            return Ok(None);
        }
        if crc32fast::hash(&payload) != sum {
            return Err(flaw(path, block, offset, "the checksum does not match"));
        }
        self.offset += (HEAD + payload.len()) as u64;
        self.block += 1;
        Ok(Some((number, payload)))
    }
}

/// True if the file begins like a shard, even a damaged one, one of another version, or one cut off there.
pub fn is_shard(path: &Path) -> bool {
    path.is_file()
        && File::open(path)
            .and_then(|mut file| first_bytes(&mut file))
            .is_ok_and(|bytes| resembles_magic(&bytes))
}

/// Reads the bytes in the place of [`MAGIC`]; fewer if the file is shorter.
fn first_bytes(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; MAGIC.len()];
    let length = read_up_to(file, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// True if more than half of [`MAGIC`]'s bytes are in their places.
fn resembles_magic(bytes: &[u8]) -> bool {
    bytes.iter().zip(&MAGIC).filter(|(here, there)| here == there).count() > MAGIC.len() / 2
}

/// Formats the error message about a damaged or missing block.
fn flaw(path: &Path, block: u32, offset: u64, what: &str) -> String {
    problem(path, format!("block {block} at byte {offset}: {what}"))
}

/// Reads until the buffer is full or the file ends; returns the number of bytes.
fn read_up_to(input: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match input.read(&mut buffer[length..])? {
            0 => break,
            more => length += more,
        }
    }
    Ok(length)
}

fn words(head: [u8; HEAD]) -> [u32; 4] {
    let (words, _) = head.as_chunks::<4>();
    std::array::from_fn(|word| u32::from_le_bytes(words[word]))
}

/// A shard open for writing; the file is locked while it is open.
pub struct ShardWriter {
    path: PathBuf,
    locked: Locked,
    /// Offset of the next block.
    offset: u64,
    /// Number of the next block.
    block: u32,
    pub games: u64,
    /// Number of positions with the result of a search.
    pub positions: u64,
}

impl ShardWriter {
    /// Creates a shard; with `resume`, opens an existing one, calls `read` with each of its games, and drops a block
    /// that an interruption cut off. Fails if an existing file has other conditions or is damaged.
    pub fn open(
        path: &Path,
        conditions: &Value,
        resume: bool,
        mut read: impl FnMut(GameRecord),
    ) -> Result<Self, String> {
        let locked = open_locked(path, resume)?;
        let header = conditions.to_string();
        let mut shard = Shard::open(path)?;
        if !shard.conditions.is_null() {
            check_settings(path, &shard.conditions.to_string(), &header)?;
            while let Some(game) = shard.next_game()? {
                read(game);
            }
        }
        let Shard { offset, block, games, positions, .. } = shard;
        let mut writer = Self { path: path.to_owned(), locked, offset, block, games, positions };
        if writer.block == 0 {
            writer.offset = 0;
            writer.write(&[&MAGIC[..], &packed(0, header.as_bytes())].concat())?;
        }
        Ok(writer)
    }

    /// Appends a game. On an error, such as a full disk, leaves the file unchanged.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), String> {
        self.write(&packed(self.block, &encode(game)))?;
        self.locked.keep();
        self.games += 1;
        self.positions += searched(game);
        Ok(())
    }

    /// Appends the end block.
    pub fn finish(mut self) -> Result<(), String> {
        let totals = [self.games, self.positions].map(u64::to_le_bytes).concat();
        self.locked.keep();
        self.write(&packed(END, &totals))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        let Self { path, locked: Locked { file, .. }, offset, .. } = self;
        let _guard = interrupt::hold();
        let written = file
            .set_len(*offset)
            .and_then(|()| file.seek(SeekFrom::Start(*offset)))
            .and_then(|_| file.write_all(bytes));
        if let Err(error) = written {
            // If this fails too, opening the shard drops the incomplete block.
            let _ = file.set_len(*offset);
            return Err(problem(path, error));
        }
        *offset += bytes.len() as u64;
        self.block += 1;
        Ok(())
    }
}

/// Returns a block with its head.
fn packed(number: u32, payload: &[u8]) -> Vec<u8> {
    let head = [payload.len() as u32, number, crc32fast::hash(payload)].map(u32::to_le_bytes).concat();
    let sum = crc32fast::hash(&head).to_le_bytes();
    [&head, &sum[..], payload].concat()
}

/// Returns the number of moves that a search chose.
fn searched(game: &GameRecord) -> u64 {
    game.moves.iter().filter(|played| played.win_rate.is_some()).count() as u64
}

fn encode(game: &GameRecord) -> Vec<u8> {
    let squares = |mv: Move| [mv.from, mv.to, mv.arrow].map(|square| square.index() as u8);
    let mut bytes = game.number.to_le_bytes().to_vec();
    bytes.push(game.winner.map_or(2, |winner| winner.index() as u8));
    bytes.extend((game.moves.len() as u16).to_le_bytes());
    for (ply, played) in game.moves.iter().enumerate() {
        bytes.extend(squares(played.mv));
        bytes.push(played.win_rate.is_some().into());
        let Some(win_rate) = played.win_rate else { continue };
        bytes.extend(win_rate.to_le_bytes());
        bytes.extend((played.effort.unwrap_or(0).min(u32::MAX.into()) as u32).to_le_bytes());
        let visits = game.visits.get(&ply).map_or(&[][..], |visits| &visits[..visits.len().min(255)]);
        let most = visits.iter().map(|(_, visits)| *visits).max().unwrap_or(0);
        let halvings = (u32::BITS - most.leading_zeros()).saturating_sub(u16::BITS);
        bytes.push(visits.len() as u8);
        for (mv, visits) in visits {
            bytes.extend(squares(*mv));
            bytes.extend(((visits >> halvings) as u16).to_le_bytes());
        }
    }
    bytes
}

/// Reads numbers and squares from the front of a payload.
struct Payload<'a>(&'a [u8]);

impl Payload<'_> {
    fn take<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        let (taken, left) = self.0.split_first_chunk()?;
        self.0 = left;
        Some(*taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    fn mv(&mut self) -> Option<Move> {
        let [from, to, arrow] = self.take()?.map(usize::from);
        let square = |index: usize| Square::new(index % STRIDE, index / STRIDE);
        Some(Move { from: square(from)?, to: square(to)?, arrow: square(arrow)? })
    }
}

/// Returns the game of a payload, played by the player and with the effort in `conditions`; `None` if the payload is
/// not a game.
fn decode(payload: &[u8], start: Position, conditions: &Value) -> Option<GameRecord> {
    let mut payload = Payload(payload);
    let player = conditions["player"].as_str()?;
    let mut game = GameRecord {
        number: u64::from_le_bytes(payload.take()?),
        event: EVENT.into(),
        control: control(conditions["iterations"].as_u64()?),
        ..GameRecord::new(player, player, start)
    };
    game.winner = match payload.byte()? {
        0 => Some(Side::Black),
        1 => Some(Side::White),
        2 => None,
        _ => return None,
    };
    let moves = u16::from_le_bytes(payload.take()?);
    for ply in 0..usize::from(moves) {
        let mut played = PlayedMove::from(payload.mv()?);
        if payload.byte()? == 1 {
            played.win_rate = Some(f32::from_le_bytes(payload.take()?));
            played.effort = Some(u32::from_le_bytes(payload.take()?).into());
            let visits = (0..payload.byte()?)
                .map(|_| Some((payload.mv()?, u16::from_le_bytes(payload.take()?).into())))
                .collect::<Option<Vec<_>>>()?;
            game.visits.extend(Some((ply, visits)).filter(|(_, visits)| !visits.is_empty()));
        }
        game.moves.push(played);
    }
    payload.0.is_empty().then_some(game)
}

/// Name of the event in the records of self-play.
pub const EVENT: &str = "lab self-play";

/// Returns the text of the effort in the records of self-play.
pub fn control(iterations: u64) -> String {
    format!("{iterations} iterations a move")
}
