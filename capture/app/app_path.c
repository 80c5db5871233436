/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "capture/app/app_private.h"
#include "capture/op.h"
#include "common/strbuf.h"

static void component_add(struct strbuf *to, const char *name, size_t len)
{
	if (!len || (len == 1 && name[0] == '.'))
		return;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		while (to->len && to->s[to->len - 1] != '/')
			to->len--;
		if (to->len)
			to->len--; /* the slash */
		if (to->cap)
			to->s[to->len] = 0;
		return;
	}
	strbuf_addch(to, '/');
	strbuf_add(to, name, len);
}

static void components_add(struct strbuf *to, const char *path, size_t len)
{
	for (size_t at = 0, end; at < len; at = end + 1) {
		const char *slash = memchr(path + at, '/', len - at);
		end = slash ? (size_t)(slash - path) : len;
		component_add(to, path + at, end - at);
	}
}

void path_join(struct strbuf *to, const char *base, const char *path, size_t len)
{
	strbuf_reset(to);
	if (!len || path[0] != '/')
		components_add(to, base, strlen(base));
	components_add(to, path, len);
	if (!to->len)
		strbuf_addch(to, '/');
}

void path_keep_stroke(struct strbuf *to, const char *path, size_t len, unsigned int op, int error)
{
	if (len && path[len - 1] == '/' && to->len > 1 && op_stroke_decides(op, error))
		strbuf_addch(to, '/');
}
