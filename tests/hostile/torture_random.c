/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "torture_random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/op.h"
#include "common/strbuf.h"
#include "torture_scene.h"

enum { N_DESCRIPTORS = 12, FIRST_FD = 3, N_MOTIF = 4, N_TAME = 20, MAX_ADDRESSES = 8 };

enum held { HELD_NOT, HELD_FILE, HELD_DIRECTORY, HELD_STREAM };

struct maker {
	uint64_t state; /* of the random numbers */
	const struct random_trace *t;
	struct trace_writer *w;
	bool wild, quiet; /* the trace's manner */
	bool plain;     /* only opens and what moves data */
	bool unaligned; /* level block: not all requests are whole blocks of 4 KiB */
	bool lengthy;   /* some lengths are extreme */
	/* descriptors that the trace has opened: enum held */
	uint8_t open[FIRST_FD + N_DESCRIPTORS];
	uint64_t address[MAX_ADDRESSES];        /* mappings that the trace made */
	uint32_t n_addresses;
	uint32_t n_threads;
	int64_t now_ns;
	/* next requests: they rename a special object, open it under the new name and write to
	 * it */
	struct {
		enum trace_op op;
		uint32_t name, second;
	} motif[N_MOTIF];
	uint32_t n_motif;
	bool motif_opens_file; /* as a directory, which must fail in the trace */
	uint32_t motif_tid;
	int32_t motif_fd; /* that the last open made */
};

static uint64_t draw(struct maker *m, uint64_t n)
{
	return random_below(&m->state, n);
}

static bool one_in(struct maker *m, uint64_t n)
{
	return draw(m, n) == 0;
}

static uint64_t extreme(struct maker *m)
{
	static const uint64_t numbers[] = {0,
					   1,
					   511,
					   4096,
					   1 << 20,
					   UINT64_C(1) << 30,
					   INT32_MAX,
					   UINT32_MAX,
					   UINT64_C(1) << 40,
					   INT64_MAX,
					   UINT64_C(1) << 63,
					   UINT64_MAX - 1,
					   UINT64_MAX};
	return numbers[draw(m, sizeof numbers / sizeof *numbers)];
}

/* --- names --------------------------------------------------------------- */

/* Objects of the trace are numbered as in scene_names[]: first ordinary and new names, then special
 * names. Tame traces use the first N_TAME names, which need no missing directory. */
static uint32_t any_name(struct maker *m)
{
	return (uint32_t)draw(m, m->wild && one_in(m, 2) ? scene_n_names : scene_n_ordinary);
}

/* The name that the operation expects, unless the trace is wild: a replay does not start if the
 * target cannot have the state that the trace shows. */
static uint32_t name_for(struct maker *m, enum trace_op op)
{
	const struct op_info *o = op_info(op);
	const bool is_moved = o->family == FAMILY_NAME && (o->uses & OP_HEAP_PATH);
	if (m->wild)
		return any_name(m);
	if (is_moved && op != OP_SYMLINK) /* moving a directory removes names */
		return (uint32_t)draw(m, scene_n_files);
	switch (op) {
	case OP_OPENDIR:
	case OP_SCANDIR:
	case OP_WALK:
	case OP_CHDIR:
	case OP_CHROOT:
	case OP_RMDIR:
		return scene_n_new + (uint32_t)draw(m, scene_n_ordinary - scene_n_new);
	case OP_SYMLINK:
	case OP_MKDIR:
	case OP_MKNOD:
		return scene_n_files + (uint32_t)draw(m, scene_n_new - scene_n_files);
	case OP_OPEN:
		/* several threads may open a file before another thread creates it */
		return (uint32_t)draw(m, m->n_threads > 1 ? scene_n_files : scene_n_new);
	default:
		return (uint32_t)draw(m, scene_n_files);
	}
}

/* The second name of a rename or link, or the target of a symbolic link. */
static uint32_t second_name(struct maker *m, enum trace_op op)
{
	if (m->wild || op == OP_SYMLINK)
		return any_name(m);
	return scene_n_files + (uint32_t)draw(m, scene_n_new - scene_n_files);
}

