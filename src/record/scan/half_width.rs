//! Full-width and typographic characters as ASCII.

/// Converts full-width letters, digits and punctuation, and typographic dashes, to ASCII; keeps all other characters.
pub fn half_width(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(letter) - 0xff01 + u32::from('!')).unwrap_or(letter)
        }
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2500}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{2190}'..='\u{21ff}' | '\u{2794}' | '\u{279c}' | '\u{279e}' => '>',
        '×' => 'x',
        '、' | '﹐' | '､' => ',',
        '。' | '·' => '.',
        '〔' | '﹝' | '❨' => '(',
        '〕' | '﹞' | '❩' => ')',
        '【' | '〖' | '「' | '『' => '[',
        '】' | '〗' | '」' | '』' => ']',
        '‘' | '’' => '\'',
        '“' | '”' | '„' | '«' | '»' => '"',
        '⁄' | '∕' => '/',
        '\u{3000}' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' => ' ',
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => ' ',
        '♕' | '♛' => 'Q',
        '\u{2028}' | '\u{2029}' | '\r' | '\u{85}' | '\u{b}' | '\u{c}' => ' ',
        other => other,
    }
}
