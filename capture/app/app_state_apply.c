/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies each record to the state of its process. */

#include "capture/app/app_state.h"
#include "capture/op.h"

static struct app_open_file *file_new(const char *path, uint32_t flags)
{
	struct app_open_file *f = xcalloc(1, sizeof *f);
	f->path = xstrdup(path);
	f->is_path = path[0] == '/';
	f->position_known = f->is_path;
	f->append = flags & O_APPEND;
	f->unnamed = (flags & O_TMPFILE) == O_TMPFILE;
	f->maybe_link = flags & O_PATH && flags & O_NOFOLLOW;
	return f;
}

static void descriptor_later(struct app_state *s, struct process_state *p,
			     const struct merge_record *r, int fd, struct app_open_file *f,
			     bool close_on_exec)
{
	state_later(s, r->r->end, p, fd, f, close_on_exec);
}

/* --- positions ----------------------------------------------------------- */

static void position_move(struct app_open_file *f, const struct log_record *r, bool writes)
{
	if (!f)
		return;
	if (writes && f->append)
		f->position_known = r->result <= 0 && f->position_known;
	else if (r->result > 0)
		f->position += (uint64_t)r->result;
}

static void position_set(struct app_open_file *f, const struct log_record *r)
{
	if (f && r->result >= 0) {
		f->position_known = f->is_path;
		f->position = (uint64_t)r->result;
	}
}

static void copy_between(struct process_state *p, const struct merge_record *r)
{
	struct op_peer to = {-1, 0, 0};
	if (r->extra_len >= sizeof to)
		memcpy(&to, r->extra, sizeof to);
	if (r->r->offset == OFFSET_NONE)
		position_move(state_file(p, r->r->fd), r->r, false);
	if (to.offset == OFFSET_NONE)
		position_move(state_file(p, to.fd), r->r, true);
}

/* --- mappings ------------------------------------------------------------ */

#define MAPS_MAX 16384 /* limit for each process: bounds the memory that a trace can require */

static void range_unmap(struct process_state *p, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < p->n_maps;) {
		struct app_mapping *m = &p->map[i++];
		if (from >= m->to || m->from >= to)
			continue;
		if (from > m->from && to < m->to) { /* the middle: two parts remain */
			struct app_mapping rest = {to, m->to, m->offset + (to - m->from), m->file};
			rest.file->n_users++;
			m->to = from;
			GROW(p->map, p->n_maps, p->maps_cap);
			p->map[p->n_maps++] = rest;
		} else if (from > m->from) {
			m->to = from;
		} else if (to < m->to) {
			m->offset += to - m->from;
			m->from = to;
		} else {
			state_file_drop(m->file);
			*m = p->map[--p->n_maps];
			i--;
		}
	}
}

void state_map(struct process_state *p, uint64_t from, uint64_t len, uint64_t offset,
	       struct app_open_file *f)
{
	range_unmap(p, from, from + len);
	if (!f || p->n_maps >= MAPS_MAX)
		return;
	GROW(p->map, p->n_maps, p->maps_cap);
	f->n_users++;
	p->map[p->n_maps++] = (struct app_mapping){from, from + len, offset, f};
}

/* The old length is unknown. So the whole old mapping is removed, as in the replay, and nothing
 * remains of a mapping that shrinks. */
static void apply_remap(struct process_state *p, const struct log_record *r)
{
	struct app_mapping *old = state_mapping(p, r->offset, 1);
	struct app_open_file *f = old ? old->file : NULL;
	uint64_t offset = old ? old->offset + (r->offset - old->from) : 0;
	const uint64_t end =
	    old && old->to > r->offset + r->length ? old->to : r->offset + r->length;
	if (f)
		f->n_users++;
	range_unmap(p, r->offset, end);
	state_map(p, (uint64_t)r->result, r->length, offset, f);
	state_file_drop(f);
}

/* --- descriptors --------------------------------------------------------- */

