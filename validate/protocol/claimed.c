/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Key `claim` of [protocol]: "mean response time within 5 %, p99 within 10 %, IOPS within 2 %". Its
 * parts become the limits of components. The other components have no limit, except fidelity,
 * because times of other requests are not evidence. */
#include <ctype.h>

#include "validate/protocol/protocol_read.h"

#define CLAIM_MAX 150 /* in bytes; a longer claim does not fit into a line of resolved.conf */

static const struct {
	const char *words; /* lower case; " response time" and " latency" may follow */
	enum component_kind kind;
} quantities[] = {
    {"mean", COMPONENT_BIAS},
    {"response time", COMPONENT_BIAS},
    {"latency", COMPONENT_BIAS},
    {"typical", COMPONENT_TYPICAL},
    {"typical response", COMPONENT_TYPICAL},
    {"tail", COMPONENT_TAIL},
    {"median", COMPONENT_MEDIAN},
    {"p50", COMPONENT_MEDIAN},
    {"p90", COMPONENT_P90},
    {"p99", COMPONENT_P99},
    {"p99.9", COMPONENT_P999},
    {"p999", COMPONENT_P999},
    {"iops", COMPONENT_IOPS},
    {"requests per second", COMPONENT_IOPS},
    {"execution time", COMPONENT_EXECUTION_TIME},
    {"mean number in flight", COMPONENT_IN_FLIGHT},
    {"queue depth", COMPONENT_IN_FLIGHT},
};

static bool ends_with(const char *text, const char *end)
{
	const size_t len = strlen(text), n = strlen(end);
	return len > n && !strcmp(text + len - n, end);
}

/* Returns the component of a quantity in words; COMPONENT_N: none. */
static enum component_kind quantity_find(char *words)
{
	for (int cut = 0; cut < 2; cut++) {
		for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
			if (!strcmp(words, quantities[i].words))
				return quantities[i].kind;
		if (ends_with(words, " response time"))
			words[strlen(words) - strlen(" response time")] = 0;
		else if (ends_with(words, " latency"))
			words[strlen(words) - strlen(" latency")] = 0;
	}
	return COMPONENT_N;
}

/* Returns the text in lower case, with single blanks and none at the ends. The caller frees. */
static char *words_of(const char *text, size_t len)
{
	struct strbuf out = STRBUF_INIT;
	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)text[i];
		if (!isspace(c))
			strbuf_addch(&out, (char)tolower(c));
		else if (out.len && out.s[out.len - 1] != ' ')
			strbuf_addch(&out, ' ');
	}
	while (out.len && out.s[out.len - 1] == ' ')
		out.s[--out.len] = 0;
	return strbuf_detach(&out);
}

static int part_read(struct protocol *p, char *part, bool claimed[COMPONENT_N], struct err *e)
{
	static const char word[] = " within ";
	char *at = strstr(part, word);
	if (!at)
		return err_set(e, EINVAL, "\"%s\": a part of a claim is QUANTITY within PERCENT, "
			"as in \"p99 within 10 %%\"", part);
	*at = 0;
	const enum component_kind k = quantity_find(part);
	if (k == COMPONENT_N)
		return err_set(e, EINVAL, "\"%s\" is not a quantity of a claim; the quantities are "
			"mean response time, median, p90, p99, p99.9, typical response, tail, "
			"IOPS, execution time and mean number in flight", part);
	if (claimed[k])
		return err_set(e, EINVAL, "the claim limits \"%s\" twice", part);
	claimed[k] = true;
	SCOPED_FREE char *value = xstrdup(at + strlen(word));
	const size_t len = strlen(value);
	if (len > 2 && !strcmp(value + len - 2, " %"))
		strcpy(value + len - 2, "%");
	const int ret = options_set(accept_keys, p, accept_keys[k].name, value, e);
	return ret == -ERANGE && !strchr(value, '%')
		   ? err_set(e, EINVAL, "\"%s\": the limit of a claim is a percentage, such as "
			     "5 %%", value)
		   : ret;
}

/* Returns the length of the part at `text`, and that of its separator: a comma, a semicolon or
 * "and". */
static size_t part_length(const char *text, size_t *separator)
{
	static const char word[] = " and ";
	const char *at = strcasestr(text, word);
	const size_t len = strcspn(text, ",;");
	*separator = text[len] ? 1 : 0;
	if (!at || (size_t)(at - text) >= len)
		return len;
	*separator = strlen(word);
	return (size_t)(at - text);
}

int claim_limits(struct protocol *p, struct err *e)
{
	bool claimed[COMPONENT_N] = {false};
	int ret = 0;
	if (strlen(p->claimed) > CLAIM_MAX)
		return err_set(e, EINVAL, "a claim has at most %d bytes, not %zu", CLAIM_MAX,
			       strlen(p->claimed));
	for (int k = 0; k < COMPONENT_N && !ret; k++)
		if (k != COMPONENT_FIDELITY)
			ret = options_set(accept_keys, p, accept_keys[k].name, "none", e);
	p->accept.execution_time_timed = NAN;
	for (const char *at = p->claimed; *at && !ret;) {
		size_t separator, len = part_length(at, &separator);
		SCOPED_FREE char *part = words_of(at, len);
		ret = part_read(p, part, claimed, e);
		at += len + separator;
	}
	p->accept.execution_time_timed = p->accept.execution_time;
	return ret;
}
