"""Makes the page one file: `pack.py PAGE.html SIMD.wasm PLAIN.wasm`

The scripts and styles of `page/` and `shared/` go into `page/page.html`, and both builds of the engine as gzip in
base64. The same files always make the same page, byte for byte.
"""

import base64
import gzip
import sys
from pathlib import Path

WEB = Path(__file__).parent
# What is behind another may overrule it, or uses what it defines.
STYLES = ["shared/base.css", "shared/board.css", "shared/curve.css", "shared/moves.css", "page/page.css"]
SCRIPTS = [
    *(f"shared/{name}.js" for name in ("elements", "replay", "board", "curve")),
    *(f"page/{name}.js" for name in ("text", "engine", "tree", "squares", "setup", "game", "show", "records", "main")),
]


def texts(names: list) -> str:
    return "\n".join((WEB / name).read_text(encoding="utf-8") for name in names)


def module(path: str) -> str:
    return base64.b64encode(gzip.compress(Path(path).read_bytes(), 9, mtime=0)).decode("ascii")


def main(arguments: list) -> None:
    if len(arguments) != 3:
        sys.exit(__doc__)
    target, simd, plain = arguments
    parts = {
        "style": texts(STYLES),
        "simd": module(simd),
        "plain": module(plain),
        "worker": texts(["page/worker.js"]),
        "scripts": texts(SCRIPTS),
    }
    page = texts(["page/page.html"])
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text)
    Path(target).write_text(page, encoding="utf-8")
    print(f"{target}: {len(page.encode('utf-8')) / 1e6:.2f} MB", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
