//! Options, games and grades of puzzles, and the loop that fills a file with them: shared by `lab endgames` and
//! `lab lead-puzzles`.

use crate::arguments::{read_count, read_if, read_size};
use crate::cluster::CoreArgs;
use crate::files::LineLog;
use crate::interrupt;
use crate::play::openings::RandomMoves;
use crate::play::player::{iterate, search_of};
use crate::progress::progress_bar;
use otrera::{Move, Params, Position, Size};
use rayon::prelude::*;
use std::collections::HashSet;
use std::fmt::Display;
use std::path::PathBuf;

/// Iterations of the two searches that grade a puzzle: both solve a puzzle of grade 1, only the longer solves grade 2.
const SEARCHES: [u64; 2] = [1, 100];

pub const GRADES: usize = SEARCHES.len() + 1;

/// Options of all commands that write puzzles.
#[derive(clap::Args)]
pub struct PuzzleArgs {
    /// Output file.
    #[arg(long, value_name = "FILE")]
    pub puzzles: PathBuf,
    /// Continue the puzzle file of an interrupted run.
    #[arg(long)]
    pub resume: bool,
    /// Edge length of the board.
    #[arg(long, default_value = "10", value_parser = read_size)]
    pub size: Size,
    /// Number of puzzles.
    #[arg(long, value_name = "N", default_value = "20", value_parser = read_count::<usize>)]
    pub each: usize,
    /// Iterations per move in the self-play games that supply positions.
    #[arg(long, value_name = "N", default_value = "300", value_parser = read_count::<u64>)]
    pub iterations: u64,
    /// Random seed of the games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub cores: CoreArgs,
}

/// A puzzle as a line of a file, which its `Display` writes.
pub trait Puzzle: Display + Send + Sized {
    /// Parses a line of a puzzle file.
    fn read(line: &str) -> Result<Self, String>;
    fn position(&self) -> &Position;
    /// Number of the self-play game that the position comes from, from 0.
    fn game(&self) -> u64;
}

/// The fields of a puzzle's line.
pub struct Fields {
    pub position: Position,
    /// Legal moves, one after the other: the solver's moves and the replies between them.
    pub line: Vec<Move>,
    /// Margin or lead, in moves.
    pub points: u32,
    /// Difficulty, from 1 to [`GRADES`].
    pub grade: usize,
    /// Number of the self-play game.
    pub game: u64,
}

impl Fields {
    /// Parses `FEN; moves; points; grade; game`; `mark` follows the points.
    pub fn read(line: &str, mark: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [fen, moves, points, grade, game] = fields[..] else {
            return Err("expected FEN; moves; points; grade; game".into());
        };
        let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
        let (mut after, mut line) = (position, Vec::new());
        for text in moves.split(' ') {
            let mv: Move = text.parse().map_err(|error| format!("{error}"))?;
            after = after.try_play(mv).map_err(|error| format!("{mv}: {error}"))?;
            line.push(mv);
        }
        let points = points.strip_suffix(mark).and_then(|points| points.parse().ok());
        let points = points.ok_or_else(|| format!("expected a number of moves like 5{mark}"))?;
        let grades = 1..=GRADES;
        let grade = read_if(grade, |grade| grades.contains(grade), &format!("a grade of 1 to {GRADES}"))?;
        let game = game.parse().map_err(|_| format!("{game:?} is not the number of a game"))?;
        Ok(Self { position, line, points, grade, game })
    }
}

impl PuzzleArgs {
    /// Formats the command with the options that determine the positions.
    pub fn command(&self, name: &str) -> String {
        let Self { size, each, iterations, seed, .. } = self;
        format!("lab {name} --size {} --each {each} --iterations {iterations} --seed {seed}", size.edge())
    }

    /// Returns the position after `plies` random plies, the opening of a game.
    pub fn opened(&self, plies: u32, game: u64) -> Position {
        let start = Position::start(self.size);
        let openings = RandomMoves { plies, balance: 0.5 };
        openings
            .opening(&start, self.seed, game)
            .into_iter()
            .fold(start, |position, mv| position.with_move(mv))
    }

