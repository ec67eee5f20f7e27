//! Files that people name, read and appended to only where they are regular ones: a pipe or a device under such a
//! name would block the program or fill its memory.

use same_file::Handle;
use std::fs::File;
use std::io::{Error, Read, Result};
use std::path::{Path, PathBuf};

/// Reads a text of at most `most` bytes: UTF-16 where it begins with the byte order mark of that, as some editors
/// save it, else UTF-8. What is neither becomes U+FFFD.
///
/// # Errors
/// It is not there, no regular file, larger, or cannot be read.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    read(path, most).map(|bytes| decoded(&bytes))
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    // Before it is opened, since to open a named pipe waits for somebody at its other end.
    require_regular(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::other(format!("larger than {} KB", most >> 10)));
    }
    Ok(bytes)
}

fn decoded(bytes: &[u8]) -> String {
    let units = |read: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes.as_chunks().0.iter().skip(1).map(|&pair| read(pair)).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => String::from_utf16_lossy(&units(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => String::from_utf16_lossy(&units(u16::from_be_bytes)),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn require_regular(path: &Path) -> Result<()> {
    if std::fs::metadata(path)?.is_file() { Ok(()) } else { Err(Error::other("not a regular file")) }
}

/// How many names [`append`] tries.
const MAX_NUMBERS: u32 = 9;

/// A file to which more than this has been written is full.
const LARGEST_APPENDED: u64 = 100 << 20;

/// Opens a file to append to, for this process alone: where another process has `otrera.log`, or it is full, this
/// one gets `otrera-2.log`, and so on. Returns the file's name too.
///
/// # Errors
/// It is no regular file or cannot be written, or all of these names are taken.
pub fn append(path: &Path) -> Result<(PathBuf, File)> {
    for number in 1..=MAX_NUMBERS {
        let path = numbered(path, number);
        if path.try_exists()? {
            require_regular(&path)?;
        }
        let Some(file) = claim(&path)? else { continue };
        if is_standard_stream(&file)? {
            return Err(Error::other("standard input or output"));
        }
        if file.metadata()?.len() < LARGEST_APPENDED {
            return Ok((path, file));
        }
    }
    Err(Error::other("in use or full, and so are those with the numbers after it"))
}

/// `otrera.log`, `otrera-2.log` and so on.
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_owned();
    let mut name = part(path.file_stem());
    name.push(format!("-{number}"));
    if path.extension().is_some() {
        name.push(".");
        name.push(part(path.extension()));
    }
    path.with_file_name(name)
}

/// Opens a file to append to, unless another process has claimed it. The claim ends with the process.
///
/// # Errors
/// It cannot be opened.
#[cfg(not(windows))]
pub fn claim(path: &Path) -> Result<Option<File>> {
    let file = File::options().create(true).append(true).open(path)?;
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        // A file system without locks cannot say who else is there.
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(Some(file)),
    }
}

/// The same on Windows, where a lock would keep others from reading too: to share a file for reading only is claim
/// enough.
///
/// # Errors
/// It cannot be opened.
#[cfg(windows)]
pub fn claim(path: &Path) -> Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;
    const FILE_SHARE_READ: u32 = 1;
    const ERROR_SHARING_VIOLATION: i32 = 32;
    match File::options().create(true).append(true).share_mode(FILE_SHARE_READ).open(path) {
        Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => Ok(None),
        file => file.map(Some),
    }
}

/// Whether a file is the one that standard input or output goes to; a pipe or a terminal is none.
fn is_standard_stream(file: &File) -> Result<bool> {
    let file = Handle::from_file(file.try_clone()?)?;
    Ok([Handle::stdin(), Handle::stdout()].into_iter().flatten().any(|stream| stream == file))
}
