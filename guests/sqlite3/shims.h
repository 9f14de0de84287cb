/* What SQLite and its shell ask of POSIX that wasi-libc does not have: in guest.c. */
#ifndef SHIMS_H
#define SHIMS_H

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

int system(const char *command);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *f);
int fchmod(int fd, mode_t mode);
int fchown(int fd, uid_t uid, gid_t gid);
uid_t geteuid(void);
uid_t getuid(void);
mode_t umask(mode_t mask);
int chmod(const char *path, mode_t mode);

#endif
