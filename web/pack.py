"""Packs the page into one file: `pack.py PAGE.html SIMD.wasm PLAIN.wasm`

`page/page.html` names the scripts and styles to insert as `{{FILE}}`. Both builds of the engine are inserted as gzip in
base64. The output is reproducible, byte for byte. `build.rs` inserts the files for `otrera gui`.
"""

import base64
import gzip
import re
import sys
from pathlib import Path

WEB = Path(__file__).parent


def text(name: str) -> str:
    return (WEB / name).read_text(encoding="utf-8")


def module(path: str) -> str:
    return base64.b64encode(gzip.compress(Path(path).read_bytes(), 9, mtime=0)).decode("ascii")


def main(arguments: list) -> None:
    if len(arguments) != 3:
        sys.exit(__doc__)
    target, simd, plain = arguments
    page = re.sub(r"\{\{(.*\..*)\}\}", lambda part: text(part[1]), text("page/page.html"))
    for name, part in {"simd": module(simd), "plain": module(plain), "server": ""}.items():
        page = page.replace("{{" + name + "}}", part)
    Path(target).write_text(page, encoding="utf-8")
    print(f"{target}: {len(page.encode('utf-8')) / 1e6:.2f} MB", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
