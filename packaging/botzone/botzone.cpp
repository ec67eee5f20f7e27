// Otrera for Botzone: a C++ source with the executable inside.
//
// Botzone accepts C++ but not Rust. make_botzone.py writes the static Linux executable for x86-64, filtered, compressed
// (deflate) and as text, at the end of this file. main() starts it in the same process, with the same arguments,
// environment, files and clocks.
//
// It uses the first of three ways that the system allows:
//   load   this process maps the executable's segments and jumps into it: neither exec nor a file
//   memfd  a file that exists in memory only, and exec
//   file   a file in /tmp, in data/ (Botzone's user storage) or here, and exec; it is deleted at once
// If the system allows none, or a signal ends the loaded program before it has read its input, a small player in this
// file answers the turn. A system call that a sandbox answers by a signal (SIGSYS) fails in the program with an error.
// For tests, the environment variable OTRERA_LAUNCH restricts the ways to one of these words.
//
// Compiles with g++ 4.8, glibc 2.23 and Linux 3.17, without warnings as C++98 and all later standards.

#if !defined(__linux__) || !defined(__x86_64__)
#error "the executable inside is for Linux on x86-64"
#endif

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <asm/prctl.h>
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef SYS_memfd_create
#define SYS_memfd_create 319
#endif
#ifndef SYS_execveat
#define SYS_execveat 322
#endif
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

// Unpacks within milliseconds even if compiled with -O0.
#pragma GCC optimize("O2")

// The compressed executable as text, defined on the last lines.
extern const std::size_t executable_size;
extern const std::size_t code_start, code_size;
extern const std::size_t text_size;
extern const char text[];

namespace {

const uintptr_t page_size = 4096;
const char *const folders[] = {"/tmp", "data", "."};

unsigned char *allocate(std::size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : static_cast<unsigned char *>(memory);
}

void release(unsigned char *memory, std::size_t size) {
    munmap(memory, size);
}

// --- unpack: inflate, RFC 1951 ---------------------------------------------------------------------------

// The bits of the deflate stream, the first in the lowest place. Two characters hold 13 of them, as a number of two
// digits to the base 91, the low one first (91 * 91 > 2^13). The digits are the visible ASCII characters but for three
// that may not stand for themselves in a C++ string: quotation mark, question mark, backslash.
class BitReader {
public:
    BitReader(const char *first, std::size_t size)
        : start_(reinterpret_cast<const unsigned char *>(first)), next_(start_), end_(start_ + size), bits_(0), count_(0) {
        std::memset(value_, 0, sizeof value_);
        uint64_t digit = 0;
        for (unsigned char c = '!'; c <= '~'; ++c)
            if (c != '"' && c != '?' && c != '\\')
                value_[c] = digit++;
    }

    // Makes at least 48 bits available: as many as a length and a distance take. After the end they are zeros.
    void refill() {
        for (; count_ < 48; count_ += 13) {
            if (next_ != end_) {
                bits_ |= (value_[next_[0]] + 91 * value_[next_[1]]) << count_;
                next_ += 2;
            }
        }
    }

    unsigned peek(unsigned count) const {
        return static_cast<unsigned>(bits_) & ((1u << count) - 1);
    }

    void drop(unsigned count) {
        bits_ >>= count;
        count_ -= count;
    }

    unsigned take(unsigned count) {
        const unsigned bits = peek(count);
        drop(count);
        return bits;
    }

    // Goes on at a byte of the stream.
    void align() {
        const unsigned read = static_cast<unsigned>((next_ - start_) / 2) * 13;
        drop((count_ - read) % 8);
    }

private:
    const unsigned char *start_, *next_, *end_;
    uint64_t bits_;
    unsigned count_;  // of the bits that were read and not yet taken
    uint64_t value_[256];
};

const unsigned longest_code = 15, quick_bits = 10;

// A canonical Huffman code, given by the length of each symbol's code.
class HuffmanCode {
public:
    void build(const unsigned char *lengths, unsigned symbols) {
        std::memset(quick_, 0, sizeof quick_);
        std::memset(count_, 0, sizeof count_);
        for (unsigned symbol = 0; symbol < symbols; ++symbol)
            ++count_[lengths[symbol]];
        count_[0] = 0;
        unsigned code[longest_code + 1] = {0}, place[longest_code + 1] = {0};
        for (unsigned length = 1; length < longest_code; ++length) {
            code[length + 1] = (code[length] + count_[length]) << 1;
            place[length + 1] = place[length] + count_[length];
        }
        for (unsigned symbol = 0; symbol < symbols; ++symbol) {
            const unsigned length = lengths[symbol];
            if (length == 0)
                continue;
            in_order_[place[length]++] = static_cast<uint16_t>(symbol);
            add_quick(code[length]++, length, symbol);
        }
    }

