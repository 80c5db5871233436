/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that do not exist yet in a run with delays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#include "capture/causality/future_nodes.h"

static struct cause_page *page;

static void slot_add(uint64_t key, uint32_t pid, uint32_t tid, int32_t rank)
{
	struct cause_slot *s = &page->slot[atomic_fetch_add(&page->n_slots, 1)];
	s->key = key;
	s->pid = pid;
	s->tid = tid;
	s->rank = rank;
}

static int setup(void **state)
{
	(void)state;
	page = calloc(1, sizeof *page);
	return page ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(page);
	return 0;
}

/* A missing node counts as waiting at each check until it exists. The time of the last such check
 * is kept. */
static void test_last(void **state)
{
	const struct watch_thread known[] = {
	    {.key = 1, .pid = 10, .tid = 10, .rank = -1},
	    {.key = 2, .pid = 11, .tid = 11, .parent = 10, .rank = -1},
	    {.key = 3, .pid = 10, .tid = 12, .rank = -1}};
	struct future_nodes u;
	(void)state;
	future_nodes_init(&u, known, 3);
	slot_add(1, 110, 110, -1);
	future_nodes_note(&u, page, 1000, 0);
	future_nodes_note(&u, page, 2000, 0);
	slot_add(2, 111, 111, -1);
	future_nodes_note(&u, page, 3000, 0);
	assert_int_equal(u.last[0].at_ns, 0);
	assert_int_equal(u.last[1].at_ns, 2000);
	assert_int_equal(u.last[2].at_ns, 3000);
	assert_int_equal(slot_of_key(page, 2), 1);
	assert_int_equal(slot_of_key(page, 3), SLOT_NONE);
	future_nodes_release(&u);
}

/* A launcher starts the ranks: neither a rank nor the threads that it will start wait for ranks
 * that were started before. */
static void test_ranks(void **state)
{
	const struct watch_thread known[] = {
	    {.key = 1, .pid = 10, .tid = 10, .parent = 5, .rank = 0},
	    {.key = 2, .pid = 10, .tid = 12, .rank = 0},
	    {.key = 3, .pid = 20, .tid = 20, .parent = 5, .rank = 1},
	    {.key = 4, .pid = 20, .tid = 22, .rank = 1},
	    {.key = 5, .pid = 30, .tid = 30, .parent = 20, .rank = 1}};
	struct future_nodes u;
	(void)state;
	future_nodes_init(&u, known, 5);
	slot_add(1, 110, 110, 0);
	future_nodes_note(&u, page, 1000, 0);
	assert_int_equal(u.last[1].at_ns, 1000);
	assert_int_equal(u.last[2].at_ns, 0);
	assert_int_equal(u.last[3].at_ns, 0);
	assert_int_equal(u.last[4].at_ns, 0);
	slot_add(3, 120, 120, 1);
	future_nodes_note(&u, page, 2000, 0);
	assert_int_equal(u.last[2].at_ns, 0);
	assert_int_equal(u.last[3].at_ns, 2000);
	assert_int_equal(u.last[4].at_ns, 2000);
	future_nodes_release(&u);
}

/* Two threads with the same key cannot be distinguished, so if one exists, it is unknown which. */
static void test_one_key(void **state)
{
	const struct watch_thread known[] = {{.key = 1, .pid = 10, .tid = 10, .rank = -1},
					     {.key = 2, .pid = 10, .tid = 11, .rank = -1},
					     {.key = 2, .pid = 10, .tid = 12, .rank = -1}};
	struct future_nodes u;
	(void)state;
	future_nodes_init(&u, known, 3);
	slot_add(1, 110, 110, -1);
	future_nodes_note(&u, page, 1000, 0);
	assert_int_equal(u.last[1].at_ns, 0);
	assert_int_equal(u.last[2].at_ns, 0);
	future_nodes_release(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_last, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_ranks, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_one_key, setup, teardown)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
