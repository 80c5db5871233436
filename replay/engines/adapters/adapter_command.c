/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the command: the program, its words and its environment. */

#include "common/file_digest.h"
#include "replay/engines/adapters/adapter_private.h"
#include "replay/engines/adapters/tool.h"

static void placeholder_number(struct placeholders *p, const char *name, uint64_t value)
{
	SCOPED_FREE char *text = xasprintf("%" PRIu64, value);
	placeholders_set(p, name, text);
}

/* Sets the placeholders that every command has. If `r` is NULL, they have no values. */
static void placeholders_fill(struct placeholders *p, const struct adapter_run *r)
{
	const struct replay_config *c = r->config;
	const struct inputs *in = &r->inputs;
	const char *trace = in->file.n ? in->file.v[0] : "";
	placeholders_set(p, "trace", trace);
	placeholders_set(p, "traces", trace);
	placeholders_set(p, "target", r->target ? r->target : "");
	placeholders_set(p, "dir", r->target && !r->device ? r->target : "");
	placeholders_set(p, "device", r->device ? r->device : "");
	placeholders_set(p, "scratch", r->scratch ? r->scratch : "");
	placeholders_set(p, "output", r->output ? r->output : "");
	placeholder_number(p, "threads", c->n_workers ? c->n_workers : in->n_threads);
	placeholder_number(p, "processes", in->n_processes);
	placeholder_number(p, "requests", r->n_requests);
	placeholder_number(p, "in_flight", in->max_in_flight);
	placeholder_number(p, "duration_ns",
			   in->first_ns == TIME_NONE ? 0 : (uint64_t)(in->last_ns - in->first_ns));
	SCOPED_FREE char *speed = xasprintf("%.17g", c->speed);
	placeholders_set(p, "speed", speed);
}

static bool names_output(const char *const *words)
{
	for (; words && *words; words++)
		if (strstr(*words, "{output}"))
			return true;
	return false;
}

static int word_replaced(struct words_list *to, const struct placeholders *p,
			 const struct adapter_run *r, const char *word, struct err *e)
{
	char *text;
	if (!strcmp(word, "{traces}") && r->inputs.file.n) {
		for (size_t i = 0; i < r->inputs.file.n; i++)
			words_list_add(to, r->inputs.file.v[i]);
		return 0;
	}
	int ret = placeholders_replace(p, word, &text, e);
	if (!ret)
		words_list_take(to, text);
	return ret;
}

static int words_replaced(struct words_list *to, const struct placeholders *p,
			  const struct adapter_run *r, char *const *words, struct err *e)
{
	int ret = 0;
	for (; !ret && words && *words; words++)
		ret = word_replaced(to, p, r, *words, e);
	return ret;
}

static int assignments_check(const struct words_list *w, size_t from, struct err *e)
{
	for (; from < w->n; from++)
		if (!strchr(w->v[from], '=') || *w->v[from] == '=')
			return err_set(e, EINVAL,
				       "environment: \"%s\" is not of the form NAME=VALUE",
				       w->v[from]);
	return 0;
}

static int environment_add(struct adapter_state *a, char *const *words, struct err *e)
{
	size_t from = a->environment.n;
	int ret = words_replaced(&a->environment, &a->placeholders, &a->run, words, e);
	return ret ? ret : assignments_check(&a->environment, from, e);
}

/* --- check of the options ------------------------------------------------ */

static int texts_check(const struct placeholders *p, const struct adapter_run *r, const char *key,
		       const char *text, bool assign, struct err *e)
{
	SCOPED(words_list_release) struct words_list words = {NULL, 0, 0};
	SCOPED(words_list_release) struct words_list done = {NULL, 0, 0};
	int ret = text ? words_parse(&words, text, e) : 0;
	ret = ret ? ret : words_replaced(&done, p, r, words.v, e);
	ret = ret || !assign ? ret : assignments_check(&done, 0, e);
	return ret ? err_context(e, "%s", key) : 0;
}

int command_check(const struct adapter *a, const struct replay_config *c, struct err *e)
{
	SCOPED(placeholders_release) struct placeholders p = {NULL, 0, 0};
	const struct adapter_run none = {.config = c, .adapter = a};
	placeholders_fill(&p, &none);
	/* `ready` may add placeholders later */
	int ret = a->ready ? 0 : texts_check(&p, &none, "command", c->adapter.command, false, e);
	ret = ret ? ret
		  : texts_check(&p, &none, "environment", c->adapter.environment, true, e);
	if (!ret && c->adapter.start_in) {
		SCOPED_FREE char *dir = NULL;
		ret = placeholders_replace(&p, c->adapter.start_in, &dir, e)
			  ? err_context(e, "start-in")
			  : 0;
	}
	if (!ret && !a->program && !c->adapter.command)
		ret = err_set(e, EINVAL,
			      "the key \"command\" is missing: set it to the command that "
			      "engine %s starts",
			      a->name);
	return ret;
}

/* --- command of a run ---------------------------------------------------- */

