/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines of fio, btreplay and engine exec, made of options and paths from an untrusted
 * protocol. Every text is either refused with a message or converted to words. A path stays one
 * word, independent of its characters.
 *
 * Input: the adapter, then texts separated by NULs: target, scratch directory, exported file, and
 * options as NAME=VALUE. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"
#include "common/xalloc.h"
#include "replay/engines/adapters/adapter_private.h"
#include "replay/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_TEXTS = 12, TARGET = 0, SCRATCH, TRACE, OPTIONS };

/* Checks the words that the adapter's hook appends, as in command_make(). */
static void words_check(const struct adapter *d, struct adapter_state *a, struct err *e)
{
	if (d->words && d->words(&a->run, e)) {
		assert(e->msg[0]);
		return;
	}
	for (size_t i = 0; i < a->more.n; i++) {
		char *word = NULL;
		int ret = placeholders_replace(&a->placeholders, a->more.v[i], &word, e);
		assert(ret ? e->msg[0] : word != NULL);
		if (!ret && strstr(a->more.v[i], "={device}"))
			assert(strlen(word) >= strlen(a->run.device) &&
			       !strcmp(word + strlen(word) - strlen(a->run.device), a->run.device));
		free(word);
	}
}

static void option_take(struct replay_config *c, char *text)
{
	struct err e = ERR_INIT;
	char *value = strchr(text, '=');
	if (!value)
		return;
	*value++ = 0;
	int ret = options_set(replay_options, c, text, value, &e);
	assert(ret >= 0 || e.msg[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const engines[] = {"fio", "btreplay", "exec"};
	char *copy = malloc(size + 1), *text[N_TEXTS];
	size_t n = 0, at = 1;
	struct err e = ERR_INIT;
	struct replay_config c;
	if (!copy || !size) {
		free(copy);
		return 0;
	}
	memcpy(copy, data, size);
	copy[size] = 0;
	while (n < N_TEXTS)
		text[n++] = copy + (at < size ? at : size),
		at += at < size ? strlen(copy + at) + 1 : 0;
	const struct replay_engine *engine = replay_engine_find(engines[data[0] % 3]);
	replay_config_init(&c);
	for (size_t i = OPTIONS; i < N_TEXTS; i++)
		option_take(&c, text[i]);
	const struct adapter *d = engine->adapter;
	int ret = d->check ? d->check(&c, &e) : 0;
	assert(!ret || e.msg[0]);
	ret = ret ? ret : command_check(d, &c, &e);
	assert(!ret || e.msg[0]);
	char *traces[] = {text[TRACE], NULL};
	struct adapter_state a = {.run = {.config = &c,
					  .adapter = d,
					  .target = text[TARGET],
					  .scratch = text[SCRATCH],
					  .n_requests = data[0],
					  .inputs = {.file = {.v = traces, .n = 1},
						     .max_in_flight = data[0] % 7},
					  .device = data[0] & 128 ? text[TARGET] : NULL}};
	a.run.own = &a;
	placeholders_set(&a.placeholders, "device", text[TARGET]);
	placeholders_set(&a.placeholders, "scratch", text[SCRATCH]);
	if (!ret)
		words_check(d, &a, &e);
	placeholders_release(&a.placeholders);
	words_list_release(&a.more);
	strbuf_release(&a.notes);
	free(copy);
	return 0;
}
