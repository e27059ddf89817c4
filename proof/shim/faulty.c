/* A file layer that fails on command, loaded into the unchanged server by LD_PRELOAD.
 *
 * A seccomp filter traps every system call that changes files, whoever makes it, also those that bypass libc. The handler
 * makes the call itself and, as told by a control file that the driver shares with it,
 *   - ends the process as kill -9 does at the n-th passing of a named point,
 *   - answers that the disk is full,
 *   - delays syncs, turns the clock,
 *   - records every change with its bytes and every sync, from which the driver rebuilds what a loss of power may leave.
 *
 * LARDER_FAULT_FOLDER   the folder that is watched
 * LARDER_FAULT_CONTROL  the control file, see `struct control`
 * LARDER_FAULT_LOG      where changes are recorded; none if it is not set
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <dlfcn.h>

#define FILES_MAX 65536
#define PATH_BYTES 512
#define POINTS 32

/* The driver knows the places of these fields. */
struct control {
    uint64_t sequence;      /* records written so far */
    uint64_t point;         /* the point to end at; 0 for none */
    uint64_t countdown;     /* how often it is still passed */
    uint64_t hit;           /* the point that ended the process */
    uint64_t full;          /* 1: the disk is full */
    uint64_t sync_delay_us; /* how long a sync takes longer */
    int64_t clock_seconds;  /* how far the clock is turned */
    uint64_t quit;          /* 1: end when a change has just been recorded */
    uint64_t passed[POINTS];
};

enum point {
    BEFORE_APPEND = 1, AFTER_APPEND, BEFORE_SYNC, AFTER_SYNC, BEFORE_ANSWER, BEFORE_TABLE_WRITE, AFTER_TABLE_SYNC,
    BEFORE_VERSION, AFTER_VERSION_SYNC, BEFORE_CURRENT, AFTER_CURRENT, BEFORE_MANIFEST, AFTER_MANIFEST,
    BEFORE_TABLE_REMOVAL, AFTER_TABLE_REMOVAL, BEFORE_NEW_JOURNAL, AFTER_NEW_JOURNAL, BEFORE_FOLDER, AFTER_FOLDER,
    BEFORE_FOLDER_SYNC, AFTER_FOLDER_SYNC, BEFORE_FOLDER_REMOVAL, AFTER_FOLDER_REMOVAL, BEFORE_MERGE_WRITE,
    AFTER_MERGE_SYNC, BEFORE_LINK, AFTER_LINK, BEFORE_CUT, AFTER_CUT,
};

enum kind { NO_KIND, OTHER, JOURNAL, TABLE, VERSION, CURRENT, MANIFEST, FOLDER };

enum record { WRITE = 1, TRUNCATE, SYNC, CREATE, RENAME, REMOVE, MAKE_FOLDER, REMOVE_FOLDER, LINK };

struct open_file {
    int kind;
    char path[PATH_BYTES]; /* below the watched folder */
};

static struct control *control;
static struct open_file *files;
static char folder[PATH_BYTES];
static size_t folder_length;
static int log_file = -1;
static volatile int log_lock;

/* The only place from which the filter lets these calls through. */
extern char pass_begin[], pass_end[];
long pass(long number, long a, long b, long c, long d, long e, long f);
__asm__(
    ".text\n.globl pass\n.globl pass_begin\n.globl pass_end\n"
    "pass:\n"
    "  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n  mov %r8, %r10\n  mov %r9, %r8\n"
    "  mov 8(%rsp), %r9\n"
    "pass_begin:\n  syscall\npass_end:\n  ret\n");

static void end(enum point point) {
    if (!control) return;
    __atomic_add_fetch(&control->passed[point], 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&control->point, __ATOMIC_SEQ_CST) != (uint64_t)point) return;
    if (__atomic_sub_fetch(&control->countdown, 1, __ATOMIC_SEQ_CST) != 0) return;
    control->hit = point;
    pass(SYS_kill, getpid(), SIGKILL, 0, 0, 0, 0);
    for (;;) pause();
}

/* Records: sequence, kind, three numbers, length of what follows, what follows. A sync is told with the sequence at which
 * it began: what came later it may not cover. */
static uint64_t now_sequence(void) { return __atomic_load_n(&control->sequence, __ATOMIC_SEQ_CST); }

