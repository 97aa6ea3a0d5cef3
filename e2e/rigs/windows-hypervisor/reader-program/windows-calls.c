/* Stands in for the calls of Windows that the reader of disks makes: a disk is a file here, read at the offset of the request. Only whole sectors of 4096 bytes are read. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Far from what Mono's own tables of handles have. */
#define FIRST 0x100000
#define SECTOR 4096

struct overlapped { intptr_t low, high; uint32_t offset_low, offset_high; void *event; };
static __thread int last_error;

static int file_of(void *handle) { return (int)((intptr_t)handle - FIRST); }

uint32_t OpenVirtualDisk(void *type, const uint16_t *path, uint32_t access, uint32_t flags, const uint32_t *parameters, void **handle) {
    char name[1024];
    size_t length = 0;
    (void)type;
    for (; path[length] != 0 && length < sizeof name - 1; length++) name[length] = (char)path[length];
    name[length] = 0;
    /* Version 2, read-only, no access mask: what the documents ask for. */
    if (access != 0 || flags != 0 || parameters[0] != 2 || parameters[2] != 1) return 87;
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 2;
    *handle = (void *)(intptr_t)(file + FIRST);
    return 0;
}

uint32_t GetVirtualDiskInformation(void *handle, uint32_t *size, uint8_t *info, void *used) {
    struct stat found;
    uint32_t version, sector = 512;
    (void)used;
    memcpy(&version, info, 4);
    if (version != 1 || *size < 32 || fstat(file_of(handle), &found) != 0) return 87;
    uint64_t bytes = (uint64_t)found.st_size;
    memcpy(info + 8, &bytes, 8);
    memcpy(info + 28, &sector, 4);
    return 0;
}

uint32_t AttachVirtualDisk(void *handle, void *descriptor, uint32_t flags, uint32_t specific, const uint32_t *parameters, void *overlapped) {
    (void)handle;
    return descriptor == NULL && overlapped == NULL && flags == 9 && specific == 0 && parameters[0] == 1 ? 0 : 87;
}

int ReadFile(void *handle, void *buffer, uint32_t count, void *read, struct overlapped *at) {
    struct stat found;
    off_t offset = (off_t)at->offset_high << 32 | at->offset_low;
    (void)read;
    fstat(file_of(handle), &found);
    int is_end = offset + (off_t)count == found.st_size;
    if (offset % SECTOR != 0 || (count % SECTOR != 0 && !is_end) || (uintptr_t)buffer % SECTOR != 0) { last_error = 87; return 0; }
    /* Half of it at a time: a read may be short. */
    uint32_t most = count > 2 * SECTOR ? count / 2 / SECTOR * SECTOR : count;
    ssize_t done = pread(file_of(handle), buffer, most, offset);
    at->high = done;
    return done >= 0;
}

int GetOverlappedResult(void *handle, struct overlapped *at, uint32_t *read, int wait) {
    (void)handle;
    (void)wait;
    *read = (uint32_t)at->high;
    return 1;
}

void *GetCurrentProcess(void) { return (void *)-1; }
int CloseHandle(void *handle) { (void)handle; return 1; }
int OpenProcessToken(void *process, uint32_t access, void **token) { (void)process; (void)access; *token = (void *)1; return 1; }
int LookupPrivilegeValueW(const uint16_t *system, const uint16_t *name, int64_t *luid) { (void)system; (void)name; *luid = 28; return 1; }
int AdjustTokenPrivileges(void *token, int all, void *state, uint32_t length, void *previous, void *needed) { (void)token; (void)all; (void)state; (void)length; (void)previous; (void)needed; return 1; }
