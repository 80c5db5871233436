/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which files belong to the application. With a root: all files below it. Otherwise:
 * regular files, directories and block devices, except files of the system and of the MPI library,
 * and files with the number of a process in their name. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "capture/preload/core.h"

struct subject cause_subject(long stream, enum subject_kind first_kind, long first,
			     enum subject_kind second_kind, long second)
{
	if (stream)
		return (struct subject){SUBJECT_STREAM, ((const FILE *)stream)->_fileno, NULL};
	/* the descriptor is the first member of DIR */
	if (first_kind == SUBJECT_DIRECTORY && first)
		return (struct subject){SUBJECT_FD, *(const int *)first, NULL};
	if (first_kind == SUBJECT_FD && second_kind == SUBJECT_PATH)
		return (struct subject){SUBJECT_PATH, (int)first, (const char *)second};
	if (first_kind == SUBJECT_FD)
		return (struct subject){SUBJECT_FD, (int)first, NULL};
	if (first_kind == SUBJECT_PATH)
		return (struct subject){SUBJECT_PATH, AT_FDCWD, (const char *)first};
	return (struct subject){SUBJECT_NONE, -1, NULL};
}

/* --- by name -------------------------------------------------------------- */

static bool lies_below(const char *path, const char *directory)
{
	size_t len = strlen(directory);
	while (len > 1 && directory[len - 1] == '/')
		len--;
	if (len == 1 && *directory == '/')
		return true;
	return !strncmp(path, directory, len) && (!path[len] || path[len] == '/');
}

static bool is_of_the_system(const char *path)
{
	static const char *const places[] = {"/proc",  "/sys", "/dev",  "/usr", "/lib", "/lib32",
					     "/lib64", "/bin", "/sbin", "/etc", "/run", "/var/run"};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (lies_below(path, places[i]))
			return true;
	return false;
}

/* Session directories, shared segments, settings and shared positions of MPI libraries. Their names
 * differ from run to run. Files on which MPI_File_open tries locks have the same names in each run.
 * They count as the application's, because they take time on its storage. */
static bool is_of_mpi(const char *path)
{
	static const char *const parts[] = {"/ompi.", "/openmpi-sessions", "/.openmpi", "/prte.",
					    "/pmix-", "/pmix_", "/psm", "/vader_segment",
					    "/mpich_shm", ".lockedfile"};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strstr(path, parts[i]))
			return true;
	return false;
}

static bool has_number(const char *path, uint32_t wanted)
{
	while (*path) {
		uint64_t n = 0;
		if (*path < '0' || *path > '9') {
			path++;
			continue;
		}
		for (; *path >= '0' && *path <= '9'; path++)
			n = n < UINT32_MAX ? n * 10 + (uint64_t)(*path - '0') : n;
		if (n == wanted && n > 99) /* smaller numbers may mean something else */
			return true;
	}
	return false;
}

static bool path_counts(const struct cause_page *page, const char *path)
{
	if (*path != '/')
		return false; /* not a file: a pipe, a socket or memory */
	if (page->has_root) /* the root may be in a directory for temporary files */
		return lies_below(path, page->root) &&
		       !is_of_mpi(path + strlen(page->root) - (page->root[1] == 0));
	return !is_of_the_system(path) && !is_of_mpi(path) &&
	       !has_number(path, (uint32_t)RAW(SYS_getpid)) &&
	       !has_number(path, (uint32_t)RAW(SYS_getppid));
}

static bool kind_counts(const struct stat *st)
{
	return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISBLK(st->st_mode);
}

/* --- descriptors ---------------------------------------------------------- */

/* Decisions, cached for each descriptor. A decision is repeated when the descriptor refers to
 * another file. */
enum { N_KNOWN = 1024 };
static struct known {
	/* hash of device, inode and birth time; the lowest bit means that the file counts; 0:
	 * unknown */
	_Atomic uint64_t file;
} known[N_KNOWN];

static size_t link_of(int fd, char *to, size_t size)
{
	char path[40] = "/proc/self/fd/", digits[12], *end = path + 14;
	int n = 0;
	do
		digits[n++] = (char)('0' + fd % 10);
	while ((fd /= 10) > 0);
	while (n)
		*end++ = digits[--n];
	*end = 0;
	long len = RAW(SYS_readlinkat, AT_FDCWD, path, to, size - 1);
	to[len > 0 ? len : 0] = 0;
	return len > 0 ? (size_t)len : 0;
}

static bool device_counts(const struct cause_page *page, const struct stat *st, const char *path)
{
	return S_ISBLK(st->st_mode) && !page->has_root && lies_below(path, "/dev");
}

/* Finds the file of a descriptor. born_ns: birth time of the file; 0: the file system has none. It
 * is needed because an inode number may be reused at once after a deletion. */