static void motif_start(struct maker *m)
{
	static const enum trace_op ways[] = {OP_RENAME, OP_LINK, OP_SYMLINK, OP_RENAME};
	static const enum trace_op opens[] = {OP_OPEN,     OP_OPEN,    OP_FOPEN,
					      OP_TRUNCATE, OP_OPENDIR, OP_FREOPEN};
	static const enum trace_op uses[] = {
	    OP_WRITE, OP_PWRITE, OP_FWRITE, OP_PWRITEV, OP_AIO_WRITE, OP_FTRUNCATE, OP_FALLOCATE,
	    OP_MMAP,  OP_READ,   OP_IOCTL,  OP_SPLICE,  OP_FCHMOD,    OP_FSETXATTR};
	const uint32_t special =
	    scene_n_ordinary +
	    (uint32_t)draw(m, m->wild ? scene_n_names - scene_n_ordinary : N_TAME);
	const uint32_t to = (uint32_t)draw(m, m->wild ? scene_n_ordinary : scene_n_files);
	m->n_motif = 0;
	m->motif[m->n_motif].op = uses[draw(m, sizeof uses / sizeof *uses)];
	m->motif[m->n_motif++].name = to;
	m->motif[m->n_motif].op = opens[draw(m, sizeof opens / sizeof *opens)];
	m->motif[m->n_motif++].name = to;
	m->motif_opens_file = !m->wild && m->motif[1].op == OP_OPENDIR;
	m->motif[m->n_motif].op = ways[draw(m, sizeof ways / sizeof *ways)];
	/* symlink: the object is the new name, and the heap item its target */
	const bool points = m->motif[m->n_motif].op == OP_SYMLINK;
	m->motif[m->n_motif].name = points ? to : special;
	m->motif[m->n_motif++].second = points ? special : to;
}

/* --- one request --------------------------------------------------------- */

static enum held wanted_by(enum trace_op op)
{
	if (op_info(op)->family == FAMILY_STREAM)
		return op == OP_FDOPEN ? HELD_FILE : HELD_STREAM;
	return op_info(op)->family == FAMILY_DIRECTORY || op == OP_FCHDIR ? HELD_DIRECTORY
									  : HELD_FILE;
}

/* A descriptor of a kind that the operation needs. Sometimes any number. */
static int32_t descriptor(struct maker *m, enum held wanted)
{
	int32_t opened[FIRST_FD + N_DESCRIPTORS], n = 0;
	for (int32_t fd = 0; fd < FIRST_FD + N_DESCRIPTORS; fd++)
		if (m->open[fd] == wanted)
			opened[n++] = fd;
	if (!n || one_in(m, m->wild ? 16 : 100))
		return (int32_t)draw(m, FIRST_FD + N_DESCRIPTORS);
	return opened[draw(m, (uint64_t)n)];
}

static uint32_t open_flags(struct maker *m)
{
	static const uint32_t flags[] = {O_RDONLY,
					 O_RDWR,
					 O_WRONLY,
					 O_RDWR | O_CREAT,
					 O_WRONLY | O_CREAT | O_TRUNC,
					 O_RDWR | O_TRUNC,
					 O_RDWR | O_CREAT | O_APPEND,
					 O_RDWR | O_CREAT | O_EXCL,
					 O_RDWR | O_DIRECT | O_CREAT,
					 O_RDONLY | O_DIRECTORY,
					 O_RDONLY | O_NOFOLLOW,
					 O_RDWR | O_NONBLOCK,
					 O_RDWR | O_TMPFILE,
					 O_PATH};
	return one_in(m, 20) ? (uint32_t)random_next(&m->state)
			     : flags[draw(m, sizeof flags / sizeof *flags)];
}

static uint64_t length_of(struct maker *m, const struct op_info *o)
{
	static const uint64_t modes[] = {
	    0644, 0600, 06755, 0, S_IFCHR | 0666, S_IFBLK | 0666, S_IFIFO | 0666, S_IFREG | 0644};
	if (o->uses & OP_HAS_MODE)
		return modes[draw(m, sizeof modes / sizeof *modes)];
	if (m->lengthy && one_in(m, 12))
		return extreme(m);
	return draw(m, one_in(m, 8) ? 1 << 20 : 9000);
}

