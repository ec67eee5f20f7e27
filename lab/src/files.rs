//! Files that commands write: never over what they read, and in one step.

use crate::interrupt;
use atomic_write_file::AtomicWriteFile;
use otrera::Model;
use otrera::eval::weights::WeightsFile;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The model of a file of weights.
///
/// # Errors
/// It cannot be read, or what is wrong with it.
pub fn read_model(name: &str) -> Result<Model, String> {
    let text = read_text(name.as_ref(), MAX_BYTES)?;
    Model::from_weights(&text).map_err(|error| format!("{name}: {error}"))
}

/// The most bytes of a file that a person names, as `otrera analyze --record` takes them.
pub const MAX_BYTES: u64 = 64 << 20;

/// Reads a regular file of at most `most` bytes: a pipe would block, a device would fill the memory.
///
/// # Errors
/// The file is no regular one, larger, not UTF-8, or cannot be read.
pub fn read_text(path: &Path, most: u64) -> Result<String, String> {
    let problem = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    // Before it is opened, since opening a named pipe waits for its other end.
    if !path.metadata().map_err(|error| problem(&error))?.is_file() {
        return Err(problem(&"is no regular file: name one"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| problem(&error))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| problem(&error))?;
    if bytes.len() as u64 > most {
        return Err(problem(&format!("is larger than {} MB: split it", most >> 20)));
    }
    String::from_utf8(bytes)
        .map_err(|_| problem(&"is not UTF-8 text (records in GBK: iconv -f GBK -t UTF-8 makes them so)"))
}

/// A file of weights to begin from; `None` stands for those that are built in.
///
/// # Errors
/// It cannot be read, or what is wrong with it.
pub fn read_weights(path: Option<&Path>) -> Result<WeightsFile, String> {
    let Some(path) = path else { return Ok(WeightsFile::built_in()) };
    WeightsFile::read(&read_text(path, MAX_BYTES)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// A file that grows line by line, and goes on after an interruption.
pub struct Lines {
    path: PathBuf,
    file: File,
    /// Bytes of its whole lines.
    length: u64,
}

impl Lines {
    /// Begins a new file, or goes on with one, whose whole lines come with it.
    ///
    /// # Errors
    /// It cannot be opened, exists and is to be a new one, or has something in it and no whole line.
    pub fn open(path: &Path, goes_on: bool) -> Result<(Self, Vec<String>), String> {
        let problem = |error: io::Error| format!("{}: {error}", path.display());
        make_folder_of(path)?;
        let mut options = File::options();
        options.read(true).write(true).create(true).create_new(!goes_on).truncate(false);
        let mut file = options.open(path).map_err(problem)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(problem)?;
        if !text.is_empty() && !text.contains('\n') {
            return Err(format!("{}: is no file to go on with", path.display()));
        }
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let lines = text.lines().map(str::to_owned).collect();
        Ok((Self { path: path.to_owned(), file, length: text.len() as u64 }, lines))
    }

    /// Adds a line, in place of what is left of one that was cut off.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, line: &str) -> Result<(), String> {
        let line = format!("{line}\n");
        let _whole = interrupt::whole();
        let Self { path, file, length } = self;
        file.set_len(*length)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .and_then(|_| file.write_all(line.as_bytes()))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        *length += line.len() as u64;
        Ok(())
    }
}

/// A file that is to be written when the work is done, and that was found fit for it before.
#[derive(Debug)]
pub struct Output(PathBuf);

impl Output {
    /// Makes sure that the file can be written, with its folder, and is none of these inputs.
    ///
    /// # Errors
    /// Why it cannot be the output.
    pub fn new(path: &Path, inputs: &[PathBuf]) -> Result<Self, String> {
        let problem = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
        if inputs.iter().any(|input| is_same(input, path)) {
            return Err(problem(&"is an input, and would be overwritten: name another --output"));
        }
        make_folder_of(path)?;
        match path.metadata() {
            Ok(found) if found.is_dir() => Err(problem(&"is a folder: name a file")),
            Ok(found) if found.is_file() => {
                File::options().write(true).open(path).map(drop).map_err(|e| problem(&e))
            }
            // A pipe or a device shows what it takes when it is written.
            Ok(_) => Ok(()),
            Err(_) => {
                File::create_new(path).and_then(|_| fs::remove_file(path)).map_err(|error| problem(&error))
            }
        }?;
        Ok(Self(path.to_owned()))
    }

    /// Writes the file: at any time it holds all of what it held before or all of this.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, text: &str) -> Result<(), String> {
        let Self(path) = self;
        let written = match path.metadata() {
            Ok(found) if !found.is_file() => fs::write(path, text),
            // Of a link what it leads to.
            Ok(_) => path.canonicalize().and_then(|path| replace(&path, text)),
            Err(_) => replace(path, text),
        };
        written.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Writes a text of this size where [`Output::write`] would, and removes it: before hours of work.
    ///
    /// # Errors
    /// Such a text cannot be written there, on a full disk for instance.
    pub fn try_out(&self, text: &str) -> Result<(), String> {
        let Self(path) = self;
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Ok(());
        }
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        let tried = AtomicWriteFile::open(&path).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.discard()
        });
        tried.map_err(|error| format!("{}: {error}: name another --output", path.display()))
    }

    /// Writes the file like [`Output::write`]. A text that cannot be written there is kept in the folder for temporary
    /// files.
    ///
    /// # Errors
    /// The file cannot be written; the message names the copy.
    pub fn write_or_keep(&self, text: &str) -> Result<(), String> {
        self.write(text).map_err(|problem| {
            let name = self.0.file_name().unwrap_or_default().to_string_lossy();
            let copy = std::env::temp_dir().join(format!("lab-{}-{name}", std::process::id()));
            match File::create_new(&copy).and_then(|mut file| file.write_all(text.as_bytes())) {
                Ok(()) => format!("{problem}; the text is in {}", copy.display()),
                Err(error) => format!("{problem}; nor can {} be written: {error}", copy.display()),
            }
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Creates the folder that a file is to lie in.
///
/// # Errors
/// The folder that cannot be created, and why.
pub fn make_folder_of(path: &Path) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let problem = |folder: &Path, error: io::Error| format!("{}: {error}", folder.display());
    folder.map_or(Ok(()), |folder| fs::create_dir_all(folder).map_err(|error| problem(folder, error)))
}

/// Whether both are the same file, by whatever names.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.metadata(), b.metadata()), (Ok(a), Ok(b)) if identity(&a) == identity(&b))
}

/// What tells a file from all others: its device and its number there.
pub fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// Gives a file another text in one step: at any time it holds all of the old one or all of the new one.
///
/// # Errors
/// It cannot be written.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut file = AtomicWriteFile::open(path)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}
