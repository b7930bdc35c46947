/* A slow disk, for bench/failover.py: preloaded into PostgreSQL, it lets every fsync and fdatasync
   take so many milliseconds longer as the file says that SLOW_SYNC names (none: no longer). */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void wait_as_told(void) {
    const char *path = getenv("SLOW_SYNC");
    FILE *file = path ? fopen(path, "r") : NULL;
    long milliseconds = 0;
    if (!file) return;
    if (fscanf(file, "%ld", &milliseconds) != 1) milliseconds = 0;
    fclose(file);
    /* As of a disk: a signal does not end it. */
    struct timespec left = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
}

int fsync(int descriptor) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_as_told();
    return real(descriptor);
}

int fdatasync(int descriptor) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_as_told();
    return real(descriptor);
}