static int64_t result_of(struct maker *m, const struct op_info *o, const struct trace_record *r)
{
	if (o->uses & (OP_RETURNS_FD | OP_MAKES_FD))
		return FIRST_FD + (int64_t)draw(m, N_DESCRIPTORS);
	if (o->uses & OP_RETURNS_BYTES)
		return m->lengthy && one_in(m, 12) ? (int64_t)(extreme(m) & INT64_MAX)
						   : (int64_t)draw(m, (r->length & 0xfffff) + 1);
	if (o->family == FAMILY_MAP && (o->uses & OP_RESULT_VARIES))
		return INT64_C(0x7f0000000000) + (int64_t)draw(m, 64) * 0x100000;
	return o->family == FAMILY_DIRECTORY || (o->uses & OP_OFFSET_SIGNED) ? (int64_t)draw(m, 4)
									     : 0;
}

static uint64_t offset_of(struct maker *m, const struct op_info *o)
{
	if (o->family == FAMILY_MAP && m->n_addresses && !(o->uses & OP_KNOWS_OFFSET) &&
	    one_in(m, 2))
		return m->address[draw(m, m->n_addresses)] + 4096 * draw(m, 4);
	switch (draw(m, 8)) {
	case 0:
		return m->lengthy ? extreme(m) : OFFSET_NONE;
	case 1:
	case 2:
		return OFFSET_NONE;
	default:
		return 512 * draw(m, 300);
	}
}

static int heap_of(struct maker *m, const struct op_info *o, uint32_t second, uint32_t *ref,
		   struct err *e)
{
	static const char *const attributes[] = {
	    "user.a", "user.b", "trusted.c", "security.capability", "system.posix_acl_access", "x"};
	uint64_t number[8];
	char bytes[sizeof number];
	const char *text = o->uses & OP_HEAP_NAME ? attributes[draw(m, 6)] : scene_names[second];
	const struct op_peer peer = {descriptor(m, HELD_FILE),
				     one_in(m, 2) ? OBJECT_NONE
				     : m->wild    ? any_name(m)
						  : (uint32_t)draw(m, scene_n_files),
				     one_in(m, 2) ? OFFSET_NONE : draw(m, 9000)};
	const uint64_t n_numbers = o->uses & OP_HEAP_IOVEC && !one_in(m, 16) ? 1 + draw(m, 8) : 4;
	for (int i = 0; i < 8; i++)
		number[i] = m->lengthy && one_in(m, 12) ? extreme(m) : draw(m, 3000);
	memcpy(bytes, number, sizeof bytes);
	if (!(o->uses & OP_HEAP) || one_in(m, 30))
		return 0;
	if (one_in(m, 30)) /* of a wrong length */
		return trace_writer_heap(m->w, bytes, 1 + draw(m, sizeof bytes), ref, e);
	if (o->uses & (OP_HEAP_PATH | OP_HEAP_NAME))
		return *text ? trace_writer_heap(m->w, text, strlen(text), ref, e) : 0;
	if (o->uses & OP_HEAP_PEER)
		return trace_writer_heap(m->w, &peer, sizeof peer, ref, e);
	return trace_writer_heap(m->w, bytes, n_numbers * sizeof *number, ref, e);
}

/* Adds descriptors and mappings that later requests of the trace can use. */
static void remember(struct maker *m, const struct op_info *o, const struct trace_record *r)
{
	if (r->error)
		return;
	if ((o->uses & (OP_RETURNS_FD | OP_MAKES_FD)) && r->rvalue < FIRST_FD + N_DESCRIPTORS)
		m->open[r->rvalue] = (uint8_t)(r->op == OP_OPENDIR          ? HELD_DIRECTORY
					       : o->family == FAMILY_STREAM ? HELD_STREAM
									    : HELD_FILE);
	if ((r->op == OP_CLOSE || r->op == OP_FCLOSE || r->op == OP_CLOSEDIR) &&
	    r->fd >= FIRST_FD && r->fd < FIRST_FD + N_DESCRIPTORS)
		m->open[r->fd] = HELD_NOT;
	if (r->op == OP_MMAP)
		m->address[m->n_addresses++ % MAX_ADDRESSES] = (uint64_t)r->rvalue;
	if (m->n_addresses > MAX_ADDRESSES)
		m->n_addresses = MAX_ADDRESSES;
}

