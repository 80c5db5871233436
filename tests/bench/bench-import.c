/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures speed and peak memory of every reader and writer of traces, each in its own process: MB
 * of the foreign file per second of CPU time. Compares this with counting the lines of the same
 * file as wc does, and with a whole `validate import` of the file. The program's own writers make
 * the files from a constructed trace; this benchmark prints files of read-only formats itself.
 *
 * usage: bench-import [FORMAT...]
 * BENCH_MB=200 (of each file) BENCH_DIR=/dev/shm */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/format.h"
#include "common/xalloc.h"
#include "tests/bench/made_trace.h"

static const char *dir = "/dev/shm";
static char *validate;
static char trace_path[200];

/* --- files of read-only formats ----------------------------------------- */

struct blk_event { /* of linux/blktrace_api.h */
	uint32_t magic, sequence;
	uint64_t time, sector;
	uint32_t bytes, action, pid, device, cpu;
	uint16_t error, pdu_len;
};

static void print_blk_event(FILE *f, const struct made_request *q, int64_t ns, uint64_t sequence,
			    char action)
{
	fprintf(f, "%3d,%-3d %2u %8llu %5lld.%09lld %5u  %c %3s %llu + %llu [%s]\n", 8, 0,
		q->tid % 4, (unsigned long long)sequence, (long long)(ns / 1000000000),
		(long long)(ns % 1000000000), q->tid, action, q->is_write ? "W" : "R",
		(unsigned long long)q->offset / 512, (unsigned long long)q->length / 512,
		action == 'C' ? "0" : "fio");
}

static void put_blk_event(FILE *f, const struct made_request *q, int64_t ns, uint64_t sequence,
			  char action)
{
	uint32_t kind = action == 'Q'   ? 1 | 0x10u << 16
			: action == 'D' ? 7 | 0x20u << 16
					: 8 | 0x40u << 16;
	struct blk_event v = {0x65617407,
			      (uint32_t)sequence,
			      (uint64_t)ns,
			      q->offset / 512,
			      (uint32_t)q->length,
			      kind | (q->is_write ? 2u : 1u) << 16,
			      q->tid,
			      8u << 20,
			      q->tid % 4,
			      0,
			      0};
	fwrite(&v, sizeof v, 1, f);
}

/* One request after another: queued, issued, completed. */
static void print_blk(FILE *f, struct made_request *q, uint64_t *i,
		      void (*put)(FILE *, const struct made_request *, int64_t, uint64_t, char))
{
	put(f, q, q->begin_ns, ++*i, 'Q');
	put(f, q, q->begin_ns + 700, ++*i, 'D');
	put(f, q, q->begin_ns + 900, ++*i, 'C');
}

static bool print_request(const char *format, FILE *f, struct made_request *q, uint64_t *i)
{
	unsigned long long us = (unsigned long long)q->begin_ns / 1000, offset = q->offset,
			   length = q->length, sector = offset / 512;
	if (!strcmp(format, "blkparse"))
		print_blk(f, q, i, print_blk_event);
	else if (!strcmp(format, "blktrace"))
		print_blk(f, q, i, put_blk_event);
	else if (!strcmp(format, "alibaba"))
		fprintf(f, "%u,%c,%llu,%llu,%llu\n", q->file, "RW"[q->is_write], offset, length,
			1577808000000000 + us);
	else if (!strcmp(format, "tencent"))
		fprintf(f, "%llu,%llu,%llu,%d,%u\n", 1538323200 + us / 1000000, sector,
			length / 512, q->is_write, q->file);
	else if (!strcmp(format, "systor"))
		fprintf(f, "%llu.%06llu000,%.9f,%c,%u,%llu,%llu\n", 1456095145 + us / 1000000,
			us % 1000000, (double)(q->end_ns - q->begin_ns) / 1e9, "RW"[q->is_write],
			q -> file, offset, length);
	else if (!strcmp(format, "fiu"))
		fprintf(f, "%lld %u syslogd %llu %llu %c 8 %u 531e779d7b7d3c0f5d3b0c4b0d6c3f0a\n",
			(long long)q->begin_ns, q->tid, sector, length / 512, "RW"[q->is_write],
			q -> file);
	else if (!strcmp(format, "dxt"))
		fprintf(f, " X_POSIX %7u  %5s %12llu %15llu %15llu %12.4f %12.4f  [%3u]\n", q->tid,
			q->is_write ? "write" : "read", (unsigned long long)++*i, offset, length,
			(double)q->begin_ns / 1e9, (double)q->end_ns / 1e9, q->file);
	else if (!strcmp(format, "oraclegeneral"))
		fwrite(&(struct {
			uint32_t s, object[2], size, next[2];
		}){(uint32_t)(us / 1000000), {q->file, 0}, (uint32_t)length, {0, 0}},
		       24, 1, f);
	else
		return false;
	return true;
}

