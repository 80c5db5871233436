/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/issue/calls.h"

#include <sys/resource.h>

#include "replay/issue/calls_private.h"
#include "replay/content/captured_take.h"
#include "replay/issue/passing.h"

/* --- directories --------------------------------------------------------- */

#define STORE_MIN 2u
/* limit for the stores of all runners together; moreover, they use at most a quarter of the
 * permitted descriptors */
#define STORE_ALL 4096u

uint32_t call_store_size(uint32_t n_runners)
{
	struct rlimit r;
	uint64_t all = STORE_ALL;
	if (!getrlimit(RLIMIT_NOFILE, &r) && r.rlim_max / 4 < all)
		all = r.rlim_max / 4;
	const uint32_t n = (uint32_t)(all / (n_runners ? n_runners : 1));
	return n < STORE_MIN ? STORE_MIN : n > CALL_STORE_MAX ? CALL_STORE_MAX : n;
}

bool call_store_collide(const struct call_store *s, uint32_t a, uint32_t b)
{
	return a % s->n == b % s->n;
}

/* Looks up a path. A name that is not in the dentry cache is read from storage. The traced call
 * also read it, unless the program had read it before; in that case it is cached here as well. So a
 * look-up from storage is part of the response time, and a look-up from the cache is not. */
int call_look(struct caller *k, int dir_fd, const char *path, uint32_t flags)
{
	int fd = k->begin ? -1 : rooted_look_cached(dir_fd, path, flags);
	if (fd >= 0)
		return fd;
	if (!k->begin && errno == EAGAIN)
		k->begin = call_begin(k);
	return rooted_look(dir_fd, path, flags);
}

/* Returns the directory of a path. A stored directory is valid until some name refers to another
 * file. A call that changes a name increments `turn` after the call, before another thread can see
 * that it has ended. */
int call_directory(struct caller *k, const struct call_path *path)
{
	struct call_store *store = &k->site->runner->store;
	struct call_stored *s = &store->item[path->place % store->n];
	uint32_t turn = atomic_load(&k->calls->common->turn);
	if (path->place == 0)
		return k->p->root.fd;
	if (s->place == path->place && s->turn == turn)
		return s->fd;
	if (s->place)
		close(s->fd);
	const char *where = k->calls->place[path->place];
	*s = (struct call_stored){.fd = call_look(k, k->p->root.fd, where, O_DIRECTORY)};
	if (s->fd >= 0) {
		s->place = path->place;
		s->turn = turn;
		return s->fd;
	}
	int fd = -1;
	if (k->begin) {
		call_end(k, k->begin, -1);
		return -1;
	}
	CALL(k, fd = rooted_look(k->p->root.fd, where, O_DIRECTORY));
	if (fd >= 0) { /* another thread has just created it */
		close(fd);
		k->out->rvalue = -ENOENT;
	}
	return -1;
}

struct proc_path proc_path(int fd)
{
	struct proc_path p;
	snprintf(p.text, sizeof p.text, "/proc/self/fd/%d", fd);
	return p;
}

/* --- descriptors and streams --------------------------------------------- */

struct call_stream *call_stream_add(struct call_table *c, uint32_t slot, FILE *file, DIR *directory)
{
	struct call_stream *s = xcalloc(1, sizeof *s), *all = atomic_load(&c->streams);
	pthread_mutex_init(&s->lock, NULL);
	s->file = file;
	s->directory = directory;
	do
		s->next = all;
	while (!atomic_compare_exchange_weak(&c->streams, &all, s));
	atomic_store(&c->stream[slot], s);
	return s;
}

/* The slot's stream. If the trace lacks the open of the stream, the stream is made at its first
 * use. */
static struct call_stream *stream_first(struct caller *k,
					struct call_stream *(*make)(struct caller *k, int fd))
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	_Atomic(struct call_stream *) *at = &k->calls->stream[k->c->slot];
	struct call_stream *s = atomic_load(at);
	if (s)
		return s;
	pthread_mutex_lock(&lock);
	s = atomic_load(at);
	int fd = call_fd(k, k->c->slot);
	if (!s && fd >= 0)
		s = make(k, fd);
	pthread_mutex_unlock(&lock);
	return s;
}

struct call_stream *call_stream_lock(struct caller *k,
				     struct call_stream *(*make)(struct caller *k, int fd))
{
	struct call_stream *s = stream_first(k, make);
	if (s)
		pthread_mutex_lock(&s->lock);
	return s;
}

void call_stream_unlock(struct caller *k, struct call_stream *s, bool called)
{
	if (s)
		pthread_mutex_unlock(&s->lock);
	if (!called)
		CALL(k, call_error(EBADF));
}

void call_slot_set(struct caller *k, uint32_t slot, int fd)
{
	atomic_store_explicit(&k->p->fds[slot], fd, memory_order_release);
	for (uint32_t heir = k->calls->slot[slot].heir; heir;
	     heir = k->calls->slot[heir].next_heir) {
		if (k->p->passing) {
			passing_send(k->p->passing, k->calls->slot[heir].process, heir, fd);
			continue;
		}
		int was = atomic_exchange(&k->p->fds[heir], fcntl(fd, F_DUPFD_CLOEXEC, 3));
		if (was >= 0)
			close(was); /* a mutant opened it twice */
	}
}

