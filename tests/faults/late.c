/* A clock and a sleep that misbehave on purpose, preloaded into a program under test.
 *
 * JITTERSCOPE_FAULT=sleep   every 40th absolute sleep of a thread named measure-* ends 3 ms late
 * JITTERSCOPE_FAULT=brief   every 20th such sleep ends 200 us late
 * JITTERSCOPE_FAULT=work    after every 40th such sleep, the work ends 25 ms late
 * JITTERSCOPE_FAULT=memory  after every 40th such sleep, the next clock read touches 16 MiB of new memory
 * JITTERSCOPE_FAULT=back    after the first 100 such sleeps, the clock shows an hour less, in every thread
 * JITTERSCOPE_FAULT=date    the date is in the year 30000
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#define EVERY 40
#define LATE_NANOS 3000000
#define BRIEF_EVERY 20
#define BRIEF_NANOS 200000
#define WORK_NANOS 25000000
#define BYTES (16UL << 20)
#define SLEEPS_BEFORE_STEP 100
#define STEP_SECS 3600
#define YEAR_30000_SECS 884541340800LL

static __thread unsigned sleeps;
static __thread int due;
static __thread int reads_left;
static volatile int is_back;

static int is_measuring(void) {
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    return strncmp(name, "measure-", 8) == 0;
}

static const char *fault(void) {
    const char *value = getenv("JITTERSCOPE_FAULT");
    return value ? value : "";
}

static void add(struct timespec *time, long nanos) {
    time->tv_nsec += nanos;
    time->tv_sec += time->tv_nsec / 1000000000;
    time->tv_nsec %= 1000000000;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *when, struct timespec *rest) {
    static int (*real)(clockid_t, int, const struct timespec *, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_nanosleep");
    struct timespec late = *when;
    if (is_back && (flags & TIMER_ABSTIME)) {
        late.tv_sec += STEP_SECS;
    } else if (strcmp(fault(), "back") == 0) {
        if (is_measuring() && ++sleeps == SLEEPS_BEFORE_STEP) is_back = 1;
    } else if (strcmp(fault(), "brief") == 0) {
        if ((flags & TIMER_ABSTIME) && is_measuring() && ++sleeps % BRIEF_EVERY == 0) add(&late, BRIEF_NANOS);
    } else if ((flags & TIMER_ABSTIME) && is_measuring() && ++sleeps % EVERY == 0) {
        if (strcmp(fault(), "sleep") == 0) {
            add(&late, LATE_NANOS);
        } else if (strcmp(fault(), "memory") == 0) {
            due = 1;
        } else if (strcmp(fault(), "work") == 0) {
            reads_left = 2;
        }
    }
    return real(clock, flags, &late, rest);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    if (due) {
        due = 0;
        char *memory = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED) {
            madvise(memory, BYTES, MADV_NOHUGEPAGE);
            for (unsigned long at = 0; at < BYTES; at += 4096) memory[at] = 1;
            munmap(memory, BYTES);
        }
    }
    int code = real(clock, now);
    if (is_back && clock == CLOCK_MONOTONIC) now->tv_sec -= STEP_SECS;
    if (clock == CLOCK_REALTIME && strcmp(fault(), "date") == 0) now->tv_sec = YEAR_30000_SECS;
    /* The first read after a sleep is the wake-up, the second one the end of the work. */
    if (reads_left && clock == CLOCK_MONOTONIC && --reads_left == 0) {
        long long end = now->tv_sec * 1000000000LL + now->tv_nsec + WORK_NANOS;
        while (now->tv_sec * 1000000000LL + now->tv_nsec < end) real(clock, now);
    }
    return code;
}
