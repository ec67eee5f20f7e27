// Otrera for Botzone with the executable in the user storage: starts data/otrera.
//
// Upload dist/otrera to the storage and submit this source instead of that of `make botzone`. The storage may drop the
// right to execute a file, so a copy in memory is executed.

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
