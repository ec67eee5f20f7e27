//! Records of games as files.

use crate::session::Game;
use otrera::Side;
use otrera::contest::record::{GameRecord, ccgc};
use std::path::{Path, PathBuf};

/// Writes a record into a folder, which is made if need be, under a name that no file has yet.
///
/// # Errors
/// What could not be written, as a message.
pub fn write(
    folder: &Path,
    [black, white]: [&str; 2],
    game: &Game,
    winner: Option<Side>,
) -> Result<PathBuf, String> {
    let now = chrono::Local::now();
    let record = GameRecord {
        winner,
        when: now.format("%Y.%m.%d %H:%M").to_string(),
        event: "Otrera".into(),
        ..GameRecord::new(black, white, *game.start()).with_moves(game.moves())
    };
    let problem = |error: std::io::Error| format!("no record written in {}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(problem)?;
    let stamp = now.format("%Y%m%d-%H%M%S");
    for number in 1.. {
        let path = folder.join(format!("AM-{}-{}-{stamp}-{number}.txt", file_safe(black), file_safe(white)));
        match std::fs::File::create_new(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(problem(error)),
            Ok(mut file) => {
                std::io::Write::write_all(&mut file, ccgc::write(&record).as_bytes()).map_err(problem)?;
                return Ok(path);
            }
        }
    }
    Err(format!("no record written in {}", folder.display()))
}

/// A name with nothing in it that some file system forbids.
fn file_safe(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}
