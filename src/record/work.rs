//! Counts the steps of the readers in tests: reading takes time in proportion to the size of a text, even of a damaged
//! one.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds steps of this thread; does nothing outside of tests.
#[inline]
pub(super) fn count(_steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + _steps);
}

#[cfg(test)]
mod tests {
    use super::STEPS;
    use crate::record;

    /// Texts that end or repeat where a reader expects something else. The part between two `\u{1}`, or behind the only
    /// one, is repeated.
    const DAMAGED: [&str; 51] = [
        "(;GM[18]\u{1};B[dj ",
        "(;GM[18]\u{1};B[dj]x ",
        "(;gm[18]\u{1};b[dj]! ",
        "\u{1}(;GM[18];B[djddgd",
        "\u{1}(;GM[18];B[djddgd\n)",
        "\u{1}(;gm[18];b[djddgd]x)(;GM[18];B[djddgd]x)",
        "\u{1}(;)",
        "\u{1}(",
        "\u{1}( ",
        "\u{1}(;",
        "(;GM[18]\u{1}(;B[djddgd])",
        "(;GM[18]\u{1}]",
        "(;GM[18];C[\u{1}\\",
        "(;GM[18];C[\u{1}] ",
        "\u{1}[",
        "[x\u{1}[x ",
        "\u{1}[AM",
        "\u{1}[White \"a",
        "\u{1}#[AM][a]d1-d2/d3\n",
        "\u{1}[ 1 a ",
        "\u{1}( d1-d7/g7 ",
        "\u{1}Black: d1-d7/g7\nBlack: d1-d6/g6\n",
        "\u{1}see the d1 d7 g7 line; see the d1 d6 f6 line; ",
        "\u{1}3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 b ",
        "\u{1}d1-d7/g7 d1-d2/d3\n",
        "\u{1}{\"a\":1}{\"moves\":[",
        "\u{1}{",
        "[\u{1}[",
        "\u{1}{\"requests\":[{\"x0\":1}]\n",
        "\u{1}1 2 3 4 5 6 7\n",
        "\u{1}{\"a\":[\n",
        "\u{1}{\"a\":{\"x0\":1}}\n",
        "\u{1}[{\"0\":{\"response\":{}}},\n",
        "[\u{1}{\"from\":[[",
        "(;GM[18]\u{1}PB[a;B[b]",
        "> (;GM[18]\u{1}\n> ;B[dj",
        "\u{1}d1d7g7",
        "\u{1}djddgd",
        "\u{1}1-0! ",
        "\u{1}Game 1 (1-0) ",
        "d1-d7/g7 \u{1}((]]",
        "\u{1}<td <",
        "\u{1}[x]",
        "\u{1}*",
        "\u{1}*a",
        "\u{1}a+",
        "\u{1}black+",
        "\u{1}black+ ",
        "{\"moves\":\"\u{1}[a",
        "(;GM[18]\u{1};B[djddgd \u{1}])",
        "(;GM[18];\u{1}AA[gd]\u{1}B[djddgd])",
    ];

    fn steps(text: &str, repeats: usize) -> (usize, usize) {
        let (first, part) = text.split_once('\u{1}').unwrap();
        let (part, last) = part.split_once('\u{1}').unwrap_or((part, ""));
        let text = format!("{first}{}{last}", part.repeat(repeats));
        let before = STEPS.get();
        let _ = record::read(&text);
        (STEPS.get() - before, text.len())
    }

    #[test]
    fn time_grows_no_faster_than_a_text() {
        let mut failures = Vec::new();
        for text in DAMAGED {
            let (small, length) = steps(text, 2000);
            let (large, longer) = steps(text, 16_000);
            if large > 10 * small + 20 * (longer - length) {
                failures.push(format!("{text:?}: {small} steps, then {large}"));
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
