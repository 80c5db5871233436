/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/app/app_private.h"
#include "capture/op.h"

static void component_add(struct strbuf *to, const char *name, size_t len,
			  const struct path_links *links)
{
	if (!len || (len == 1 && name[0] == '.'))
		return;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		if (links)
			links->follow(links->context, to);
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

void path_add(struct strbuf *to, const char *path, size_t len, const struct path_links *links)
{
	for (size_t at = 0, end; at < len; at = end + 1) {
		const char *slash = memchr(path + at, '/', len - at);
		end = slash ? (size_t)(slash - path) : len;
		component_add(to, path + at, end - at, links);
	}
}

/* The text after `prefix` at the beginning of `path`, or NULL. */
static const char *prefix_skip(const char *path, const char *prefix)
{
	const size_t len = strlen(prefix);
	return strncmp(path, prefix, len) ? NULL : path + len;
}

/* Reads a number of at most nine digits and moves *at after it. */
static bool number_read(const char **at, uint32_t *number)
{
	const size_t n_digits = strspn(*at, "0123456789");
	if (!n_digits || n_digits > 9)
		return false;
	*number = (uint32_t)atoi(*at);
	*at += n_digits;
	return true;
}

static bool rest_is(const char *rest)
{
	return !*rest || *rest == '/';
}

bool path_of_process(const char *path, struct process_path *to)
{
	static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
	const char *at;
	uint32_t number = 0;
	*to = (struct process_path){.what = PROCESS_FD, .rest = NULL};
	for (int i = 0; i < 3; i++)
		if ((at = prefix_skip(path, streams[i]))) {
			to->fd = i;
			to->rest = at;
			return rest_is(at);
		}
	if ((at = prefix_skip(path, "/dev/fd/"))) {
		const bool read = number_read(&at, &number);
		to->fd = (int)number;
		to->rest = at;
		return read && rest_is(at);
	}
	if (!(at = prefix_skip(path, "/proc/self/")) &&
	    !(at = prefix_skip(path, "/proc/thread-self/"))) {
		if (!(at = prefix_skip(path, "/proc/")) || !number_read(&at, &to->pid) ||
		    *at++ != '/')
			return false;
	}
	if ((to->rest = prefix_skip(at, "cwd"))) {
		to->what = PROCESS_CWD;
	} else if ((to->rest = prefix_skip(at, "root"))) {
		to->what = PROCESS_ROOT;
	} else if ((to->rest = prefix_skip(at, "fd/")) && number_read(&to->rest, &number)) {
		to->fd = (int)number;
	} else {
		return false;
	}
	return rest_is(to->rest);
}

int path_descriptor(const char *path)
{
	struct process_path to;
	return path_of_process(path, &to) && to.what == PROCESS_FD && !to.pid && !*to.rest ? to.fd
											   : -1;
}

bool path_follows(unsigned int op, uint32_t flags)
{
	switch (op) {
	case OP_OPEN:
	case OP_FOPEN:
	case OP_FREOPEN:
		return !(flags & O_NOFOLLOW) && !(flags & O_CREAT && flags & O_EXCL);
	case OP_OPENDIR:
	case OP_SCANDIR:
	case OP_CHDIR:
	case OP_CHROOT:
	case OP_STATFS:
		return true;
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
		path_add(to, base, strlen(base), NULL);
	path_add(to, path, len, NULL);
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
