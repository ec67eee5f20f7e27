"""Packs the page into one file: `pack.py PAGE.html ENGINE.wasm`

`page/page.html` names the scripts and styles to insert as `{{FILE}}`. The engine is inserted as gzip in base64. The
output is reproducible, byte for byte. `build.rs` inserts the files for `otrera gui`.
"""

import base64
import gzip
import re
import sys
from pathlib import Path

WEB = Path(__file__).parent


def text(name: str) -> str:
    return (WEB / name).read_text(encoding="utf-8")


def main(arguments: list) -> None:
    if len(arguments) != 2:
        sys.exit(__doc__)
    target, engine = arguments
    page = re.sub(r"\{\{(.*\..*)\}\}", lambda part: text(part[1]), text("page/page.html"))
    packed = base64.b64encode(gzip.compress(Path(engine).read_bytes(), 9, mtime=0)).decode("ascii")
    page = page.replace("{{engine}}", packed).replace("{{server}}", "")
    Path(target).write_text(page, encoding="utf-8")
    print(f"{target}: {len(page.encode('utf-8')) / 1e6:.2f} MB", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
