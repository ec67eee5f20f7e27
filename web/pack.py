"""Packs the page into one file: `pack.py PAGE.html ENGINE.wasm`

`page/page.html` names the styles and texts to insert as `{{FILE}}`; `{{modules}}` is the import map of all modules. The
engine is inserted as gzip in 91 letters. The output is reproducible, byte for byte. `build.rs` assembles the page for
`otrera gui`.
"""

import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

WEB = Path(__file__).parent
# The script of the worker is no module of the page.
WORKER = "page/worker.js"


# Comment lines and indentation: a fifth of the scripts and styles. No string spans several lines. A line of a style can
# begin with the selector `*`.
LEFT_OUT = {
    ".js": re.compile(r"^[ \t]*(?:(?://|/\*|\*(?=[ /]|$)).*\n)?", re.MULTILINE),
    ".css": re.compile(r"^[ \t]*(?:/\*.*\n)?", re.MULTILINE),
}


def text(name: str) -> str:
    """Returns the text of a file; scripts and styles without comment lines and indentation."""
    content = (WEB / name).read_text(encoding="utf-8")
    left_out = LEFT_OUT.get(Path(name).suffix)
    return left_out.sub("", content) if left_out else content


def address(name: str) -> str:
    """Returns the `data:` address of a module. Its last line tells the browser's tools the module's name."""
    module = f"{text(name)}//# sourceURL={name}\n"
    return "data:text/javascript," + re.sub(r'[%#"\\<\n]', lambda part: f"%{ord(part[0]):02X}", module)


def import_map() -> str:
    """Returns the import map: a module is imported by its path below `web/`, and its address contains its text."""
    folders = (WEB / "page", WEB / "shared")
    names = sorted(path.relative_to(WEB).as_posix() for folder in folders for path in folder.rglob("*.js"))
    modules = {name: address(name) for name in names if name != WORKER}
    return json.dumps({"imports": modules}, ensure_ascii=False, indent=0)


# All printable characters of ASCII but ` `, `!`, `"` and `<`, which begins a tag. `page/worker.js` has the same.
LETTERS = [chr(code) for code in range(ord("#"), ord("~") + 1) if chr(code) != "<"]


def in_letters(packed: bytes) -> str:
    """Writes each 13 bits as two of the 91 letters, at most 6 last bits as one: 8 % shorter than base64."""
    bits = "".join(format(byte, "08b") for byte in packed)
    last = len(bits) % 13
    bits += "0" * (6 - last if 0 < last <= 6 else -last % 13)
    values = (int(bits[at : at + 13], 2) for at in range(0, len(bits) - 12, 13))
    text = "".join(LETTERS[value // 91] + LETTERS[value % 91] for value in values)
    return text + (LETTERS[int(bits[-6:], 2)] if 0 < last <= 6 else "")


def main(arguments: list) -> None:
    if len(arguments) != 2:
        sys.exit(__doc__)
    target, engine = arguments
    page = re.sub(r"\{\{(.*\..*)\}\}", lambda part: text(part[1]), text("page/page.html"))
    page = page.replace("{{modules}}", import_map())
    packed = in_letters(gzip.compress(Path(engine).read_bytes(), 9, mtime=0))
    nonce = hashlib.sha256((page + packed).encode("utf-8")).hexdigest()
    page = page.replace("{{server}}", "").replace("{{nonce}}", nonce).replace("{{engine}}", packed)
    Path(target).write_text(page, encoding="utf-8")
    print(f"{target}: {len(page.encode('utf-8')) / 1e6:.2f} MB", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
