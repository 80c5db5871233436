/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/capture.h"
#include "common/options.h"

int rotate_check(struct trace_parts *p, const char *text, struct err *e)
{
	struct err why = ERR_INIT;
	int ret = text ? trace_parts_parse(p, text, &why) : 0;
	return ret ? err_set(e, -ret, "--rotate %s", why.msg) : 0;
}

int rotate_apply(const struct trace_parts *p, const char *text, const char *output, bool compress,
		 struct err *e)
{
	uint32_t n;
	if (!text)
		return 0;
	int ret = trace_split(output, p, compress, &n, e);
	if (ret)
		return ret;
	SCOPED_FREE char *last = trace_part_name(output, n - 1),
			 *stale = trace_part_name(output, n);
	SCOPED_STRBUF word = STRBUF_INIT;
	shell_word(&word, output);
	if (n == 1)
		printf("%-14s1: the whole trace is %s\n", "parts", last);
	else
		printf("%-14s%u, %s.000 to %s; to join them: validate slice %s -o JOINED\n",
		       "parts", n, output, last, word.s);
	if (!access(stale, F_OK))
		printf("%-14s%s is left over from an earlier capture and does not belong to this "
		       "trace: remove it\n", "warning", stale);
	return 0;
}
