/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/identity.h"

#include "common/text.h"

static int file_identify(char hex[FILE_DIGEST_HEX], const char *dir, const char *name,
			 struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/%s", dir, name);
	int ret = file_digest(path, hex, e);
	return ret == -ENOENT ? 0 : ret;
}

int results_identify(struct results_identity *i, const struct results *r, struct err *e)
{
	int ret = file_identify(i->protocol, r->dir, "protocol.conf", e);
	return ret ? ret : file_identify(i->journal, r->dir, "journal", e);
}

void results_span(const struct results *r, int64_t *first_ns, int64_t *last_ns)
{
	*first_ns = *last_ns = 0;
	for (size_t i = 0; i < r->n_runs; i++) {
		int64_t at = r->run[i].started_ns;
		if (r->run[i].state != RUN_OK || at <= 0)
			continue;
		*first_ns = !*first_ns || at < *first_ns ? at : *first_ns;
		*last_ns = at > *last_ns ? at : *last_ns;
	}
}

/* Compares each run with the runs before it in its session, which are in the order of the plan
 * unless there is a budget; and each session with the previous session. */
int64_t results_clock_back_ns(const struct results *r)
{
	struct identity_span {
		int64_t first_ns, last_ns;
	} *of = NULL;
	size_t n = 0, cap = 0;
	int64_t back_ns = 0, before_ns = 0;
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct run *run = &r->run[i];
		if (run->started_ns <= 0)
			continue;
		while (n <= run->session)
			APPEND(of, n, cap, (struct identity_span){INT64_MAX, 0});
		struct identity_span *s = &of[run->session];
		if (!r->protocol.budget_ns)
			back_ns = s->last_ns - run->started_ns > back_ns
				      ? s->last_ns - run->started_ns
				      : back_ns;
		s->first_ns = run->started_ns < s->first_ns ? run->started_ns : s->first_ns;
		s->last_ns = run->started_ns > s->last_ns ? run->started_ns : s->last_ns;
	}
	for (size_t i = 0; i < n; i++) {
		back_ns =
		    before_ns - of[i].first_ns > back_ns ? before_ns - of[i].first_ns : back_ns;
		before_ns = of[i].last_ns > before_ns ? of[i].last_ns : before_ns;
	}
	free(of);
	return back_ns;
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? s : "";
}

void replayer_identify(struct replayer_identity *i, const struct results *r, size_t replayer)
{
	const json_t *found = json_with_text(json_object_get(r->environment, "replayers"), "name",
					     r->protocol.replayer[replayer].name);
	if (!found)
		found = json_object_get(r->environment, "program");
	i->program = text_of(found, "program");
	i->version = text_of(found, "version");
	i->sha256 = text_of(found, "sha256");
	if (!*i->program)
		i->program = "validate";
}