static void put_bytes(const void *bytes, size_t length) {
    const char *place = bytes;
    while (length > 0) {
        long done = pass(SYS_write, log_file, (long)place, (long)length, 0, 0, 0);
        if (done <= 0) { pass(SYS_kill, getpid(), SIGABRT, 0, 0, 0, 0); return; }
        place += done;
        length -= (size_t)done;
    }
}

/* A change and its record belong together: whoever makes one holds this until it is recorded, and the process ends, when it is
 * told to, where nobody is between the two. Otherwise the record would miss what the next server finds on the disk. */
static void hold(void) {
    if (log_file < 0) return;
    while (__sync_lock_test_and_set(&log_lock, 1)) { }
}

static void release(void) {
    if (log_file < 0) return;
    if (__atomic_load_n(&control->quit, __ATOMIC_SEQ_CST)) {
        pass(SYS_kill, getpid(), SIGKILL, 0, 0, 0, 0);
        for (;;) pause();
    }
    __sync_lock_release(&log_lock);
}

/* Whoever calls it holds the log. */
static void record(enum record kind, const char *path, const char *other, uint64_t number, const void *bytes, size_t length) {
    if (log_file < 0) return;
    uint64_t head[6];
    size_t path_length = strlen(path), other_length = other ? strlen(other) : 0;
    head[0] = now_sequence();
    head[1] = kind;
    head[2] = number;
    head[3] = path_length;
    head[4] = other_length;
    head[5] = length;
    put_bytes(head, sizeof head);
    put_bytes(path, path_length);
    if (other_length) put_bytes(other, other_length);
    if (length) put_bytes(bytes, length);
    __atomic_add_fetch(&control->sequence, 1, __ATOMIC_SEQ_CST);
}

/* Whether this is the thread that merges files: what it writes is a table file as any other. */
static int is_merging(void) {
    char name[16] = { 0 };
    return pass(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0) == 0 && strcmp(name, "merges") == 0;
}

/* The part of a path below the watched folder, or none. */
static const char *below(const char *path) {
    if (strncmp(path, folder, folder_length) != 0) return NULL;
    if (path[folder_length] == '\0') return "";
    return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}

/* Puts a path that may be relative to an open folder together. */
static const char *whole(int at, const char *path, char *out) {
    if (!path) return NULL;
    if (path[0] == '/') return below(path);
    if (at < 0 || at >= FILES_MAX || files[at].kind != FOLDER) return NULL;
    size_t length = strlen(files[at].path);
    if (length + strlen(path) + 2 > PATH_BYTES) return NULL;
    strcpy(out, files[at].path);
    if (length) strcat(out, "/");
    strcat(out, path);
    return out;
}

static int kind_of(const char *path) {
    size_t length = strlen(path);
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (length > 4 && strcmp(path + length - 4, ".jnl") == 0) return JOURNAL;
    if (strstr(path, "/tables/")) return TABLE;
    if (strcmp(name, "current") == 0) return CURRENT;
    if (strcmp(name, "MANIFEST") == 0) return MANIFEST;
    if (name[0] == 'v' && name[1] >= '0' && name[1] <= '9') return VERSION;
    return OTHER;
}

static long opened(int at, const char *path, long flags, long mode) {
    char room[PATH_BYTES];
    const char *name = files ? whole(at, path, room) : NULL;
    if (!name) return pass(SYS_openat, at, (long)path, flags, mode, 0, 0);
    int kind = kind_of(name);
    struct stat before;
    int is_new = (flags & O_CREAT) && pass(SYS_newfstatat, at, (long)path, (long)&before, 0, 0, 0) != 0;
    if (is_new && control->full) return -ENOSPC;
    if (is_new && kind == JOURNAL) end(BEFORE_NEW_JOURNAL);
    if (is_new && kind == VERSION) end(BEFORE_VERSION);
    hold();
    long file = pass(SYS_openat, at, (long)path, flags, mode, 0, 0);
    if (file < 0 || file >= FILES_MAX) {
        release();
        return file;
    }
    struct stat about;
    if (pass(SYS_newfstatat, file, (long)"", (long)&about, AT_EMPTY_PATH, 0, 0) == 0 && S_ISDIR(about.st_mode)) kind = FOLDER;
    files[file].kind = kind;
    strncpy(files[file].path, name, PATH_BYTES - 1);
    if (is_new) record(CREATE, name, NULL, 0, NULL, 0);
    if (!is_new && (flags & O_TRUNC)) record(TRUNCATE, name, NULL, 0, NULL, 0);
    release();
    if (is_new && kind == JOURNAL) end(AFTER_NEW_JOURNAL);
    return file;
}