static void apply_fcntl(struct app_state *s, struct process_state *p, const struct merge_record *r)
{
	const struct log_record *l = r->r;
	struct app_open_file *f = state_file(p, l->fd);
	if (l->result < 0)
		return;
	if (l->flags == F_DUPFD || l->flags == F_DUPFD_CLOEXEC)
		descriptor_later(s, p, r, (int)l->result, f, l->flags == F_DUPFD_CLOEXEC);
	else if (l->flags == F_SETFD && f)
		p->files->fd[l->fd].close_on_exec = l->offset & FD_CLOEXEC;
	else if (l->flags == F_SETFL && f)
		f->append = l->offset & O_APPEND;
}

static void close_range_of(struct process_state *p, const struct log_record *r)
{
	if (r->result < 0)
		return;
	for (uint64_t fd = r->offset; fd < p->files->n_fds && fd <= r->length; fd++) {
		if (r->flags & 4) /* the flag CLOSE_RANGE_CLOEXEC */
			p->files->fd[fd].close_on_exec = true;
		else
			state_descriptor_set(p, (int)fd, NULL, false);
	}
}

/* --- the list of a process's descriptors --------------------------------- */

static void apply_listed(struct app_state *s, struct process_state *p, const struct merge_record *r)
{
	struct app_open_file *f = state_file(p, r->r->fd);
	const bool known = f && state_leads_to(s, p, state_file_now(f), r->path, r->path_len);
	if (!known)
		f = state_file_listed(p, r->path, r->path_len, r->r->flags, r->r->offset);
	f->n_users++; /* reference of this function, because an invalid descriptor takes none */
	if (!known)
		state_descriptor_set(p, r->r->fd, f, r->r->flags & O_CLOEXEC);
	f->append = r->r->flags & O_APPEND;
	f->position = r->r->offset;
	f->position_known = f->is_path;
	if (r->r->fd >= 0 && (size_t)r->r->fd < p->files->n_fds)
		p->files->fd[r->r->fd].listed = true;
	state_file_drop(f);
}

/* Another process sent the descriptor. They share the open file, if it is known. */
static void apply_received(struct app_state *s, struct process_state *p,
			   const struct merge_record *r)
{
	struct app_open_file *f =
	    S_ISREG(r->r->length) ? state_file_sent(s, r->path, r->path_len, r->r->offset) : NULL;
	if (f)
		state_descriptor_set(p, r->r->fd, f, r->r->flags & O_CLOEXEC);
	else
		apply_listed(s, p, r);
	if (r->r->fd >= 0 && (size_t)r->r->fd < p->files->n_fds)
		p->files->fd[r->r->fd].listed = false; /* it does not come from a list */
}

static void directory_change(struct process_state *p, const char *path, size_t len)
{
	if (!path || !len || path[0] != '/')
		return;
	free(p->fs->cwd);
	p->fs->cwd = xstrndup(path, len);
}

/* --- one record ---------------------------------------------------------- */

static void apply_event(struct app_state *s, struct process_state *p, const struct merge_record *r)
{
	switch (r->r->op) {
	case LOG_START:
	case LOG_CWD:
		directory_change(p, r->path, r->path_len);
		break;
	case LOG_FD:
		if (r->path)
			apply_listed(s, p, r);
		break;
	case LOG_DESCRIPTOR:
		if (r->path)
			apply_received(s, p, r);
		break;
	case LOG_FDS_END:
		for (size_t i = 0; i < p->files->n_fds; i++) {
			if (!r->r->flags && !p->files->fd[i].listed && p->files->fd[i].file)
				state_descriptor_set(p, (int)i, NULL, false);
			p->files->fd[i].listed = false;
		}
		break;
	case LOG_CLOSE_RANGE:
		close_range_of(p, r->r);
		break;
	default:
		break;
	}
}

static void apply_open(struct app_state *s, struct process_state *p, const struct merge_record *r,
		       const char *path)
{
	if (r->r->result < 0 || !path)
		return;
	struct app_open_file *f = file_new(path, r->r->flags);
	f->n_removed = s->n_removed;
	descriptor_later(s, p, r, (int)r->r->result, f, r->r->flags & O_CLOEXEC);
}

