//! Bytes of a record to text: byte-order marks, UTF-8, UTF-16, the encoding that an SGF file names, else a guess.

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
    (0..2).find(|&place| pairs > 0 && counts[place] * 4 >= pairs && counts[1 - place] * 20 <= pairs)
}

/// Returns the texts that the bytes can be in other encodings, the likeliest first.
pub(super) fn guesses(bytes: &[u8]) -> impl Iterator<Item = Decoded<'_>> {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    use encoding_rs::{BIG5, EUC_KR, GB18030, SHIFT_JIS, UTF_8, WINDOWS_1252};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    // Chinese programs write most records in old encodings.
    let guess = |domain| detector.guess(domain, Utf8Detection::Deny);
    let [chinese, any] = [guess(Some(b"cn")), guess(None)];
    let of_file = named(bytes).filter(|encoding| *encoding != UTF_8);
    let usual = [chinese, any, GB18030, WINDOWS_1252, BIG5, SHIFT_JIS, EUC_KR, UTF_8];
    let mut encodings = Vec::new();
    for encoding in of_file.into_iter().chain(usual) {
        if !encodings.contains(&encoding) {
            encodings.push(encoding);
        }
    }
    encodings.into_iter().map(|encoding| {
        let (mut text, damaged) = encoding.decode_without_bom_handling(bytes);
        if let Cow::Owned(text) = &mut text {
            // The decoder reserves thrice the length.
            text.shrink_to_fit();
        }
        (text, !damaged)
    })
}

/// Returns the encoding in the first `CA` property of an SGF file.
fn named(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let at = bytes.windows(3).take(4096).position(|part| part == b"CA[")? + 3;
    let length = bytes[at..].iter().take(40).position(|&byte| byte == b']')?;
    encoding_rs::Encoding::for_label(&bytes[at..at + length])
}