void call_stream_end(struct call_stream *s)
{
	pthread_mutex_lock(&s->lock);
	if (s->file)
		fclose(s->file);
	if (s->directory)
		closedir(s->directory);
	s->file = NULL;
	s->directory = NULL;
	pthread_mutex_unlock(&s->lock);
}

void call_slot_end(struct replay_plan *p, uint32_t slot)
{
	struct call_stream *s = atomic_exchange(&p->calls.stream[slot], NULL);
	int fd = atomic_exchange(&p->fds[slot], -1);
	call_locks_drop(&p->calls.process[p->calls.slot[slot].process], fd);
	if (s)
		call_stream_end(s);
	else if (fd >= 0)
		close(fd);
}

/* --- one call ------------------------------------------------------------ */

static call_run *const runs[OP_N] = {
    [OP_OPEN] = call_open,
    [OP_CLOSE] = call_close,
    [OP_READ] = call_read,
    [OP_WRITE] = call_write,
    [OP_PREAD] = call_read,
    [OP_PWRITE] = call_write,
    [OP_READV] = call_readv,
    [OP_WRITEV] = call_writev,
    [OP_PREADV] = call_preadv,
    [OP_PWRITEV] = call_pwritev,
    [OP_PREADV2] = call_preadv,
    [OP_PWRITEV2] = call_pwritev,
    [OP_READAHEAD] = call_readahead,
    [OP_FADVISE] = call_fadvise,
    [OP_SYNC] = call_sync,
    [OP_SYNCFS] = call_syncfs,
    [OP_SYNC_FILE_RANGE] = call_sync_file_range,
    [OP_TRUNCATE] = call_truncate,
    [OP_FTRUNCATE] = call_ftruncate,
    [OP_FALLOCATE] = call_fallocate,
    [OP_DUP] = call_dup,
    [OP_DUP2] = call_dup,
    [OP_FCNTL] = call_fcntl,
    [OP_IOCTL] = call_ioctl,
    [OP_FLOCK] = call_flock,
    [OP_LOCKF] = call_lockf,
    [OP_STAT] = call_stat,
    [OP_FSTAT] = call_fstat,
    [OP_STATX] = call_statx,
    [OP_STATFS] = call_statfs,
    [OP_FSTATFS] = call_fstatfs,
    [OP_ACCESS] = call_access,
    [OP_CHMOD] = call_chmod,
    [OP_FCHMOD] = call_fchmod,
    [OP_CHOWN] = call_chown,
    [OP_FCHOWN] = call_fchown,
    [OP_UTIMENS] = call_utimens,
    [OP_FUTIMENS] = call_futimens,
    [OP_GETXATTR] = call_getxattr,
    [OP_FGETXATTR] = call_fgetxattr,
    [OP_SETXATTR] = call_setxattr,
    [OP_FSETXATTR] = call_fsetxattr,
    [OP_LISTXATTR] = call_listxattr,
    [OP_FLISTXATTR] = call_flistxattr,
    [OP_REMOVEXATTR] = call_removexattr,
    [OP_FREMOVEXATTR] = call_fremovexattr,
    [OP_RENAME] = call_rename,
    [OP_LINK] = call_link,
    [OP_SYMLINK] = call_symlink,
    [OP_READLINK] = call_readlink,
    [OP_UNLINK] = call_unlink,
    [OP_MKDIR] = call_mkdir,
    [OP_RMDIR] = call_unlink,
    [OP_MKNOD] = call_mknod,
    [OP_REALPATH] = call_realpath,
    [OP_CHDIR] = call_chdir,
    [OP_FCHDIR] = call_fchdir,
    [OP_OPENDIR] = call_opendir,
    [OP_FDOPENDIR] = call_fdopendir,
    [OP_READDIR] = call_on_directory,
    [OP_CLOSEDIR] = call_close,
    [OP_REWINDDIR] = call_on_directory,
    [OP_SEEKDIR] = call_on_directory,
    [OP_TELLDIR] = call_on_directory,
    [OP_GETDENTS] = call_getdents,
    [OP_SCANDIR] = call_scandir,
    [OP_WALK] = call_walk,
    [OP_MMAP] = call_mmap,
    [OP_MUNMAP] = call_munmap,
    [OP_MSYNC] = call_msync,
    [OP_MADVISE] = call_madvise,
    [OP_MREMAP] = call_mremap,
    [OP_SENDFILE] = call_sendfile,
    [OP_COPY_FILE_RANGE] = call_copy_file_range,
    [OP_SPLICE] = call_splice,
    [OP_FOPEN] = call_fopen,
    [OP_FDOPEN] = call_fdopen,
    [OP_FREOPEN] = call_fopen,
    [OP_FCLOSE] = call_close,
    [OP_FREAD] = call_on_stream,
    [OP_FWRITE] = call_on_stream,
    [OP_FGETS] = call_on_stream,
    [OP_FPUTS] = call_on_stream,
    [OP_GETDELIM] = call_on_stream,
    [OP_FGETC] = call_on_stream,
    [OP_FPUTC] = call_on_stream,
    [OP_UNGETC] = call_on_stream,
    [OP_FPRINTF] = call_on_stream,
    [OP_FSCANF] = call_on_stream,
    [OP_FSEEK] = call_on_stream,
    [OP_FTELL] = call_on_stream,
    [OP_FFLUSH] = call_on_stream,
    [OP_SETVBUF] = call_on_stream,
    [OP_IO_SUBMIT] = call_io_submit,
    [OP_IO_GETEVENTS] = call_io_getevents,
    [OP_AIO_READ] = call_async,
    [OP_AIO_WRITE] = call_async,
    [OP_AIO_READV] = call_async,
    [OP_AIO_WRITEV] = call_async,
    [OP_AIO_FSYNC] = call_async,
    [OP_AIO_FDATASYNC] = call_async,
    [OP_PAGE_FAULT] = call_touch,
};