    unsigned decode(BitReader &reader) const {
        const unsigned entry = quick_[reader.peek(quick_bits)];
        if (entry == 0)
            return decode_long(reader);
        reader.drop(entry & 15);
        return entry >> 4;
    }

private:
    // All numbers that begin with the code, whose first bit is the highest and comes first in the stream.
    void add_quick(unsigned code, unsigned length, unsigned symbol) {
        if (length > quick_bits)
            return;
        unsigned reversed = 0;
        for (unsigned bit = 0; bit < length; ++bit)
            reversed |= (code >> bit & 1) << (length - 1 - bit);
        for (; reversed < 1u << quick_bits; reversed += 1u << length)
            quick_[reversed] = static_cast<uint16_t>(symbol << 4 | length);
    }

    // Bit by bit: codes of one length are consecutive numbers.
    unsigned decode_long(BitReader &reader) const {
        unsigned code = 0, first = 0, place = 0;
        for (unsigned length = 1; length <= longest_code; ++length) {
            code |= reader.take(1);
            if (code < first + count_[length])
                return in_order_[place + code - first];
            place += count_[length];
            first = (first + count_[length]) << 1;
            code <<= 1;
        }
        return 0;
    }

    uint16_t quick_[1 << quick_bits];  // symbol << 4 | length; 0 if the code is longer than that
    uint16_t count_[longest_code + 1];
    uint16_t in_order_[288];
};

// The codes of a block: of literals and lengths, and of distances.
struct BlockCodes {
    HuffmanCode literals, distances;

    // Those of section 3.2.6.
    void set_fixed() {
        unsigned char lengths[288];
        for (unsigned symbol = 0; symbol < 288; ++symbol)
            lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
        literals.build(lengths, 288);
        std::memset(lengths, 5, 30);
        distances.build(lengths, 30);
    }

