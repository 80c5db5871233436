/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the arguments of a call to the form that the kernel gets, by the letters of its row
 * (syscall_table.h): numbers, and the memory of pointers. */
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "capture/formats/strace_parsed.h"
#include "capture/number.h"

static bool is_null(const struct part *a)
{
	return a->len >= 4 && !memcmp(a->s, "NULL", 4);
}

static bool part_has(const struct part *a, const char *word)
{
	return memmem(a->s, a->len, word, strlen(word)) != NULL;
}

int strace_number(struct strace_parsed *p, const struct part *a, bool is_signed, uint64_t *v,
		  struct err *e)
{
	const char *s = a->s, *end = s + a->len;
	int64_t i = 0;
	bool good = is_signed && *s == '-' ? scan_i64(&s, end, &i) : scan_c_u64(&s, end, v);
	if (i)
		*v = (uint64_t)i;
	if (good && s == end)
		return 0;
	return foreign_at(&p->t->base, a->s, e, "\"%.*s\" is not a number",
			  (int)(a->len < 60 ? a->len : 60), a->s);
}

static uint64_t flags_parse(struct strace_parsed *p, const struct part *a)
{
	bool all;
	return names_or(&p->t->names, a->s, a->len, &all);
}

static uint64_t key_value(const struct strace_parsed *p, const struct part *a, const char *key)
{
	const char *s = memmem(a->s, a->len, key, strlen(key)), *end = a->s + a->len;
	bool all;
	if (!s)
		return 0;
	s += strlen(key);
	const bool negative = s < end && *s == '-';
	s += negative;
	const char *stop = s;
	while (stop < end && *stop != ',' && *stop != '}' && *stop != ' ')
		stop++;
	const uint64_t v = names_or(&p->t->names, s, (size_t)(stop - s), &all);
	return negative ? 0 - v : v;
}

/* --- memory -------------------------------------------------------------- */

/* [{iov_base="..."..., iov_len=4096}, ...]. strace cuts long lists. */
static void buffers_parse(struct strbuf *to, const struct part *a)
{
	const char *s = a->s, *end = s + a->len;
	while (s < end && (s = memmem(s, (size_t)(end - s), "iov_len=", 8))) {
		uint64_t n;
		s += 8;
		if (!scan_u64(&s, end, &n))
			break;
		const struct iovec v = {.iov_len = n};
		strbuf_add(to, &v, sizeof v);
	}
}

/* [{tv_sec=1, tv_nsec=2}, UTIME_OMIT]. Without an argument, both times are "now". */
static void utimes_parse(struct strace_parsed *p, struct strbuf *to, const struct part *a)
{
	const char *s = a->s + 1, *end = a->s + a->len;
	int64_t t[4] = {0, UTIME_NOW, 0, UTIME_NOW};
	struct part one;
	for (int i = 0; i < 2 && *a->s == '['; i++) {
		if (!strace_next_part(&s, end, &one) ||
		    (*one.s == '{' && !part_has(&one, "tv_nsec=")))
			return;
		if (*one.s == '{') {
			t[2 * i] = (int64_t)key_value(p, &one, "tv_sec=");
			t[2 * i + 1] = (int64_t)key_value(p, &one, "tv_nsec=");
		} else if (part_has(&one, "UTIME_OMIT")) {
			t[2 * i + 1] = UTIME_OMIT;
		}
	}
	strbuf_add(to, t, sizeof t);
}

/* "[3, 4]", "[3<pipe:[12]>, 4<pipe:[12]>]" */
static void pair_parse(struct strbuf *to, const struct part *a)
{
	const char *s = a->s + 1, *end = a->s + a->len;
	struct part one;
	for (int i = 0; i < 2 && strace_next_part(&s, end, &one); i++) {
		const int32_t fd = (int32_t)strace_first_fd(one.s, one.s + one.len);
		strbuf_add(to, &fd, sizeof fd);
	}
}

/* {l_type=F_RDLCK, l_whence=SEEK_SET, l_start=0, l_len=1} */
static void lock_parse(struct strace_parsed *p, struct strbuf *to, const struct part *a)
{
	const struct flock lock = {(short)key_value(p, a, "l_type="),
				   (short)key_value(p, a, "l_whence="),
				   (off_t)key_value(p, a, "l_start="),
				   (off_t)key_value(p, a, "l_len="), 0};
	strbuf_add(to, &lock, sizeof lock);
}

