/*
 * Loaded into a server with LD_PRELOAD: logs every change to files under DISK_LOG_ROOT, and every request to write
 * them to the disk, to the file DISK_LOG. storage-power-cut.ts makes from it what a power cut would leave. Where the
 * file DISK_SPACE exists, it says how many bytes the process may still write there before the disk is full.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct record {
  uint32_t kind;
  uint32_t path_bytes;
  uint64_t offset;
  uint64_t data_bytes;
};

static int log_file(void) {
  static int file = -1;
  const char *path = getenv("DISK_LOG");
  if (file < 0 && path != NULL) file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return file;
}

static int is_watched(const char *path) {
  const char *root = getenv("DISK_LOG_ROOT");
  return root != NULL && strncmp(path, root, strlen(root)) == 0;
}

static void note(char kind, const char *path, uint64_t offset, const void *data, uint64_t bytes) {
  if (log_file() < 0 || !is_watched(path)) return;
  struct record record = {(uint32_t)kind, (uint32_t)strlen(path), offset, data == NULL ? 0 : bytes};
  struct iovec parts[] = {
      {&record, sizeof record}, {(void *)path, record.path_bytes}, {(void *)data, record.data_bytes}};
  /* One call, so that records of several threads and processes do not mix. */
  if (writev(log_file(), parts, 3) < 0) abort();
}

static int path_of(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
  return length > 0;
}

static void note_file(char kind, int file, uint64_t offset, const void *data, uint64_t bytes) {
  char path[PATH_MAX];
  if (path_of(file, path)) note(kind, path, offset, data, bytes);
}

/* Takes the bytes from what is left; no thread-safe count is needed to run out of it. */
static int is_full(int file, size_t bytes) {
  static long long left = -2;
  char path[PATH_MAX];
  if (left == -1 || !path_of(file, path) || !is_watched(path)) return 0;
  if (left == -2) {
    const char *name = getenv("DISK_SPACE");
    FILE *space = name == NULL ? NULL : fopen(name, "r");
    if (space == NULL || fscanf(space, "%lld", &left) != 1) left = -1;
    if (space != NULL) fclose(space);
    if (left == -1) return 0;
  }
  if ((long long)bytes > left) {
    errno = ENOSPC;
    return 1;
  }
  left -= (long long)bytes;
  return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *data, size_t bytes) {
  if (is_full(file, bytes)) return -1;
  ssize_t written = REAL(write)(file, data, bytes);
  if (written > 0) {
    off_t end = lseek(file, 0, SEEK_CUR);
    if (end >= 0) note_file('w', file, end - written, data, written);
  }
  return written;
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset) {
  if (is_full(file, bytes)) return -1;
  ssize_t written = REAL(pwrite)(file, data, bytes, offset);
  if (written > 0) note_file('w', file, offset, data, written);
  return written;
}

ssize_t pwrite64(int file, const void *data, size_t bytes, off64_t offset) {
  if (is_full(file, bytes)) return -1;
  ssize_t written = REAL(pwrite64)(file, data, bytes, offset);
  if (written > 0) note_file('w', file, offset, data, written);
  return written;
}

int ftruncate(int file, off_t length) {
  int result = REAL(ftruncate)(file, length);
  if (result == 0) note_file('t', file, length, NULL, 0);
  return result;
}

int ftruncate64(int file, off64_t length) {
  int result = REAL(ftruncate64)(file, length);
  if (result == 0) note_file('t', file, length, NULL, 0);
  return result;
}

/* Before the call: what another thread writes meanwhile need not be on the disk when it returns. */
int fsync(int file) {
  note_file('s', file, 0, NULL, 0);
  return REAL(fsync)(file);
}

int fdatasync(int file) {
  note_file('s', file, 0, NULL, 0);
  return REAL(fdatasync)(file);
}

int unlink(const char *path) {
  int result = REAL(unlink)(path);
  if (result == 0) note('u', path, 0, NULL, 0);
  return result;
}