    // Reads them as section 3.2.7 says: the lengths of the codes are Huffman-coded themselves.
    void read(BitReader &reader) {
        const unsigned char order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
        unsigned char lengths[288 + 32] = {0};
        const unsigned literal_count = 257 + reader.take(5);
        const unsigned distance_count = 1 + reader.take(5);
        for (unsigned i = 0, count = 4 + reader.take(4); i < count; ++i, reader.refill())
            lengths[order[i]] = static_cast<unsigned char>(reader.take(3));
        HuffmanCode length_code;
        length_code.build(lengths, sizeof order);
        for (unsigned i = 0; i < literal_count + distance_count;) {
            reader.refill();
            const unsigned symbol = length_code.decode(reader);
            const unsigned repeated = symbol == 16 ? lengths[i - 1] : symbol < 16 ? symbol : 0;
            const unsigned times = symbol < 16    ? 1
                                   : symbol == 16 ? 3 + reader.take(2)
                                   : symbol == 17 ? 3 + reader.take(3)
                                                  : 11 + reader.take(7);
            std::memset(lengths + i, static_cast<int>(repeated), times);
            i += times;
        }
        literals.build(lengths, literal_count);
        distances.build(lengths + literal_count, distance_count);
    }
};

unsigned char *inflate_stored(BitReader &reader, unsigned char *out) {
    reader.align();
    reader.refill();
    const unsigned size = reader.take(16);
    for (unsigned i = 0; i < size + 2; ++i) {
        reader.refill();
        const unsigned byte = reader.take(8);
        if (i >= 2)  // after the complement of the size
            *out++ = static_cast<unsigned char>(byte);
    }
    return out;
}

// Literals, and matches: length and distance of the bytes to repeat.
unsigned char *inflate_coded(BitReader &reader, const BlockCodes &codes, unsigned char *out) {
    const uint16_t length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    const unsigned char length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    const uint16_t distance_base[] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,
                                           33,  49,  65,  97,  129, 193,  257,  385,  513,  769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    for (;;) {
        reader.refill();
        const unsigned symbol = codes.literals.decode(reader);
        if (symbol < 256) {
            *out++ = static_cast<unsigned char>(symbol);
            continue;
        }
        if (symbol == 256)
            return out;
        const unsigned length = length_base[symbol - 257] + reader.take(length_bits[symbol - 257]);
        const unsigned place = codes.distances.decode(reader);
        const unsigned distance_bits = place < 4 ? 0 : place / 2 - 1;
        const unsigned char *match = out - distance_base[place] - reader.take(distance_bits);
        // Byte by byte: a match may reach into what it writes.
        for (unsigned left = length; left > 0; --left)
            *out++ = *match++;
    }
}

// Trusts the data of make_botzone.py.
void inflate(BitReader reader, unsigned char *out) {
    BlockCodes codes;
    for (bool is_last = false; !is_last;) {
        reader.refill();
        is_last = reader.take(1) == 1;
        const unsigned kind = reader.take(2);
        if (kind == 0) {
            out = inflate_stored(reader, out);
            continue;
        }
        if (kind == 1)
            codes.set_fixed();
        else
            codes.read(reader);
        out = inflate_coded(reader, codes, out);
    }
}

// Undoes a branch filter (BCJ, https://en.wikipedia.org/wiki/BCJ_(algorithm)) in the form of the LZX format: puts
// distances back behind the opcodes of calls and jumps (E8, E9, 0F 80 to 0F 8F) and the ModRM bytes of operands at a
// distance (05, 0D to 3D), in place of addresses below `size`.
void restore_branches(unsigned char *code, int32_t code_size, int32_t size) {
    for (int32_t place = 0; place + 6 < code_size; ++place) {
        const bool is_short = code[place] == 0xE8 || code[place] == 0xE9 || (code[place] & 0xC7) == 5;
        const bool is_long = code[place] == 0x0F && (code[place + 1] & 0xF0) == 0x80;
        if (!is_short && !is_long)
            continue;
        place += is_short ? 1 : 2;
        int32_t number;
        std::memcpy(&number, code + place, sizeof number);
        if (number >= -place && number < size)
            number += number < 0 ? size : -place;
        std::memcpy(code + place, &number, sizeof number);
        place += 3;
    }
}

// Unpacks the executable into memory that is to be released.
unsigned char *unpack_executable() {
    unsigned char *const executable = allocate(executable_size);
    if (executable != NULL) {
        inflate(BitReader(text, text_size), executable);
        restore_branches(executable + code_start, static_cast<int32_t>(code_size),
                         static_cast<int32_t>(executable_size));
    }
    return executable;
}

// --- the player of last resort -------------------------------------------------------------------------------

// Reads one turn with the whole history, in either form of interaction, and answers with the move that leaves most
// squares nearer to its own amazons, counted in queen moves. It searches one move deep, and takes 0.1 s.

const int edge = 8, row = 10, cells = row * row;  // with a frame of blocked cells
const int steps[] = {1, -1, row, -row, row + 1, row - 1, -row + 1, -row - 1};
const int directions = 8, amazons = 4;

struct Turn {
    int from, to, arrow;
};

int cell_of(int x, int y) {
    return (y + 1) * row + x + 1;
}

struct Board {
    unsigned char blocked[cells];
    int places[2][amazons];  // Black's, who moves first, and White's

    Board() {
        static const int start[2][amazons][2] = {{{0, 2}, {2, 0}, {5, 0}, {7, 2}}, {{0, 5}, {2, 7}, {5, 7}, {7, 5}}};
        std::memset(blocked, 1, sizeof blocked);
        for (int y = 0; y < edge; ++y)
            std::memset(blocked + cell_of(0, y), 0, edge);
        for (int side = 0; side < 2; ++side)
            for (int i = 0; i < amazons; ++i) {
                places[side][i] = cell_of(start[side][i][0], start[side][i][1]);
                blocked[places[side][i]] = 1;
            }
    }

