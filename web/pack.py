"""Packs the page into one file: `pack.py PAGE.html ENGINE.wasm`

`page/page.html` names the styles and texts to insert as `{{FILE}}`; `{{modules}}` is the import map of all modules. The
engine is inserted as gzip in base64. The output is reproducible, byte for byte. `build.rs` assembles the page for
`otrera gui`.
"""

import base64
import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

WEB = Path(__file__).parent
# The script of the worker is no module of the page.
WORKER = "page/worker.js"


def text(name: str) -> str:
    return (WEB / name).read_text(encoding="utf-8")


# A line of a script, or of a style sheet, with nothing but a comment.
SCRIPT_COMMENT = re.compile(r"^\s*(?://|/\*\*|\*/|\* |\*$).*\n", re.MULTILINE)
STYLE_COMMENT = re.compile(r"^\s*/\*[^*]*\*/\n", re.MULTILINE)


def compact(source: str, comment: re.Pattern) -> str:
    """Removes comments and indentation, which nobody reads in the packed page."""
    return re.sub(r"^\s+", "", comment.sub("", source), flags=re.MULTILINE)


def address(name: str) -> str:
    """Returns the `data:` address of a module. Its last line tells the browser's tools the module's name."""
    module = f"{compact(text(name), SCRIPT_COMMENT)}//# sourceURL={name}\n"
    return "data:text/javascript," + re.sub(r"[%#<\n]", lambda part: f"%{ord(part[0]):02X}", module)


def import_map() -> str:
    """Returns the import map: a module is imported by its path below `web/`, and its address contains its text."""
    folders = (WEB / "page", WEB / "shared")
    names = sorted(path.relative_to(WEB).as_posix() for folder in folders for path in folder.rglob("*.js"))
    modules = {name: address(name) for name in names if name != WORKER}
    return json.dumps({"imports": modules}, ensure_ascii=False, indent=0)


def main(arguments: list) -> None:
    if len(arguments) != 2:
        sys.exit(__doc__)
    target, engine = arguments
    page = re.sub(r"\{\{(.*\..*)\}\}", lambda part: text(part[1]), text("page/page.html"))
    page = compact(page, STYLE_COMMENT).replace("{{modules}}", import_map())
    packed = base64.b64encode(gzip.compress(Path(engine).read_bytes(), 9, mtime=0)).decode("ascii")
    page = page.replace("{{engine}}", packed).replace("{{server}}", "")
    page = page.replace("{{nonce}}", hashlib.sha256(page.encode("utf-8")).hexdigest())
    Path(target).write_text(page, encoding="utf-8")
    print(f"{target}: {len(page.encode('utf-8')) / 1e6:.2f} MB", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
