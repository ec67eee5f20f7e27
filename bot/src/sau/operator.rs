//! Asks the operator for the moves that the platform shows, on a page with a plain form.
//!
//! | request | answer |
//! |---|---|
//! | `GET /TOKEN/` | the unfinished game and the form |
//! | `POST /TOKEN/` with `move=TEXT` | a page that says whether the game goes on, with status 400 if TEXT does not fit |
//!
//! TEXT is `waiting` if our last move is the last one on the platform, `missing` if the platform lacks it, or the
//! missing moves in any notation of a record.

use otrera::record;
use otrera::{Move, Position, Side, Square};
use otrera_front::session::Session;

/// The game to ask about.
#[derive(Clone)]
pub struct Unfinished {
    pub start: Position,
    pub moves: Vec<Move>,
    pub us: Side,
    /// True if our last move may not have been sent.
    pub unsent: bool,
}

impl Unfinished {
    /// Returns the moves of the game on the platform, as given by the operator's answer. Fails if it does not fit.
    fn told(&self, text: &str) -> Result<Vec<Move>, String> {
        let before_last = self.moves.split_last().map_or(&[][..], |(_, before)| before);
        match text.trim() {
            "waiting" => return Ok(self.moves.clone()),
            "missing" => return Ok(before_last.to_vec()),
            _ => {}
        }
        // A move that the game has already tells how far the platform is.
        for known in [&self.moves[..], before_last] {
            if let Some((&last, before)) = known.split_last()
                && record::read_move(text, &self.position_after(before)) == Ok(last)
            {
                return Ok(known.to_vec());
            }
        }
        // A line that was pasted twice is read once.
        let words: Vec<&str> = text.split_whitespace().collect();
        let (first, second) = words.split_at(words.len() / 2);
        let once = if first == second { first.join(" ") } else { text.to_owned() };
        let (told, warnings) = record::read_moves(&once, &self.position_after(&self.moves));
        match warnings.first() {
            Some(warning) => return Err(format!("{text:?} does not fit: {warning}")),
            None if told.is_empty() => {
                return Err(format!("{text:?} is not a move; expected a move like DJDDGD"));
            }
            None => {}
        }
        Ok([&self.moves[..], &told].concat())
    }

    fn position_after(&self, moves: &[Move]) -> Position {
        moves.iter().fold(self.start, |position, &mv| position.with_move(mv))
    }

    /// Formats the page; `answer` is the result of the last answer, if there is one.
    fn page(&self, answer: Option<&Result<(), String>>) -> String {
        let size = self.start.size();
        let letters: Vec<String> = self.moves.iter().map(|mv| mv.to_letters(size)).collect();
        let last = letters.last().map_or("-", String::as_str);
        let (us, count) = (self.us, self.moves.len());
        let form = match answer {
            Some(Ok(())) => {
                "<p><b>对局继续。可以关闭本页。 The game goes on. You can close this page.</b></p>".into()
            }
            _ => {
                answer.and_then(|answer| answer.as_ref().err()).map_or(String::new(), |problem| {
                    format!("<p class=problem><b>{}</b></p>", escaped(problem))
                }) + &self.forms(last)
            }
        };
        format!(
            "<!doctype html><html lang=zh><meta charset=utf-8><link rel=icon href=data:,>\
             <title>Otrera: 对方走了哪一步?</title>\
             <style>body{{font:16px sans-serif;margin:2em}}td,th{{width:1.6em;height:1.6em;text-align:center}}\
             td{{border:1px solid #999}}.problem{{color:#b00}}</style>\
             <h1>对方走了哪一步? What did the opponent play?</h1>\
             <p>引擎重新装载了,可能缺少对方的着法。请看平台的棋盘和着法表。在此之前引擎不走棋。<br>\
             The engine was loaded again and may lack the opponent's move. Look at the platform's board and its list of \
             moves. Until then the engine sends nothing.</p>\
             <p>{count} 步 moves, 我方 we are {us}; 最后一步 last move {last}</p>{}{form}<p>{}</p></html>",
            self.board(),
            letters.join(" ")
        )
    }

