/* Starts a program as the SAU platform does: with an empty command line, not even its own name in it, and
   passes its exit status on. Compiled by test_sau.py. */
#include <windows.h>

int main(int count, char **arguments)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    char command_line[] = "";
    DWORD status = 1;

    if (count != 2 || !CreateProcessA(arguments[1], command_line, NULL, NULL, TRUE, 0, NULL, NULL,
                                      &startup, &process))
        return 111;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &status);
    return status;
}
