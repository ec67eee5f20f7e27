"""Packs the page and its engine into one file: `cargo rustc --message-format json ... | pack.py PAGE.html`

Reads cargo's messages, which name the page that `build.rs` has assembled and the engine. The engine is inserted as gzip
in 91 letters. The output is reproducible, byte for byte.
"""

import gzip
import hashlib
import json
import sys
from pathlib import Path

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


def built(messages) -> tuple:
    """Returns the paths of the assembled page and of the engine."""
    page = engine = None
    for message in map(json.loads, messages):
        if "#otrera-web@" not in message.get("package_id", ""):
            continue
        if message["reason"] == "build-script-executed":
            page = Path(message["out_dir"]) / "page.html"
        engine = next((name for name in message.get("filenames", []) if name.endswith(".wasm")), engine)
    if page is None or engine is None:
        sys.exit("pack.py: cargo has not built the page")
    return page, Path(engine)


def main(arguments: list) -> None:
    if len(arguments) != 1:
        sys.exit(__doc__)
    assembled, engine = built(sys.stdin)
    page = assembled.read_text(encoding="utf-8")
    packed = in_letters(gzip.compress(engine.read_bytes(), 9, mtime=0))
    nonce = hashlib.sha256((page + packed).encode("utf-8")).hexdigest()
    page = page.replace("{{server}}", "").replace("{{nonce}}", nonce).replace("{{engine}}", packed)
    Path(arguments[0]).write_text(page, encoding="utf-8")
    print(f"{arguments[0]}: {len(page.encode('utf-8')) / 1e6:.2f} MB", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
