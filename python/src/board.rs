//! Boards and their legal moves.

use crate::errors::{illegal, malformed, value_error};
use crate::moves::{Move, MoveOrText, Side, index_of, read_move, size_of, square_at};
use crate::numbers::Whole;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use otrera::board::bitboard::Squares;
use otrera::board::moves::Movement;
use otrera::{Position, Size};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString};

/// A position and the moves that led to it.
///
/// `Board()` is the start position on 10x10, `Board(size=8)` that of another size (4 to 10), `Board(fen)` a position in
/// Fairy-Stockfish's FEN, in which Black's amazons are `Q` and `w` means that Black is to move. `moves` are then
/// played. Raises MalformedTextError, IllegalMoveError, and ValueError for a size that is not from 4 to 10 or not that
/// of the FEN.
///
/// Boards are equal if their positions, sizes and numbers of moves are. The hash changes with the position.
///
/// >>> from otrera import Board
/// >>> board = Board()
/// >>> len(board.legal_moves), board.turn, board.winner
/// (2176, Side.BLACK, None)
/// >>> board.push("d1-d7/g7")
/// Move('d1-d7/g7')
/// >>> board.fen()
/// '3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b - - 1 1'
/// >>> board.pop()
/// Move('d1-d7/g7')
/// >>> board == Board()
/// True
#[pyclass(module = "otrera", from_py_object)]
#[derive(Clone)]
pub struct Board {
    /// The positions before the current one, each with the move played there.
    pub played: Vec<(Position, otrera::Move)>,
    /// The current position.
    pub position: Position,
}

impl Board {
    /// Creates a board from a position and legal moves.
    pub fn after(start: Position, moves: impl Iterator<Item = otrera::Move>) -> PyResult<Self> {
        let mut board = Self { played: Vec::new(), position: start };
        for mv in moves {
            board.play(mv)?;
        }
        Ok(board)
    }

    /// Plays a move; fails if it is illegal.
    fn play(&mut self, mv: otrera::Move) -> PyResult<()> {
        let next = self.position.try_play(mv).map_err(|error| illegal(mv, error))?;
        self.played.push((self.position, mv));
        self.position = next;
        Ok(())
    }

