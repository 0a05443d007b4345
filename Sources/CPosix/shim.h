#ifndef VOLLEY_CPOSIX_H
#define VOLLEY_CPOSIX_H

#include <malloc.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timex.h>

// GNU extensions that Swift's Glibc module leaves out.
extern int pthread_setname_np(pthread_t thread, const char *name);
extern int syncfs(int file);
extern int memfd_create(const char *name, unsigned int flags);
extern int renameat2(int folder, const char *name, int other_folder, const char *other_name, unsigned int flags);

// Enumerators in C, macros in Swift's eyes.
static const int cposix_efd_flags = EFD_CLOEXEC | EFD_NONBLOCK;
static const int cposix_inotify_flags = IN_CLOEXEC | IN_NONBLOCK;
// MFD_CLOEXEC.
static const unsigned int cposix_memfd_flags = 1;
// RENAME_NOREPLACE.
static const unsigned int cposix_rename_noreplace = 1;

#endif
