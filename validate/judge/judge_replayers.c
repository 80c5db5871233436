/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate judge: the replayers of the protocol, a section for each. */

#include "capture/kernel/block.h"
#include "common/units.h"
#include "replay/engines/adapters/adapter.h"
#include "replay/registry.h"
#include "validate/judge/judge.h"

static bool can_take(const struct replay_engine *g, const struct judged *j)
{
	enum trace_level level = g->level;
	return !level || level == j->level;
}

/* Whether `lines` ("key = value" each) has a line with that key. */
static bool has_key(const char *lines, const char *key)
{
	const size_t len = strlen(key);
	for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (!strncmp(p, key, len) && p[len + strspn(p + len, " ")] == '=')
			return true;
	return false;
}

/* Adds the options with which an engine of this program keeps the times of the trace, so that its
 * schedule can be judged. The user's options from `at` on are kept. */
static void usual_options(struct strbuf *out, size_t at, const struct replay_engine *g)
{
	const char *told = out->s + at;
	const bool mode = has_key(told, "mode"), order = has_key(told, "order"),
		   timing = has_key(told, "timing");
	if (g->adapter)
		strbuf_addstr(out, "optional = yes\n");
	else if (g->level == LEVEL_BLOCK)
		strbuf_addstr(out, mode ? "" : "mode = hf\n");
	else if (!mode) /* a mode of engine parallel sets both order and timing */
		strbuf_addf(out, "%s%s", order ? "" : "order = fs\n",
			    timing ? "" : "timing = timestamp\n");
}

#define CONTROL_LINE "control = yes\n"

/* Returns the engine of the control: a replay by an engine of this program in addition to the
 * others. Deviations of the control come from the machine, not from the replayer. */
static const char *control_engine(const struct judged *j)
{
	return j->level == LEVEL_BLOCK ? "block" : "event";
}

/* Marks the replayer whose options begin at `at` as the control if these are the control's
 * options. */
static void control_mark(struct strbuf *out, size_t at, const struct replay_engine *g,
			 const struct judged *j)
{
	SCOPED_STRBUF usual = STRBUF_INIT;
	usual_options(&usual, 0, g);
	if (!j->rerun_wanted && !strcmp(g->name, control_engine(j)) &&
	    !strcmp(usual.s, out->s + at))
		strbuf_addstr(out, CONTROL_LINE);
}

static void control_add(struct strbuf *out, const struct judged *j)
{
	const char *engine = control_engine(j);
	if (strstr(out->s, "\n" CONTROL_LINE))
		return;
	strbuf_addf(out, "\n[replayer control]\nengine = %s\n" CONTROL_LINE, engine);
	usual_options(out, out->len, replay_engine_find(engine));
}

/* Whether replayers of other projects can be observed at a block device with the kernel's
 * tracepoints. If not, a comment in the protocol gives the reason. */
static bool others_are_seen(struct strbuf *out, const struct judge_config *c,
			    const struct judged *j)
{
	struct err why = ERR_INIT;
	struct stat st;
	if (j->level != LEVEL_BLOCK)
		return true;
	if (!stat(c->device, &st) && !S_ISBLK(st.st_mode))
		err_set(&why, ENOTBLK, "%s is not a block device", c->device);
	else if (!block_watch_possible(&why))
		return true;
	for (char *p = why.msg; *p; p++)
		*p = *p == '\n' ? ' ' : *p;
	strbuf_addf(out, "\n; replayers of other projects are omitted, because only tracepoints "
			 "at a block device can time them: %s\n", why.msg);
	return false;
}

/* Adds every replayer that can replay the trace, except adapters that need a command, and except
 * engine parallel, whose reference is an application that can run again. */
static void replayers_add_all(struct strbuf *out, const struct judge_config *c,
			      const struct judged *j)
{
	const bool others = others_are_seen(out, c, j);
	for (const struct replay_engine *const *g = replay_engines; *g; g++) {
		const bool told = (*g)->adapter && !(*g)->adapter->program;
		if (told || !strcmp((*g)->name, "parallel") || !can_take(*g, j) ||
		    ((*g)->adapter && !others))
			continue;
		strbuf_addf(out, "\n[replayer %s]\nengine = %s\n", (*g)->name, (*g)->name);
		const size_t at = out->len;
		usual_options(out, at, *g);
		control_mark(out, at, *g, j);
	}
}

/* Adds the settings of NAME:key=value,key=value. A comma within brackets, parentheses or quotes
 * belongs to the value. */
static void settings_add(struct strbuf *out, const char *text)
{
	int depth = 0;
	bool quoted = false, key = true;
	for (const char *p = text; *p; p++) {
		quoted ^= *p == '"';
		depth += quoted ? 0 : *p == '[' || *p == '(' ? 1 : *p == ']' || *p == ')' ? -1 : 0;
		if (*p == ',' && !quoted && depth <= 0) {
			strbuf_addch(out, '\n');
			key = true;
		} else if (*p == '=' && key) {
			strbuf_addstr(out, " = ");
			key = false;
		} else {
			strbuf_addch(out, *p);
		}
	}
	strbuf_addch(out, '\n');
}

static bool has_long_line(const char *text)
{
	for (size_t len; (len = strcspn(text, "\n")) <= PROTOCOL_LINE_MAX; text += len + 1)
		if (!text[len])
			return false;
	return true;
}

static int replayer_add(struct strbuf *out, const char *text, size_t index, const struct judged *j,
			struct err *e)
{
	size_t len = strcspn(text, ":");
	SCOPED_FREE char *name = xasprintf("%.*s", (int)len, text);
	const struct replay_engine *g = replay_engine_find(name);
	int ret = 0;
	if (!g) {
		SCOPED_FREE const char **names = names_of(replay_engines);
		ret = name_refuse(e, EINVAL, name, names, " (\"validate replay --list-engines\" "
				  "lists the replayers)", "--with %s: unknown replayer", text);
	} else if (!can_take(g, j)) {
		ret = err_set(e, EINVAL, "--with %s: this engine cannot replay a trace of %s", text,
			      j->level == LEVEL_BLOCK ? "a device's requests" : "calls on files");
	} else if (strchr(text, '\n')) {
		ret = err_set(e, EINVAL, "--with %s: the options contain a line break", name);
	} else {
		strbuf_addf(out, "\n[replayer %s%s%.0zu]\nengine = %s\n", name, index ? "-" : "",
			    index, name);
		const size_t at = out->len;
		if (text[len] && text[len + 1])
			settings_add(out, text + len + 1);
		if (!g->adapter)
			usual_options(out, at, g);
		control_mark(out, at, g, j);
		if (has_long_line(out->s + at))
			ret = err_set(e, EINVAL, "--with %s: the option is too long for a "
				"protocol, whose lines have at most %d bytes", name,
				PROTOCOL_LINE_MAX);
	}
	return ret;
}

int judge_replayers_add(struct strbuf *out, const struct judge_config *c, const struct judged *j,
			struct err *e)
{
	int ret = 0;
	if (!c->with.n)
		replayers_add_all(out, c, j);
	for (size_t i = 0; i < c->with.n && !ret; i++)
		ret = c->with.text[i] ? replayer_add(out, c->with.text[i], i, j, e) : 0;
	if (c->with.n && !c->rerun && !c->claim && !ret)
		control_add(out, j);
	return ret;
}
