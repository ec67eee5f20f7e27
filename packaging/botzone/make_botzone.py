"""Writes the one-file C++ package for Botzone: packaging/botzone/botzone.cpp with the static executable inside.

    python3 packaging/botzone/make_botzone.py EXECUTABLE dist/botzone.cpp

Started by `make botzone`.  What the launcher takes for granted about the executable is checked here.
"""

import struct
import sys
import zlib
from pathlib import Path
from typing import Iterator, List, NamedTuple

TEMPLATE = Path(__file__).resolve().parent / "botzone.cpp"
SIZE_LIMIT = 1_000_000  # characters that the editor of Botzone's page takes
LINE = 2000  # characters of the executable in a line of the source
PAGE = 4096

# Two digits of this base hold these bits. The digits need no escape in a C++ string.
DIGITS = [chr(c) for c in range(ord("!"), ord("~") + 1) if chr(c) not in "\"?\\"]
BITS = 13

# From elf.h
ET_DYN, EM_X86_64, PT_LOAD, PT_INTERP, PF_X = 3, 62, 1, 3, 1
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
        raise Unsuitable("it is not a 64-bit ELF file")
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


def distances(code: bytes) -> Iterator[int]:
    """Finds distances: four bytes behind the opcodes of calls and jumps (E8, E9, 0F 80 to 0F 8F), and behind a ModRM
    byte of an operand at a distance from the instruction (05, 0D to 3D)."""
    place = 0
    while place + 6 < len(code):
        if code[place] in (0xE8, 0xE9) or code[place] & 0xC7 == 5:
            place += 1
        elif code[place] == 0x0F and code[place + 1] & 0xF0 == 0x80:
            place += 2
        else:
            place += 1
            continue
        yield place
        place += 4


def filter_branches(code: bytes, size: int) -> bytes:
    """The code with addresses in place of distances, which then repeat themselves more often.

    A branch filter (BCJ) as in the LZX format: a distance d at a place p becomes p + d if that is an address below
    the size n of the executable, or else d - n, so that every number has one form.  The launcher undoes it.
    """
    filtered = bytearray(code)
    for place in distances(code):
        number = int.from_bytes(code[place : place + 4], "little", signed=True)
        if -place <= number < size:
            number += place if number < size - place else -size
            filtered[place : place + 4] = number.to_bytes(4, "little", signed=True)
    return bytes(filtered)


def deflate(data: bytes) -> bytes:
    """Compresses the data, without header and checksum (RFC 1951).  Smaller blocks (memLevel) fit the data better."""
    compressor = zlib.compressobj(level=9, wbits=-15, memLevel=7)
    return compressor.compress(data) + compressor.flush()


def as_text(data: bytes) -> str:
    """Thirteen bits after thirteen, the lowest first, each as two digits, the low one first."""
    pairs = [DIGITS[number % len(DIGITS)] + DIGITS[number // len(DIGITS)] for number in range(1 << BITS)]
    text = []
    bits = count = 0
    for byte in data:
        bits |= byte << count
        count += 8
        if count >= BITS:
            text.append(pairs[bits & (1 << BITS) - 1])
            bits >>= BITS
            count -= BITS
    text.append(pairs[bits])
    return "".join(text)


def string_literal(text: str) -> str:
    return "".join(f'\n"{text[i:i + LINE]}"' for i in range(0, len(text), LINE))


def package(executable: bytes) -> str:
    """Returns the C++ source with the executable."""
    check(executable)
    code = next(segment for segment in loaded_segments(executable) if segment.flags & PF_X)
    start, end = code.offset, code.offset + code.file_size
    filtered = executable[:start] + filter_branches(executable[start:end], len(executable)) + executable[end:]
    text = as_text(deflate(filtered))
    source = TEMPLATE.read_text(encoding="ascii")
    for place, content in [
        ("EXECUTABLE_SIZE", str(len(executable))),
        ("CODE_START", str(start)),
        ("CODE_SIZE", str(code.file_size)),
        ("TEXT_SIZE", str(len(text))),
        ("TEXT_LITERAL", string_literal(text)),
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
        sys.exit(f"{target} would have {len(source):,} characters; Botzone's editor takes less than {SIZE_LIMIT:,}")
    target.write_bytes(source.encode("ascii"))
    print(f"{target}: {len(source):,} characters (Botzone's editor takes less than {SIZE_LIMIT:,})")


if __name__ == "__main__":
    main()
