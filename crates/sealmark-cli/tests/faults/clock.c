/* Loaded into the program under test (LD_PRELOAD): makes the clock of the day wrong. The file that CLOCK_FILE names
 * contains the error in seconds, and may change at any time.
 *
 * libc and the program's libraries read clocks without a system call, by a function that the kernel maps into each
 * process (vDSO). The first bytes of that function are replaced with a jump to the one here, as a debugger does it, so
 * that no library reads the true time.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "instructions of x86-64 only"
#endif

static const char *file;

static long wrong_by(void) {
    char text[32] = {0};
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    long length = read(fd, text, sizeof text - 1);
    close(fd);
    return length > 0 ? atol(text) : 0;
}

static int lie(clockid_t clock, struct timespec *now) {
    long result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += wrong_by();
    return (int)result;
}

/* Finds the function's address in the table of names that the kernel's library has like any other. */
static unsigned char *clock_gettime_of(const unsigned char *library) {
    const Elf64_Ehdr *head = (const void *)library;
    const Elf64_Shdr *sections = (const void *)(library + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM) continue;
        const Elf64_Sym *symbols = (const void *)(library + sections[i].sh_offset);
        const char *names = (const char *)library + sections[sections[i].sh_link].sh_offset;
        for (size_t n = 0; n < sections[i].sh_size / sizeof *symbols; n++)
            if (!strcmp(names + symbols[n].st_name, "__vdso_clock_gettime")) return (unsigned char *)library + symbols[n].st_value;
    }
    return NULL;
}

__attribute__((constructor)) static void start(void) {
    if (!(file = getenv("CLOCK_FILE"))) return;
    file = strdup(file);
    unsigned char *library = (unsigned char *)getauxval(AT_SYSINFO_EHDR), *function = library ? clock_gettime_of(library) : NULL;
    if (!function) _exit(99);
    /* movabs $lie,%rax; jmp *%rax */
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    uintptr_t target = (uintptr_t)lie, page = (uintptr_t)function & ~4095ul;
    memcpy(jump + 2, &target, sizeof target);
    if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) && mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) _exit(98);
    memcpy(function, jump, sizeof jump);
}
