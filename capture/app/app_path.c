/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/app/app_private.h"
#include "capture/op.h"

static void component_add(struct strbuf *to, const char *name, size_t len)
{
	if (!len || (len == 1 && name[0] == '.'))
		return;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		while (to->len && to->s[to->len - 1] != '/')
			to->len--;
		if (to->len)
			to->len--; /* removes the slash */
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

int path_descriptor(const char *path)
{
	static const char *const in[] = {"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"};
	for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
		const size_t len = strlen(in[i]);
		const size_t n_digits =
		    strncmp(path, in[i], len) ? 0 : strspn(path + len, "0123456789");
		if (n_digits && n_digits < 10 && !path[len + n_digits])
			return atoi(path + len);
	}
	return -1;
}

bool path_follows(unsigned int op, uint32_t flags)
{
	switch (op) {
	case OP_CHMOD:
	case OP_CHOWN:
	case OP_UTIMENS:
	case OP_STAT:
	case OP_STATX:
	case OP_ACCESS:
	case OP_TRUNCATE:
	case OP_GETXATTR:
	case OP_SETXATTR:
	case OP_LISTXATTR:
	case OP_REMOVEXATTR:
		return !(flags & AT_SYMLINK_NOFOLLOW);
	default:
		return false;
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

void path_keep_trailing_slash(struct strbuf *to, const char *path, size_t len, unsigned int op,
			      int error)
{
	if (len && path[len - 1] == '/' && to->len > 1 && op_slash_decides(op, error))
		strbuf_addch(to, '/');
}

/* The part of `path` after `directory`: "" or "/rest". NULL: `path` is not `directory` and not
 * below it. */
static const char *path_behind(const char *path, const char *directory)
{
	const size_t len = strlen(directory);
	return !strncmp(path, directory, len) && (!path[len] || path[len] == '/')
		? path + len : NULL;
}

char *path_renamed(const char *path, const char *from, const char *to, bool exchange)
{
	const char *behind = path_behind(path, from);
	if (behind)
		return xasprintf("%s%s", to, behind);
	behind = exchange ? path_behind(path, to) : NULL;
	return behind ? xasprintf("%s%s", from, behind) : NULL;
}