/* {src_fd=3</a>, src_offset=0, src_length=0, dest_offset=0} */
static int clone_range(struct strace_parsed *p, struct strbuf *to, const struct part *a,
		       struct err *e)
{
	static const char key[] = "src_fd=", next[] = ", src_offset=";
	const char *s = memmem(a->s, a->len, key, sizeof key - 1), *end = NULL;
	/* a name may contain this text, so its last occurrence counts */
	for (const char *at = s; at && (at = memmem(at, (size_t)(a->s + a->len - at), next,
						    sizeof next - 1)); at++)
		end = at;
	p->no_request = !s || !end;
	if (p->no_request)
		return 0;
	s += sizeof key - 1;
	const struct part source = {s, (size_t)(end - s)},
			  rest = {end, a->len - (size_t)(end - a->s)};
	struct file_clone_range range = {.src_offset = key_value(p, &rest, "src_offset="),
					 .src_length = key_value(p, &rest, "src_length="),
					 .dest_offset = key_value(p, &rest, "dest_offset=")};
	int64_t fd = -1;
	int ret = strace_descriptor(p, &source, &fd, e);
	range.src_fd = fd;
	strbuf_add(to, &range, sizeof range);
	return ret;
}

/* {sa_family=AF_UNIX, sun_path="/run/x"}. Abstract names ("@...") and other address families are
 * not files. */
static int address_parse(struct strace_parsed *p, struct strbuf *to, const struct part *a,
			 struct err *e)
{
	static const char key[] = "sun_path=";
	const char *s = memmem(a->s, a->len, key, sizeof key - 1);
	const struct sockaddr_un head = {.sun_family = AF_UNIX};
	struct strbuf path = STRBUF_INIT;
	p->no_request = !s || s[sizeof key - 1] != '"';
	if (p->no_request)
		return 0;
	s += sizeof key - 1;
	const struct part name = {s, (size_t)(a->s + a->len - s)};
	int ret = strace_path(p, &name, NULL, &path, e);
	strbuf_add(to, &head, offsetof(struct sockaddr_un, sun_path));
	strbuf_add(to, path.s, path.len);
	strbuf_addch(to, '\0');
	strbuf_release(&path);
	return ret;
}

static void at_offset(struct strbuf *to, const struct part *a)
{
	const char *s = a->s + (a->len && *a->s == '['), *end = a->s + a->len;
	uint64_t v;
	if (!is_null(a) && scan_u64(&s, end, &v))
		strbuf_add(to, &v, sizeof v);
}

static bool is_numbered(const struct part *directory)
{
	return directory && directory->len && *directory->s >= '0' && *directory->s <= '9';
}

/* Reads the descriptor of the directory. */
static int directory_take(struct strace_parsed *p, const struct part *directory, struct err *e)
{
	int64_t fd;
	const int ret = strace_descriptor(p, directory, &fd, e);
	p->value[p->dir_at] = (uint64_t)fd;
	return ret;
}

/* The path p, relative to the argument D before it, or the path P, relative to d. */
static int path_parse(struct strace_parsed *p, struct strbuf *to, const struct part *a,
		      struct err *e)
{
	/* NULL in utimensat(): the descriptor itself */
	const bool none = p->dir && a->len == 4 && is_null(a);
	int ret = none ? 0 : strace_path(p, a, p->dir, to, e);
	/* AT_EMPTY_PATH: the call refers to the descriptor */
	if (!ret && is_numbered(p->dir) && !to->len)
		ret = directory_take(p, p->dir, e);
	return ret;
}

static int text_parse(struct strace_parsed *p, struct strbuf *to, const struct part *a,
		      struct err *e)
{
	return strace_unquote(to, a)
		   ? 0
		   : foreign_at(&p->t->base, a->s, e, "\"%.*s\" is not a quoted string",
				(int)(a->len < 60 ? a->len : 60), a->s);
}

/* Appends the memory of a pointer, or nothing if it is unknown. *v: the pointer, if its value
 * matters. */
static int pointee_parse(struct strace_parsed *p, char letter, struct strbuf *to,
			 const struct part *a, uint64_t *v, struct err *e)
{
	switch (letter) {
	case 'p':
		*v = !is_null(a);
		return path_parse(p, to, a, e);
	case 'P':
		return strace_path(p, a, p->dir, to, e);
	case 'T':
	case 'N':
		return text_parse(p, to, a, e);
	case 'Y': /* strace prints the whole text if -s is large enough */
		if (p->r.rvalue <= 0 || !a->len || a->s[a->len - 1] != '"' ||
		    !strace_unquote(to, a) ||
		    to->len != (uint64_t)p->r.rvalue)
			strbuf_reset(to);
		return 0;
	case 'L':
		if (p->r.rvalue || !strace_unquote_bytes(to, a))
			strbuf_reset(to);
		return 0;
	case 'i':
		buffers_parse(to, a);
		v[1] = to->len / sizeof(struct iovec); /* number of buffers that are printed */
		return 0;
	case 'H': {
		const uint64_t how[] = {key_value(p, a, "flags="), key_value(p, a, "mode="),
					key_value(p, a, "resolve=")};
		strbuf_add(to, how, sizeof how);
		/* also an absolute path begins at the directory, the first argument */
		if (how[2] & SYSCALL_RESOLVE_IN_ROOT && is_numbered(&p->arg[0]))
			return directory_take(p, &p->arg[0], e);
		return 0;
	}
	case 't':
		utimes_parse(p, to, a);
		return 0;
	case '@':
	case '#':
		at_offset(to, a);
		return 0;
	case 'q':
		pair_parse(to, a);
		return 0;
	case 'k':
		return address_parse(p, to, a, e);
	case '*':
		if (part_has(a, "l_type="))
			lock_parse(p, to, a);
		else if (p->call->op == OP_IOCTL)
			return *a->s == '{' ? clone_range(p, to, a, e)
					    : strace_descriptor(p, a, (int64_t *)v, e);
		else if (*a->s != '{')
			*v = flags_parse(p, a);
		return 0;
	default:
		return 0;
	}
}