/* The number of bytes of the request's payload. For formatted output it is the result. */
static uint64_t payload_bytes(const struct caller *k)
{
	const struct call *c = k->c;
	const uint64_t n =
	    c->traced > 0 && (uint64_t)c->traced > c->length ? (uint64_t)c->traced : c->length;
	return n < k->room ? n : k->room;
}

void call_issue(const struct site *s, const struct hot_request *h, void *buffer, bool publish,
		uint32_t begun, bool careful, struct outcome *out)
{
	struct replay_plan *p = s->runner->crew->plan;
	const struct call *c = &p->calls.call[h->length];
	struct caller k = {
		.site = s,
		.p = p,
		.calls = &p->calls,
		.c = c,
		.path = &p->calls.path[c->path],
		.second = &p->calls.path[c->second],
		.out = out,
		.buffer = buffer,
		.room = h->flags & HOT_COMMON ? s->common_room : s->buffers.room,
		.memory = c->bits & CALL_BAD_ADDRESS ? BAD_ADDRESS : buffer,
		.begun = begun,
		.publish = publish,
		.careful = careful,
	};
	if (c->bits & CALL_PAYLOAD && p->calls.content)
		captured_take(p->calls.content, c->to, k.buffer, k.room);
	else if (c->bits & CALL_PAYLOAD)
		payload_make(p->calls.payload, p->seed + h->length * UINT64_C(0x9e3779b97f4a7c15),
			     c->offset == OFFSET_NONE ? 0 : c->offset % PAYLOAD_BLOCK, k.buffer,
			     payload_bytes(&k));
	if (c->bits & CALL_BY_PAGES && c->op != OP_PAGE_FAULT && c->op != OP_MMAP)
		call_cached(&k);
	else if (c->bits & CALL_SKIPPED)
		call_skipped(&k);
	else if (c->op < OP_N && runs[c->op])
		runs[c->op](&k);
	else
		CALL(&k, call_error(ENOSYS));
	if (c->bits & CALL_TURNS)
		atomic_fetch_add(&p->calls.common->turn, 1);
}

/* --- ends ---------------------------------------------------------------- */

void call_leave(struct replay_plan *p, uint32_t process)
{
	struct call_table *c = &p->calls;
	struct call_process *t = &c->process[process];
	if (!call_ends_something(c, process) || atomic_fetch_sub(&t->n_threads, 1) != 1)
		return;
	for (uint32_t slot = t->first_ending; slot; slot = c->next_ending[slot])
		call_slot_end(p, slot);
	for (uint32_t map = t->first_map; map != NONE32; map = c->map[map].next_ending)
		call_map_end(&c->map[map]);
}

void call_table_finish(struct replay_plan *p)
{
	struct call_table *c = &p->calls;
	for (uint32_t i = 0; i < c->n_slots; i++)
		if (atomic_load(&c->stream[i]))
			call_slot_end(p, i);
}

void call_table_release(struct call_table *c)
{
	if (c->places_laid)
		call_table_laid(c);
	for (struct call_stream *s = atomic_load(&c->streams), *next; s; s = next) {
		next = s->next;
		call_stream_end(s);
		pthread_mutex_destroy(&s->lock);
		FREE_EACH(s->cookie, s->buffer, s->traced_cookie, s);
	}
	for (uint32_t i = 0; i < c->n_maps; i++) {
		call_map_end(&c->map[i]);
		pthread_rwlock_destroy(&c->map[i].lock);
	}
	for (uint32_t i = 0; i < c->n_places; i++)
		free(c->place[i]);
	if (c->null_fd >= 0 && c->slot)
		close(c->null_fd);
	FREE_EACH(c->call, c->path, c->times, c->part, c->place, c->map);
	for (uint32_t i = 0; i < c->n_processes; i++) {
		if (c->process[i].owners)
			call_locks_free(&c->process[i]);
		pthread_mutex_destroy(&c->process[i].lock);
	}
	FREE_EACH(c->process, c->slot, (void *)c->stream, c->next_ending, c->process_of_thread);
	vm_free(&c->memory);
	*c = (struct call_table){.null_fd = -1};
}