    // Plays a move of whoever has an amazon there; without one, nothing.
    void play(const Turn &turn) {
        for (int i = 0; i < 2 * amazons; ++i) {
            int &place = places[i / amazons][i % amazons];
            if (place == turn.from) {
                blocked[turn.from] = 0;
                blocked[turn.to] = blocked[turn.arrow] = 1;
                place = turn.to;
                return;
            }
        }
    }

    // Queen moves from the nearest amazon of a side to each cell; 100 if there is no way.
    void flood(int side, unsigned char *distances) const {
        int queue[cells], first = 0, last = 0;
        std::memset(distances, 100, cells);
        for (int i = 0; i < amazons; ++i)
            distances[queue[last++] = places[side][i]] = 0;
        while (first < last) {
            const int from = queue[first++];
            const unsigned char next = static_cast<unsigned char>(distances[from] + 1);
            for (int d = 0; d < directions; ++d)
                for (int cell = from + steps[d]; !blocked[cell] && distances[cell] >= next; cell += steps[d])
                    if (distances[cell] != next) {
                        distances[cell] = next;
                        queue[last++] = cell;
                    }
        }
    }

    // Squares nearer to the side that has just moved, less those nearer to the other side, in halves.
    int lead(int side) const {
        unsigned char own[cells], other[cells];
        flood(side, own);
        flood(1 - side, other);
        int sum = 0;
        for (int cell = 0; cell < cells; ++cell)
            if (!blocked[cell])
                sum += own[cell] < other[cell] ? 2 : own[cell] > other[cell] ? -2 : own[cell] < 100 ? -1 : 0;
        return sum;
    }

    // Finds the best move by lead(); false without a legal move.
    bool choose(int side, Turn &best) const {
        int most = -1000;
        for (int i = 0; i < amazons; ++i) {
            const int from = places[side][i];
            for (int d = 0; d < directions; ++d)
                for (int to = from + steps[d]; !blocked[to]; to += steps[d])
                    for (int e = 0; e < directions; ++e)
                        for (int arrow = to + steps[e]; !blocked[arrow] || arrow == from; arrow += steps[e]) {
                            const Turn turn = {from, to, arrow};
                            Board after = *this;
                            after.play(turn);
                            const int lead = after.lead(side);
                            if (lead > most) {
                                most = lead;
                                best = turn;
                            }
                        }
        }
        return most > -1000;
    }
};

char input[1 << 18];  // The history of a whole game has 10,000 characters.
const int longest_game = 92;

// Reads six whole numbers from -1 to 7, and returns whether they are a move; `begin` is set if all are -1.
bool move_of(const int *numbers, Turn &turn, bool &begin) {
    bool inside = true;
    begin = true;
    for (int i = 0; i < 6; ++i) {
        inside = inside && numbers[i] >= 0 && numbers[i] < edge;
        begin = begin && numbers[i] == -1;
    }
    if (inside) {
        turn.from = cell_of(numbers[0], numbers[1]);
        turn.to = cell_of(numbers[2], numbers[3]);
        turn.arrow = cell_of(numbers[4], numbers[5]);
    }
    return inside;
}

// The messages of a match, in turn: requests to us and our responses.
struct History {
    int numbers[2 * longest_game][6];
    int count;
    bool is_json, is_whole;

    // Whole numbers, the first one counting our turns.
    void read_simple(const char *text) {
        count = 0;
        is_json = is_whole = false;
        char *end;
        const long turns = std::strtol(text, &end, 10);
        if (end == text || *end == '\0')
            return;
        for (; count < 2 * longest_game && count < 2 * turns - 1; ++count) {
            for (int i = 0; i < 6; ++i) {
                text = end;
                numbers[count][i] = static_cast<int>(std::strtol(text, &end, 10));
                if (end == text)
                    return;
            }
        }
        is_whole = *end != '\0';  // or the last number may go on
    }

