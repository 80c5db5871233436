/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares matching by key with a brute force: partners, ambiguous requests, waiting requests, and
 * their limit. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/match/key_match.h"
#include "capture/op.h"

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

static struct trace_record request(uint64_t key)
{
	return (struct trace_record){.op = OP_PREAD, .offset = key * 4096, .length = 4096, .object = 0, .fd = 0};
}

static int put(struct key_match *m, enum match_side side, uint64_t key, uint64_t index,
	       const struct key_waiting **partner)
{
	const struct trace_record r = request(key);
	return key_match_put(m, side, key_match_key(m, side, &r), index, &key, false, partner,
			     NULL);
}

/* The requests of a side, with keys that are computed in advance. */
struct feed {
	const uint64_t *of; /* of[n] */
	size_t n, n_keyed;
	uint64_t made[KEY_MATCH_AHEAD];
};

static uint64_t next_key(struct feed *f, struct key_match *m, enum match_side side, size_t i)
{
	for (; f->n_keyed < f->n && f->n_keyed < i + KEY_MATCH_AHEAD; f->n_keyed++) {
		const struct trace_record r = request(f->of[f->n_keyed]);
		f->made[f->n_keyed % KEY_MATCH_AHEAD] = key_match_key(m, side, &r);
	}
	return f->made[i % KEY_MATCH_AHEAD];
}

/* Matches n requests with n_keys different keys. The replay has another order and lacks one request
 * in ten. */
static void assert_matches(size_t n, uint64_t n_keys, size_t width, uint64_t seed)
{
	uint64_t *key = calloc(n, sizeof *key), *replayed = calloc(n, sizeof *replayed),
		 *of = calloc(n, sizeof *of), *count = calloc(n_keys, sizeof *count),
		 n_requests = 0, n_ambiguous = 0, n_replayed = 0;
	struct key_match m;
	const struct key_waiting *w;
	for (size_t i = 0; i < n; i++)
		count[key[i] = next_random(&seed) % n_keys]++;
	for (size_t k = 0; k < n_keys; k++) {
		n_ambiguous += count[k] > 1;
		n_requests += count[k] > 1 ? count[k] : 0;
	}
	for (size_t i = 0; i < n; i++) {
		size_t place = i - i % width + (i % width + width / 2) % width;
		if (i % 10)
			replayed[n_replayed++] = key[place < n ? place : i];
	}
	assert_int_equal(key_match_init(&m, NULL, NULL, sizeof(uint64_t), 0, NULL), 0);
	memset(of, 0xff, n * sizeof *of);
	struct feed reference = {.of = key, .n = n}, replay = {.of = replayed, .n = n_replayed};
	for (size_t i = 0; i < n; i++) {
		if (key_match_put(&m, SIDE_REFERENCE, next_key(&reference, &m, SIDE_REFERENCE, i),
				  i, &key[i], false, &w, NULL) == 1) {
			assert_int_equal(w->side, SIDE_REPLAY);
			of[i] = w->index;
		}
		if (i < n_replayed &&
		    key_match_put(&m, SIDE_REPLAY, next_key(&replay, &m, SIDE_REPLAY, i), i,
				  &replayed[i], false, &w, NULL) == 1) {
			assert_int_equal(w->side, SIDE_REFERENCE);
			of[w->index] = i;
		}
	}
	assert_true(m.seen_all);
	assert_int_equal(m.n_ambiguous_keys, n_ambiguous);
	assert_int_equal(m.n_ambiguous_requests, n_requests);
	/* request k of a key matches request k */
	uint64_t *next = calloc(n_keys, sizeof *next);
	size_t n_left = 0, at = 0;
	for (size_t i = 0; i < n; i++) {
		if (of[i] == UINT64_MAX) {
			n_left++;
			/* later requests of the key have no partner either */
			next[key[i]] = UINT64_MAX;
			continue;
		}
		assert_int_equal(replayed[of[i]], key[i]);
		assert_true(next[key[i]] <= of[i]);
		next[key[i]] = of[i] + 1;
	}
	while ((w = key_match_left(&m, &at))) {
		uint64_t kept;
		memcpy(&kept, key_match_kept(&m, w), sizeof kept);
		assert_int_equal(kept,
				 w->side == SIDE_REFERENCE ? key[w->index] : replayed[w->index]);
		n_left -= w->side == SIDE_REFERENCE;
	}
	assert_int_equal(n_left, 0);
	key_match_release(&m);
	free(next);
	free(key);
	free(replayed);
	free(of);
	free(count);
}

