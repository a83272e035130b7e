/* Loaded into the program under test (LD_PRELOAD): makes one system call fail, or kills the process at it. The kernel
 * passes the listed calls to a handler here (seccomp), however they are made, because the program's libraries bypass
 * libc.
 *
 * FAULT_CALLS   numbers of the calls that count, with commas
 * FAULT_AT      which of these calls fails, from 0
 * FAULT_ERRNO   how: an error number; 0 writes a part; -1 kills the process; -2 stops it before the call
 * FAULT_HIT     a file that is made when it happens
 * FAULT_BARE    if set: no unnamed files, no hard links, and no rename that replaces nothing
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "registers of x86-64 only"
#endif

/* The kernel lets only the calls in this function through. */
long direct(long number, long a, long b, long c, long d, long e, long f);
extern char direct_end[];
__asm__(".text\n.globl direct\n.hidden direct\n.globl direct_end\n.hidden direct_end\ndirect:\n"
        "mov %rdi,%rax\nmov %rsi,%rdi\nmov %rdx,%rsi\nmov %rcx,%rdx\nmov %r8,%r10\nmov %r9,%r8\nmov 8(%rsp),%r9\n"
        "syscall\ndirect_end:\nret\n");

static long at, error, calls, bare, listed[64], listed_count;
static const char *hit;

static int is_listed(long number) {
    for (long i = 0; i < listed_count; i++)
        if (listed[i] == number) return 1;
    return 0;
}

static long refused_for_good(long number, const long *a) {
    if (!bare) return 0;
    if (number == SYS_openat && (a[2] & O_TMPFILE) == O_TMPFILE) return EOPNOTSUPP;
    if (number == SYS_linkat) return EPERM;
    if (number == SYS_renameat2 && a[4] != 0) return EINVAL;
    return 0;
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)signal;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    long number = info->si_syscall;
    long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    long refused = refused_for_good(number, a);
    int turn = !refused && is_listed(number) && __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST) == at;
    if (turn) {
        direct(SYS_close, direct(SYS_openat, AT_FDCWD, (long)hit, O_CREAT | O_WRONLY, 0600, 0, 0), 0, 0, 0, 0, 0);
        if (error == -1) direct(SYS_kill, direct(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
        if (error == -2) direct(SYS_kill, direct(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGSTOP, 0, 0, 0, 0);
        if (error > 0) refused = error;
        else if (error == -2) ;
        else if (number == SYS_write || number == SYS_pwrite64 || number == SYS_read || number == SYS_pread64) a[2] = (a[2] + 1) / 2;
        else if (a[2] > 1) a[2] = 1; /* of a vector, the first part */
    }
    r[REG_RAX] = refused ? -refused : direct(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

__attribute__((constructor)) static void start(void) {
    const char *calls_text = getenv("FAULT_CALLS");
    if (!calls_text) return;
    at = atol(getenv("FAULT_AT")), error = atol(getenv("FAULT_ERRNO")), hit = getenv("FAULT_HIT");
    bare = getenv("FAULT_BARE") != NULL;
    char *text = strdup(calls_text);
    for (char *word = strtok(text, ","); word && listed_count < 60; word = strtok(NULL, ",")) listed[listed_count++] = atol(word);
    long counted = listed_count, trapped[64];
    memcpy(trapped, listed, sizeof listed);
    if (bare) trapped[counted++] = SYS_openat, trapped[counted++] = SYS_linkat, trapped[counted++] = SYS_renameat2;
    unsetenv("LD_PRELOAD");

    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    sigaction(SIGSYS, &action, NULL);
    struct sock_filter filter[160];
    int n = 0;
    unsigned long end = (unsigned long)direct_end;
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)end, 0, 3);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(end >> 32), 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (long i = 0; i < counted; i++) {
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)trapped[i], 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n, .filter = filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(99);
}