static bool print_file(const char *format, const char *path, int64_t bytes)
{
	FILE *f = fopen(path, "w");
	int64_t now_ns = 0;
	uint64_t i = 0;
	bool known = f != NULL;
	made_state = 1;
	if (f && !strcmp(format, "dxt"))
		fprintf(
		    f,
		    "# darshan log version: 3.41\n# DXT, file_id: 1, file_name: /srv/data/table\n");
	while (known && ftello(f) < bytes) {
		struct made_request q = made_request(&now_ns);
		known = print_request(format, f, &q, &i);
	}
	if (f)
		fclose(f);
	return known;
}

/* --- measuring ----------------------------------------------------------- */

struct cost {
	double cpu_s, peak_mib;
	bool good;
};

struct work {
	const struct trace_format *f;
	const char *path, *out;
};

static struct cost measure(void (*run)(const struct work *), const struct work *w)
{
	struct rusage u;
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		run(w);
		_exit(0);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) < 0)
		return (struct cost){.good = false};
	return (struct cost){(double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
				 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
			     (double)u.ru_maxrss / 1024, WIFEXITED(status) && !WEXITSTATUS(status)};
}

static void run_count_lines(const struct work *w)
{
	static char buf[256 << 10];
	int fd = open(w->path, O_RDONLY | O_CLOEXEC);
	ssize_t got;
	size_t n = 0;
	while (fd >= 0 && (got = read(fd, buf, sizeof buf)) > 0)
		for (char *p = buf; (p = memchr(p, '\n', (size_t)(buf + got - p))); p++)
			n++;
	if (fd < 0 || n > (size_t)1 << 60)
		_exit(1);
}

static void run_read(const struct work *w)
{
	const struct trace_open_options o = {.as = "read"};
	const struct trace_record *r;
	struct trace *t;
	struct err e = ERR_INIT;
	size_t n;
	must(trace_open_with(&t, w->f, w->path, &o, &e), &e);
	int rc;
	while ((rc = trace_next_batch(t, &r, &n, &e)) == 1)
		;
	must(rc, &e);
	trace_close(t);
}

static void run_write(const struct work *w)
{
	struct trace *t;
	struct err e = ERR_INIT;
	must(trace_open(&t, trace_path, &e), &e);
	must(w->f->write(t, w->path, NULL, &e), &e);
	trace_close(t);
}

static void run_import(const struct work *w)
{
	if (!freopen("/dev/null", "w", stdout))
		_exit(1);
	execl(validate, validate, "import", "--quiet", "--as", "read", "--from", w->f->name,
	      w->path, "-o", w->out, (char *)NULL);
	_exit(127);
}

static void print_cost(double mb, struct cost c, double peak_min)
{
	if (!c.good)
		printf(" %8s %6s", "failed", "");
	else
		printf(" %8.0f %6.1f", mb / c.cpu_s, c.peak_mib > peak_min ? c.peak_mib : peak_min);
}

static void bench_format(const struct trace_format *f, int64_t bytes)
{
	char path[256], out[256];
	struct stat st;
	snprintf(path, sizeof path, "%s.oracleGeneral", trace_path);
	snprintf(out, sizeof out, "%s.imported", trace_path);
	struct work w = {f, path, out};
	struct cost written = f->write ? measure(run_write, &w) : (struct cost){.good = false};
	if ((!f->write && !print_file(f->name, path, bytes)) || stat(path, &st))
		return;
	double mb = (double)st.st_size / 1e6;
	printf("%-14s %5.0f", f->name, mb);
	if (f->write)
		print_cost(mb, written, 0);
	else
		printf(" %8s %6s", "-", "-");
	if (f->open) {
		struct cost lines = measure(run_count_lines, &w), got = measure(run_read, &w);
		print_cost(mb, got, 0);
		printf(" %6.1f", got.cpu_s / lines.cpu_s);
		print_cost(mb, measure(run_import, &w), 0);
	}
	printf("\n");
	fflush(stdout);
	unlink(path);
	unlink(out);
}

int main(int argc, char **argv)
{
	const char *mb = getenv("BENCH_MB"), *where = getenv("BENCH_DIR"), *build = getenv("BUILD");
	int64_t bytes = (mb ? atoll(mb) : 200) * 1000000;
	dir = where ? where : dir;
	validate = xasprintf("%s/validate", build ? build : "build");
	snprintf(trace_path, sizeof trace_path, "%s/bench-import-%d", dir, (int)getpid());
	made_trace(trace_path, (uint64_t)bytes / 100);
	printf("%-14s %5s %15s %22s %15s\n", "", "", "writing", "reading", "validate import");
	printf("%-14s %5s %8s %6s %8s %6s %6s %8s %6s\n", "format", "MB", "MB/s", "MiB", "MB/s",
	       "MiB", "wc -l", "MB/s", "MiB");
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		bool wanted = argc < 2;
		for (int i = 1; i < argc; i++)
			wanted |= !strcmp(argv[i], (*f)->name);
		if (wanted)
			bench_format(*f, bytes);
	}
	unlink(trace_path);
	printf("MB/s: of the foreign file, a second of processor time; MiB: peak memory; wc -l: "
	       "the reader's time by "
	       "that of counting lines\n");
	return 0;
}
