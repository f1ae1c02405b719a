/* For FailingDiskSystemTest: looks at names that contain "failing" fail like a bad disk, while the file named by FAIL_WHILE is there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fails(const char *path) {
    const char *flag = getenv("FAIL_WHILE");
    if (!path || !flag || !strstr(path, "failing") || access(flag, F_OK)) return 0;
    errno = EIO;
    return 1;
}

#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int stat64(const char *path, struct stat64 *out) {
    NEXT(stat64);
    return fails(path) ? -1 : next(path, out);
}

int lstat64(const char *path, struct stat64 *out) {
    NEXT(lstat64);
    return fails(path) ? -1 : next(path, out);
}

int fstatat64(int folder, const char *path, struct stat64 *out, int flags) {
    NEXT(fstatat64);
    return fails(path) ? -1 : next(folder, path, out, flags);
}

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *out) {
    NEXT(statx);
    return fails(path) ? -1 : next(folder, path, flags, mask, out);
}
