#ifndef VOLLEY_CPOSIX_H
#define VOLLEY_CPOSIX_H

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

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

// O_DIRECT, which Swift sees in no header, and which each architecture has for itself.
#if defined(__aarch64__) || defined(__arm__)
static const int cposix_direct = 0200000;
#else
static const int cposix_direct = 040000;
#endif
// RENAME_NOREPLACE.
static const unsigned int cposix_rename_noreplace = 1;

// As of <linux/sched/types.h>, which does not go with <sched.h> on each system.
struct cposix_sched_attr {
    unsigned int size, policy;
    unsigned long long flags;
    int nice;
    unsigned int priority;
    unsigned long long runtime, deadline, period;
};

// A thread's slice in nanoseconds, 0 for the calling thread; -1 where the kernel does not say.
static inline long long cposix_slice(int thread) {
    struct cposix_sched_attr attributes;
    if (syscall(SYS_sched_getattr, thread, &attributes, sizeof attributes, 0) != 0) return -1;
    return attributes.policy == SCHED_OTHER ? (long long)attributes.runtime : -1;
}

// Gives the calling thread another slice, where nobody has given it another class.
static inline void cposix_set_slice(unsigned long long nanoseconds, int is_inherited) {
    struct cposix_sched_attr attributes;
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
    if (attributes.policy != SCHED_OTHER) return;
    // SCHED_FLAG_RESET_ON_FORK.
    if (!is_inherited) attributes.flags |= 1;
    attributes.runtime = nanoseconds;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

#endif
