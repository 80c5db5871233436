/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the matching of requests without numbers: requests (of each side) per second of CPU
 * time, and peak memory. The replay has the requests of the reference in their order, or moved by
 * up to some thousands of places, and loses one in a hundred. Almost all keys differ, or there are
 * only a million different keys. The time to generate the requests is measured alone and
 * subtracted. Each case is a separate process.
 *
 * usage: bench-key-match [N...]
 * N: numbers of requests, default 1000000 10000000 100000000 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/match/key_match.h"

#define KEPT_BYTES 32 /* as in the engines of other projects' replayers */

static uint64_t mixed(uint64_t i)
{
	i = (i ^ i >> 31) * UINT64_C(0x7fb5d329728ea185);
	i = (i ^ i >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return i ^ i >> 33;
}

/* The i-th request of the replay: requests are reordered within blocks of `width`. */
static uint64_t place_of(uint64_t i, uint64_t width)
{
	return width < 2 ? i : i - i % width + (i % width * 5 + mixed(i / width) % width) % width;
}

static struct trace_record request(uint64_t i, uint64_t n_keys)
{
	uint64_t x = mixed(i) % n_keys;
	return (struct trace_record){.op = x & 1 ? OP_PREAD : OP_PWRITE, .offset = (x >> 1) * 4096, .length = 4096, .object = 0, .fd = 0};
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct side { /* keys made ahead */
	uint64_t key[KEY_MATCH_AHEAD], n;
};

static void key_ahead(struct key_match *m, struct side *s, enum match_side side, uint64_t i,
		      const struct trace_record *r, bool feed)
{
	if (feed)
		s->key[i % KEY_MATCH_AHEAD] = key_match_key(m, side, r);
	s->n += r->offset;
}

/* Matches the requests of both sides in their order. The replay loses every hundredth request. */
static uint64_t match(struct key_match *m, uint64_t n, uint64_t width, uint64_t n_keys, bool feed)
{
	static const char kept[KEPT_BYTES];
	const struct key_waiting *partner;
	struct side s[2] = {0};
	int got = 0;
	for (uint64_t i = 0; i < n + KEY_MATCH_AHEAD && got >= 0; i++) {
		const uint64_t now = i - KEY_MATCH_AHEAD;
		if (feed && i >= KEY_MATCH_AHEAD)
			got = key_match_put(m, SIDE_REFERENCE, s[0].key[i % KEY_MATCH_AHEAD], now,
					    kept, false, &partner, NULL);
		if (feed && i >= KEY_MATCH_AHEAD && now % 100 && got >= 0)
			got = key_match_put(m, SIDE_REPLAY, s[1].key[i % KEY_MATCH_AHEAD], now,
					    kept, false, &partner, NULL);
		if (i >= n)
			continue;
		const struct trace_record a = request(i, n_keys),
					  b = request(place_of(i, width), n_keys);
		key_ahead(m, &s[0], SIDE_REFERENCE, i, &a, feed);
		key_ahead(m, &s[1], SIDE_REPLAY, i, &b, feed);
	}
	if (got < 0)
		exit(1);
	return s[0].n ^ s[1].n;
}

static void measure(uint64_t n, uint64_t width, uint64_t n_keys)
{
	struct key_match m;
	struct rusage usage;
	if (key_match_init(&m, NULL, NULL, KEPT_BYTES, KEY_MATCH_MAX_WAITING, NULL) < 0)
		exit(1);
	double start = seconds();
	volatile uint64_t keep = match(&m, n, width, n_keys, false);
	double made = seconds();
	keep += match(&m, n, width, n_keys, true);
	double done = seconds();
	getrusage(RUSAGE_SELF, &usage);
	printf("%10llu requests, %5llu places away, %9s keys: %6.2f million/s, %ld MiB, %u not "
	       "matched, %llu ambiguous%s\n",
	       (unsigned long long)n, (unsigned long long)(width > 1 ? width : 0),
	       n_keys > 1000000 ? "unique" : "1000000",
	       1e-6 * (double)n / (done - made - (made - start)), usage.ru_maxrss / 1024, m.n_waits,
	       (unsigned long long)m.n_ambiguous_requests, m.seen_all ? "" : " at least");
	key_match_release(&m);
}

static void measure_apart(uint64_t n, uint64_t width, uint64_t n_keys)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		measure(n, width, n_keys);
		fflush(stdout);
		_exit(0);
	}
	int status = 1;
	if (child < 0 || waitpid(child, &status, 0) < 0 || status)
		exit(1);
}

int main(int argc, char **argv)
{
	static const uint64_t usual[] = {1000000, 10000000, 100000000};
	size_t n = argc > 1 ? (size_t)argc - 1 : sizeof usual / sizeof *usual;
	for (size_t i = 0; i < n; i++) {
		uint64_t count = argc > 1 ? strtoull(argv[i + 1], NULL, 10) : usual[i];
		measure_apart(count, 1, UINT64_C(1) << 50);
		measure_apart(count, 4096, UINT64_C(1) << 50);
		measure_apart(count, 4096, 1000000);
	}
	return 0;
}