/* Adds the fixed words of the adapter, then the words that its hook appends. */
static int own_words(struct adapter_state *a, struct words_list *words, struct err *e)
{
	const struct adapter *d = a->run.adapter;
	words_list_add(words, a->run.binary);
	for (const char *const *w = d->command; w && *w; w++)
		words_list_add(words, *w);
	int ret = d->words ? d->words(&a->run, e) : 0;
	for (size_t i = 0; !ret && i < a->more.n; i++)
		words_list_add(words, a->more.v[i]);
	return ret;
}

static int binary_resolve(struct adapter_state *a, const char *name, struct err *e)
{
	a->run.binary = name ? binary_find(name, e) : adapter_binary(a->run.adapter, e);
	if (!a->run.binary)
		return -(e ? e->code : ENOENT);
	return file_digest(a->run.binary, a->digest, e);
}

/* Adds the words of the option `command`. The name of the program may be a placeholder. */
static int given_words(struct adapter_state *a, struct words_list *words, struct err *e)
{
	SCOPED(words_list_release) struct words_list given;
	SCOPED_FREE char *program = NULL;
	int ret = words_parse(&given, a->run.config->adapter.command, e);
	ret = ret ? ret : placeholders_replace(&a->placeholders, given.v[0], &program, e);
	ret = ret ? ret : binary_resolve(a, program, e);
	for (size_t i = 0; !ret && i < given.n; i++)
		words_list_add(words, i ? given.v[i] : a->run.binary);
	return ret ? err_context(e, "command") : 0;
}

/* Finds the working directory if the option start-in sets it. */
static int start_in_resolve(struct adapter_state *a, struct err *e)
{
	const char *given = a->run.config->adapter.start_in;
	SCOPED_FREE char *dir = NULL;
	struct stat st;
	int ret = given ? placeholders_replace(&a->placeholders, given, &dir, e) : 0;
	a->start_in = dir && !ret ? realpath(dir, NULL) : NULL;
	if (!ret && given && (!a->start_in || stat(a->start_in, &st) < 0))
		ret = err_sys(e, errno, "cannot use directory %s", dir);
	else if (!ret && given && !S_ISDIR(st.st_mode))
		ret = err_sys(e, ENOTDIR, "cannot use directory %s", dir);
	return ret ? err_context(e, "start-in") : 0;
}

static void version_find(struct adapter_state *a)
{
	const struct adapter *d = a->run.adapter;
	const char *user = a->run.config->adapter.user;
	char *argv[] = {a->run.binary, (char[]){"--version"}, NULL};
	int ret = 0;
	if (d->version)
		ret = d->version(a->run.binary, user, &a->version, NULL);
	else if (d->unversioned)
		strbuf_addstr(&a->version, d->unversioned);
	else if (d->program)
		ret = binary_first_line(argv, user, &a->version, NULL);
	if (ret)
		strbuf_reset(&a->version);
}

int command_make(struct adapter_state *a, struct err *e)
{
	const struct adapter_options *o = &a->run.config->adapter;
	SCOPED(words_list_release) struct words_list words = {NULL, 0, 0};
	SCOPED(words_list_release) struct words_list more = {NULL, 0, 0};
	placeholders_fill(&a->placeholders, &a->run);
	int ret = 0;
	if (!o->command)
		ret = binary_resolve(a, NULL, e);
	if (!ret && a->run.adapter->ready)
		ret = a->run.adapter->ready(&a->run, e);
	if (!ret)
		ret = o->command ? given_words(a, &words, e) : own_words(a, &words, e);
	if (!ret)
		version_find(a);
	a->writes_output = !ret && names_output((const char *const *)words.v);
	ret = ret ? ret : words_replaced(&a->command, &a->placeholders, &a->run, words.v, e);
	ret = ret ? ret : environment_add(a, (char *const *)a->run.adapter->environment, e);
	ret = ret ? ret : start_in_resolve(a, e);
	if (!ret && o->environment)
		ret = words_parse(&more, o->environment, e);
	return ret ? ret : environment_add(a, more.v, e);
}

/* --- functions for adapters ---------------------------------------------- */

void adapter_word(struct adapter_run *r, const char *format, ...)
{
	struct adapter_state *a = r->own;
	SCOPED_STRBUF text = STRBUF_INIT;
	va_list ap;
	va_start(ap, format);
	strbuf_vaddf(&text, format, ap);
	va_end(ap);
	words_list_add(&a->more, text.s);
}

void adapter_placeholder(struct adapter_run *r, const char *name, const char *value)
{
	struct adapter_state *a = r->own;
	placeholders_set(&a->placeholders, name, value);
}

char *adapter_path(const struct adapter_run *r, const char *name)
{
	return xasprintf("%s/%s", r->scratch, name);
}

void adapter_note(struct adapter_run *r, const char *format, ...)
{
	struct adapter_state *a = r->own;
	va_list ap;
	va_start(ap, format);
	if (a->notes.len)
		strbuf_addch(&a->notes, '\n');
	strbuf_vaddf(&a->notes, format, ap);
	va_end(ap);
}