static void agrees_with_brute_force(void **state)
{
	(void)state;
	assert_matches(1, 1, 1, 1);
	assert_matches(KEY_MATCH_AHEAD - 1, 5, 3, 2);
	assert_matches(KEY_MATCH_AHEAD, 5, 3, 3);
	assert_matches(KEY_MATCH_AHEAD + 1, 5, 3, 4);
	assert_matches(20000, 10000, 100, 5);	/* the tables grow several times */
	assert_matches(20000, 1u << 22, 1, 6); /* keys seldom occur twice */
	assert_matches(20000, 3, 1000, 7);
}

/* The number of ambiguous requests is available at any time. */
static void ambiguous_requests_are_counted_during_the_pass(void **state)
{
	struct key_match m;
	const struct key_waiting *w;
	(void)state;
	assert_int_equal(key_match_init(&m, NULL, NULL, sizeof(uint64_t), 0, NULL), 0);
	for (uint64_t i = 0; i < 100; i++) {
		assert_int_equal(put(&m, SIDE_REFERENCE, i / 2, i, &w), 0);
		assert_int_equal(m.n_ambiguous_keys, (i + 1) / 2);
		assert_int_equal(m.n_ambiguous_requests, (i + 1) / 2 * 2);
	}
	key_match_release(&m);
}

static void the_number_of_waiting_requests_is_limited(void **state)
{
	struct key_match m;
	const struct key_waiting *w;
	struct err e = ERR_INIT;
	(void)state;
	assert_int_equal(key_match_init(&m, NULL, NULL, sizeof(uint64_t), 10, NULL), 0);
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(put(&m, SIDE_REFERENCE, i, i, &w), 0);
	const struct trace_record more[] = {request(10), request(0)};
	const uint64_t another = key_match_key(&m, SIDE_REFERENCE, &more[0]),
		       first = key_match_key(&m, SIDE_REPLAY, &more[1]);
	uint64_t kept = 0;
	assert_int_equal(key_match_put(&m, SIDE_REFERENCE, another, 10, &kept, false, &w, &e),
			 -E2BIG);
	assert_non_null(strstr(e.msg, "10 requests wait for a partner"));
	assert_int_equal(key_match_put(&m, SIDE_REPLAY, first, 0, &kept, false, &w, &e), 1);
	assert_int_equal(w->index, 0);
	/* a place is free again */
	assert_int_equal(key_match_put(&m, SIDE_REFERENCE, another, 10, &kept, false, &w, &e), 0);
	/* the other side has ended, so the request does not wait */
	assert_int_equal(key_match_put(&m, SIDE_REFERENCE, first, 11, &kept, true, &w, &e), 0);
	assert_int_equal(m.n_waits, 10);
	key_match_release(&m);
}

static void without_a_key(void **state)
{
	struct key_match m;
	const struct trace_record r = {.op = OP_PREAD, .object = OBJECT_NONE, .fd = -1};
	(void)state;
	assert_int_equal(key_match_init(&m, NULL, NULL, sizeof(uint64_t), 0, NULL), 0);
	assert_true(key_match_key(&m, SIDE_REFERENCE, &r) == KEY_NONE);
	key_match_release(&m);
}

static void offsets_are_compared_if_they_exist(void **state)
{
	struct key_match m;
	(void)state;
	assert_int_equal(key_match_init(&m, NULL, NULL, sizeof(uint64_t), 0, NULL), 0);
	for (int i = 0; i < 2; i++) {
		const unsigned int op = i ? OP_PREAD : OP_FDATASYNC;
		const struct trace_record a = {.op = (uint16_t)op, .offset = 0, .fd = -1}, b = {.op = (uint16_t)op, .offset = OFFSET_NONE, .fd = -1};
		assert_int_equal(key_match_key(&m, SIDE_REFERENCE, &a) ==
				     key_match_key(&m, SIDE_REPLAY, &b),
				 op == OP_FDATASYNC);
	}
	key_match_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_brute_force),
		cmocka_unit_test(ambiguous_requests_are_counted_during_the_pass),
		cmocka_unit_test(the_number_of_waiting_requests_is_limited),
		cmocka_unit_test(without_a_key),
		cmocka_unit_test(offsets_are_compared_if_they_exist),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
