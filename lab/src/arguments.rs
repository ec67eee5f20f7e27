//! What command lines have in common: where the work is done, and numbers, with what would be valid.

use otrera::Size;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::{self, Read, Write};
use std::net::{Ipv6Addr, TcpStream};
use std::ops::Range;
use std::sync::mpsc::channel;
use std::time::Duration;

/// The most games, threads or processes at once: a machine has fewer cores.
const MAX_AT_ONCE: u64 = 1024;

/// Where the work of a command is done.
#[derive(clap::Args, Clone, Default, Debug)]
pub struct WorkArgs {
    /// How many games or searches run at once; by default one for each core.
    #[arg(long, value_name = "N", value_parser = read_concurrency)]
    concurrency: Option<usize>,
    /// Have the work done on a cluster: that of Ray at HOST:PORT, `local` for Ray on this machine, or `slurm:FOLDER`
    /// for Slurm by way of a folder that all its machines share.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "concurrency", value_parser = read_address)]
    pub cluster: Option<String>,
}

impl WorkArgs {
    /// How many pieces of work run at once on this machine.
    pub fn concurrency(&self) -> usize {
        self.concurrency.unwrap_or_else(cores)
    }

    /// As many threads.
    ///
    /// # Errors
    /// The system refuses them.
    pub fn pool(&self) -> Result<ThreadPool, String> {
        let builder = ThreadPoolBuilder::new().num_threads(self.concurrency.unwrap_or(0));
        builder.build().map_err(|error| format!("threads: {error}"))
    }

    /// These, or if they say nothing others.
    #[must_use]
    pub fn or(&self, others: &Self) -> Self {
        if self.concurrency.is_some() || self.cluster.is_some() { self.clone() } else { others.clone() }
    }
}

/// Which part of the work is done, if not all.
#[derive(clap::Args, Clone, Debug)]
pub struct TaskArgs {
    /// Do these numbers alone, one after the other, and print a line for each: a task of a cluster.
    #[arg(long, value_name = "FROM..TO", value_parser = read_range, conflicts_with = "cluster")]
    pub numbers: Option<Range<u64>>,
}

/// Cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A whole number from 1.
pub fn read_count<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let count = text.parse::<u64>().ok().filter(|count| *count > 0);
    count.and_then(|count| T::try_from(count).ok()).ok_or_else(|| "a whole number from 1 is wanted".into())
}

/// A range of numbers, `FROM..TO`, the last not among them.
pub fn read_range(text: &str) -> Result<Range<u64>, String> {
    let range = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.ok_or_else(|| "two whole numbers are wanted, like 0..20".into())
}

/// Reads the address of a cluster, and refuses a Ray that does not answer, before anything is fetched or written.
fn read_address(text: &str) -> Result<String, String> {
    let is_named = match text.strip_prefix("slurm:") {
        Some(folder) => !folder.is_empty(),
        None if text == "local" => true,
        None => {
            read_host(text)?;
            find_ray(text)?;
            true
        }
    };
    is_named.then(|| text.to_owned()).ok_or_else(|| NO_ADDRESS.into())
}

/// The addresses that there are.
const NO_ADDRESS: &str = "local, HOST:PORT or slurm:FOLDER is wanted";

/// Checks that a text is `HOST:PORT`, with an IPv6 address in brackets.
fn read_host(text: &str) -> Result<(), String> {
    let (host, port) = text.rsplit_once(':').ok_or(NO_ADDRESS)?;
    let in_brackets = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match in_brackets {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c)),
    };
    let is_port =
        port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0);
    if is_host && is_port { Ok(()) } else { Err(NO_ADDRESS.into()) }
}

/// Time for the head of a Ray cluster to answer.
const PATIENCE: Duration = Duration::from_secs(8);

/// Makes sure that the head of a Ray cluster answers at `HOST:PORT`: Ray itself would try for minutes.
fn find_ray(address: &str) -> Result<(), String> {
    let (sender, outcome) = channel();
    let host = address.to_owned();
    // In a thread, since neither the look-up of a name nor all its addresses together have a time limit.
    std::thread::spawn(move || {
        // Nobody listens any more where this took too long.
        let _ = sender.send(greet_ray(&host).map_err(|error| error.to_string()));
    });
    let outcome = outcome.recv_timeout(PATIENCE).unwrap_or_else(|_| Err("no answer".into()));
    outcome.map_err(|problem| format!("no Ray cluster there ({problem}): start one with `ray start --head`"))
}

/// Exchanges the first frames of HTTP/2 (RFC 9113, sections 3.4 and 6.5), which Ray's gRPC uses.
fn greet_ray(host: &str) -> io::Result<()> {
    const EMPTY_SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    let mut stream = TcpStream::connect(host)?;
    // Encrypted frames are Ray's own matter.
    if std::env::var_os("RAY_USE_TLS").is_some() {
        return Ok(());
    }
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")?;
    stream.write_all(&EMPTY_SETTINGS)?;
    let mut answer = EMPTY_SETTINGS;
    stream.read_exact(&mut answer)?;
    let is_settings = answer[3] == EMPTY_SETTINGS[3];
    if is_settings { Ok(()) } else { Err(io::Error::other("something else listens there")) }
}

/// How many are at work at once.
pub fn read_concurrency(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if (1..=MAX_AT_ONCE).contains(&count) => Ok(count as usize),
        _ => Err(format!("a whole number from 1 to {MAX_AT_ONCE} is wanted")),
    }
}

/// A number of seconds, which may be none.
pub fn read_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.0..=1e6).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "a number of seconds is wanted".into())
}

/// Time to think, in seconds.
pub fn read_time(text: &str) -> Result<Duration, String> {
    let time = read_seconds(text).ok().filter(|time| !time.is_zero());
    time.ok_or_else(|| "a number of seconds above 0 is wanted".into())
}

/// A number from 0 to 1.
pub fn read_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a number from 0 to 1 is wanted".into())
}

/// A number above 0.
pub fn read_positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "a number above 0 is wanted".into())
}

/// The edge of a board.
pub fn read_size(text: &str) -> Result<Size, String> {
    text.parse().ok().and_then(Size::new).ok_or_else(|| "an edge from 4 to 10 is wanted".into())
}
