/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that are requests only with certain arguments: an ioctl() that clones a file, and bind() of
 * a UNIX socket to a path. */

#include "capture/formats/number.h"
#include "capture/formats/strace_parsed.h"

/* Finds the text between `key` and the last `end_key` in an argument; a name may contain `end_key`.
 * False: there is none. */
static bool between(const struct part *a, const char *key, const char *end_key, struct part *found)
{
	const char *s = memmem(a->s, a->len, key, strlen(key)), *end = NULL;
	for (const char *at = s;
	     at && (at = memmem(at, (size_t)(a->s + a->len - at), end_key, strlen(end_key))); at++)
		end = at;
	if (!s || !end || end < s + strlen(key))
		return false;
	*found = (struct part){s + strlen(key), (size_t)(end - s) - strlen(key)};
	return true;
}

static uint64_t number_between(const struct part *a, const char *key, const char *end_key)
{
	struct part text;
	uint64_t v = 0;
	const char *s = between(a, key, end_key, &text) ? text.s : NULL;
	return s && scan_u64(&s, text.s + text.len, &v) ? v : 0;
}

/* "BTRFS_IOC_CLONE or FICLONE, 3", "BTRFS_IOC_CLONE_RANGE or FICLONERANGE, {src_fd=3, src_offset=0,
 * src_length=0, dest_offset=0}": recorded as a copy between two files (capture/op.h). */
int strace_clone_args(struct parsed *p, struct err *e)
{
	const struct part *request = &p->arg[1], *a = &p->arg[2];
	const bool clones =
	    p->n > 2 && p->r.rvalue == 0 && memmem(request->s, request->len, "FICLONE", 7);
	const bool range = clones && memmem(request->s, request->len, "FICLONERANGE", 12);
	struct part source = {NULL, 0};
	struct open_file *f = NULL;
	int64_t fd = -1;
	p->no_file = !clones || (range && !between(a, "src_fd=", ", src_offset=", &source));
	if (p->no_file)
		return 0;
	int rc = strace_file(p, &p->arg[0], &fd, &f, e);
	if (rc)
		return rc;
	p->peer = (struct op_peer){(int32_t)fd, f ? f->object : OBJECT_NONE,
				   range ? number_between(a, "dest_offset=", "}") : 0};
	p->has_peer = true;
	rc = strace_file(p, range ? &source : a, &fd, &f, e);
	if (rc)
		return rc;
	p->r.fd = (int32_t)fd;
	p->r.object = f ? f->object : OBJECT_NONE;
	p->r.offset = range ? number_between(a, "src_offset=", ", src_length=") : 0;
	p->r.length = range ? number_between(a, "src_length=", ", dest_offset=") : 0;
	const int64_t size = f ? file_size_get(&p->t->system, f->object) : -1;
	if (!p->r.length && size > 0 && (uint64_t)size > p->r.offset)
		p->r.length = (uint64_t)size - p->r.offset;
	p->r.rvalue = (int64_t)p->r.length;
	p->r.flags = OP_COPY_CLONES;
	p->has_at_offset = true;
	return 0;
}

/* "{sa_family=AF_UNIX, sun_path="/run/x"}" is recorded as mknod of a socket. Abstract names
 * ("@...") and other families are not files. */
int strace_bind_args(struct parsed *p, struct err *e)
{
	static const char key[] = "sun_path=";
	const struct part *a = &p->arg[1];
	const char *s = p->n > 1 ? memmem(a->s, a->len, key, sizeof key - 1) : NULL;
	p->no_file = !s || s[sizeof key - 1] != '"';
	if (p->no_file)
		return 0;
	s += sizeof key - 1;
	const struct part name = {s, (size_t)(a->s + a->len - s)};
	int rc = strace_path(p, &name, NULL, e);
	if (rc)
		return rc;
	p->has_path = true;
	p->r.length = S_IFSOCK | 0777;
	if (p->r.error == EADDRINUSE) /* the name exists, which is EEXIST for mknod */
		p->r.error = EEXIST;
	return foreign_object(&p->t->base, OBJECT_PATH, p->t->joined.s, p->t->joined.len,
			      &p->r.object, e);
}
