/*
 * Loaded into a server with LD_PRELOAD: logs every change to files under DISK_LOG_ROOT, and every request to write
 * them to the disk, to the file DISK_LOG. storage-power-cut.ts makes from it what a power cut would leave.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
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

static void note(char kind, const char *path, uint64_t offset, const void *data, uint64_t bytes) {
  const char *root = getenv("DISK_LOG_ROOT");
  if (root == NULL || strncmp(path, root, strlen(root)) != 0) return;
  struct record record = {(uint32_t)kind, (uint32_t)strlen(path), offset, data == NULL ? 0 : bytes};
  struct iovec parts[] = {
      {&record, sizeof record}, {(void *)path, record.path_bytes}, {(void *)data, record.data_bytes}};
  /* One call, so that records of several threads and processes do not mix. */
  if (writev(log_file(), parts, 3) < 0) abort();
}

static void note_file(char kind, int file, uint64_t offset, const void *data, uint64_t bytes) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  note(kind, path, offset, data, bytes);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *data, size_t bytes) {
  ssize_t written = REAL(write)(file, data, bytes);
  if (written > 0) {
    off_t end = lseek(file, 0, SEEK_CUR);
    if (end >= 0) note_file('w', file, end - written, data, written);
  }
  return written;
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset) {
  ssize_t written = REAL(pwrite)(file, data, bytes, offset);
  if (written > 0) note_file('w', file, offset, data, written);
  return written;
}

ssize_t pwrite64(int file, const void *data, size_t bytes, off64_t offset) {
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
