//! Bytes of a record to text: byte-order marks, UTF-8, UTF-16, the encoding that an SGF file names, else a guess.

use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;

/// A text, and true if all of its bytes are valid in the encoding.
type Decoded<'a> = (Cow<'a, str>, bool);

/// Returns the text if its encoding is certain: UTF-8 or UTF-16, with or without a byte-order mark.
pub(super) fn certain(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let utf16 = |bytes: &[u8], read: fn([u8; 2]) -> u16| {
        let units = bytes.as_chunks().0.iter().map(|&pair| read(pair));
        let text: String =
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Some(Cow::Owned(text))
    };
    if let Some((is_big, from)) = utf32(bytes) {
        let read = if is_big { u32::from_be_bytes } else { u32::from_le_bytes };
        let letters = bytes[from..].as_chunks().0.iter().map(|&four| char::from_u32(read(four)));
        return Some(letters.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect());
    }
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => Some(String::from_utf8_lossy(rest)),
        _ => match zeros(bytes) {
            Some(0) => utf16(bytes, u16::from_be_bytes),
            Some(_) => utf16(bytes, u16::from_le_bytes),
            None => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        },
    }
}

/// Returns 0 or 1 if at least a quarter of the bytes at even or odd places, and hardly any others, are zero, as in
/// UTF-16 without a byte-order mark.
fn zeros(bytes: &[u8]) -> Option<usize> {
    let sample = &bytes[..bytes.len().min(4096)];
    let count = |place: usize| sample.iter().skip(place).step_by(2).filter(|&&byte| byte == 0).count();
    let (counts, pairs) = ([count(0), count(1)], sample.len() / 2);
    let by_count =
        (0..2).find(|&place| pairs > 0 && counts[place] * 4 >= pairs && counts[1 - place] * 20 <= pairs);
    // Chinese text has few zeros, but text in other encodings has none.
    let has_zeros = counts != [0, 0] && bytes.len().is_multiple_of(2);
    by_count.or_else(|| {
        let read = [u16::from_be_bytes, u16::from_le_bytes];
        let letters =
            read.map(|read| sample.as_chunks().0.iter().filter(|&&pair| is_usual(read(pair))).count());
        let place = usize::from(letters[1] > letters[0]);
        (has_zeros && letters[place] * 10 >= pairs * 9).then_some(place)
    })
}

/// True if a unit of UTF-16 is a letter or mark that records have.
fn is_usual(unit: u16) -> bool {
    matches!(unit, 0x09 | 0x0a | 0x0d | 0x20..=0x7e | 0x2010..=0x2030 | 0x3000..=0x303f | 0x4e00..=0x9fff | 0xff00..=0xff60)
}

/// Returns true for the order of the bytes in UTF-32, with or without a byte-order mark, if its high byte comes first,
/// and the offset of the text.
fn utf32(bytes: &[u8]) -> Option<(bool, usize)> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => return Some((false, 4)),
        [0, 0, 0xfe, 0xff, ..] => return Some((true, 4)),
        _ => {}
    }
    let (units, rest) = bytes[..bytes.len().min(4096)].as_chunks::<4>();
    let all =
        |is_letter: fn(&[u8; 4]) -> bool| rest.is_empty() && units.len() > 3 && units.iter().all(is_letter);
    let little = all(|unit| matches!(unit, [first, second, 0..=2, 0] if first | second != 0));
    let big = all(|unit| matches!(unit, [0, 0..=2, first, second] if first | second != 0));
    (little || big).then_some((big, 0))
}

/// Returns the text in UTF-8 and the offset of its first damage if few bytes are damaged.
pub(super) fn mostly_utf8(bytes: &[u8]) -> Option<(Cow<'_, str>, usize)> {
    if named(bytes).is_some_and(|encoding| encoding != UTF_8) {
        return None;
    }
    let (mut letters, mut damages, mut first, mut at) = (0, 0, None, 0);
    for chunk in bytes.utf8_chunks() {
        letters += chunk.valid().bytes().filter(|byte| !byte.is_ascii()).count();
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            damages += 1;
            first = first.or(Some(at));
        }
        at += chunk.invalid().len();
    }
    // Two Chinese letters in UTF-8: other encodings hardly ever form one.
    let is_likely = letters >= 6 * damages;
    first.filter(|_| is_likely).map(|first| (String::from_utf8_lossy(bytes), first))
}

