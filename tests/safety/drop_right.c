/* Drops CAP_SYS_NICE from a thread once it is real-time: from there on the kernel applies to it the
 * rules for an ordinary user with a limit on real-time priority. */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *parameter) {
    int code = (int)syscall(SYS_sched_setscheduler, pid, policy, parameter);
    int base = policy & ~SCHED_RESET_ON_FORK;
    if (code == 0 && pid == 0 && (base == SCHED_FIFO || base == SCHED_RR)) {
        struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
        struct __user_cap_data_struct sets[2];
        if (syscall(SYS_capget, &header, sets) == 0) {
            sets[0].effective &= ~(1u << CAP_SYS_NICE);
            sets[0].permitted &= ~(1u << CAP_SYS_NICE);
            sets[0].inheritable &= ~(1u << CAP_SYS_NICE);
            syscall(SYS_capset, &header, sets);
        }
    }
    return code;
}
