// Otrera for Botzone: a C++ source that carries a finished program and becomes it.
//
// Botzone takes C++ but no Rust. So Otrera is built as a static Linux executable for x86-64, and
// make_botzone.py writes it, compressed and in base64, at the end of this file. What runs after main() below is that
// executable, in the same process: with the same arguments, environment, files and clocks.
//
// It gets there by the first of three ways that the system allows:
//   load   this process maps the executable's segments and jumps into it: neither exec nor a file
//   memfd  a file that exists in memory only, and exec
//   file   a file in /tmp, in data/ (Botzone's user storage) or here, and exec; it is deleted at once
// The environment variable OTRERA_LAUNCH, set to one of these words, admits no other way: for tests.
//
// Kept to what g++ 5.4, glibc 2.23 and Linux 3.17 know, without warnings as C++11, C++14 and C++17.

#if !defined(__linux__) || !defined(__x86_64__)
#error "the executable inside is for Linux on x86-64"
#endif

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

// The executable file as an LZ4 block; all are defined on the last lines.
extern const std::size_t executable_size;
extern const std::size_t compressed_size;
extern const char compressed_base64[];

namespace {

const std::uintptr_t page_size = 4096;
const char *const folders[] = {"/tmp", "data", "."};

unsigned char *allocate(std::size_t size) {
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<unsigned char *>(memory);
}

void release(unsigned char *memory, std::size_t size) {
    munmap(memory, size);
}

// Decodes base64 into this many bytes, and up to two more.
void decode_base64(const char *text, unsigned char *bytes, std::size_t size) {
    const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::uint32_t value[256] = {};
    for (std::uint32_t i = 0; i < 64; i++)
        value[static_cast<unsigned char>(digits[i])] = i;

    const unsigned char *four = reinterpret_cast<const unsigned char *>(text);
    for (std::size_t i = 0; i < size; i += 3, four += 4) {
        const std::uint32_t bits =
            value[four[0]] << 18 | value[four[1]] << 12 | value[four[2]] << 6 | value[four[3]];
        bytes[i] = static_cast<unsigned char>(bits >> 16);
        bytes[i + 1] = static_cast<unsigned char>(bits >> 8);
        bytes[i + 2] = static_cast<unsigned char>(bits);
    }
}

// A length of LZ4: four bits of the token, and if they are all set, bytes to add until one is not full.
std::size_t read_length(unsigned token_bits, const unsigned char *&in) {
    std::size_t length = token_bits;
    if (token_bits == 15) {
        unsigned more;
        do {
            more = *in++;
            length += more;
        } while (more == 255);
    }
    return length;
}

// Expands an LZ4 block: again and again a token, bytes to be taken as they are, and how far back, in two bytes, to
// find what follows. The last bytes are taken as they are. What make_botzone.py wrote is trusted.
void expand(const unsigned char *in, const unsigned char *end, unsigned char *out) {
    const std::size_t shortest_match = 4;
    while (in != end) {
        const unsigned token = *in++;
        const std::size_t literals = read_length(token >> 4, in);
        std::memcpy(out, in, literals);
        in += literals;
        out += literals;
        if (in == end)
            return;
        const unsigned char *match = out - (in[0] | in[1] << 8);
        in += 2;
        // Byte by byte: a match may reach into what it writes.
        for (std::size_t left = shortest_match + read_length(token & 15, in); left > 0; --left)
            *out++ = *match++;
    }
}

// Unpacks the executable into memory that is to be released.
unsigned char *unpack_executable() {
    const std::size_t with_rest = compressed_size + 2;
    unsigned char *const compressed = allocate(with_rest);
    if (compressed == nullptr)
        return nullptr;
    decode_base64(compressed_base64, compressed, compressed_size);
    unsigned char *const executable = allocate(executable_size);
    if (executable != nullptr)
        expand(compressed, compressed + compressed_size, executable);
    release(compressed, with_rest);
    return executable;
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
    if (base == nullptr)
        return nullptr;
    for (const Elf64_Phdr *segment = first; segment != last; ++segment) {
        if (segment->p_type != PT_LOAD)
            continue;
        // No two segments share a page (make_botzone.py has checked that), so each gets its own rights.
        std::memcpy(base + segment->p_vaddr, executable + segment->p_offset, segment->p_filesz);
        const std::size_t in_page = segment->p_vaddr % page_size;
        if (mprotect(base + segment->p_vaddr - in_page, in_page + segment->p_memsz, protection(*segment)) != 0) {
            release(base, size);  // Some systems let no memory become code.
            return nullptr;
        }
    }
    return base;
}

// The kernel starts a program with this on its stack: argc, argv, null, environment, null, auxiliary vector.
// It is still there, and the stack of the new program can begin where that of this one began.
Elf64_auxv_t *auxiliary_vector(int argc, char **argv) {
    const bool as_the_kernel_made_it = reinterpret_cast<std::intptr_t>(argv[-1]) == argc &&
                                       environ == argv + argc + 1 &&
                                       reinterpret_cast<std::uintptr_t>(argv - 1) % 16 == 0;
    if (!as_the_kernel_made_it)
        return nullptr;
    char **end = environ;
    while (*end != nullptr)
        ++end;
    return reinterpret_cast<Elf64_auxv_t *>(end + 1);
}

Elf64_auxv_t *find(Elf64_auxv_t *vector, std::uint64_t type) {
    for (; vector->a_type != AT_NULL; ++vector)
        if (vector->a_type == type)
            return vector;
    return nullptr;
}

// The text is not needed any more. These pages of the file leave the memory of the process.
void drop_base64() {
    const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(compressed_base64);
    const std::uintptr_t first_page = (start + page_size - 1) / page_size * page_size;
    const std::uintptr_t end = (start + compressed_size / 3 * 4) / page_size * page_size;
    if (first_page < end)
        madvise(reinterpret_cast<void *>(first_page), end - first_page, MADV_DONTNEED);
}

[[noreturn]] void jump(char **argv, const unsigned char *entry) {
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

// Comes back only if it is impossible. The C library of this program has no thread and no handler that could
// disturb, and what it told the kernel of (the memory of its thread) stays where it is.
void become_by_load(unsigned char *executable, int argc, char **argv) {
    Elf64_auxv_t *const vector = auxiliary_vector(argc, argv);
    if (vector == nullptr)
        return;
    Elf64_auxv_t *const headers = find(vector, AT_PHDR);
    Elf64_auxv_t *const header_count = find(vector, AT_PHNUM);
    Elf64_auxv_t *const start = find(vector, AT_ENTRY);
    Elf64_auxv_t *const interpreter = find(vector, AT_BASE);
    if (headers == nullptr || header_count == nullptr || start == nullptr || interpreter == nullptr)
        return;
    unsigned char *const base = map_segments(executable);
    if (base == nullptr)
        return;

    // The program relocates itself, knowing its place from these.
    const Elf64_Ehdr *const header = header_of(executable);
    const unsigned char *const entry = base + header->e_entry;
    headers->a_un.a_val = reinterpret_cast<std::uintptr_t>(base + header->e_phoff);
    header_count->a_un.a_val = header->e_phnum;
    start->a_un.a_val = reinterpret_cast<std::uintptr_t>(entry);
    interpreter->a_un.a_val = 0;
    release(executable, executable_size);
    drop_base64();
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

// Executes an open file that has no name. Comes back only if it is impossible.
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
    // Where neither works, without /proc, it must have a name to be executed, and stays behind.
    if (create(path, executable)) {
        execve(path, argv, environ);
        unlink(path);
    }
}

}  // namespace

int main(int argc, char **argv) {
    const char *const only = std::getenv("OTRERA_LAUNCH");
    const auto admitted = [only](const char *way) { return only == nullptr || std::strcmp(only, way) == 0; };
    unsigned char *const executable = unpack_executable();
    if (executable != nullptr) {
        if (admitted("load"))
            become_by_load(executable, argc, argv);
        if (admitted("memfd"))
            become_by_memfd(executable, argv);
        if (admitted("file"))
            for (const char *folder : folders)
                become_by_file(folder, executable, argv);
    }
    std::fputs("otrera: the system allows none of the ways to start the program\n", stderr);
    return 1;
}

// --- the executable, put here by make_botzone.py ---------------------------------------------------------

const std::size_t executable_size = EXECUTABLE_SIZE;
const std::size_t compressed_size = COMPRESSED_SIZE;
const char compressed_base64[] = COMPRESSED_BASE64;
