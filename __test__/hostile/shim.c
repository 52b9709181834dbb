/*
 * Loaded before a process (LD_PRELOAD): comes between it and the disk, for all files under one directory.
 *
 * HOSTILE_ROOT     that directory, an absolute path without links
 * HOSTILE_CONTROL  a file of `struct control`, which the test changes while the process runs
 * HOSTILE_LOG      optional: every change is appended here, in the order in which it reached the disk
 *
 * An entry of the log: kind (1 byte), 7 bytes of nothing, inode, position, length of a, length of b (8 bytes each, the
 * machine's order), then a and b. `disk.ts` reads it. What is mapped into memory is not seen: SQLite maps its index
 * (-shm) alone, which it makes again at the next start.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
  uint64_t changes;    /* counted here: every change */
  uint64_t takers;     /* counted here: changes that need room on the disk */
  uint64_t kill_at;    /* this change is the last; of a write, the first half happens */
  uint64_t full_from;  /* from this taker on there is no room; 0: never */
  uint64_t full_until; /* from this one on there is room again */
  int64_t shift_s;     /* seconds by which the wall clock is off */
};

static struct control none, *control = &none;
static char root[PATH_MAX];
static size_t root_length;
static int log_fd = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void start(void) {
  const char *place = getenv("HOSTILE_ROOT"), *shared = getenv("HOSTILE_CONTROL"), *record = getenv("HOSTILE_LOG");
  if (!place || !shared || root_length) return;
  int fd = syscall(SYS_openat, AT_FDCWD, shared, O_RDWR | O_CLOEXEC);
  void *map = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) _exit(99);
  syscall(SYS_close, fd);
  control = map;
  if (record) log_fd = syscall(SYS_openat, AT_FDCWD, record, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  snprintf(root, sizeof root, "%s/", place);
  root_length = strlen(root);
}

static int inside(const char *path) {
  return root_length && (!strncmp(path, root, root_length) || (!strncmp(path, root, root_length - 1) && !path[root_length - 1]));
}

/* The path of a call with a directory: whole, or as it was given. */
static const char *whole(int directory, const char *path, char *buffer) {
  char link[64];
  if (path[0] == '/' || directory == AT_FDCWD || !root_length) return path;
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  if (length < 0) return path;
  snprintf(buffer + length, PATH_MAX - length, "/%s", path);
  return buffer;
}