    /// Formats the possible answers; the most likely one comes first.
    fn forms(&self, last: &str) -> String {
        const FORM: &str = "<form method=post enctype=text/plain><p>";
        let button = |answer: &str, text: String| {
            format!("{FORM}<input type=hidden name=move value={answer}><button>{text}</button></form>")
        };
        let told = format!(
            "{FORM}对方已经走了,着法是 The opponent has moved: \
             <input name=move autofocus placeholder=DJDDGD size=16> <button>OK</button></form>"
        );
        let waiting =
            button("waiting", format!("对方还没有走 The opponent has not moved; the last move is {last}"));
        let missing =
            button("missing", format!("平台没有 {last} 这一步 {last} is not on the platform's board"));
        if self.unsent { missing + &told + &waiting } else { told + &waiting + &missing }
    }

    /// Formats the board as a table, labelled with the platform's letters.
    fn board(&self) -> String {
        let (position, edge) = (self.position_after(&self.moves), self.start.size().edge());
        let name = |index: usize| char::from(b'A' + index as u8);
        let heads: String = (0..edge).map(|column| format!("<th>{}", name(column))).collect();
        let rows: String = (0..edge)
            .map(|row| {
                let cells: String = (0..edge).map(|column| cell(&position, column, edge - 1 - row)).collect();
                format!("<tr><th>{}{cells}", name(row))
            })
            .collect();
        format!("<table><tr><th>{heads}{rows}</table>")
    }
}

