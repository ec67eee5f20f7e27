"""Makes the zip archive of a folder for Windows: `pack.py ARCHIVE.zip FOLDER FILE[=NAME]...`

Text files get a byte order mark and CRLF, so that Notepad of any Windows shows them right.
Equal files always make equal archives, byte for byte.
"""

import sys
import zipfile
from pathlib import Path

TEXT = {".txt", ".toml"}
TIMESTAMP = (2026, 1, 1, 0, 0, 0)


def content(path: Path, name: str) -> bytes:
    if Path(name).suffix not in TEXT:
        return path.read_bytes()
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    return "".join(line + "\r\n" for line in lines).encode("utf-8-sig")


def pack(archive: Path, folder: str, files: list) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for path, name in files:
            entry = zipfile.ZipInfo(f"{folder}/{name}", TIMESTAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            target.writestr(entry, content(path, name))


def main(arguments: list) -> None:
    if len(arguments) < 3:
        sys.exit(__doc__)
    archive, folder, *files = arguments
    named = [(Path(path), name or Path(path).name) for path, _, name in (f.partition("=") for f in files)]
    pack(Path(archive), folder, named)


if __name__ == "__main__":
    main(sys.argv[1:])