/* --- numbers ------------------------------------------------------------- */

static int number_parse(struct strace_parsed *p, char letter, unsigned int i, struct err *e)
{
	const struct part *a = &p->arg[i];
	uint64_t *v = &p->value[i];
	int64_t fd = -1;
	int ret = 0;
	switch (letter) {
	case 'f':
	case 'X':
		if (p->call->op == OP_MMAP && *a->s == '-') { /* -1: not of a file */
			p->value[3] |= MAP_ANONYMOUS;
			return 0;
		}
		if (p->entered && p->call->op == OP_CLOSE) { /* the number may be reused */
			*v = (uint64_t)strace_first_fd(a->s, a->s + a->len);
			return 0;
		}
		ret = strace_descriptor(p, a, &fd, e);
		*v = fd >= INT32_MIN && fd <= INT32_MAX ? (uint64_t)fd : (uint64_t)-1;
		return ret;
	case 'D':
	case 'd':
		p->dir = a;
		p->dir_at = i;
		*v = (uint64_t)AT_FDCWD;
		return 0;
	case 'n':
		*v = (uint64_t)strace_first_fd(a->s, a->s + a->len);
		return 0;
	case 'o':
	case 'u':
	case 'g':
		return strace_number(p, a, true, v, e);
	case 'B':
		return is_null(a) ? 0 : strace_number(p, a, false, v, e);
	case 's':
		return strace_number(p, a, false, v, e);
	case '1':
	case 'l':
		*v = UINT32_MAX;
		return *a->s == '~' ? 0 : strace_number(p, a, false, v, e);
	case 'c':
		*v = p->call->op != OP_IOCTL       ? flags_parse(p, a)
		     : part_has(a, "FICLONERANGE") ? FICLONERANGE
		     : part_has(a, "FICLONE")      ? FICLONE
		     : part_has(a, "TIOCGPTPEER")  ? TIOCGPTPEER
						   : 0;
		/* strace also prints commands of ioctl() that are not requests on files. With
		 * TIOCGPTPEER, the result is a descriptor */
		p->no_request = p->call->op == OP_IOCTL &&
				(!*v || (*v == TIOCGPTPEER ? p->r.rvalue < 0 : p->r.rvalue != 0));
		return 0;
	case '_':
		return 0;
	default:
		*v = flags_parse(p, a);
		if (p->call->kind == SYSCALL_PAIR || p->call->kind == SYSCALL_DESCRIPTOR)
			*v = part_has(a, "CLOEXEC") ? O_CLOEXEC | MFD_CLOEXEC
						    : 0; /* SOCK_, EFD_ ... */
		else if (p->call->kind == SYSCALL_CLOSE_RANGE)
			*v = part_has(a, "CLOSE_RANGE_CLOEXEC") ? 4 : 0;
		return 0;
	}
}

int strace_take_args(struct strace_parsed *p, bool partly, struct err *e)
{
	unsigned int i = 0, n_pointers = 0;
	int ret = 0;
	for (const char *letter = p->call->args; *letter && !ret && !p->no_request; letter++, i++) {
		if (i >= p->n &&
		    (partly || p->call->kind != SYSCALL_REQUEST || strchr("mAOv_cVLYE*", *letter) ||
		     (*letter == 's' && p->r.rvalue < 0)))
			return 0;
		if (i >= p->n)
			return foreign_at(&p->t->base, p->ret, e, "%s has only %u arguments",
				strace_call_name(p->call), p->n);
		if (!strchr(SYSCALL_POINTERS, *letter)) {
			ret = number_parse(p, *letter, i, e);
			continue;
		}
		struct strbuf *to = &p->t->memory[n_pointers];
		struct syscall_memory *m = &p->memory[n_pointers++];
		strbuf_reset(to);
		ret = pointee_parse(p, *letter, to, &p->arg[i], &p->value[i], e);
		if (strchr("pPTN", *letter)) {
			/* unreadable path: the call failed for that reason */
			const bool unreadable = ret && p->r.rvalue < 0;
			*m = (struct syscall_memory){ret ? NULL : to->s ? to->s : "", to->len};
			ret = unreadable ? 0 : ret;
			p->dir = NULL;
		} else if (to->len) {
			*m = (struct syscall_memory){to->s, to->len};
		}
	}
	return ret;
}
