"""Writes the one-file C++ package for Botzone: launcher/botzone.cpp with the static executable inside.

    python3 launcher/make_botzone.py dist/otrera dist/botzone.cpp

Started by `make botzone`.  What the launcher takes for granted about the executable is checked here.
"""

import base64
import struct
import sys
from pathlib import Path
from typing import List, NamedTuple

TEMPLATE = Path(__file__).resolve().parent / "botzone.cpp"
SIZE_LIMIT = 4_000_000  # bytes of a source file that Botzone takes
LINE = 116  # base64 digits in a line of the source
PAGE = 4096

# From the description of the LZ4 block format
SHORTEST_MATCH = 4
MATCH_REACH = 65_535
NO_MATCH_BEGINS = 12  # so many bytes before the end
NO_MATCH_REACHES = 5

# From elf.h
ET_DYN, EM_X86_64, PT_LOAD, PT_INTERP = 3, 62, 1, 3
FILE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")


class Segment(NamedTuple):
    """A program header of an ELF file."""

    type: int
    flags: int
    offset: int
    address: int
    physical_address: int
    file_size: int
    memory_size: int
    alignment: int


class Unsuitable(Exception):
    """Why the launcher could not start an executable."""


def loaded_segments(executable: bytes) -> List[Segment]:
    """The parts of a static position-independent executable that belong in memory."""
    if len(executable) < FILE_HEADER.size or executable[:6] != b"\x7fELF\x02\x01":
        raise Unsuitable("it is no 64-bit ELF file")
    header = FILE_HEADER.unpack_from(executable)
    kind, machine, headers, header_size, count = header[1], header[2], header[5], header[9], header[10]
    if (kind, machine) != (ET_DYN, EM_X86_64):
        raise Unsuitable("it is not position-independent, or not for x86-64")
    if header_size != PROGRAM_HEADER.size:
        raise Unsuitable("its program headers have an unknown form")
    segments = [
        Segment(*PROGRAM_HEADER.unpack_from(executable, headers + i * header_size)) for i in range(count)
    ]
    if any(segment.type == PT_INTERP for segment in segments):
        raise Unsuitable("it needs a dynamic linker: it is not static")
    loaded = sorted((s for s in segments if s.type == PT_LOAD), key=lambda s: s.address)
    if not any(s.offset == s.address == 0 and s.file_size >= headers + count * header_size for s in loaded):
        raise Unsuitable("its program headers are not loaded where the launcher expects them")
    return loaded


def check(executable: bytes) -> None:
    """Raises Unsuitable unless the launcher can map the executable."""
    loaded = loaded_segments(executable)
    for one, next_one in zip(loaded, loaded[1:]):
        if (one.address + one.memory_size - 1) // PAGE >= next_one.address // PAGE:
            raise Unsuitable("two of its segments share a page")


def lz4_block(data: bytes) -> bytes:
    """The data as an LZ4 block, whose decoder is short and quick: that of the launcher.

    Each match is the last place where the next four bytes stood, if it is near enough.
    """
    block = bytearray()
    last_seen = {}
    start = place = 0  # of what has not been written yet, and of the next match
    while place < len(data) - NO_MATCH_BEGINS:
        key = data[place : place + SHORTEST_MATCH]
        match = last_seen.get(key, -MATCH_REACH - 1)
        last_seen[key] = place
        if place - match > MATCH_REACH:
            place += 1
            continue
        length = SHORTEST_MATCH
        while place + length < len(data) - NO_MATCH_REACHES and data[match + length] == data[place + length]:
            length += 1
        put_sequence(block, data[start:place], place - match, length)
        for inside in range(place + 1, place + length):
            last_seen[data[inside : inside + SHORTEST_MATCH]] = inside
        start = place = place + length
    put_sequence(block, data[start:], 0, 0)
    return bytes(block)


def put_sequence(block: bytearray, literals: bytes, offset: int, length: int) -> None:
    """Literals and the match that follows them; a length of 0 says that none does."""
    extra = length - SHORTEST_MATCH if length else 0
    block.append(min(len(literals), 15) << 4 | min(extra, 15))
    put_rest(block, len(literals))
    block += literals
    if length:
        block += struct.pack("<H", offset)
        put_rest(block, extra)


def put_rest(block: bytearray, length: int) -> None:
    """What of a length does not fit into the four bits of a token."""
    if length >= 15:
        full, rest = divmod(length - 15, 255)
        block += b"\xff" * full
        block.append(rest)


def string_literal(data: bytes) -> str:
    text = base64.b64encode(data).decode("ascii")
    return "".join(f'\n    "{text[i:i + LINE]}"' for i in range(0, len(text), LINE))


def package(executable: bytes) -> str:
    """The C++ source that carries the executable."""
    check(executable)
    compressed = lz4_block(executable)
    source = TEMPLATE.read_text(encoding="ascii")
    for place, content in [
        ("EXECUTABLE_SIZE", str(len(executable))),
        ("COMPRESSED_SIZE", str(len(compressed))),
        ("COMPRESSED_BASE64", string_literal(compressed)),
    ]:
        assert source.count(place) == 1, place
        source = source.replace(place, content)
    return source


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: make_botzone.py EXECUTABLE SOURCE")
    executable, target = map(Path, sys.argv[1:])
    try:
        source = package(executable.read_bytes())
    except Unsuitable as reason:
        sys.exit(f"{executable} cannot be packed: {reason}")
    if len(source) >= SIZE_LIMIT:
        sys.exit(f"{target} would have {len(source):,} bytes; Botzone takes less than {SIZE_LIMIT:,}")
    target.write_bytes(source.encode("ascii"))
    print(f"{target}: {len(source):,} bytes (Botzone takes less than {SIZE_LIMIT:,})")


if __name__ == "__main__":
    main()
