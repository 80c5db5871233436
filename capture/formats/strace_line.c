/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a request as the text of a call, as strace prints it. `old`: as strace of 2013 without
 * -y. */

#include "capture/formats/strace_private.h"

/* Escapes like strace: C's escapes, otherwise octal. In the name of a descriptor, also brackets. */
static void add_escaped(struct strbuf *b, const char *s, size_t len, bool brackets)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		const char *simple = c ? strchr("\nn\tt\rr\vv\ff\"\"\\\\", c) : NULL;
		bool next_digit = i + 1 < len && s[i + 1] >= '0' && s[i + 1] <= '9';
		if (simple && (simple - "\nn\tt\rr\vv\ff\"\"\\\\") % 2 == 0)
			strbuf_addf(b, "\\%c", simple[1]);
		else if (c < ' ' || c >= 0x7f || (brackets && (c == '<' || c == '>')))
			strbuf_addf(b, next_digit ? "\\%03o" : "\\%o", c);
		else
			strbuf_addch(b, (char)c);
	}
}

static void add_path(struct strace_line *x, const char *name, size_t len, bool brackets)
{
	if (name[0] != '/') {
		size_t root = strlen(x->root);
		add_escaped(&x->text, x->root, root, brackets);
		if (root && len == 1 && name[0] == '.')
			return;
		if (!root || x->root[root - 1] != '/')
			strbuf_addch(&x->text, '/');
	}
	add_escaped(&x->text, name, len, brackets);
}

static void add_fd(struct strace_line *x, int32_t fd, uint32_t object)
{
	const struct trace_object *o = trace_object(x->t, object);
	strbuf_addf(&x->text, "%d", fd);
	if (!o || fd < 0 || x->old)
		return;
	strbuf_addch(&x->text, '<');
	if (o->kind == OBJECT_PATH)
		add_path(x, o->name, strlen(o->name), true);
	else
		add_escaped(&x->text, o->name, strlen(o->name), true);
	strbuf_addch(&x->text, '>');
}

static void add_names(struct strbuf *b, uint64_t v, const char *const *names,
		      const uint64_t *values, size_t n, const char *zero)
{
	const char *separator = zero;
	if (*zero)
		strbuf_addstr(b, zero);
	separator = *zero ? "|" : "";
	for (size_t i = 0; i < n; i++)
		if (values[i] && (v & values[i]) == values[i]) {
			strbuf_addf(b, "%s%s", separator, names[i]);
			separator = "|";
			v &= ~values[i];
		}
	if (v || (!*zero && !*separator))
		strbuf_addf(b, v ? "%s%#llx" : "%s%llx", separator, (unsigned long long)v);
}