static void result_draw(struct maker *m, const struct op_info *o, struct trace_record *r,
			bool must_succeed)
{
	static const uint16_t errors[] = {EACCES, EFAULT, EINVAL, EIO,    ENOSPC,  EPERM, EINTR,
					  EAGAIN, EBADF,  ENOENT, EEXIST, ENOTDIR, EISDIR};
	const uint64_t n_errors =
	    /* the other operations show the type of the name */
	    m->wild || !(o->uses & OP_HAS_PATH) ? 13 : 8;
	if (must_succeed || !one_in(m, 5)) {
		r->rvalue = result_of(m, o, r);
	} else {
		r->rvalue = -1;
		r->error = one_in(m, 16) ? (uint16_t)draw(m, 65536) : errors[draw(m, n_errors)];
	}
	if ((o->uses & OP_RETURNS_FD) && !r->error)
		r->fd = (int32_t)r->rvalue;
}

static void times_draw(struct maker *m, struct trace_record *r)
{
	m->now_ns += (int64_t)draw(m, 3000);
	r->begin_ns = m->now_ns;
	r->end_ns = one_in(m, 60) ? TIME_NONE : m->now_ns + (int64_t)draw(m, 4000);
	r->intended_ns = TIME_NONE;
	r->dispatch_ns = TIME_NONE;
}

/* Whether a success of the operation shows that a name is a directory or a link. */
static bool is_telling(enum trace_op op)
{
	return op == OP_CHDIR || op == OP_FCHDIR || op == OP_CHROOT || op == OP_RMDIR ||
	       op == OP_READLINK;
}

static enum trace_op operation(struct maker *m)
{
	for (;;) {
		const enum trace_op op =
		    one_in(m, 4) ? OP_OPEN : (enum trace_op)(OP_INVALID + 1 + draw(m, OP_N - 1));
		const enum op_family family = op_info(op)->family;
		if (!m->wild && is_telling(op))
			continue;
		if (!m->plain || op == OP_OPEN || op == OP_CLOSE || family == FAMILY_READ ||
		    family == FAMILY_WRITE || family == FAMILY_POSITION || family == FAMILY_SYNC)
			return op;
	}
}

static void positioned_draw(struct maker *m, struct trace_record *r)
{
	static const uint32_t large[] = {0, 2, 5}; /* files of 8 KiB or more: no read ends early */
	r->op = one_in(m, 2) ? OP_PREAD : OP_PWRITE;
	r->pid = 1;
	r->tid = 10 + (uint32_t)draw(m, m->n_threads);
	r->object = m->wild ? any_name(m) : large[draw(m, sizeof large / sizeof *large)];
	r->fd = FIRST_FD + (int32_t)(r->object % N_DESCRIPTORS);
	r->offset = 512 * draw(m, 8);
	r->length = 512 * (1 + draw(m, 8));
	r->rvalue = (int64_t)r->length;
}