    /// Returns the first position.
    pub fn start(&self) -> Position {
        self.played.first().map_or(self.position, |(position, _)| *position)
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (fen=None, size=None, moves=None), text_signature = "(fen=None, size=None, moves=())")]
    fn new(fen: Option<&str>, size: Option<Whole>, moves: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let size = size.map(size_of).transpose()?;
        let start = match fen {
            Some(fen) => Position::from_fen(fen).map_err(malformed)?,
            None => Position::start(size.unwrap_or(Size::STANDARD)),
        };
        if let Some(size) = size.filter(|&size| size != start.size()) {
            let [edge, wanted] = [start.size(), size].map(Size::edge);
            return Err(value_error(format!("size={wanted}: the FEN has a board of {edge}x{edge}")));
        }
        let mut board = Self { played: Vec::new(), position: start };
        let Some(moves) = moves else { return Ok(board) };
        if moves.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("moves is a list of moves, not one text"));
        }
        for mv in moves.try_iter()? {
            board.push(mv?.extract()?)?;
        }
        Ok(board)
    }

    /// Edge length in squares, 4 to 10.
    #[getter]
    fn size(&self) -> usize {
        self.position.size().edge()
    }

    /// Side to move.
    #[getter]
    fn turn(&self) -> Side {
        self.position.side().into()
    }

    /// Winner; None while the game goes on. A side that is to move and cannot loses.
    ///
    /// >>> from otrera import Board
    /// >>> Board("q2q/4/4/Q2Q w").winner is None
    /// True
    /// >>> Board("Q*2/**2/4/3q w").winner
    /// Side.WHITE
    #[getter]
    fn winner(&self) -> Option<Side> {
        self.position.winner().map(Side::from)
    }

    /// Number of moves played by both sides since the start of the game.
    #[getter]
    fn ply(&self) -> u16 {
        self.position.ply()
    }

    /// Legal moves, as a lazy sequence of the position at this time.
    ///
    /// >>> from otrera import Board, Move
    /// >>> moves = Board(size=4).legal_moves
    /// >>> len(moves), moves[0], Move("b1-b2/b1") in moves
    /// (88, Move('b1-a1/b1'), True)
    #[getter]
    fn legal_moves(&self) -> LegalMoves {
        LegalMoves(self.position)
    }

    /// Moves played on this board, as a list.
    #[getter]
    fn move_stack(&self) -> Vec<Move> {
        self.played.iter().map(|(_, mv)| Move(*mv)).collect()
    }

    /// Plays a move, given as a Move or as text in any notation, and returns it. Raises IllegalMoveError or
    /// MalformedTextError; the board is then as before.
    ///
    /// >>> from otrera import Board
    /// >>> Board().push("d1-d8/d10")
    /// Traceback (most recent call last):
    ///     ...
    /// otrera.IllegalMoveError: d1-d8/d10 is not legal: the arrow cannot fly to d10
    fn push(&mut self, r#move: MoveOrText) -> PyResult<Move> {
        let mv = r#move.read(&self.position)?;
        self.play(mv)?;
        Ok(Move(mv))
    }

    /// Takes the last move back and returns it. Raises IndexError if no move was played on this board.
    fn pop(&mut self) -> PyResult<Move> {
        let (position, mv) =
            self.played.pop().ok_or_else(|| PyIndexError::new_err("no move to take back on this board"))?;
        self.position = position;
        Ok(Move(mv))
    }

    /// Reads a legal move in any notation. Raises MalformedTextError or IllegalMoveError.
    ///
    /// >>> from otrera import Board
    /// >>> Board().parse("DJDDGD")
    /// Move('d1-d7/g7')
    fn parse(&self, text: &str) -> PyResult<Move> {
        read_move(text, &self.position).map(Move)
    }

    /// Returns a copy with the same moves.
    fn copy(&self) -> Self {
        self.clone()
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    /// Returns the position in Fairy-Stockfish's FEN.
    fn fen(&self) -> String {
        self.position.to_fen()
    }

    /// Returns the squares as an array of int8, shape (size, size): 0 empty, 1 Black's amazon, 2 White's, 3 arrow. Row
    /// 0 is rank 1, column 0 is file a.
    ///
    /// >>> from otrera import Board
    /// >>> Board("q2q/4/1*2/Q2Q w").grid()
    /// array([[1, 0, 0, 1],
    ///        [0, 3, 0, 0],
    ///        [0, 0, 0, 0],
    ///        [2, 0, 0, 2]], dtype=int8)
    fn grid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let size = self.position.size();
        let mut cells = vec![0; size.area()];
        let [black, white] = self.position.all_amazons();
        for (squares, value) in [(black, 1), (white, 2), (self.position.arrows(), 3)] {
            squares.into_iter().for_each(|square| cells[index_of(square, size)] = value);
        }
        PyArray1::from_vec(py, cells).reshape([size.edge(), size.edge()])
    }

    /// Returns the squares that can be chosen next in a move, as indices `row * size + column`, in ascending order:
    /// amazons that can move, then destinations of the chosen amazon, then targets of its arrow. Raises ValueError if a
    /// chosen square was no choice.
    ///
    /// >>> from otrera import Board
    /// >>> board = Board(size=4)
    /// >>> board.choices(), board.choices([1]), board.choices([1, 0])
    /// ([1, 2, 4, 7], [0, 5, 6, 9], [1, 5, 10, 15])
    #[pyo3(signature = (chosen=Vec::new()))]
    fn choices(&self, chosen: Vec<Whole>) -> PyResult<Vec<usize>> {
        let size = self.position.size();
        let squares = |set: otrera::board::bitboard::Bitboard| {
            set.into_iter().map(|s| index_of(s, size)).collect::<Vec<_>>()
        };
        let movable: Vec<usize> = self
            .position
            .movement_groups()
            .filter(|(_, landings)| !landings.is_empty())
            .map(|(from, _)| index_of(from, size))
            .collect();
        let mut open = movable;
        for (place, &index) in chosen.iter().enumerate() {
            if place > 1 || index.fit().is_none_or(|index| !open.contains(&index)) {
                return Err(value_error(format!("square {index} cannot be chosen here")));
            }
            let from = square_at(chosen[0], size)?;
            open = squares(match place {
                0 => self.position.landings(from),
                _ => self
                    .position
                    .with_movement(Movement { from, to: square_at(index, size)? })
                    .arrow_targets(),
            });
        }
        Ok(open)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.position == other.position
    }

    fn __hash__(&self) -> u64 {
        self.position.key() ^ u64::from(self.position.ply()) ^ (self.size() as u64) << 32
    }

    fn __str__(&self) -> String {
        self.position.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Board('{}')", self.fen())
    }

    /// Draws the board, for notebooks.
    fn _repr_svg_(&self) -> String {
        self.position.to_svg(self.played.last().map(|(_, mv)| *mv))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String, usize, Vec<Move>)) {
        let board = slf.borrow();
        (slf.py().get_type::<Self>().into_any(), (board.start().to_fen(), board.size(), board.move_stack()))
    }
}