static void apply_position(struct process_state *p, const struct merge_record *r)
{
	struct app_open_file *f = state_file(p, r->r->fd);
	const struct op_info *info = op_info(r->r->op);
	if (r->r->op == OP_LSEEK)
		position_set(f, r->r);
	else if (info->family == FAMILY_COPY && info->uses & OP_HEAP_PEER)
		copy_between(p, r);
	else if (info->family == FAMILY_STREAM && f && r->r->op != OP_FTELL &&
		 r->r->op != OP_SETVBUF)
		f->position_known = false; /* the C library reads ahead */
	else if (info->uses & OP_MOVES_POSITION && info->uses & OP_RETURNS_BYTES)
		position_move(f, r->r, info->family == FAMILY_WRITE);
	else if ((r->r->op == OP_PREADV2 || r->r->op == OP_PWRITEV2) && r->r->offset == OFFSET_NONE)
		position_move(f, r->r, info->family == FAMILY_WRITE);
}

static void apply_link(struct app_state *s, const struct merge_record *r, const char *path)
{
	const struct log_record *l = r->r;
	/* a result as long as the buffer may be only the beginning of the text */
	const bool cut = l->op == OP_READLINK && (uint64_t)l->result >= l->length;
	if (path && l->result >= 0 && l->op == OP_UNLINK)
		state_removed(s, path);
	if (!path || l->result < 0 || cut || !strncmp(path, "/proc/", 6))
		return;
	if (l->op == OP_READLINK)
		state_link_set(s, path, r->extra, r->extra_len);
	else
		state_link_change(s, path, r->extra, l->op == OP_UNLINK ? 0 : r->extra_len);
}

/* Follows whether the buffer of the stream may have data. */
static void apply_buffer(struct process_state *p, const struct log_record *l)
{
	if (l->fd < 0 || (size_t)l->fd >= p->files->n_fds)
		return;
	if (l->op == OP_FFLUSH || l->op == OP_FSEEK)
		p->files->fd[l->fd].buffers = false;
	else if (l->result > 0 && (l->op == OP_FWRITE || l->op == OP_FPUTS || l->op == OP_FPUTC ||
				   l->op == OP_FPRINTF))
		p->files->fd[l->fd].buffers = true;
}

void state_apply(struct app_state *s, struct process_state *p, const struct merge_record *r,
		 const char *path)
{
	const struct log_record *l = r->r;
	struct app_open_file *f = state_file(p, l->fd);
	switch (l->op) {
	case OP_OPEN:
	case OP_FOPEN:
	case OP_OPENDIR:
		apply_open(s, p, r, path);
		break;
	case OP_FREOPEN:
		if (path)
			apply_open(s, p, r, path);
		else if (l->result >= 0 && l->result != l->fd)
			descriptor_later(s, p, r, (int)l->result, f, false);
		break;
	case OP_CLOSE:
	case OP_FCLOSE:
	case OP_CLOSEDIR:
		state_descriptor_set(p, l->fd, NULL, false);
		break;
	case OP_DUP:
	case OP_DUP2:
		if (l->result >= 0 && l->result != l->fd)
			descriptor_later(s, p, r, (int)l->result, f, l->flags & O_CLOEXEC);
		break;
	case OP_FCNTL:
		apply_fcntl(s, p, r);
		break;
	case OP_CHDIR:
		if (l->result == 0 && path)
			directory_change(p, path, strlen(path));
		break;
	case OP_CHROOT:
		if (l->result == 0 && path) {
			free(p->fs->root);
			p->fs->root = xstrdup(path);
		}
		break;
	case OP_FCHDIR:
		if (l->result == 0 && f)
			directory_change(p, state_file_now(f), strlen(state_file_now(f)));
		break;
	case OP_SYMLINK:
	case OP_READLINK:
	case OP_UNLINK:
		apply_link(s, r, path);
		break;
	case OP_MMAP:
		if (l->result != -1)
			state_map(p, (uint64_t)l->result, l->length, l->offset, f);
		break;
	case OP_MUNMAP:
		if (l->result == 0)
			range_unmap(p, l->offset, l->offset + l->length);
		break;
	case OP_MREMAP:
		if (l->result != -1)
			apply_remap(p, l);
		break;
	default:
		if (l->op < OP_N && op_info(l->op)->family == FAMILY_STREAM)
			apply_buffer(p, l);
		if (l->op < OP_N)
			apply_position(p, r);
		else
			apply_event(s, p, r);
	}
}