static int call_draw(struct maker *m, struct trace_record *r, struct err *e)
{
	const bool follows = m->n_motif > 0;
	enum trace_op op = operation(m);
	uint32_t second = second_name(m, op);
	uint32_t name = name_for(m, op);
	const bool starts = !follows && !m->quiet && one_in(m, 10);
	if (starts)
		motif_start(m);
	if (m->n_motif) {
		m->n_motif--;
		op = m->motif[m->n_motif].op;
		name = m->motif[m->n_motif].name;
		second = m->motif[m->n_motif].second;
	}
	const struct op_info *o = op_info(op);
	r->op = (uint16_t)op;
	r->tid = 10 + (uint32_t)draw(m, m->n_threads);
	if (o->uses & OP_HAS_PATH)
		r->object = one_in(m, m->wild ? 3000 : 30000) ? OBJECT_NONE : name;
	if (o->uses & OP_HAS_FD)
		r->fd = follows ? m->motif_fd : descriptor(m, wanted_by(op));
	if (follows)
		r->tid = m->motif_tid;
	m->motif_tid = r->tid;
	r->pid = r->tid > 12 ? 2 : 1;
	r->length = length_of(m, o);
	r->offset = offset_of(m, o);
	const bool opens = op == OP_OPEN || op == OP_FOPEN || op == OP_FREOPEN;
	r->flags = opens          ? open_flags(m)
		   : one_in(m, 3) ? (uint32_t)random_next(&m->state)
				  : (uint32_t)draw(m, 4);
	if (opens && !m->wild && name >= scene_n_files && name < scene_n_new && !follows)
		r->flags |= O_CREAT;
	if (opens && !m->wild)
		r->flags &= ~(uint32_t)(O_DIRECTORY | O_TMPFILE | (m->wild ? 0 : O_PATH));
	if (op == OP_FLOCK)
		r->flags |=
		    4; /* LOCK_NB: two threads of one trace may block each other for ever */
	if (op == OP_MMAP)
		r->flags |= (uint32_t)draw(m, 8) << 29;
	/* a call that works only on the descriptor of a directory shows that there is a
	 * directory */
	const bool mistaken = !m->wild && (o->uses & OP_HAS_FD) &&
			      wanted_by(op) == HELD_DIRECTORY && r->fd >= 0 &&
			      m->open[r->fd] != HELD_DIRECTORY;
	/* an error would show that there is a directory */
	const bool is_new = opens && name >= scene_n_files;
	result_draw(m, o, r, follows || (!m->wild && is_new));
	if (mistaken || (follows && op == OP_OPENDIR && m->motif_opens_file))
		r->rvalue = -1, r->error = ENOTDIR;
	/* a success would show a special object that may not exist */
	if (starts && !m->wild && !one_in(m, 4))
		r->rvalue = -1, r->error = EIO;
	remember(m, o, r);
	if (opens)
		m->motif_fd = r->fd;
	return heap_of(m, o, second, &r->heap, e);
}

static void block_request_draw(struct maker *m, struct trace_record *r)
{
	static const enum trace_op ops[] = {OP_PREAD,  OP_PREAD,     OP_PWRITE,
					    OP_PWRITE, OP_FDATASYNC, OP_FALLOCATE};
	const uint64_t sectors = m->t->device_bytes / 512;
	r->op = (uint16_t)(one_in(m, 200) ? 1 + draw(m, OP_N - 1) : ops[draw(m, 6)]);
	r->pid = 1;
	r->tid = 1 + (uint32_t)draw(m, m->n_threads);
	r->object = one_in(m, 300);
	r->length = m->lengthy && one_in(m, 12) ? extreme(m) : 512 * (1 + draw(m, 64));
	r->offset = m->lengthy && one_in(m, 12) ? extreme(m)
						: 512 * draw(m, sectors > 64 ? sectors - 64 : 1);
	if (m->unaligned)
		r->offset += one_in(m, 100);
	else
		r->offset &= ~UINT64_C(4095),
		    r->length = (r->length | 4095) + (r->length <= UINT64_MAX - 4096);
	r->flags = (uint32_t)draw(m, 32);
	r->rvalue = (int64_t)r->length;
	if (r->op == OP_FDATASYNC)
		r->offset = OFFSET_NONE, r->length = 0, r->rvalue = 0;
	if (r->op == OP_FALLOCATE)
		r->flags = 3, r->rvalue = 0;
	if (one_in(m, 2))
		r->dispatch_ns = r->begin_ns + 10;
}

/* --- the trace ----------------------------------------------------------- */

/* Lists the files that existed before, according to the trace. */
static void files_draw(struct maker *m, struct fileset *files)
{
	static const uint64_t sizes[] = {0,        1, 4096, 8192, 65536, 1 << 20, UINT64_C(1) << 40,
					 INT64_MAX};
	const size_t n = one_in(m, 2) ? 0 : 1 + draw(m, 8);
	files->entry = calloc(n + 1, sizeof *files->entry);
	if (!files->entry)
		abort();
	for (size_t i = 0; i < n; i++) {
		const uint64_t n_tame = m->t->prepared ? scene_n_new : scene_n_files;
		const char *name = scene_names[m->wild ? any_name(m) : draw(m, n_tame)];
		if (!*name || *name == '/' || strstr(name, "..") || name[strlen(name) - 1] == '/')
			continue;
		files->entry[files->n++] = (struct fileset_entry){
		    name, sizes[draw(m, m->lengthy ? 8 : 6)], m->wild && one_in(m, 5)};
	}
}