/// Legal moves of a position: a sequence that generates its moves only when they are read. `in`, `index` and `count`
/// take a Move or text in any notation.
#[pyclass(module = "otrera", frozen, sequence)]
pub struct LegalMoves(Position);

impl LegalMoves {
    /// Returns a legal move, given as a Move or as text; `None` for any other object.
    fn find(&self, item: &Bound<'_, PyAny>) -> Option<otrera::Move> {
        let given: MoveOrText = item.extract().ok()?;
        given.read(&self.0).ok().filter(|mv| self.0.check(*mv).is_ok())
    }

    /// Iterates over the movements with the number of moves that begin with each.
    fn groups(&self) -> impl Iterator<Item = (Movement, Squares)> {
        self.0
            .movements()
            .map(|movement| (movement, self.0.with_movement(movement).arrow_targets().into_iter()))
    }
}

#[pymethods]
impl LegalMoves {
    fn __len__(&self) -> usize {
        let arrows = |movement| self.0.with_movement(movement).arrow_targets().len() as usize;
        self.0.movements().map(arrows).sum()
    }

    fn __bool__(&self) -> bool {
        self.0.movements().next().is_some()
    }

    fn __contains__(&self, item: &Bound<'_, PyAny>) -> bool {
        self.find(item).is_some()
    }

    fn __iter__(&self) -> MoveIterator {
        MoveIterator {
            position: self.0,
            movements: self.0.movements().collect::<Vec<_>>().into_iter(),
            now: None,
        }
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let length = self.__len__() as isize;
        if let Ok(slice) = index.cast::<PySlice>() {
            let part = slice.indices(length)?;
            let all: Vec<Move> = self.0.legal_moves().map(Move).collect();
            let places = (0..part.slicelength as isize).map(|place| part.start + place * part.step);
            return Ok(
                PyList::new(py, places.map(|place| all[place as usize]).collect::<Vec<_>>())?.into_any()
            );
        }
        let index: Whole = index.extract()?;
        let mut left = from_start(index, length).fit().ok_or_else(|| out_of_range(index))?;
        for (movement, mut arrows) in self.groups() {
            let count = self.0.with_movement(movement).arrow_targets().len() as usize;
            if left < count {
                let arrow = arrows.nth(left).ok_or_else(|| out_of_range(index))?;
                return Ok(Bound::new(py, Move(movement.with_arrow(arrow)))?.into_any());
            }
            left -= count;
        }
        Err(out_of_range(index))
    }

    /// Returns the index of a move. Raises ValueError if the move is not one from `start` to `stop - 1`, which count
    /// from the end if they are negative.
    #[pyo3(
        signature = (value, start=Whole(0), stop=Whole(i128::MAX)),
        text_signature = "($self, value, start=0, stop=...)"
    )]
    fn index(&self, value: &Bound<'_, PyAny>, start: Whole, stop: Whole) -> PyResult<usize> {
        let length = self.__len__() as isize;
        let [start, stop] = [start, stop].map(|bound| from_start(bound, length).0);
        let found = self.find(value).and_then(|found| self.0.legal_moves().position(|mv| mv == found));
        match found.filter(|&place| (start..stop).contains(&(place as i128))) {
            Some(place) => Ok(place),
            None => Err(value_error(format!("{} is not in this sequence", value.str()?))),
        }
    }

    /// Returns 1 for a legal move, else 0.
    fn count(&self, value: &Bound<'_, PyAny>) -> usize {
        usize::from(self.__contains__(value))
    }

    fn __repr__(&self) -> String {
        format!("<LegalMoves: {} moves>", self.__len__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Board, &str))> {
        let board = Board { played: Vec::new(), position: self.0 };
        Ok((py.import("builtins")?.getattr("getattr")?, (board, "legal_moves")))
    }
}

/// Returns an index that counts from the start; a negative one counts from the end of a sequence.
fn from_start(index: Whole, length: isize) -> Whole {
    if index.0 < 0 { Whole(index.0.saturating_add(length as i128)) } else { index }
}

fn out_of_range(index: Whole) -> PyErr {
    PyIndexError::new_err(format!("no legal move has the index {index}"))
}

/// Iterator over the legal moves of a position.
#[pyclass(module = "otrera")]
pub struct MoveIterator {
    position: Position,
    movements: std::vec::IntoIter<Movement>,
    now: Option<(Movement, Squares)>,
}

#[pymethods]
impl MoveIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> Option<Move> {
        loop {
            if let Some((movement, arrows)) = &mut self.now
                && let Some(arrow) = arrows.next()
            {
                return Some(Move(movement.with_arrow(arrow)));
            }
            let movement = self.movements.next()?;
            self.now = Some((movement, self.position.with_movement(movement).arrow_targets().into_iter()));
        }
    }
}
