// Otrera for Botzone, when the executable lies in the user storage: starts data/otrera.
//
// A bot of its own, for whoever would rather upload the executable (dist/otrera) than the large source of
// `make botzone`. The storage may not keep the right to execute a file: a copy in memory is executed.

#include <cstdio>

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int, char **argv) {
    const unsigned close_on_exec = 1;
    const int program = open("data/otrera", O_RDONLY | O_CLOEXEC);
    if (program >= 0) {
        const int copy = static_cast<int>(syscall(SYS_memfd_create, "otrera", close_on_exec));
        while (sendfile(copy, program, nullptr, 1 << 20) > 0) {
        }
        fexecve(copy, argv, environ);
    }
    std::perror("data/otrera could not be started");
    return 1;
}