static long written(int file, long number, const struct iovec *parts, int count, long place) {
    struct open_file *about = &files[file];
    if (control->full) return -ENOSPC;
    if (about->kind == JOURNAL) end(BEFORE_APPEND);
    if (about->kind == TABLE) end(is_merging() ? BEFORE_MERGE_WRITE : BEFORE_TABLE_WRITE);
    hold();
    if (place < 0) {
        /* The file's own place; appended bytes go to its end. */
        long flags = pass(SYS_fcntl, file, F_GETFL, 0, 0, 0, 0);
        place = pass(SYS_lseek, file, 0, (flags & O_APPEND) ? SEEK_END : SEEK_CUR, 0, 0, 0);
    }
    long done = number == SYS_pwrite64
        ? pass(number, file, (long)parts[0].iov_base, (long)parts[0].iov_len, place, 0, 0)
        : pass(SYS_writev, file, (long)parts, count, 0, 0, 0);
    long left = done;
    for (int part = 0; part < count && left > 0; part++) {
        size_t length = parts[part].iov_len < (size_t)left ? parts[part].iov_len : (size_t)left;
        record(WRITE, about->path, NULL, (uint64_t)place, parts[part].iov_base, length);
        place += (long)length;
        left -= (long)length;
    }
    release();
    if (about->kind == JOURNAL) end(AFTER_APPEND);
    return done;
}

