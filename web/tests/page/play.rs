//! Playing: the layout, games from any position, the end of a game, games that are kept, rules.

use super::*;

/// Pairs of visible elements that overlap, though neither contains the other, and texts wider than their buttons.
const OVERLAPS: &str = "(() => {
    const seen = [...document.querySelectorAll('button, select, input, h1, h2, #board, #status, #rate, #ply')]
        .filter((element) => element.offsetParent && !element.closest('.scroll-x, .moves'));
    const boxes = seen.map((element) => element.getBoundingClientRect());
    const cover = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const pairs = boxes.flatMap((box, index) => boxes.slice(index + 1).flatMap((other, offset) =>
        cover(box, other) ? [`${seen[index].id} covers ${seen[index + 1 + offset].id}`] : []));
    const tight = seen.filter((element) => element.matches('button') && element.scrollWidth > element.clientWidth);
    return [...pairs, ...tight.map(({ id }) => `${id} is too narrow`)];
})()";

#[test]
fn the_board_takes_the_height_and_nothing_overlaps() {
    let Some(mut browser) = opened("the layout of the page") else { return };
    for language in ["en", "zh"] {
        browser.choose("#language", language);
        for ([width, height], smallest) in [
            ([360, 740], 310.0),
            ([900, 700], 310.0),
            ([960, 600], 250.0),
            ([1100, 800], 410.0),
            ([1100, 700], 390.0),
            ([1280, 900], 570.0),
            ([1366, 625], 510.0),
            ([1920, 1080], 940.0),
        ] {
            browser.resize([width, height], width < 500);
            let case = format!("{language}, {width}x{height}");
            browser.evaluate("scrollTo(0, 0)");
            let box_of_board =
                "(({ bottom, height }) => [bottom, height])(byId('board').getBoundingClientRect())";
            let found = browser.evaluate(box_of_board);
            let [bottom, side] = [0, 1].map(|index| found[index].as_f64().expect("a number"));
            assert!(side >= smallest, "{case}: the board has {side} pixels");
            assert!(bottom <= f64::from(height), "{case}: the board ends at {bottom}");
            assert_eq!(browser.evaluate(OVERLAPS), json!([]), "{case}");
            let widest = browser.evaluate("document.documentElement.scrollWidth");
            assert!(widest.as_u64() <= Some(width.into()), "{case}: {widest} wide");
        }
    }
    assert_eq!(browser.complaints(), NO_COMPLAINT);
}
