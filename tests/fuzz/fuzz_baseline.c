/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted baselines. A baseline that is read is printed, read again and printed to the same
 * bytes, and compared with a complete baseline.
 *
 * Input: the text of a baseline if it begins with '{'; otherwise edits of a complete one: offset (2
 * bytes), number of bytes to remove, number of bytes to insert, these bytes. */
#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files.h"
#include "common/xalloc.h"
#include "validate/compare/baseline_private.h"
#include "validate/compare/compare.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_SCENARIOS = 2, N_CASES = 3, N_ROWS = 8 };

static char *path;
static struct strbuf whole = STRBUF_INIT;
static struct baseline good;

static void put(const struct strbuf *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert(fd >= 0 && write_all(fd, text->s, text->len) == 0);
	close(fd);
}

static void case_make(struct baseline_case *c, size_t i)
{
	*c = (struct baseline_case){.scenario = i % N_SCENARIOS, .replayer = xstrdup(i < 2 ? "event" : "again"),
				    .settings = xstrdup("engine=event"), .verdict = xstrdup("trusted"), .reason = xstrdup(""), .bias = 0.01,
				    .bias_lo95 = -0.01, .bias_hi95 = NAN, .u_c = 0.02, .u_c_df = 19, .U95 = 0.04, .n = N_ROWS};
	baseline_rows_make(c);
	for (size_t row = 0; row < N_ROWS; row++) {
		c->block[row] = (unsigned int)row + 1;
		for (size_t k = 0; k < COLUMN_N; k++)
			c->column[k][row] = k < COLUMN_SHAPE
						? (double)(1000 + 13 * k + (row * 7 + i) % 5)
						: (double)row / N_ROWS;
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	const char *tmp = getenv("TMPDIR");
	struct err e = ERR_INIT;
	struct baseline b = {.source = xstrdup("made"), .title = xstrdup("title"), .protocol = xstrdup("p"), .program_version = xstrdup("1"),
			     .date = xstrdup("2026-01-01T00:00:00Z"), .host = xstrdup("h"), .limits = compare_defaults, .look = 1,
			     .n_replicates = N_ROWS, .level_accept = 0.05, .level_reject = 0.01, .complete = true, .n_facts = 1,
			     .n_scenarios = N_SCENARIOS, .n_cells = N_CASES};
	path = xasprintf("%s/baseline-%d", tmp ? tmp : "/tmp", (int)getpid());
	memset(b.protocol_hash, 'a', sizeof b.protocol_hash - 1);
	memset(b.campaign, 'c', sizeof b.campaign - 1);
	b.fact = xcalloc(1, sizeof *b.fact);
	b.fact[0] = (struct baseline_fact){xstrdup("kernel.release"), xstrdup("6.1")};
	b.scenario = xcalloc(N_SCENARIOS, sizeof *b.scenario);
	for (size_t i = 0; i < N_SCENARIOS; i++)
		b.scenario[i].name = xstrdup(i ? "one" : "other");
	b.cell = xcalloc(N_CASES, sizeof *b.cell);
	for (size_t i = 0; i < N_CASES; i++)
		case_make(&b.cell[i], i);
	b.limits.environment = b.limits.old = b.limits.new = NULL;
	assert(!baseline_print(&b, &whole, NULL));
	baseline_release(&b);
	put(&whole);
	int rc = baseline_read(&good, path, &e);
	if (rc)
		fprintf(stderr, "%s\n", e.msg);
	assert(!rc);
	return 0;
}

static void edit(struct strbuf *text, const uint8_t *data, size_t size)
{
	while (size >= 4) {
		size_t at = (size_t)(data[0] << 8 | data[1]) % (text->len + 1), n_less = data[2],
		       n_more = data[3];
		data += 4, size -= 4;
		n_less = n_less < text->len - at ? n_less : text->len - at;
		n_more = n_more < size ? n_more : size;
		struct strbuf next = STRBUF_INIT;
		strbuf_add(&next, text->s, at);
		strbuf_add(&next, data, n_more);
		strbuf_add(&next, text->s + at + n_less, text->len - at - n_less);
		strbuf_release(text);
		*text = next;
		data += n_more, size -= n_more;
	}
}

static void compare(const struct baseline *old_side, const struct baseline *new_side)
{
	struct campaign_change c;
	struct err e = ERR_INIT;
	const struct compare_options allow = {"all"};
	if (compare_compute(&c, old_side, new_side, &allow, &e))
		assert(e.code && e.msg[0]);
	else
		campaign_change_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct baseline b, again;
	struct err e = ERR_INIT;
	struct strbuf text = STRBUF_INIT, first = STRBUF_INIT, second = STRBUF_INIT;
	if (size && data[0] == '{') {
		strbuf_add(&text, data, size);
	} else {
		strbuf_add(&text, whole.s, whole.len);
		edit(&text, data, size);
	}
	put(&text);
	if (baseline_read(&b, path, &e)) {
		assert(e.code && e.msg[0]);
	} else {
		assert(!baseline_print(&b, &first, NULL));
		put(&first);
		assert(!baseline_read(&again, path, &e));
		assert(!baseline_print(&again, &second, NULL));
		assert(first.len == second.len && !memcmp(first.s, second.s, first.len));
		compare(&good, &b);
		compare(&b, &again);
		baseline_release(&again);
		baseline_release(&b);
	}
	strbuf_release(&text);
	strbuf_release(&first);
	strbuf_release(&second);
	unlink(path);
	return 0;
}
