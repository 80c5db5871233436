/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/nodes.h"

#include "common/sort.h"
#include "common/splitmix.h"
#include "common/units.h"
#include "common/words.h"

/* Nodes without requests are the last. */
ORDER_BY(compare, struct watch_thread, sends, rank, pid, tid)

static bool makes_requests(const struct watch_thread *t)
{
	return t->n_requests && !t->sends;
}

int nodes_take(const struct watch_thread *thread, uint32_t n, int64_t least_ns,
	       struct watch_thread **node, uint32_t *n_nodes, uint32_t *n_outside, struct err *e)
{
	bool has_ranks = false, any = false;
	*node = xcalloc(n + 1, sizeof **node);
	*n_nodes = *n_outside = 0;
	for (uint32_t i = 0; i < n; i++)
		has_ranks |= makes_requests(&thread[i]) && thread[i].rank >= 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct watch_thread *t = &thread[i];
		const bool outside = has_ranks && t->rank < 0, requests = makes_requests(t);
		any |= requests;
		*n_outside += requests && outside;
		if (!outside && (requests || (t->sends && t->compute_sum_ns >= least_ns)))
			(*node)[(*n_nodes)++] = *t;
	}
	qsort(*node, *n_nodes, sizeof **node, compare);
	if (any)
		return 0;
	*n_nodes = 0;
	free(*node);
	*node = NULL;
	return err_set(e, ENOENT, "the application makes no requests on files that the capture "
		"records: name the directory of the application's files with --root DIR");
}

/* --- matching between runs ----------------------------------------------- */

struct nodes_place {
	uint64_t key;
	uint32_t pid, tid, index;
};

ORDER_BY(compare_places, struct nodes_place, key, pid, tid)

static bool is_sender(const struct watch_thread *base, uint32_t n_base, uint64_t key)
{
	for (uint32_t i = 0; i < n_base; i++)
		if (base[i].sends && base[i].key == key)
			return true;
	return false;
}

static struct nodes_place *places_make(const struct watch_thread *t, uint32_t n,
	const struct watch_thread *base, uint32_t n_base, uint32_t *n_places)
{
	struct nodes_place *p = xcalloc(n + 1, sizeof *p);
	const bool has_ranks = n_base && base[0].rank >= 0;
	*n_places = 0;
	for (uint32_t i = 0; i < n; i++)
		if (t[i].sends ? is_sender(base, n_base, t[i].key)
			       : t[i].n_requests && (!has_ranks || t[i].rank >= 0))
			p[(*n_places)++] = (struct nodes_place){t[i].key, t[i].pid, t[i].tid, i};
	qsort(p, *n_places, sizeof *p, compare_places);
	return p;
}

int nodes_match(const struct watch_thread *base, uint32_t n_base, const struct watch_thread *thread,
		uint32_t n, int64_t *number, struct err *e)
{
	uint32_t n_a, n_b, b = 0;
	int ret = 0;
	SCOPED_FREE struct nodes_place *in_base = places_make(base, n_base, base, n_base, &n_a);
	SCOPED_FREE struct nodes_place *here = places_make(thread, n, base, n_base, &n_b);
	for (uint32_t i = 0; i < n; i++)
		number[i] = -1;
	for (uint32_t a = 0; a < n_a && !ret; a++, b++) {
		const struct watch_thread *t = &base[in_base[a].index];
		char rank[32] = "";
		if (t->rank >= 0)
			snprintf(rank, sizeof rank, " of rank %d", (int)t->rank);
		if (b == n_b || here[b].key != in_base[a].key)
			ret = err_set(e, EILSEQ,
				      "node %" PRIu32 " (traced thread%s) made %" PRIu64
				      " requests in the first run. In this run it made no "
				      "requests, or the application created its threads in "
				      "another order. The application must make the same "
				      "requests in every run",
				      in_base[a].index, rank, t->n_requests);
		else if (t->sends && !thread[here[b].index].sends)
			ret = err_set(e, EILSEQ,
				      "node %" PRIu32 " (traced thread) made no requests in the "
				      "first run, but %" PRIu64 " requests in this run: the "
				      "application must make the same requests in every run",
				      in_base[a].index,
				      thread[here[b].index].n_requests);
		else if (t->sends && thread[here[b].index].n_requests != t->n_requests)
			ret = err_set(e, EILSEQ,
				      "node %" PRIu32 " (traced thread) makes no requests. It "
				      "sends %" PRIu64
				      " messages in the first run, but %" PRIu64
				      " in this run: it must send the same messages in every run",
				      in_base[a].index, t->n_requests,
				      thread[here[b].index].n_requests);
		else
			number[here[b].index] = in_base[a].index;
	}
	if (!ret && b < n_b)
		ret = err_set(e, EILSEQ, "process %" PRIu32 " (thread %" PRIu32 ") makes requests, "
			"but made none in the first run, or did not exist in it: the application "
			"must make the same requests in every run", here[b].pid, here[b].tid);
	return ret;
}

/* --- selection of throttled nodes ---------------------------------------- */

static int random_choose(const char *text, uint64_t seed, uint32_t n, bool *wanted, struct err *e)
{
	uint64_t m, state = seed;
	int ret = parse_uint(text, &m, e);
	if (ret)
		return err_context(e, "--nodes random:%s", text);
	if (!m || m > n)
		return err_set(e, ERANGE,
			       "--nodes random:%s: expected 1 to %" PRIu32 ", the number of nodes "
			       "(traced threads)", text, n);
	/* selects with probability (still wanted / remaining), so all sets are equally likely */
	for (uint32_t i = 0; i < n && m; i++) {
		if (splitmix_next(&state) % (n - i) < m) {
			wanted[i] = true;
			m--;
		}
	}
	return 0;
}

static int range_choose(const char *item, uint32_t n, bool *wanted, struct err *e)
{
	unsigned int from, to;
	int end = 0;
	if (sscanf(item, "%u%n", &from, &end) == 1 && !item[end])
		to = from;
	else if (end = 0, sscanf(item, "%u-%u%n", &from, &to, &end) != 2 || item[end] || to < from)
		return err_set(
		    e, EINVAL,
		    "--nodes: \"%s\": expected all, none, random:M, or a list such as 0,2-5",
		    item);
	if (to >= n)
		return err_set(e, ERANGE,
			       "--nodes: there is no node %u: the application has %" PRIu32
			       " nodes (traced threads), counted from 0", to, n);
	for (uint32_t i = from; i <= to; i++)
		wanted[i] = true;
	return 0;
}

int nodes_choose(const char *text, uint64_t seed, uint32_t n_nodes, bool *wanted, struct err *e)
{
	memset(wanted, !strcmp(text, "all"), n_nodes * sizeof *wanted);
	if (!strcmp(text, "all") || !strcmp(text, "none"))
		return 0;
	if (!strncmp(text, "random:", 7))
		return random_choose(text + 7, seed, n_nodes, wanted, e);
	SCOPED(words_list_release) struct words_list items;
	int ret = words_split(&items, text, e);
	if (ret)
		return err_context(e, "--nodes");
	for (size_t i = 0; i < items.n && !ret; i++)
		ret = range_choose(items.v[i], n_nodes, wanted, e);
	return ret;
}