static long synced(long number, int file) {
    struct open_file *about = &files[file];
    if (about->kind == JOURNAL) end(BEFORE_SYNC);
    if (about->kind == FOLDER) end(BEFORE_FOLDER_SYNC);
    uint64_t began = now_sequence();
    /* What is only recorded need not reach the disk of this machine. */
    long done = log_file >= 0 ? 0 : pass(number, file, 0, 0, 0, 0, 0);
    if (control->sync_delay_us) {
        struct timespec time = { (time_t)(control->sync_delay_us / 1000000), (long)(control->sync_delay_us % 1000000) * 1000 };
        pass(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
    }
    hold();
    record(SYNC, about->path, NULL, began, NULL, 0);
    release();
    if (about->kind == JOURNAL) end(AFTER_SYNC);
    if (about->kind == TABLE) end(is_merging() ? AFTER_MERGE_SYNC : AFTER_TABLE_SYNC);
    if (about->kind == VERSION) end(AFTER_VERSION_SYNC);
    if (about->kind == FOLDER) end(AFTER_FOLDER_SYNC);
    return done;
}

static long renamed(long number, int from_at, const char *from, int to_at, const char *to, long flags) {
    char from_room[PATH_BYTES], to_room[PATH_BYTES];
    const char *from_name = files ? whole(from_at, from, from_room) : NULL;
    const char *to_name = files ? whole(to_at, to, to_room) : NULL;
    (void)number;
    if (!from_name || !to_name) return pass(SYS_renameat2, from_at, (long)from, to_at, (long)to, flags, 0);
    int kind = kind_of(to_name);
    if (kind == CURRENT) end(BEFORE_CURRENT);
    if (kind == MANIFEST) end(BEFORE_MANIFEST);
    hold();
    long done = pass(SYS_renameat2, from_at, (long)from, to_at, (long)to, flags, 0);
    if (done == 0) record(RENAME, from_name, to_name, 0, NULL, 0);
    release();
    if (kind == CURRENT) end(AFTER_CURRENT);
    if (kind == MANIFEST) end(AFTER_MANIFEST);
    return done;
}

static long linked(int from_at, const char *from, int to_at, const char *to, long flags) {
    char from_room[PATH_BYTES], to_room[PATH_BYTES];
    const char *from_name = files ? whole(from_at, from, from_room) : NULL;
    const char *to_name = files ? whole(to_at, to, to_room) : NULL;
    if (!from_name || !to_name) return pass(SYS_linkat, from_at, (long)from, to_at, (long)to, flags, 0);
    if (control->full) return -ENOSPC;
    end(BEFORE_LINK);
    hold();
    long done = pass(SYS_linkat, from_at, (long)from, to_at, (long)to, flags, 0);
    if (done == 0) record(LINK, from_name, to_name, 0, NULL, 0);
    release();
    end(AFTER_LINK);
    return done;
}

static long removed(int at, const char *path, long flags) {
    char room[PATH_BYTES];
    const char *name = files ? whole(at, path, room) : NULL;
    if (!name) return pass(SYS_unlinkat, at, (long)path, flags, 0, 0, 0);
    int kind = kind_of(name), is_folder = (flags & AT_REMOVEDIR) != 0;
    if (is_folder) end(BEFORE_FOLDER_REMOVAL);
    else if (kind == TABLE) end(BEFORE_TABLE_REMOVAL);
    hold();
    long done = pass(SYS_unlinkat, at, (long)path, flags, 0, 0, 0);
    if (done == 0) record(is_folder ? REMOVE_FOLDER : REMOVE, name, NULL, 0, NULL, 0);
    release();
    if (is_folder) end(AFTER_FOLDER_REMOVAL);
    else if (kind == TABLE) end(AFTER_TABLE_REMOVAL);
    return done;
}

static long made_folder(int at, const char *path, long mode) {
    char room[PATH_BYTES];
    const char *name = files ? whole(at, path, room) : NULL;
    if (name && control->full) return -ENOSPC;
    if (name) end(BEFORE_FOLDER);
    if (name) hold();
    long done = pass(SYS_mkdirat, at, (long)path, mode, 0, 0, 0);
    if (name && done == 0) record(MAKE_FOLDER, name, NULL, 0, NULL, 0);
    if (name) release();
    if (name) end(AFTER_FOLDER);
    return done;
}

static long truncated(int file, long length) {
    struct stat before;
    int grows = pass(SYS_newfstatat, file, (long)"", (long)&before, AT_EMPTY_PATH, 0, 0) != 0 || length > before.st_size;
    if (grows && control->full) return -ENOSPC;
    if (!grows) end(BEFORE_CUT);
    hold();
    long done = pass(SYS_ftruncate, file, length, 0, 0, 0, 0);
    if (done == 0) record(TRUNCATE, files[file].path, NULL, (uint64_t)length, NULL, 0);
    release();
    if (!grows) end(AFTER_CUT);
    return done;
}

static int is_watched(long file) { return files && file >= 0 && file < FILES_MAX && files[file].kind != NO_KIND; }

static long copied(long to, long from) {
    if (to >= 0 && to < FILES_MAX && from >= 0 && from < FILES_MAX) files[to] = files[from];
    return to;
}

static int is_socket(long file) {
    struct stat about;
    return pass(SYS_newfstatat, file, (long)"", (long)&about, AT_EMPTY_PATH, 0, 0) == 0 && S_ISSOCK(about.st_mode);
}

static long carry_out(long number, long a, long b, long c, long d, long e) {
    switch (number) {
        case SYS_open: return opened(AT_FDCWD, (const char *)a, b, c);
        case SYS_creat: return opened(AT_FDCWD, (const char *)a, O_CREAT | O_WRONLY | O_TRUNC, b);
        case SYS_openat: return opened((int)a, (const char *)b, c, d);
        case SYS_close:
            if (is_watched(a)) files[a].kind = NO_KIND;
            return pass(number, a, 0, 0, 0, 0, 0);
        case SYS_write:
            if (is_watched(a)) {
                struct iovec part = { (void *)b, (size_t)c };
                return written((int)a, number, &part, 1, -1);
            }
            if (is_socket(a)) end(BEFORE_ANSWER);
            return pass(number, a, b, c, 0, 0, 0);
        case SYS_writev:
            if (is_watched(a)) return written((int)a, number, (const struct iovec *)b, (int)c, -1);
            if (is_socket(a)) end(BEFORE_ANSWER);
            return pass(number, a, b, c, 0, 0, 0);
        case SYS_sendto: case SYS_sendmsg:
            end(BEFORE_ANSWER);
            return pass(number, a, b, c, d, e, 0);
        case SYS_pwrite64:
            if (is_watched(a)) {
                struct iovec part = { (void *)b, (size_t)c };
                return written((int)a, number, &part, 1, d);
            }
            return pass(number, a, b, c, d, 0, 0);
        case SYS_fsync: case SYS_fdatasync:
            return is_watched(a) ? synced(number, (int)a) : pass(number, a, 0, 0, 0, 0, 0);
        case SYS_ftruncate: return is_watched(a) ? truncated((int)a, b) : pass(number, a, b, 0, 0, 0, 0);
        case SYS_rename: return renamed(number, AT_FDCWD, (const char *)a, AT_FDCWD, (const char *)b, 0);
        case SYS_renameat: return renamed(number, (int)a, (const char *)b, (int)c, (const char *)d, 0);
        case SYS_renameat2: return renamed(number, (int)a, (const char *)b, (int)c, (const char *)d, e);
        case SYS_link: return linked(AT_FDCWD, (const char *)a, AT_FDCWD, (const char *)b, 0);
        case SYS_linkat: return linked((int)a, (const char *)b, (int)c, (const char *)d, e);
        case SYS_unlink: return removed(AT_FDCWD, (const char *)a, 0);
        case SYS_rmdir: return removed(AT_FDCWD, (const char *)a, AT_REMOVEDIR);
        case SYS_unlinkat: return removed((int)a, (const char *)b, c);
        case SYS_mkdir: return made_folder(AT_FDCWD, (const char *)a, b);
        case SYS_mkdirat: return made_folder((int)a, (const char *)b, c);
        case SYS_dup: return copied(pass(number, a, 0, 0, 0, 0, 0), a);
        case SYS_fcntl:
            if (b == F_DUPFD || b == F_DUPFD_CLOEXEC) return copied(pass(number, a, b, c, 0, 0, 0), a);
            return pass(number, a, b, c, 0, 0, 0);
        default:
            /* What the record could not tell: mapped changes, copies inside the kernel. */
            return -ENOSYS;
    }
}

static void trapped(int signal, siginfo_t *about, void *frame) {
    ucontext_t *context = frame;
    greg_t *registers = context->uc_mcontext.gregs;
    int kept = errno;
    (void)signal;
    registers[REG_RAX] = carry_out(about->si_syscall, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                                   registers[REG_R10], registers[REG_R8]);
    errno = kept;
}

/* The clock is read without a system call, by this name. */
int clock_gettime(clockid_t clock, struct timespec *out) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(clock, out);
    if (done == 0 && control && clock == CLOCK_REALTIME) out->tv_sec += control->clock_seconds;
    return done;
}