static void add_open_flags(struct strbuf *b, uint32_t flags)
{
	static const char *const names[] = {"O_SYNC", "O_DSYNC", "O_TMPFILE", "O_DIRECTORY",
	    "O_CREAT", "O_EXCL", "O_NOCTTY", "O_TRUNC", "O_APPEND", "O_NONBLOCK", "O_DIRECT",
	    "O_NOFOLLOW", "O_CLOEXEC", "O_NOATIME", "O_PATH"};
	static const uint64_t values[] = {O_SYNC,   O_DSYNC,    020200000, O_DIRECTORY, O_CREAT,
					  O_EXCL,   O_NOCTTY,   O_TRUNC,   O_APPEND,    O_NONBLOCK,
					  O_DIRECT, O_NOFOLLOW, O_CLOEXEC, O_NOATIME,   O_PATH};
	static const char *const access_names[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
	add_names(b, flags & ~3u, names, values, sizeof values / sizeof *values,
		  access_names[flags & 3]);
}

static void add_at_flags(struct strbuf *b, const struct trace_record *r)
{
	/* two flags have the same value */
	const char *const names[] = {"AT_SYMLINK_NOFOLLOW",
				     r->op == OP_ACCESS ? "AT_EACCESS" : "AT_REMOVEDIR",
				     "AT_SYMLINK_FOLLOW", "AT_EMPTY_PATH"};
	static const uint64_t values[] = {AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW,
					  AT_EMPTY_PATH};
	add_names(b, r->flags, names, values, 4, "");
}

/* The record's heap item. NULL: it has none, or `failed` is set. */
static const void *heap_item(struct strace_line *x, const struct trace_record *r, size_t *len)
{
	const void *heap;
	int ret = trace_heap(x->t, r->heap, &heap, len, x->err);
	x->failed = ret ? ret : x->failed;
	return heap;
}

static void add_buffers(struct strace_line *x, const struct trace_record *r)
{
	size_t len;
	const unsigned char *heap = heap_item(x, r, &len);
	uint64_t one = r->length;
	size_t n = heap && len >= 8 ? len / 8 : 1;
	strbuf_addch(&x->text, '[');
	for (size_t i = 0; i < n; i++) {
		if (heap && len >= 8)
			memcpy(&one, heap + 8 * i, 8);
		strbuf_addf(&x->text, "%s{iov_base=\"\"..., iov_len=%llu}", i ? ", " : "",
			    (unsigned long long)one);
	}
	strbuf_addf(&x->text, "], %zu", n);
}

static void add_offset_pointer(struct strbuf *b, uint64_t offset)
{
	if (offset == OFFSET_NONE)
		strbuf_addstr(b, "NULL");
	else
		strbuf_addf(b, "[%llu]", (unsigned long long)offset);
}

static bool add_heap_text(struct strace_line *x, const struct trace_record *r, bool is_path)
{
	size_t len;
	const char *heap = heap_item(x, r, &len);
	if (!heap)
		return false;
	strbuf_addch(&x->text, '"');
	if (is_path)
		add_path(x, heap, len, false);
	else
		add_escaped(&x->text, heap, len, false);
	strbuf_addch(&x->text, '"');
	return true;
}

static const char *whence_name(uint32_t whence)
{
	static const char *const names[] = {"SEEK_SET", "SEEK_CUR", "SEEK_END", "SEEK_DATA",
					    "SEEK_HOLE"};
	return whence < sizeof names / sizeof *names ? names[whence] : NULL;
}

/* Appends numbers and flags. False: the letter stands for another kind of argument. */
static bool add_number(struct strbuf *b, const struct trace_record *r, char letter)
{
	switch (letter) {
	case 's':
		return strbuf_addf(b, "%llu", (unsigned long long)r->length), true;
	case 'o':
		return strbuf_addf(b, "%lld", (long long)r->offset), true;
	case 'O':
		return add_open_flags(b, r->flags), true;
	case 'A':
		return add_at_flags(b, r), true;
	case 'm':
		return strbuf_addf(b, "%#llo",
				   (unsigned long long)(op_makes_file(r->op, r->flags)
							    ? r->length & OP_MODE_BITS
							    : r->length)),
		       true;
	case '@':
		return add_offset_pointer(b, op_info(r->op)->uses & OP_KNOWS_OFFSET ? OFFSET_NONE
										    : r->offset),
		       true;
	case 'u':
	case 'g':
		return strbuf_addf(b, "%d",
				   (int)(uint32_t)(letter == 'u' ? r->offset : r->offset >> 32)),
		       true;
	case 'R':
		return strbuf_addf(b, "%#x", r->flags >> 29), true;
	case 'B':
		return strbuf_addf(b, "%#llx", (unsigned long long)r->offset), true;
	case 'M':
		return strbuf_addf(b, "%#x", r->flags & 0x1fffffff), true;
	case 'v':
		return strbuf_addf(b, "%#x",
			r->op == OP_SETXATTR || r->op == OP_FSETXATTR ? r->flags & 3 : r->flags),
		       true;
	default:
		return false;
	}
}

/* Appends the other descriptor of a copy, or the number requested by dup2. */
static bool add_peer(struct strace_line *x, const struct trace_record *r, char letter)
{
	struct op_peer peer = {-1, OBJECT_NONE, OFFSET_NONE};
	size_t len;
	const void *heap = heap_item(x, r, &len);
	if ((op_info(r->op)->uses & OP_HEAP_PEER) && heap && len == sizeof peer)
		memcpy(&peer, heap, sizeof peer);
	if (letter == 'K') {
		add_fd(x, peer.fd, peer.object);
		strbuf_addstr(&x->text, ", BTRFS_IOC_CLONE_RANGE or FICLONERANGE, {src_fd=");
		add_fd(x, r->fd, r->object);
		strbuf_addf(&x->text, ", src_offset=%llu, src_length=%llu, dest_offset=%llu}",
			    (unsigned long long)r->offset, (unsigned long long)r->length,
			    (unsigned long long)peer.offset);
		return peer.fd >= 0 && r->fd >= 0;
	}
	if (letter == '#') {
		add_offset_pointer(&x->text, peer.offset);
		return true;
	}
	if (letter == 'X') {
		add_fd(x, peer.fd, peer.object);
		return peer.fd >= 0;
	}
	strbuf_addf(&x->text, "%d", peer.fd >= 0 ? peer.fd : (int)r->rvalue);
	return peer.fd >= 0 || r->rvalue >= 0;
}

static bool add_object_path(struct strace_line *x, const struct trace_record *r)
{
	const struct trace_object *o = trace_object(x->t, r->object);
	if (!o)
		return false;
	strbuf_addch(&x->text, '"');
	add_path(x, o->name, strlen(o->name), false);
	strbuf_addch(&x->text, '"');
	return true;
}

/* Appends the command of fcntl and its argument, a lock or a number. */
static bool add_command(struct strace_line *x, const struct trace_record *r)
{
	static const char *const types[] = {"F_RDLCK", "F_WRLCK", "F_UNLCK"};
	struct op_lock lock;
	size_t len;
	const void *heap = heap_item(x, r, &len);
	strbuf_addf(&x->text, "%#x, ", r->flags);
	if (!heap || len != sizeof lock) {
		strbuf_addf(&x->text, "%#llx", (unsigned long long)r->offset);
		return true;
	}
	memcpy(&lock, heap, sizeof lock);
	if (lock.type < 0 || lock.type > 2 || lock.whence < 0 || lock.whence > 2)
		return false;
	strbuf_addf(&x->text, "{l_type=%s, l_whence=%s, l_start=%lld, l_len=%lld}",
		    types[lock.type], whence_name((uint32_t)lock.whence), (long long)lock.start,
		    (long long)lock.length);
	return true;
}

/* Appends a buffer: data, or the address of a result. */
static bool add_buffer(struct strbuf *b, const struct trace_record *r)
{
	enum op_family family = op_info(r->op)->family;
	strbuf_addstr(b, (family == FAMILY_READ || family == FAMILY_WRITE) && r->rvalue >= 0
			     ? "\"\"..."
			     : "0x7ffc00000000");
	return true;
}

static void add_times(struct strace_line *x, const struct trace_record *r)
{
	int64_t t[4];
	size_t len;
	const void *heap = heap_item(x, r, &len);
	if (!heap || len != sizeof t) {
		strbuf_addstr(&x->text, "NULL");
		return;
	}
	memcpy(t, heap, sizeof t);
	for (int i = 0; i < 2; i++) {
		strbuf_addstr(&x->text, i ? ", " : "[");
		if (t[2 * i + 1] == UTIME_NOW || t[2 * i + 1] == UTIME_OMIT)
			strbuf_addstr(&x->text,
				t[2 * i + 1] == UTIME_NOW ? "UTIME_NOW" : "UTIME_OMIT");
		else
			strbuf_addf(&x->text, "{tv_sec=%lld, tv_nsec=%lld}",
				(long long)t[2 * i], (long long)t[2 * i + 1]);
	}
	strbuf_addch(&x->text, ']');
}

static void add_acl(struct strbuf *b, uint32_t flags)
{
	unsigned char value[OP_ACL_BYTES];
	op_acl_value(flags, value);
	strbuf_addch(b, '"');
	add_escaped(b, (const char *)value, sizeof value, false);
	strbuf_addch(b, '"');
}

static bool add_arg(struct strace_line *x, const struct trace_record *r, char letter)
{
	switch (letter) {
	case 'f':
		add_fd(x, r->fd, r->object);
		return r->fd >= 0 || r->rvalue < 0;
	case 'D':
	case 'd':
		if (r->op == OP_FUTIMENS)
			return add_fd(x, r->fd, r->object), r->fd >= 0 || r->rvalue < 0;
		strbuf_addstr(&x->text, "AT_FDCWD");
		return true;
	case 'p':
		if (r->op == OP_FUTIMENS)
			return strbuf_addstr(&x->text, "NULL"), true;
		return add_object_path(x, r);
	case 't':
		add_times(x, r);
		return true;
	case 'P':
		return add_heap_text(x, r, true);
	case 'T':
	case 'N':
		return add_heap_text(x, r, false);
	case 'i':
		add_buffers(x, r);
		return true;
	case 'w':
		strbuf_addstr(&x->text, whence_name(r->flags) ? whence_name(r->flags) : "SEEK_SET");
		return whence_name(r->flags) != NULL;
	case 'c':
		return add_command(x, r);
	case 'n':
	case 'X':
	case 'K':
	case '#':
		return add_peer(x, r, letter);
	default:
		if (letter == 'Y' && r->heap != HEAP_NONE && r->rvalue > 0)
			return add_heap_text(x, r, false);
		if (letter == 'L' && r->flags & OP_ACL_IS_MODE)
			return add_acl(&x->text, r->flags), true;
		return add_number(&x->text, r, letter) || add_buffer(&x->text, r);
	}
}

/* Calls that ARTC supports, with ARTC's names. */
static const struct {
	enum trace_op op;
	const char *name;
} old_calls[] = {
    {OP_OPEN, "open"},         {OP_CLOSE, "close"},         {OP_READ, "read"},
    {OP_WRITE, "write"},       {OP_PREAD, "pread"},         {OP_PWRITE, "pwrite"},
    {OP_LSEEK, "lseek"},       {OP_FSYNC, "fsync"},         {OP_FDATASYNC, "fdatasync"},
    {OP_TRUNCATE, "truncate"}, {OP_FTRUNCATE, "ftruncate"}, {OP_DUP, "dup"},
    {OP_DUP2, "dup2"},         {OP_STAT, "stat"},           {OP_FSTAT, "fstat"},
    {OP_CHMOD, "chmod"},       {OP_FCHMOD, "fchmod"},       {OP_RENAME, "rename"},
    {OP_LINK, "link"},         {OP_SYMLINK, "symlink"},     {OP_READLINK, "readlink"},
    {OP_UNLINK, "unlink"},     {OP_MKDIR, "mkdir"},         {OP_RMDIR, "rmdir"}};

static const char *old_name_of(const struct trace_record *r)
{
	if (r->op == OP_STAT && (r->flags & AT_SYMLINK_NOFOLLOW))
		return "lstat";
	if ((r->op == OP_DUP2 || r->op == OP_RENAME || r->op == OP_LINK || r->op == OP_UNLINK ||
	     r->op == OP_CHMOD) &&
	    r->flags)
		return NULL;
	for (size_t i = 0; i < sizeof old_calls / sizeof *old_calls; i++)
		if (old_calls[i].op == r->op)
			return old_calls[i].name;
	return NULL;
}

static bool is_clone(const struct trace_record *r)
{
	return r->op == OP_COPY_FILE_RANGE && r->flags & OP_COPY_CLONES;
}

/* The name of a call that present programs use, such as openat, if several calls express an
 * operation. NULL: there is only one call. */
static const char *new_name_of(const struct trace_record *r)
{
	static const struct {
		enum trace_op op;
		const char *name, *with_flags;
	} chosen[] = {{OP_OPEN, "openat", "openat"},
		      {OP_STAT, "newfstatat", "newfstatat"},
		      {OP_UTIMENS, "utimensat", "utimensat"},
		      {OP_FUTIMENS, "utimensat", "utimensat"},
		      {OP_DUP2, NULL, "dup3"},
		      {OP_RENAME, NULL, "renameat2"},
		      {OP_ACCESS, NULL, "faccessat2"},
		      {OP_CHMOD, NULL, "fchmodat2"},
		      {OP_CHOWN, NULL, "fchownat"},
		      {OP_LINK, NULL, "linkat"},
		      {OP_UNLINK, NULL, "unlinkat"}},
	  of_links[] = {{OP_GETXATTR, NULL, "lgetxattr"},
			{OP_SETXATTR, NULL, "lsetxattr"},
			{OP_LISTXATTR, NULL, "llistxattr"},
			{OP_REMOVEXATTR, NULL, "lremovexattr"}};
	for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
		if (chosen[i].op == r->op)
			return r->flags ? chosen[i].with_flags : chosen[i].name;
	for (size_t i = 0; i < sizeof of_links / sizeof *of_links; i++)
		if (of_links[i].op == r->op && r->flags & AT_SYMLINK_NOFOLLOW)
			return of_links[i].with_flags;
	return NULL;
}

void strace_add_result(struct strace_line *x, const struct trace_record *r)
{
	struct strbuf *b = &x->text;
	const char *error = r->error ? strerrorname_np(r->error) : NULL;
	if (r->error == ECANCELED)
		strbuf_addstr(b, ") = ?");
	else if (r->rvalue < 0 && error)
		strbuf_addf(b, ") = -1 %s (%s)", error, strerrordesc_np(r->error));
	else if (op_info(r->op)->uses & OP_RESULT_VARIES)
		strbuf_addf(b, ") = %#llx", (unsigned long long)r->rvalue);
	else
		strbuf_addf(b, ") = %lld", is_clone(r) ? 0LL : (long long)r->rvalue);
	if ((op_info(r->op)->uses & OP_RETURNS_FD) && r->rvalue >= 0) {
		b->len = strlen(b->s) - strlen(strrchr(b->s, ' ') + 1);
		add_fd(x, (int32_t)r->rvalue, r->object);
	}
}

const struct syscall_row *strace_row_of(const struct trace_record *r, bool old, const char **name)
{
	static const struct syscall_row clone = {"ioctl", -1, OP_IOCTL, "K", 0, 0};
	const struct syscall_row *row;
	*name = old ? old_name_of(r) : is_clone(r) ? clone.name : new_name_of(r);
	if (*name || old)
		return !*name	     ? NULL
		       : is_clone(r) ? &clone
				     : strace_call_find(*name, strlen(*name));
	for (row = strace_rows; row->name && row->op != r->op; row++)
		;
	for (row = row->name ? row : syscall_rows; row->name && row->op != r->op; row++)
		;
	/* an ioctl() other than a clone is not read either */
	if (!row->name || row->op == OP_IOCTL)
		return NULL;
	*name = strace_call_name(row);
	return row;
}

bool strace_add_args(struct strace_line *x, const struct trace_record *r,
		     const struct syscall_row *c)
{
	bool makes = r->op == OP_OPEN && (r->flags & (O_CREAT | 020000000));
	for (const char *letter = c->args; *letter; letter++) {
		if (r->op == OP_OPEN && *letter == 'm' && !makes && !r->length)
			break; /* no file is created, so there is no mode */
		if (letter > c->args)
			strbuf_addstr(&x->text, ", ");
		if (!add_arg(x, r, *letter) || x->failed)
			return false;
		/* the next letter is done: add_buffers() appended the number of buffers,
		 * add_command() the argument */
		if ((*letter == 'i' && letter[1] == '_') || (*letter == 'c' && letter[1] == '*'))
			letter++;
	}
	if (x->old && (r->op == OP_STAT || r->op == OP_FSTAT))
		strbuf_addstr(
		    &x->text,
		    r->rvalue ? ", 0x7ffc00000000"
			      : ", {st_dev=makedev(0, 0), st_mode=S_IFREG|0644, st_size=0, ...}");
	return true;
}

int strace_call_text(struct trace *t, const struct trace_record *r, struct strbuf *text,
		     struct err *e)
{
	const char *name;
	const struct syscall_row *c = strace_row_of(r, false, &name);
	const char *root = trace_meta(t)->root;
	struct strace_line x = {.t = t, .root = root ? root : "/", .text = *text, .err = e};
	size_t len = text->len;
	bool known = false;
	if (c) {
		strbuf_addf(&x.text, "%s(", name);
		known = strace_add_args(&x, r, c);
	}
	if (known)
		strace_add_result(&x, r);
	*text = x.text;
	if (!known)
		text->len = len;
	return x.failed ? x.failed : known;
}