    // {"requests":[{"x0":-1,...},...],"responses":[{...},...],...}, the lists in any order.
    void read_json(const char *text) {
        static const char *const lists[] = {"\"requests\"", "\"responses\""};
        count = 0;
        is_json = true;
        is_whole = json_ends(text);
        for (int list = 0; list < 2; ++list) {
            const char *at = std::strstr(text, lists[list]);
            if (at == NULL)
                continue;
            const char *end = std::strchr(at, ']');
            if (end == NULL)
                end = at + std::strlen(at);
            int index = list;
            for (at = std::strchr(at, '{'); at != NULL && at < end && index < 2 * longest_game; index += 2) {
                read_object(at, numbers[index]);
                if (index >= count)
                    count = index + 1;
                at = std::strchr(at + 1, '{');
            }
        }
    }

private:
    // The bracket that closes the first one, strings left out.
    static bool json_ends(const char *text) {
        int depth = 0;
        bool in_string = false;
        for (; *text != '\0'; ++text) {
            if (in_string && *text == '\\' && text[1] != '\0')
                ++text;
            else if (*text == '"')
                in_string = !in_string;
            else if (!in_string && (*text == '{' || *text == '['))
                ++depth;
            else if (!in_string && (*text == '}' || *text == ']') && --depth == 0)
                return true;
        }
        return false;
    }

