//! One turn of a Botzone bot: its output is collected until the turn is over, under all limits.

use crate::notation::KEEP_RUNNING;
use crate::process::{FLOOD, Process, Sign};
use crate::usage::Usage;
use crate::verdict::{Failure, Limits, Spent, Verdict};
use std::time::{Duration, Instant};

/// Interval between checks of time and memory.
const LOOK: Duration = Duration::from_millis(10);

/// Output of a bot in one turn.
pub struct Answer {
    /// Its output, without the line that ends it.
    pub text: String,
    /// The process asked to be kept.
    pub stays: bool,
}

pub struct Turn<'a> {
    process: &'a mut Process,
    limits: &'a Limits,
    began: Instant,
    /// Processor time that earlier turns have paid for.
    paid: Duration,
    /// Time and memory used so far.
    pub spent: Spent,
}

impl<'a> Turn<'a> {
    pub fn new(process: &'a mut Process, limits: &'a Limits, began: Instant, paid: Duration) -> Self {
        Self { process, limits, began, paid, spent: Spent::default() }
    }

    /// Waits until the process has ended, or asks to be kept where that is possible.
    pub fn answer(&mut self, may_stay: bool) -> Result<Answer, Failure> {
        let mut looked = self.began;
        loop {
            let sign = self.process.listen(LOOK);
            if self.process.heard().len() > FLOOD {
                self.look();
                return Err(Failure::new(Verdict::Ole, "more than a megabyte of output"));
            }
            if let Some((length, with_line)) = marked(self.process.heard()).filter(|_| may_stay) {
                self.look();
                self.limits.check(&self.spent)?;
                let mut text = self.process.take(with_line);
                text.truncate(length);
                return Ok(Answer { text, stays: true });
            }
            if sign == Sign::Ended {
                return self.ended();
            }
            if looked.elapsed() >= LOOK {
                self.look();
                self.limits.check(&self.spent)?;
                looked = Instant::now();
            }
        }
    }

    fn ended(&mut self) -> Result<Answer, Failure> {
        self.look();
        let text = self.process.take(FLOOD);
        let end = self.process.end().ok_or_else(|| Failure::new(Verdict::Re, "nobody knows how it ended"))?;
        self.add(end.usage);
        self.limits.check(&self.spent)?;
        if !end.status.success() {
            return Err(Failure::new(Verdict::Re, format!("it ended with {}", end.status)));
        }
        Ok(Answer { text, stays: false })
    }

    fn look(&mut self) {
        self.spent.wall = self.began.elapsed();
        let usage = self.process.usage();
        self.add(usage);
    }

    fn add(&mut self, usage: Usage) {
        self.spent.cpu = self.spent.cpu.max(usage.cpu.saturating_sub(self.paid));
        self.spent.peak = self.spent.peak.max(usage.peak);
    }
}

/// Where the text ends before the line that asks for being kept, and where that line ends.
fn marked(heard: &[u8]) -> Option<(usize, usize)> {
    let mut begin = 0;
    for line in heard.split_inclusive(|&byte| byte == b'\n') {
        let end = begin + line.len();
        if line.ends_with(b"\n") && line.trim_ascii_end() == KEEP_RUNNING.as_bytes() {
            return Some((begin, end));
        }
        begin = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_of_its_own_keeps_the_process() {
        assert_eq!(marked(format!("1 2\n{KEEP_RUNNING}\n").as_bytes()), Some((4, 39)));
        assert_eq!(marked(format!("1 2\r\n{KEEP_RUNNING}\r\nmore").as_bytes()), Some((5, 41)));
        for text in [format!("1 2 {KEEP_RUNNING}\n"), format!("1 2\n{KEEP_RUNNING}"), String::new()] {
            assert_eq!(marked(text.as_bytes()), None, "{text}");
        }
    }
}