fn cell(position: &Position, column: usize, row: usize) -> String {
    let is_on =
        |square: Square| [Side::Black, Side::White].map(|side| position.amazons(side).contains(square));
    let text = match Square::new(column, row).map(|square| (is_on(square), position.empty().contains(square)))
    {
        Some(([true, _], _)) => "黑",
        Some(([_, true], _)) => "白",
        Some((_, false)) => "✕",
        _ => "",
    };
    format!("<td>{text}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

pub use page::Question;

mod page {
    use super::{Session, Unfinished};
    use crate::server::{self, Address, Answer, answer_page, refuse, text_of};
    use hyper::body::Incoming;
    use hyper::{Method, Request, StatusCode};
    use otrera_front::io::Event;
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::Sender;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;
    use tokio::sync::oneshot;

    /// Maximum size of an answer, in bytes.
    const MAX_ANSWER: usize = 10_000;

    /// Time for which the page still answers after the question is closed.
    const AFTERWARDS: Duration = Duration::from_secs(60);

    /// An open question. Dropping it closes the question.
    pub struct Question {
        address: String,
        shared: Arc<Shared>,
        _ends: oneshot::Sender<()>,
    }

    struct Shared {
        address: Address,
        game: Unfinished,
        answered: AtomicBool,
        events: Mutex<Sender<Event>>,
    }

    impl Question {
        /// Starts the page's server in a thread, and opens the page in a browser. The answer is an [`Event::Told`].
        pub fn open(session: &Session, game: Unfinished) -> Result<Self, String> {
            let (address, listener) = Address::listen(None)?;
            let url = address.url();
            let events = Mutex::new(session.connection.sender.clone());
            let shared = Arc::new(Shared { address, game, answered: AtomicBool::new(false), events });
            let (ends, ended) = oneshot::channel();
            let served = shared.clone();
            let thread = std::thread::Builder::new().name("question".into());
            let thread = thread.spawn(move || serve(listener, served, ended));
            thread.map_err(|error| format!("cannot start a thread: {error}"))?;
            if !session.settings.no_open
                && let Err(error) = open::that_detached(&url)
            {
                session.note("!!", &format!("cannot open a browser: {error}"));
            }
            Ok(Self { address: url, shared, _ends: ends })
        }

        pub fn address(&self) -> &str {
            &self.address
        }
    }

    impl Drop for Question {
        fn drop(&mut self) {
            self.shared.answered.store(true, Ordering::Relaxed);
        }
    }

    /// Serves the page until [`AFTERWARDS`] after the question is closed.
    fn serve(listener: TcpListener, shared: Arc<Shared>, ended: oneshot::Receiver<()>) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            let server = server::serve(listener, move |request| respond(shared.clone(), request));
            let closed = async {
                let _ = ended.await;
                tokio::time::sleep(AFTERWARDS).await;
            };
            tokio::select! {
                _ = server => {}
                () = closed => {}
            }
        });
    }

    async fn respond(shared: Arc<Shared>, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        let path = match shared.address.path_of(&parts) {
            Ok(path) => path,
            Err(refusal) => return refuse(refusal),
        };
        let is_open = !shared.answered.load(Ordering::Relaxed);
        match (&parts.method, path) {
            (&Method::GET, "") if is_open => answer_page(shared.game.page(None)),
            (&Method::GET | &Method::POST, "") if !is_open => answer_page(shared.game.page(Some(&Ok(())))),
            (&Method::POST, "") => match text_of(body, MAX_ANSWER).await {
                Ok(text) => shared.take(&text),
                Err(refusal) => refuse(refusal),
            },
            _ => refuse((StatusCode::NOT_FOUND, "")),
        }
    }

    impl Shared {
        /// Sends the game given by a form's body to the session.
        fn take(&self, body: &str) -> Answer {
            let text = body.trim().strip_prefix("move=").unwrap_or_default();
            let sent = self.game.told(text).and_then(|moves| {
                let events = self.events.lock().map_err(|error| error.to_string())?;
                self.answered.store(true, Ordering::Relaxed);
                events.send(Event::Told(moves)).map_err(|error| error.to_string())
            });
            let mut answer = answer_page(self.game.page(Some(&sent)));
            if sent.is_err() {
                *answer.status_mut() = StatusCode::BAD_REQUEST;
            }
            answer
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test fails by panicking
mod tests {
    use super::*;

    fn unfinished() -> Unfinished {
        let moves = ["d1d7g7", "a7d4a7", "g1e3e10"].map(|mv| mv.parse().unwrap()).to_vec();
        Unfinished { start: Position::standard(), moves, us: Side::Black, unsent: false }
    }

    #[test]
    fn an_answer_gives_the_game_on_the_platform() {
        let game = unfinished();
        let count = |text: &str| game.told(text).map(|moves| moves.len());
        // The opponent's d4-e4/e8; our last move; the opponent's move before it.
        assert_eq!(count("DGEGEC"), Ok(4));
        assert_eq!(count(" dgegec\r\n"), Ok(4));
        assert_eq!(count("d4-e4/e8"), Ok(4));
        assert_eq!([count("GJEHEA"), count("waiting")], [Ok(3), Ok(3)]);
        assert_eq!([count("ADDGAD"), count("missing")], [Ok(2), Ok(2)]);
        // A line that repeats is read once.
        assert_eq!(count("DGEGEC DGEGEC"), Ok(4));
        for text in ["", "DGEGE", "DJDDGD", "hello"] {
            assert!(count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_page_shows_the_board_by_the_platforms_letters() {
        let page = unfinished().page(None);
        // White's amazon moved from AD to DG; both arrows are on AD and GD.
        assert!(page.contains("<tr><th>G<td>黑<td><td><td>白"), "{page}");
        assert!(page.contains("<tr><th>D<td>✕<td><td><td>黑<td><td><td>✕<td><td><td>白"), "{page}");
    }

    #[test]
    fn the_likeliest_answer_comes_first() {
        let first = |unsent| {
            let page = Unfinished { unsent, ..unfinished() }.page(None);
            ["value=missing", "autofocus"].map(|answer| page.find(answer).unwrap())
        };
        let [missing, told] = first(true);
        assert!(missing < told);
        let [missing, told] = first(false);
        assert!(told < missing);
    }
}