    /// Writes puzzles in the order of their games until there are enough, or `all` games are played, `batch` at a time.
    /// A resumed run continues after the game of the last puzzle. Each puzzle is counted once, for [`signature`] is
    /// equal for its images. Returns a sentence about the run.
    pub fn fill<P: Puzzle>(
        &self,
        header: &str,
        batch: u64,
        all: u64,
        puzzle: impl Fn(u64) -> Option<P> + Sync,
        mut count: impl FnMut(&P),
    ) -> Result<String, String> {
        let path = &self.puzzles;
        let (mut seen, mut next_game) = (HashSet::new(), 0);
        let mut add = |seen: &mut HashSet<Signature>, puzzle: &P| {
            let is_new = seen.insert(signature(puzzle.position()));
            if is_new {
                count(puzzle);
            }
            is_new
        };
        let mut log = LineLog::open(path, self.resume, Some(header), |line| {
            let puzzle = P::read(line)?;
            next_game = puzzle.game() + 1;
            add(&mut seen, &puzzle);
            Ok(())
        })?;
        interrupt::advise(format!("; the puzzles so far are in {}; resume with --resume", path.display()));
        let pool = self.cores.pool()?;
        let bar = progress_bar(self.each as u64).with_message("puzzles");
        while seen.len() < self.each && next_game < all {
            bar.set_position(seen.len() as u64);
            let games = next_game..all.min(next_game + batch);
            let search = || games.clone().into_par_iter().map(&puzzle).collect();
            let found: Vec<Option<P>> = pool.install(search);
            for puzzle in found.into_iter().flatten() {
                if seen.len() < self.each && add(&mut seen, &puzzle) {
                    log.add(&puzzle.to_string())?;
                }
            }
            next_game = games.end;
        }
        bar.finish_and_clear();
        Ok(format!("{} puzzles from {next_game} games written to {}", seen.len(), path.display()))
    }
}

/// Returns the grade: 1 if both [`SEARCHES`] find the solution, 2 if only the longer one does, else 3.
pub fn grade(position: &Position, solution: Move, seed: u64) -> usize {
    let finds = |&&iterations: &&u64| {
        iterate(&mut search_of(position, Params::TOURNAMENT, 32, seed), iterations).best == Some(solution)
    };
    GRADES - SEARCHES.iter().rev().take_while(finds).count()
}

/// Sorted squared distances from the board centre: of the mover's amazons, the opponent's amazons, the empty squares.
pub type Signature = [Vec<usize>; 3];

/// Returns a key that is equal for all rotations and mirror images of a position, also with the sides exchanged.
pub fn signature(position: &Position) -> Signature {
    let last = position.size().edge() - 1;
    let distance = |square: otrera::Square| {
        [square.column(), square.row()].map(|place| (2 * place).abs_diff(last).pow(2)).iter().sum::<usize>()
    };
    let mover = position.side();
    [position.amazons(mover), position.amazons(mover.opponent()), position.empty()].map(|squares| {
        let mut distances: Vec<usize> = squares.into_iter().map(distance).collect();
        distances.sort_unstable();
        distances
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use testkit::{sides_exchanged, symmetries};

    /// Returns the puzzles in files of the page.
    pub fn page_puzzles<P: Puzzle>(files: [&str; 2]) -> Vec<P> {
        page_lines(&files).iter().map(|line| P::read(line).expect(line)).collect()
    }

    /// Returns the lines of puzzle files of the page, without the commands.
    fn page_lines(files: &[&str]) -> Vec<String> {
        let folder = testkit::files::repository().join("web/page");
        let texts =
            files.iter().map(|file| std::fs::read_to_string(folder.join(file)).expect("a file of the page"));
        texts.flat_map(|text| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn page_puzzles_are_distinct() {
        let files = ["puzzles-8.txt", "puzzles-10.txt", "lead-puzzles-8.txt", "lead-puzzles-10.txt"];
        let lines = page_lines(&files);
        assert!(lines.len() >= 300, "{} puzzles", lines.len());
        let mut seen = HashSet::new();
        for line in &lines {
            let fen = line.split(';').next().expect("a FEN");
            let position = Position::from_fen(fen).expect(line);
            assert!(seen.insert(position.key()), "{line}");
            let images = [position, sides_exchanged(&position)].map(|position| symmetries(&position));
            for image in images.as_flattened() {
                seen.insert(image.key());
                assert_eq!(signature(image), signature(&position));
            }
        }
    }
}