/// Number of single bytes outside ASCII behind an ASCII letter, as in Western names, and of longer runs of them.
fn runs(bytes: &[u8]) -> [usize; 2] {
    let (mut counts, mut before) = ([0; 2], b' ');
    for run in bytes.chunk_by(|a, b| a.is_ascii() == b.is_ascii()) {
        if !run[0].is_ascii() {
            counts[usize::from(run.len() > 1 || !before.is_ascii_alphabetic())] += 1;
        }
        before = run[run.len() - 1];
    }
    counts
}

/// True if some letters of a text can be Western or Chinese with nearly equal right.
pub(super) fn is_doubtful(bytes: &[u8]) -> bool {
    let [single, longer] = runs(bytes);
    named(bytes).is_none() && 3 * single.min(longer) >= single.max(longer) && single > 0 && longer > 0
}

/// Encodings that a file can have beside UTF-8.
pub(super) struct Encodings {
    /// The encodings, the likeliest first.
    pub all: Vec<&'static Encoding>,
    /// The likeliest one of a file in any language.
    any: &'static Encoding,
}

/// Returns the encodings that the bytes can have.
pub(super) fn encodings(bytes: &[u8]) -> Encodings {
    use encoding_rs::{BIG5, EUC_KR, GB18030, SHIFT_JIS, WINDOWS_1252};
    // Chinese programs write most records in old encodings.
    let [chinese, any] = guesses(bytes);
    let of_file = named(bytes).filter(|encoding| *encoding != UTF_8);
    let [single, longer] = runs(bytes);
    let western = (single > longer).then_some(if any.is_single_byte() { any } else { WINDOWS_1252 });
    let usual = [chinese, any, GB18030, WINDOWS_1252, BIG5, SHIFT_JIS, EUC_KR, UTF_8];
    let mut encodings = Vec::new();
    for encoding in of_file.into_iter().chain(western).chain(usual) {
        if !encodings.contains(&encoding) {
            encodings.push(encoding);
        }
    }
    Encodings { all: encodings, any }
}

/// Returns the likeliest encodings of a Chinese file, and of any file.
fn guesses(bytes: &[u8]) -> [&'static Encoding; 2] {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    [Some(&b"cn"[..]), None].map(|domain| detector.guess(domain, Utf8Detection::Deny))
}

/// Returns the text of the bytes in an encoding.
pub(super) fn decoded<'b>(bytes: &'b [u8], encoding: &'static Encoding) -> Decoded<'b> {
    let (mut text, damaged) = encoding.decode_without_bom_handling(bytes);
    if let Cow::Owned(text) = &mut text {
        // The decoder reserves thrice the length.
        text.shrink_to_fit();
    }
    (text, !damaged)
}

impl Encodings {
    /// Returns a likelier encoding than the one taken. `None` if the text has words of Chinese records; else its other
    /// letters are only in names and comments, which cannot decide.
    pub fn rival(&self, bytes: &[u8], text: &str, taken: &'static Encoding) -> Option<&'static Encoding> {
        let is_chinese = ["先手", "后手", "黑方", "白方", "未完"].iter().any(|word| text.contains(word));
        let is_usual = [taken, encoding_rs::GBK].contains(&self.any) || is_chinese || named(bytes).is_some();
        (!is_usual && taken.is_ascii_compatible()).then_some(self.any)
    }
}

/// Returns the encoding in the first `CA` property of an SGF file.
fn named(bytes: &[u8]) -> Option<&'static Encoding> {
    let at = bytes.windows(3).take(4096).position(|part| part == b"CA[")? + 3;
    let length = bytes[at..].iter().take(40).position(|&byte| byte == b']')?;
    Encoding::for_label(&bytes[at..at + length])
}
