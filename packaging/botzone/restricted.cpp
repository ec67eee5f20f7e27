// Runs a command as in a judge's sandbox that forbids some system calls (seccomp).
//
//     restricted RULE,... /path/of/command [ARGUMENTS]
//
// The rules:
//   exec      execve and execveat kill the process; only the command itself is started
//   code      no memory becomes code: mprotect refuses PROT_EXEC
//   memfd     memfd_create is refused
//   execveat  execveat is refused
//   refuse=N  the system call with the number N fails (EPERM); likewise
//   trap=N    it sends SIGSYS, which the process can handle, and
//   kill=N    it kills the process
// The launcher's tests use it. It costs one more exec.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

const std::uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;

struct Rule {
    const char *name;
    std::uint32_t call;
    std::uint32_t rights;  // if not 0: only calls whose third argument has one of these bits
    std::uint32_t action;
};

const Rule rules[] = {
    {"exec", SYS_execve, 0, SECCOMP_RET_KILL},   {"exec", SYS_execveat, 0, SECCOMP_RET_KILL},
    {"code", SYS_mprotect, PROT_EXEC, refuse},   {"memfd", SYS_memfd_create, 0, refuse},
    {"execveat", SYS_execveat, 0, refuse},
};

using Filter = std::vector<sock_filter>;

void load(Filter &filter, std::size_t offset) {
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
}

// Continues if the condition holds, else skips the given number of instructions.
void require(Filter &filter, std::uint16_t condition, std::uint32_t value, std::uint8_t passed_over) {
    filter.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | condition | BPF_K), value, 0, passed_over));
}

void decide(Filter &filter, std::uint32_t action) {
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, action));
}

// The command itself must start: its name is the only one at this address.
void allow_exec_of(Filter &filter, const char *path) {
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(path);
    load(filter, offsetof(seccomp_data, nr));
    require(filter, BPF_JEQ, SYS_execve, 5);
    load(filter, offsetof(seccomp_data, args[0]));
    require(filter, BPF_JEQ, static_cast<std::uint32_t>(address), 3);
    load(filter, offsetof(seccomp_data, args[0]) + 4);
    require(filter, BPF_JEQ, static_cast<std::uint32_t>(address >> 32), 1);
    decide(filter, SECCOMP_RET_ALLOW);
}

void add(Filter &filter, const Rule &rule) {
    load(filter, offsetof(seccomp_data, nr));
    require(filter, BPF_JEQ, rule.call, rule.rights == 0 ? 1 : 3);
    if (rule.rights != 0) {
        load(filter, offsetof(seccomp_data, args[2]));
        require(filter, BPF_JSET, rule.rights, 1);
    }
    decide(filter, rule.action);
}

// Adds a rule like refuse=N; false if it is none.
bool add_numbered(Filter &filter, const std::string &rule) {
    const std::size_t sign = rule.find('=');
    if (sign == std::string::npos)
        return false;
    const std::string action = rule.substr(0, sign);
    Rule numbered = {"", static_cast<std::uint32_t>(std::strtoul(rule.c_str() + sign + 1, nullptr, 10)), 0, refuse};
    if (action == "trap")
        numbered.action = SECCOMP_RET_TRAP;
    else if (action == "kill")
        numbered.action = SECCOMP_RET_KILL_PROCESS;
    else if (action != "refuse")
        return false;
    add(filter, numbered);
    return true;
}

// Adds the rule of this name; false if there is none.
bool add_named(Filter &filter, const std::string &name) {
    bool known = add_numbered(filter, name);
    for (const Rule &rule : rules) {
        if (name == rule.name) {
            add(filter, rule);
            known = true;
        }
    }
    return known;
}

bool add_list(Filter &filter, const std::string &names) {
    std::size_t start = 0, comma;
    do {
        comma = names.find(',', start);
        if (!add_named(filter, names.substr(start, comma - start)))
            return false;
        start = comma + 1;
    } while (comma != std::string::npos);
    return true;
}

bool install(Filter &filter) {
    const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

int main(int argc, char **argv) {
    Filter filter;
    if (argc >= 3)
        allow_exec_of(filter, argv[2]);
    if (argc < 3 || !add_list(filter, argv[1])) {
        std::fputs("usage: restricted exec|code|memfd|execveat|refuse=N|trap=N|kill=N,... /path/of/command [ARGUMENTS]\n", stderr);
        return 2;
    }
    decide(filter, SECCOMP_RET_ALLOW);
    if (install(filter))
        execv(argv[2], argv + 2);
    std::fprintf(stderr, "restricted: %s: %s\n", argv[2], std::strerror(errno));
    return 126;
}