#define TRAP(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)

static void filter(void) {
    uint64_t site = (uint64_t)pass_end;
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)site, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(site >> 32), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        TRAP(SYS_open), TRAP(SYS_creat), TRAP(SYS_openat), TRAP(SYS_close), TRAP(SYS_write), TRAP(SYS_writev),
        TRAP(SYS_pwrite64), TRAP(SYS_pwritev), TRAP(SYS_fsync), TRAP(SYS_fdatasync), TRAP(SYS_ftruncate),
        TRAP(SYS_truncate), TRAP(SYS_fallocate), TRAP(SYS_rename), TRAP(SYS_renameat), TRAP(SYS_renameat2),
        TRAP(SYS_unlink), TRAP(SYS_unlinkat), TRAP(SYS_rmdir), TRAP(SYS_mkdir), TRAP(SYS_mkdirat), TRAP(SYS_link),
        TRAP(SYS_linkat), TRAP(SYS_dup), TRAP(SYS_fcntl), TRAP(SYS_copy_file_range), TRAP(SYS_sendfile),
        TRAP(SYS_sendto), TRAP(SYS_sendmsg),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof rules / sizeof rules[0], rules };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(97);
}

__attribute__((constructor)) static void begin(void) {
    const char *watched = getenv("LARDER_FAULT_FOLDER"), *path = getenv("LARDER_FAULT_CONTROL"), *log = getenv("LARDER_FAULT_LOG");
    if (!watched || !path) return;
    strncpy(folder, watched, PATH_BYTES - 1);
    folder_length = strlen(folder);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) _exit(98);
    control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    files = calloc(FILES_MAX, sizeof *files);
    if (control == MAP_FAILED || !files) _exit(98);
    if (log) log_file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = trapped;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    if (sigaction(SIGSYS, &action, NULL) != 0) _exit(98);
    filter();
}