    static void read_object(const char *object, int *numbers) {
        static const char *const keys[] = {"\"x0\"", "\"y0\"", "\"x1\"", "\"y1\"", "\"x2\"", "\"y2\""};
        const char *const end = std::strchr(object, '}');
        for (int i = 0; i < 6; ++i) {
            const char *at = std::strstr(object, keys[i]);
            numbers[i] = -2;
            if (at == NULL || (end != NULL && at > end))
                continue;
            for (at += 4; *at == ' ' || *at == ':' || *at == '"';)
                ++at;
            numbers[i] = static_cast<int>(std::strtol(at, NULL, 10));
        }
    }
};

// Reads until the turn is whole, or to the end of input; false if there was nothing.
bool read_history(History &history) {
    std::size_t size = 0;
    history.count = 0;
    while (size + 1 < sizeof input) {
        const ssize_t count = read(0, input + size, sizeof input - 1 - size);
        if (count <= 0)
            break;
        size += static_cast<std::size_t>(count);
        input[size] = '\0';
        if (std::strchr(input, '{') != NULL)
            history.read_json(input);
        else
            history.read_simple(input);
        if (history.is_whole)
            break;
    }
    return size > 0;
}

void answer_turn() {
    static History history;
    if (!read_history(history))
        return;
    Board board;
    int side = 1;
    for (int i = 0; i < history.count; ++i) {
        Turn turn;
        bool begin;
        if (move_of(history.numbers[i], turn, begin))
            board.play(turn);
        if (i == 0 && begin)
            side = 0;
    }
    Turn best;
    int numbers[6] = {-1, -1, -1, -1, -1, -1};
    if (board.choose(side, best)) {
        const int squares[] = {best.from, best.to, best.arrow};
        for (int i = 0; i < 6; ++i)
            numbers[i] = (i % 2 == 0 ? squares[i / 2] % row : squares[i / 2] / row) - 1;
    }
    const char *const form = history.is_json
                                 ? "{\"response\":{\"x0\":%d,\"y0\":%d,\"x1\":%d,\"y1\":%d,\"x2\":%d,\"y2\":%d}}\n"
                                 : "%d %d %d %d %d %d\n";
    char answer[128];
    const int size =
        std::snprintf(answer, sizeof answer, form, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
    const ssize_t written = write(1, answer, static_cast<std::size_t>(size));
    static_cast<void>(written);
}

// The thread pointer of this program's C library, which the loaded program replaces by its own.
void *thread_pointer;

// A sandbox refused a system call (si_code 1, SYS_SECCOMP): the call returns this error, and the program goes on.
void refuse_call(void *context) {
    static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

void answer_and_exit(int signal, siginfo_t *information, void *context) {
    if (signal == SIGSYS && information->si_code == 1) {
        refuse_call(context);
        return;
    }
    syscall(SYS_arch_prctl, ARCH_SET_FS, thread_pointer);
    answer_turn();
    _exit(0);
}

// Lets this player answer if a signal ends the loaded program. That works while the input is unread; later there is
// nothing to answer, and a program whose answer is out already ends without an error.
void answer_in_case_of_death() {
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
    __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
    struct sigaction action;
    std::memset(&action, 0, sizeof action);
    action.sa_sigaction = answer_and_exit;
    action.sa_flags = SA_SIGINFO;
    for (std::size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
        sigaction(signals[i], &action, NULL);
}

// True if the sandbox lets a thread start. Asks with flags that the kernel itself refuses (EINVAL), so that none starts.
// The loaded program could not ask: its C library starts threads while signals are blocked, and SIGSYS would end it.
bool can_start_threads() {
    return syscall(SYS_clone, static_cast<long>(CLONE_THREAD), 0L, 0L, 0L, 0L) < 0 && errno == EINVAL;
}

// --- load: what the kernel does with a static position-independent executable ------------------------

const Elf64_Ehdr *header_of(const unsigned char *executable) {
    return reinterpret_cast<const Elf64_Ehdr *>(executable);
}

const Elf64_Phdr *segments_of(const unsigned char *executable) {
    return reinterpret_cast<const Elf64_Phdr *>(executable + header_of(executable)->e_phoff);
}

int protection(const Elf64_Phdr &segment) {
    return (segment.p_flags & PF_R ? PROT_READ : 0) | (segment.p_flags & PF_W ? PROT_WRITE : 0) |
           (segment.p_flags & PF_X ? PROT_EXEC : 0);
}

// Maps the segments and returns the address that their addresses count from, or null.
unsigned char *map_segments(const unsigned char *executable) {
    const Elf64_Phdr *const first = segments_of(executable);
    const Elf64_Phdr *const last = first + header_of(executable)->e_phnum;
    std::size_t size = 0;
    for (const Elf64_Phdr *segment = first; segment != last; ++segment)
        if (segment->p_type == PT_LOAD && segment->p_vaddr + segment->p_memsz > size)
            size = segment->p_vaddr + segment->p_memsz;

    unsigned char *const base = allocate(size);
    if (base == NULL)
        return NULL;
    for (const Elf64_Phdr *segment = first; segment != last; ++segment) {
        if (segment->p_type != PT_LOAD)
            continue;
        // No two segments share a page (make_botzone.py checks it), so each has its own rights.
        std::memcpy(base + segment->p_vaddr, executable + segment->p_offset, segment->p_filesz);
        const std::size_t in_page = segment->p_vaddr % page_size;
        if (mprotect(base + segment->p_vaddr - in_page, in_page + segment->p_memsz, protection(*segment)) != 0) {
            release(base, size);  // Some systems let no memory become code.
            return NULL;
        }
    }
    return base;
}

// The kernel starts a program with this on its stack: argc, argv, null, environment, null, auxiliary vector.
// It is still there, and the stack of the new program can begin where that of this one began.
Elf64_auxv_t *auxiliary_vector(int argc, char **argv) {
    const bool as_the_kernel_made_it = reinterpret_cast<intptr_t>(argv[-1]) == argc &&
                                       environ == argv + argc + 1 &&
                                       reinterpret_cast<uintptr_t>(argv - 1) % 16 == 0;
    if (!as_the_kernel_made_it)
        return NULL;
    char **end = environ;
    while (*end != NULL)
        ++end;
    return reinterpret_cast<Elf64_auxv_t *>(end + 1);
}

Elf64_auxv_t *find(Elf64_auxv_t *vector, uint64_t type) {
    for (; vector->a_type != AT_NULL; ++vector)
        if (vector->a_type == type)
            return vector;
    return NULL;
}

__attribute__((noreturn)) void jump(char **argv, const unsigned char *entry) {
    // %rdx is a function to call at exit: there is none. %rbp marks the outermost frame.
    __asm__ volatile("mov %0, %%rsp\n\t"
                     "xor %%edx, %%edx\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "jmp *%1"
                     :
                     : "D"(argv - 1), "S"(entry)
                     : "memory");
    __builtin_unreachable();
}

// Returns only on failure. The C library of this program has no thread and no handler that could
// disturb; the memory of its thread, which the kernel knows, stays in place.
void become_by_load(unsigned char *executable, int argc, char **argv) {
    Elf64_auxv_t *const vector = auxiliary_vector(argc, argv);
    if (vector == NULL)
        return;
    Elf64_auxv_t *const headers = find(vector, AT_PHDR);
    Elf64_auxv_t *const header_count = find(vector, AT_PHNUM);
    Elf64_auxv_t *const start = find(vector, AT_ENTRY);
    Elf64_auxv_t *const interpreter = find(vector, AT_BASE);
    if (headers == NULL || header_count == NULL || start == NULL || interpreter == NULL)
        return;
    unsigned char *const base = map_segments(executable);
    if (base == NULL)
        return;

    // The program relocates itself, knowing its place from these.
    const Elf64_Ehdr *const header = header_of(executable);
    const unsigned char *const entry = base + header->e_entry;
    headers->a_un.a_val = reinterpret_cast<uintptr_t>(base + header->e_phoff);
    header_count->a_un.a_val = header->e_phnum;
    start->a_un.a_val = reinterpret_cast<uintptr_t>(entry);
    interpreter->a_un.a_val = 0;
    release(executable, executable_size);
    jump(argv, entry);
}

// --- memfd and file: exec ------------------------------------------------------------------------------

bool write_all(int file, const unsigned char *bytes) {
    for (std::size_t written = 0; written < executable_size;) {
        const ssize_t count = write(file, bytes + written, executable_size - written);
        if (count <= 0)
            return false;
        written += static_cast<std::size_t>(count);
    }
    return true;
}

// Executes an open file without a name. Returns only on failure.
void execute(int file, char **argv) {
    syscall(SYS_execveat, file, "", argv, environ, AT_EMPTY_PATH);
    char path[32];  // for Linux before 3.19, and sandboxes older than that call
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    execve(path, argv, environ);
}

void become_by_memfd(const unsigned char *executable, char **argv) {
    const unsigned close_on_exec = 1;
    const int file = static_cast<int>(syscall(SYS_memfd_create, "otrera", close_on_exec));
    if (file < 0)
        return;
    if (write_all(file, executable))
        execute(file, argv);
    close(file);
}

bool create(const char *path, const unsigned char *executable) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (file < 0)
        return false;
    const bool whole = write_all(file, executable);
    close(file);
    if (!whole)
        unlink(path);
    return whole;
}

void become_by_file(const char *folder, const unsigned char *executable, char **argv) {
    char path[64];
    std::snprintf(path, sizeof path, "%s/otrera-%ld", folder, static_cast<long>(getpid()));
    if (!create(path, executable))
        return;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    unlink(path);
    if (file >= 0) {
        execute(file, argv);
        close(file);
    }
    // Without /proc the file needs a name to be executed, and stays behind.
    if (create(path, executable)) {
        execve(path, argv, environ);
        unlink(path);
    }
}

// True if this way is allowed.
bool admitted(const char *way) {
    const char *const only = std::getenv("OTRERA_LAUNCH");
    return only == NULL || std::strcmp(only, way) == 0;
}

}  // namespace

int main(int argc, char **argv) {
    answer_in_case_of_death();
    static char without_threads[] = "otrera-without-threads";
    if (argc > 0 && !can_start_threads())
        argv[0] = without_threads;  // main.rs knows this name.
    unsigned char *const executable = unpack_executable();
    if (executable != NULL) {
        if (admitted("load"))
            become_by_load(executable, argc, argv);
        if (admitted("memfd"))
            become_by_memfd(executable, argv);
        if (admitted("file"))
            for (std::size_t i = 0; i < sizeof folders / sizeof *folders; ++i)
                become_by_file(folders[i], executable, argv);
    }
    std::fputs("otrera: cannot start the program on this system; a weak player answers\n", stderr);
    answer_turn();
    return 0;
}

// --- the executable, put here by make_botzone.py ---------------------------------------------------------

const std::size_t executable_size = EXECUTABLE_SIZE;
const std::size_t code_start = CODE_START, code_size = CODE_SIZE;
const std::size_t text_size = TEXT_SIZE;
const char text[] = TEXT_LITERAL;