/* Lists the descriptors that were open before, according to the trace, as JSON. */
static void descriptors_draw(struct maker *m, struct strbuf *extra)
{
	if (!one_in(m, 4))
		return;
	strbuf_addstr(extra, "{\"descriptors\":[");
	for (uint64_t i = 0, n = 1 + draw(m, 3); i < n; i++) {
		const uint64_t fd = draw(m, FIRST_FD + N_DESCRIPTORS);
		strbuf_addf(extra, "%s{\"fd\":%d,\"path\":\"%s\",\"flags\":%u}", i ? "," : "",
			    (int)fd, scene_names[draw(m, scene_n_files)],
			    open_flags(m) & 0x7fffffff & ~(m->wild ? 0 : (uint32_t)O_DIRECTORY));
		m->open[fd] = HELD_FILE;
	}
	strbuf_addstr(extra, "]}");
}

static int requests_write(struct maker *m, struct err *e)
{
	int ret = 0;
	for (uint32_t i = 0; i < m->t->n_requests && !ret; i++) {
		struct trace_record r = {.seq = i,
					 .fd = -1,
					 .object = OBJECT_NONE,
					 .heap = HEAP_NONE,
					 .offset = OFFSET_NONE};
		times_draw(m, &r);
		if (m->t->level == LEVEL_BLOCK)
			block_request_draw(m, &r);
		else if (m->t->positioned && !one_in(m, 8))
			positioned_draw(m, &r);
		else
			ret = call_draw(m, &r, e);
		if (!ret && !(m->t->left_out && m->t->left_out[i]))
			ret = trace_writer_append(m->w, &r, 1, e);
	}
	return ret;
}

static int objects_write(struct maker *m, struct err *e)
{
	uint32_t id;
	int ret = 0;
	if (m->t->level == LEVEL_BLOCK) {
		ret = trace_writer_object(m->w, OBJECT_DEVICE, "7,0", &id, e);
		return ret ? ret : trace_writer_object(m->w, OBJECT_DEVICE, "8,16", &id, e);
	}
	for (uint32_t i = 0; i < scene_n_names && !ret; i++)
		ret = trace_writer_object(m->w, OBJECT_PATH, scene_names[i], &id, e);
	return ret;
}

int random_trace_write(const struct random_trace *t, const char *path, struct err *e)
{
	struct maker m = {.state = t->seed, .t = t};
	struct strbuf extra = STRBUF_INIT;
	struct trace_meta meta = {.level = t->level, .clock = "made", .root = "/"};
	m.wild = t->manner == RANDOM_WILD;
	m.quiet = t->manner == RANDOM_QUIET;
	m.lengthy = one_in(&m, 16);
	m.plain = one_in(&m, 4);
	m.unaligned = one_in(&m, 8);
	/* the fourth thread belongs to another process */
	m.n_threads = m.quiet && one_in(&m, 2) ? 1 : 1 + (uint32_t)draw(&m, m.wild ? 4 : 3);
	if (t->level != LEVEL_BLOCK) {
		files_draw(&m, &meta.files);
		descriptors_draw(&m, &extra);
	}
	meta.extra_json = extra.len ? extra.s : NULL;
	meta.seed = draw(&m, 1000);
	int ret =
	    trace_writer_open(&m.w, path, &meta, &(struct trace_write_options){.no_sync = true}, e);
	if (!ret)
		ret = objects_write(&m, e);
	if (!ret)
		ret = requests_write(&m, e);
	if (!ret)
		ret = trace_writer_close(m.w, e);
	else
		trace_writer_abort(m.w);
	free(meta.files.entry);
	strbuf_release(&extra);
	return ret;
}