static bool fd_look(int fd, struct stat *st, uint64_t *born_ns)
{
	struct statx x;
	*born_ns = 0;
	if (RAW(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MODE | STATX_INO | STATX_BTIME,
		&x))
		return !RAW(SYS_fstat, fd, st);
	*st = (struct stat){.st_dev = makedev(x.stx_dev_major, x.stx_dev_minor),
			    .st_ino = x.stx_ino,
			    .st_mode = x.stx_mode};
	if (x.stx_mask & STATX_BTIME)
		*born_ns =
		    (uint64_t)x.stx_btime.tv_sec * UINT64_C(1000000000) + x.stx_btime.tv_nsec;
	return true;
}

static bool fd_counts(const struct cause_page *page, int fd)
{
	struct stat st;
	uint64_t born_ns;
	char path[4097];
	if (fd < 0 || (fd <= 2 && !page->has_root) || !fd_look(fd, &st, &born_ns) ||
	    !kind_counts(&st))
		return false;
	/* any descriptor of the output, because shells duplicate it */
	if (st.st_ino == page->output_inode && st.st_dev == page->output_device)
		return false;
	const uint64_t file = ((uint64_t)st.st_dev * UINT64_C(0x9e3779b97f4a7c15) ^
			       (uint64_t)st.st_ino * UINT64_C(0xbf58476d1ce4e5b9) ^
			       born_ns * UINT64_C(0x94d049bb133111eb)) |
			      2;
	struct known *k = fd < N_KNOWN ? &known[fd] : NULL;
	uint64_t before = k ? atomic_load_explicit(&k->file, memory_order_relaxed) : 0;
	if ((before & ~UINT64_C(1)) == (file & ~UINT64_C(1)))
		return before & 1;
	bool counts = link_of(fd, path, sizeof path) &&
		      (path_counts(page, path) || device_counts(page, &st, path));
	if (k)
		atomic_store_explicit(&k->file, (file & ~UINT64_C(1)) | counts,
				      memory_order_relaxed);
	return counts;
}

void cause_closed(int fd)
{
	if (fd >= 0 && fd < N_KNOWN)
		atomic_store_explicit(&known[fd].file, 0, memory_order_relaxed);
}

void cause_closed_range(unsigned int first, unsigned int last)
{
	for (unsigned int fd = first; fd <= last && fd < N_KNOWN; fd++)
		cause_closed((int)fd);
}

void cause_renamed(int got)
{
	if (!got)
		cause_closed_range(0, N_KNOWN);
}

/* --- paths ---------------------------------------------------------------- */

/* Joins the path to its directory, and removes "." and ".." from the text. */
static bool path_whole(int dir, const char *path, char *to, size_t size)
{
	size_t len = 0;
	if (*path != '/') {
		long got =
		    dir == AT_FDCWD ? RAW(SYS_getcwd, to, size) : (long)link_of(dir, to, size);
		if (got <= 0 || *to != '/')
			return false;
		len = strlen(to);
	}
	while (*path) {
		size_t n = strcspn(path, "/");
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			while (len && to[--len] != '/')
				;
		} else if (n && !(n == 1 && *path == '.')) {
			if (len + n + 2 > size)
				return false;
			if (!len || to[len - 1] != '/')
				to[len++] = '/';
			memcpy(to + len, path, n);
			len += n;
		}
		path += n + (path[n] == '/');
	}
	if (!len)
		to[len++] = '/';
	to[len] = 0;
	return true;
}

static bool name_counts(const struct cause_page *page, int dir, const char *path)
{
	struct stat st;
	char whole[4097];
	const ssize_t len = capture_text(path);
	if (len < 0 || len >= (ssize_t)sizeof whole - 1) /* the result is not a path */
		return false;
	if (!len)
		return dir >= 0 && fd_counts(page, dir);
	if (!path_whole(dir, path, whole, sizeof whole) &&
	    !path_whole(AT_FDCWD, path, whole, sizeof whole))
		return false;
	long got = RAW(SYS_newfstatat, AT_FDCWD, whole, &st, 0);
	if (!got && device_counts(page, &st, whole))
		return true;
	return path_counts(page, whole) && (got || kind_counts(&st));
}

bool cause_counts(const struct cause_page *page, const struct subject *s)
{
	return s->kind == SUBJECT_PATH ? name_counts(page, s->fd, s->path)
				       : s->kind != SUBJECT_NONE && fd_counts(page, s->fd);
}

/* --- programs ------------------------------------------------------------- */

bool cause_is_launcher(void)
{
	static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "orted", "prterun",
	    "prte", "prted", "mpiexec.hydra", "hydra_pmi_proxy", "hydra_bstrap_proxy", "srun",
	    "slurmstepd", "ssh", "rsh"};
	char path[4097];
	long len = RAW(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1);
	if (len <= 0)
		return false;
	path[len] = 0;
	const char *name = path;
	for (const char *c = path; *c; c++)
		if (*c == '/')
			name = c + 1;
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
		if (!strcmp(name, launchers[i]))
			return true;
	return false;
}
