/* Loaded into the program under test (LD_PRELOAD): a clock of the day that lies. The file that CLOCK_FILE names holds the
 * seconds by which it is wrong, and may change at any time.
 *
 * The program's libraries read the clock through libc, which is answered here, or through the kernel's page for it: they are
 * told that there is none, and ask the kernel, which hands the question to a handler here (seccomp).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "registers of x86-64 only"
#endif

/* The one place whose calls the kernel lets through. */
long direct(long number, long a, long b, long c, long d, long e, long f);
extern char direct_end[];
__asm__(".text\n.globl direct\n.hidden direct\n.globl direct_end\n.hidden direct_end\ndirect:\n"
        "mov %rdi,%rax\nmov %rsi,%rdi\nmov %rdx,%rsi\nmov %rcx,%rdx\nmov %r8,%r10\nmov %r9,%r8\nmov 8(%rsp),%r9\n"
        "syscall\ndirect_end:\nret\n");

static const char *file;

static long wrong_by(void) {
    char text[32] = {0};
    long fd = direct(SYS_openat, AT_FDCWD, (long)file, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd < 0) return 0;
    direct(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
    direct(SYS_close, fd, 0, 0, 0, 0, 0);
    return atol(text);
}

static long read_clock(long clock, struct timespec *now) {
    long result = direct(SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0);
    if (result == 0 && file && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += wrong_by();
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *now) { return read_clock(clock, now) == 0 ? 0 : -1; }

unsigned long getauxval(unsigned long type) {
    if (type == AT_SYSINFO_EHDR) return 0;
    /* libc keeps what the kernel gave it in a file, too. */
    unsigned long pair[2] = {0}, found = 0;
    long fd = direct(SYS_openat, AT_FDCWD, (long)"/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    while (fd >= 0 && direct(SYS_read, fd, (long)pair, sizeof pair, 0, 0, 0) == sizeof pair && pair[0] != AT_NULL)
        if (pair[0] == type) found = pair[1];
    if (fd >= 0) direct(SYS_close, fd, 0, 0, 0, 0, 0);
    return found;
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    r[REG_RAX] = read_clock(r[REG_RDI], (struct timespec *)r[REG_RSI]);
}

__attribute__((constructor)) static void start(void) {
    if (!(file = getenv("CLOCK_FILE"))) return;
    file = strdup(file);
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    sigaction(SIGSYS, &action, NULL);
    unsigned long end = (unsigned long)direct_end;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)end, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(end >> 32), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(99);
}
