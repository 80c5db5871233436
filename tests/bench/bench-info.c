/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures `validate info` of a long trace, alternating with a plain read of the same file. Prints
 * the ratio of the two times, with and without the file in the page cache. A ratio of 1 without the
 * cache means that reading limits info.
 *
 * usage: bench-info
 * BENCH_RECORDS=5000000 (100 million if BENCH_QUICK is empty: 9.6 GB) BENCH_PAIRS=5
 * BENCH_DIR=directory with that space (default BUILD) */
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "tests/bench/made_trace.h"

#define PAIRS_MAX 100

static char *validate, *path;

struct cost {
	double elapsed_s, cpu_s, peak_mib;
};

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_plain(void)
{
	static char buf[256 << 10];
	ssize_t got = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (got = read(fd, buf, sizeof buf)) > 0)
		;
	_exit(fd < 0 || got < 0);
}

static void run_info(void)
{
	if (!freopen("/dev/null", "w", stdout))
		_exit(1);
	execl(validate, validate, "info", path, (char *)NULL);
	_exit(127);
}

static struct cost measure(void (*run)(void))
{
	struct rusage u;
	int status = 1;
	double begin_s = now_s();
	pid_t pid = fork();
	if (!pid)
		run();
	if (pid < 0 || wait4(pid, &status, 0, &u) < 0 || status) {
		fprintf(stderr, "bench-info: a run failed\n");
		unlink(path);
		exit(1);
	}
	return (struct cost){now_s() - begin_s,
			     (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
				 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
			     (double)u.ru_maxrss / 1024};
}

/* Drops the file from the cache, as far as the kernel permits it. */
static void evict(void)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void print_spread(const char *what, double *v, size_t n, const char *format)
{
	qsort(v, n, sizeof *v, by_value);
	printf("  %s ", what);
	printf(format, n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2);
	printf(" (");
	printf(format, v[0]);
	printf(" .. ");
	printf(format, v[n - 1]);
	printf(")\n");
}

static void bench(const char *what, bool cold, size_t n_pairs, double gb)
{
	double ratio[PAIRS_MAX], plain_s[PAIRS_MAX], info_s[PAIRS_MAX], cpu_s[PAIRS_MAX],
	    peak_mib = 0;
	for (size_t i = 0; i < n_pairs; i++) {
		struct cost c[2];
		for (size_t k = 0; k < 2; k++) { /* alternates which of them is first */
			if (cold)
				evict();
			c[(i + k) % 2] = measure((i + k) % 2 ? run_info : run_plain);
		}
		plain_s[i] = c[0].elapsed_s;
		info_s[i] = c[1].elapsed_s;
		cpu_s[i] = c[1].cpu_s;
		ratio[i] = c[1].elapsed_s / c[0].elapsed_s;
		peak_mib = c[1].peak_mib > peak_mib ? c[1].peak_mib : peak_mib;
	}
	printf("%s: %.2f GB, %zu pairs, median (smallest .. largest)\n", what, gb, n_pairs);
	print_spread("info / read", ratio, n_pairs, "%.2f");
	print_spread("read, s", plain_s, n_pairs, "%.2f");
	print_spread("info, s", info_s, n_pairs, "%.2f");
	print_spread("info, s of processor time", cpu_s, n_pairs, "%.2f");
	printf("  info, peak MiB %.0f\n", peak_mib);
	fflush(stdout);
}

int main(void)
{
	const char *records = getenv("BENCH_RECORDS"), *pairs = getenv("BENCH_PAIRS"),
		   *where = getenv("BENCH_DIR");
	const char *build = getenv("BUILD"), *quick = getenv("BENCH_QUICK");
	bool is_long = quick && !*quick;
	uint64_t n = records ? strtoull(records, NULL, 10) : is_long ? 100000000 : 5000000;
	size_t n_pairs = pairs ? strtoul(pairs, NULL, 10) : is_long ? 3 : 5;
	n_pairs = n_pairs < 1 ? 1 : n_pairs > PAIRS_MAX ? PAIRS_MAX : n_pairs;
	struct statvfs fs;
	build = build ? build : "build";
	where = where ? where : build;
	validate = xasprintf("%s/validate", build);
	path = xasprintf("%s/bench-info-%d.trace", where, (int)getpid());
	double gb = (double)n * 96e-9;
	if (statvfs(where, &fs) || (double)fs.f_bavail * (double)fs.f_frsize < 1.2e9 * gb) {
		fprintf(stderr,
			"bench-info: no %.1f GB in %s: set BENCH_DIR, or BENCH_RECORDS lower\n",
			1.2 * gb, where);
		return 3;
	}
	made_trace(path, n);
	evict();
	measure(run_plain);
	bench("in the page cache", false, n_pairs, gb);
	bench("evicted before each run", true, n_pairs, gb);
	unlink(path);
	return 0;
}