/* Whether a descriptor is of a file or directory inside; its inode and path. */
static int held(int fd, uint64_t *inode, char *path) {
  char link[64];
  struct stat found;
  if (!root_length || fd < 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (!inside(path) || fstat(fd, &found) || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) return 0;
  *inode = found.st_ino;
  return S_ISDIR(found.st_mode) ? 2 : 1;
}

static void append(char kind, uint64_t inode, uint64_t position, const void *a, size_t a_length, const void *b, size_t b_length) {
  uint64_t head[5] = {(unsigned char)kind, inode, position, a_length, b_length};
  struct iovec parts[3] = {{head, sizeof head}, {(void *)a, a_length}, {(void *)b, b_length}};
  if (log_fd >= 0 && syscall(SYS_writev, log_fd, parts, 3) < 0) _exit(98);
}

/* Counts a change. 0: it may happen; 1: it is the last, so only half of it; -1: there is no room. */
static int admit(int takes_room) {
  uint64_t change = ++control->changes;
  if (takes_room) {
    uint64_t taker = ++control->takers;
    if (control->full_from && taker >= control->full_from && taker < control->full_until) {
      errno = ENOSPC;
      return -1;
    }
  }
  return control->kill_at && change >= control->kill_at;
}

static void die(void) {
  raise(SIGKILL);
}

static ssize_t write_at(int fd, const void *bytes, size_t count, off_t position, int is_placed) {
  uint64_t inode;
  char path[PATH_MAX];
  int is_ours = held(fd, &inode, path) == 1;
  if (is_ours) {
    pthread_mutex_lock(&turn);
    int fate = admit(1);
    if (fate < 0) {
      pthread_mutex_unlock(&turn);
      return -1;
    }
    if (!is_placed) position = fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
    if (fate) {
      syscall(SYS_pwrite64, fd, bytes, count / 2, position);
      die();
    }
  }
  ssize_t done = is_placed ? syscall(SYS_pwrite64, fd, bytes, count, position) : syscall(SYS_write, fd, bytes, count);
  if (is_ours) {
    int error = errno;
    if (done > 0) append('W', inode, position, bytes, done, "", 0);
    pthread_mutex_unlock(&turn);
    errno = error;
  }
  return done;
}

ssize_t write(int fd, const void *bytes, size_t count) { return write_at(fd, bytes, count, 0, 0); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t position) { return write_at(fd, bytes, count, position, 1); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t position) { return write_at(fd, bytes, count, position, 1); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  uint64_t inode;
  char path[PATH_MAX];
  if (held(fd, &inode, path) != 1) return syscall(SYS_writev, fd, parts, count);
  /* A short write: the caller goes on with the rest. */
  for (int part = 0; part < count; part++)
    if (parts[part].iov_len) return write(fd, parts[part].iov_base, parts[part].iov_len);
  return 0;
}

/* A change of names: `act` does it, then it is logged. */
#define CHANGE(takes_room, act, kind, inode, position, a, b)                                  \
  pthread_mutex_lock(&turn);                                                                  \
  int fate = admit(takes_room);                                                               \
  if (fate > 0) die();                                                                        \
  long result = fate < 0 ? -1 : (act);                                                        \
  int error = errno;                                                                          \
  if (result >= 0) append(kind, inode, position, a, strlen(a), b, strlen(b));                 \
  pthread_mutex_unlock(&turn);                                                                \
  errno = error;                                                                              \
  return result

static int open_at(int directory, const char *path, int flags, mode_t mode) {
  char buffer[PATH_MAX];
  struct stat found;
  const char *place = whole(directory, path, buffer);
  int is_new = flags & O_CREAT && inside(place) && lstat(place, &found);
  int is_emptied = !is_new && flags & O_TRUNC && inside(place) && !stat(place, &found) && S_ISREG(found.st_mode);
  if (!is_new && !is_emptied) return syscall(SYS_openat, directory, path, flags, mode);
  pthread_mutex_lock(&turn);
  int fate = admit(is_new);
  if (fate > 0) die();
  int fd = fate < 0 ? -1 : syscall(SYS_openat, directory, path, flags, mode);
  int error = errno;
  if (fd >= 0 && !fstat(fd, &found)) {
    if (is_new) append('C', found.st_ino, 0, place, strlen(place), "", 0);
    else append('T', found.st_ino, 0, "", 0, "", 0);
  }
  pthread_mutex_unlock(&turn);
  errno = error;
  return fd;
}

#define MODE                          \
  mode_t mode = 0;                    \
  if (flags & (O_CREAT | O_TMPFILE)) {\
    va_list more;                     \
    va_start(more, flags);            \
    mode = va_arg(more, mode_t);      \
    va_end(more);                     \
  }
int open(const char *path, int flags, ...) { MODE return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return open_at(AT_FDCWD, path, flags, mode); }
int openat(int directory, const char *path, int flags, ...) { MODE return open_at(directory, path, flags, mode); }
int openat64(int directory, const char *path, int flags, ...) { MODE return open_at(directory, path, flags, mode); }

static int truncate_to(int fd, off_t length) {
  uint64_t inode;
  char path[PATH_MAX];
  if (held(fd, &inode, path) != 1) return syscall(SYS_ftruncate, fd, length);
  CHANGE(0, syscall(SYS_ftruncate, fd, length), 'T', inode, length, "", "");
}
int ftruncate(int fd, off_t length) { return truncate_to(fd, length); }
int ftruncate64(int fd, off64_t length) { return truncate_to(fd, length); }

static int synchronise(int fd, long call) {
  uint64_t inode;
  char path[PATH_MAX];
  int what = held(fd, &inode, path);
  if (!what) return syscall(call, fd);
  CHANGE(0, syscall(call, fd), what == 2 ? 'D' : 'S', inode, 0, path, "");
}
int fsync(int fd) { return synchronise(fd, SYS_fsync); }
int fdatasync(int fd) { return synchronise(fd, SYS_fdatasync); }

int rename(const char *from, const char *to) {
  if (!inside(from) && !inside(to)) return REAL(rename)(from, to);
  CHANGE(1, syscall(SYS_rename, from, to), 'R', 0, 0, from, to);
}

int unlinkat(int directory, const char *path, int flags) {
  char buffer[PATH_MAX];
  const char *place = whole(directory, path, buffer);
  if (!inside(place)) return syscall(SYS_unlinkat, directory, path, flags);
  CHANGE(0, syscall(SYS_unlinkat, directory, path, flags), 'U', 0, 0, place, "");
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  struct stat found;
  return unlinkat(AT_FDCWD, path, !lstat(path, &found) && S_ISDIR(found.st_mode) ? AT_REMOVEDIR : 0);
}

int mkdir(const char *path, mode_t mode) {
  if (!inside(path)) return syscall(SYS_mkdir, path, mode);
  CHANGE(1, syscall(SYS_mkdir, path, mode), 'M', 0, 0, path, "");
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = REAL(clock_gettime)(clock, now);
  if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += control->shift_s;
  return result;
}
int gettimeofday(struct timeval *now, void *zone) {
  int result = REAL(gettimeofday)(now, zone);
  if (!result) now->tv_sec += control->shift_s;
  return result;
}
time_t time(time_t *now) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (now) *now = found.tv_sec;
  return found.tv_sec;
}
