/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/command_facts.h"

#include <sys/sysmacros.h>
#include <sys/syscall.h>

#include "capture/kernel/vfs_private.h"
#include "capture/watched.h"
#include "common/json_count.h"
#include "common/signals.h"

#define FIELD(name) offsetof(struct vfs_config, name)
static const char *const fault_names[] = {"auto", "filemap", "address", "none", NULL};
static const char *const path_names[] = {"auto", "bpf", "none", NULL};
const struct option_spec vfs_options[] = {
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "TRACE",
	       .help = "write the trace to TRACE"),
	OPTION(INT, "pid", FIELD(pid), .letter = 'p', .arg = "PID", .min = 1, .max = 4194304,
	       .help = "record a running process and its children instead of a command"),
	OPTION(DURATION, "duration", FIELD(duration_ns), .arg = "TIME", .max = -1,
	       .help = "end the capture after this time, and end COMMAND (default 0: when the "
	       "command or process ends, or at a signal)"),
	OPTION(CHOICE, "faults", FIELD(faults), .choices = fault_names, .arg = "HOW",
	       .help = "how page faults on mapped files are recorded; none: record neither "
		       "faults nor page-cache misses; see the manual page (default auto)"),
	OPTION(CHOICE, "paths", FIELD(paths), .choices = path_names, .arg = "HOW",
	       .help = "how the paths of files are found. bpf: by a BPF program; none: files "
		       "have no names; auto: bpf if the kernel permits it, else none "
		       "(default auto)"),
	OPTION(FLAG, "snapshot", FIELD(snapshot), .help = "record the size, permissions and "
	       "holes that each file has before its first use, for replay --prepare; not with "
	       "--pid"),
	OPTION(SIZE, "buffer", FIELD(buffer_bytes), .arg = "SIZE", .min = 65536, .max = 1e12,
	       .help = "size of the kernel's buffer for events, for each CPU (default 8M)"),
	OPTION(STRING, "scratch", FIELD(scratch), .arg = "DIR",
	       .help = "directory for the events until the capture ends (default /dev/shm)"),
	OPTION(STRING, "rotate", FIELD(rotate), .arg = "SIZE|TIME",
	       .help = "write the trace in parts TRACE.000, TRACE.001 and so on. A part ends after "
	       "SIZE of records (before compression), such as 64M, or after TIME, such as 1h "
	       "(default: one file)"),
	OPTION(FLAG, "compress", FIELD(compress), .help = "compress the trace with zstd"),
	{.name = NULL},
};

void vfs_config_init(struct vfs_config *c)
{
	*c = (struct vfs_config){.buffer_bytes = 8 << 20};
}

/* --- records ------------------------------------------------------------- */

enum { N_BATCH = 512 };
#define CHILDREN_NS 1000000000

struct vfs_writing {
	const struct vfs_config *config;
	struct vfs_outcome *outcome;
	struct trace_writer *writer;
	struct record_queue queue;
	struct syscalls *calls;
	struct processes processes, threads;
	struct snapshot *snapshot; /* NULL: no --snapshot */
	struct app_files files;
	struct ring_entries *rings; /* NULL: requests of io_uring are not read */
	int64_t epoch_ns;
	uint64_t seq;
	bool interrupted; /* by a signal */
	struct trace_record batch[N_BATCH];
};

static int object_sink(void *context, enum object_kind kind, const char *name, uint32_t *id,
		       struct err *e)
{
	return trace_writer_object(((struct vfs_writing *)context)->writer, kind, name, id, e);
}

static int heap_sink(void *context, const void *data, size_t len, uint32_t *ref, struct err *e)
{
	return trace_writer_heap(((struct vfs_writing *)context)->writer, data, len, ref, e);
}

/* Gets the device number in the kernel's internal form, which its events have. */
static bool identify_sink(void *context, const char *path, uint64_t *device, uint64_t *inode)
{
	struct stat st;
	(void)context;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	*device = (uint64_t)major(st.st_dev) << 20 | minor(st.st_dev);
	*inode = st.st_ino;
	return true;
}

static int write_finished(void *context, struct err *e)
{
	struct vfs_writing *w = context;
	const struct trace_record *r;
	size_t n, some;
	int ret = 0;
	while (!ret && (record_queue_take(&w->queue, &r, &n), n)) {
		for (size_t at = 0; at < n && !ret; at += some) {
			some = n - at < N_BATCH ? n - at : N_BATCH;
			for (size_t i = 0; i < some; i++) {
				struct trace_record *to = &w->batch[i];
				*to = r[at + i];
				to->seq = w->seq++;
				to->begin_ns -= w->epoch_ns;
				to->end_ns -= to->end_ns == TIME_NONE ? 0 : w->epoch_ns;
				w->outcome->n_requests++;
				w->outcome->n_faults += to->op == OP_PAGE_FAULT;
				w->outcome->n_added += to->op == OP_PAGE_CACHE_ADD;
			}
			ret = trace_writer_append(w->writer, w->batch, some, e);
		}
	}
	return ret;
}

/* --- the trace ----------------------------------------------------------- */

static char *facts_of(const struct vfs_config *c, const struct vfs_outcome *o,
		      const struct processes *processes, const struct processes *threads)
{
	const char *paths = c->paths == PATHS_NONE ? "none"
			    : o->no_paths.code     ? "unreadable"
						   : "bpf";
	const struct syscalls_counts *n = &o->counts;
	json_t *capture = json_pack(
	    "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o*, s:o*, s:o*, s:o*, s:o*,"
	    " s:o*, s:o*, s:o*, s:o*, s:o*}",
	    "method", "tracefs", "faults", fault_names[o->faults], "paths", paths, "n_events",
	    (json_int_t)o->n_events, "n_unfinished", (json_int_t)n->n_unfinished,
	    "n_without_begin", (json_int_t)n->n_without_begin, "n_unnamed",
	    (json_int_t)n->n_unnamed, "n_unknown_descriptors", (json_int_t)n->n_unknown,
	    "n_handed_over", (json_int_t)n->n_handed_over, "n_arguments_lost",
	    (json_int_t)o->n_memory_lost, "wait_status",
	    (json_int_t)(o->has_status ? o->status : 0), "n_ring_requests",
	    json_of_some(n->n_ring_requests), "n_ring_unread",
	    n->n_ring_requests ? json_integer((json_int_t)n->n_ring_unread) : NULL, "n_mounts",
	    json_of_some(n->n_mounts), "n_unshared", json_of_some(n->n_unshared),
	    "n_positions_unknown", json_of_some(n->n_positions_unknown), "programs_unseen",
	    json_of_some(n->n_programs_unseen), "n_calls_32_bits",
	    o->counts_32_bits ? json_integer((json_int_t)o->n_calls32) : NULL, "snapshot",
	    c->snapshot ? json_true() : NULL, "n_outlived",
	    json_of_some(c->command ? n->n_alive : 0), "n_rings", json_of_some(n->n_rings));
	json_auto_t *all = json_pack("{s:o, s:o*, s:o*, s:o*}", "capture", capture, "command",
				     command_facts((const char *const *)c->command), "processes",
				     processes_list(processes), "threads", processes_list(threads));
	return all ? json_dumps(all, JSON_COMPACT) : NULL;
}

static void rename_sink(void *context, const char *from, const char *to, bool exchange)
{
	struct vfs_writing *w = context;
	if (w->snapshot && from[1] && to[1])
		files_renamed(&w->files, from + 1, to + 1, exchange);
}

static int events_convert(struct vfs_writing *w, struct tracing *t, struct user_memory *m,
			  const struct trace_meta *meta, struct trace_meta *last, struct err *e)
{
	const struct vfs_looks looks = {w->snapshot, &w->files};
	int ret = vfs_events_convert(t, m, w->rings, w->calls, &w->processes, &w->threads, &looks,
				     w->epoch_ns, write_finished, w, e);
	w->outcome->n_events = tracing_n_events(t);
	w->outcome->counts = *syscalls_counts(w->calls);
	SCOPED_FREE char *facts = facts_of(w->config, w->outcome, &w->processes, &w->threads);
	*last = *meta;
	last->extra_json = facts;
	last->n_events_lost = w->outcome->n_lost;
	ret = ret ? ret : files_meta_set(&w->files, w->writer, last, &w->outcome->files, e);
	return ret;
}

/* --- capture ------------------------------------------------------------ */

static char *command_line(const struct vfs_config *c)
{
	struct strbuf s = STRBUF_INIT;
	strbuf_addwords(&s, c->command);
	if (!c->command)
		strbuf_addf(&s, "process %" PRId64, c->pid);
	return strbuf_detach(&s);
}

/* Tracepoints contain thread numbers of the initial PID namespace. */
static int namespace_check(struct err *e)
{
	struct stat st;
	const ino_t first = 0xeffffffc; /* PROC_PID_INIT_INO */
	if (stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != first)
		return err_set(e, EACCES, "validate runs in a PID namespace of its own, but kernel "
			"tracepoints use the process numbers of the host: start it on the host");
	return 0;
}

static int tracing_prepare(const struct vfs_config *c, struct tracing **t, struct vfs_outcome *o,
			   struct err *e)
{
	o->faults = c->faults == FAULTS_AUTO ? FAULTS_FILEMAP : (enum vfs_faults)c->faults;
	for (;;) {
		const char **event = vfs_events_make(o->faults);
		const struct tracing_options options = {.event = event,
		.buffer_bytes = c->buffer_bytes, .scratch = c->scratch};
		int ret = tracing_open(t, &options, e);
		vfs_events_free(event);
		if (ret)
			return ret;
		if (!tracing_has(*t, VFS_N_FIXED)) {
			tracing_close(*t);
			*t = NULL;
			return err_set(e, ENOENT, "this kernel has no tracepoints of system calls: "
				"use \"validate capture app\", or a kernel with "
				"CONFIG_FTRACE_SYSCALLS");
		}
		if (o->faults != FAULTS_FILEMAP || tracing_has(*t, VFS_FAULT))
			return 0;
		tracing_close(*t); /* an older kernel: try other events */
		*t = NULL;
		if (c->faults == FAULTS_FILEMAP)
			return err_set(e, ENOENT, "this kernel has no tracepoint "
				"filemap:mm_filemap_fault; try --faults address");
		o->faults = FAULTS_ADDRESS;
	}
}

/* Starts to read paths. If that fails, the capture continues with open descriptors, sizes and times
 * of calls. */
static int memory_prepare(const struct vfs_config *c, struct vfs_writing *w,
	const struct tracing *t, const struct vfs_threads *threads, struct user_memory **m,
	struct vfs_outcome *o, struct err *e)
{
	if (c->paths == PATHS_NONE)
		return 0;
	ring_entries_open(&w->rings, &o->no_rings);
	const struct user_memory_options options = {
	    .tid = threads->tid,
	    .n = threads->n,
	    .scratch = c->scratch,
	    .newtask_id = tracing_event_id(t, VFS_NEWTASK),
	    .newtask_pid_offset = tracing_field(t, VFS_NEWTASK, "pid").offset,
	    .rings = w->rings};
	int ret = user_memory_open(m, &options, &o->no_paths);
	if (ret)
		return c->paths == PATHS_BPF ? err_set(e, -ret, "%s", o->no_paths.msg) : 0;
	const struct user_memory_facts *f = user_memory_facts(*m);
	if (f->reads_aio)
		syscalls_aio_read(w->calls);
	if (f->reads_rings)
		syscalls_rings_read(w->calls);
	else if (w->rings)
		o->no_rings = f->no_rings;
	return 0;
}

/* Waits for children that end with the command, such as a process that waits for the end of a pipe:
 * they end a moment later. The thread of the capture itself is also watched. */
static void children_wait(struct tracing *t)
{
	const int64_t end_ns = clock_monotonic_ns() + CHILDREN_NS;
	const struct timespec pause = {0, 5000000};
	while (tracing_n_watched(t) > 1 && clock_monotonic_ns() < end_ns)
		nanosleep(&pause, NULL);
}

static int events_record(const struct vfs_config *c, struct vfs_writing *w, struct tracing *t,
	const sigset_t *before, struct vfs_outcome *o, struct user_memory **m, struct err *e)
{
	struct vfs_threads threads = {0}, more = {0};
	const struct watched_options watch = {.command = c->command,
					      .pid = (pid_t)c->pid,
					      .duration_ns = c->duration_ns,
					      .before = before,
					      .prelude = w->snapshot ? snapshot_install : NULL,
					      .prelude_ctx = w->snapshot};
	struct watched watched = {0};
	const int32_t self = (int32_t)syscall(SYS_gettid);
	int ret = vfs_threads_of(&threads, c->command ? (int32_t)getpid() : (int32_t)c->pid, e);
	if (!ret && c->command) { /* watches only the processes that this thread starts */
		threads.tid[0] = self;
		threads.n = 1;
	}
	ret = ret ? ret
		: memory_prepare(c, w, t, &threads, m, o,
				 e); /* starts its reader before any thread is watched */
	ret = ret ? ret : tracing_watch(t, threads.tid, threads.n, e);
	if (!ret && !c->command) { /* also processes that were started meanwhile */
		ret = vfs_threads_of(&more, (int32_t)c->pid, e);
		ret = ret ? ret : tracing_watch(t, more.tid, more.n, e);
		ret = ret || !*m ? ret : user_memory_watch(*m, more.tid, more.n, e);
	}
	ret = ret ? ret : tracing_start(t, e);
	if (!ret)
		vfs_state_take(w->calls, &w->processes, c->command ? &threads : &more,
			       c->command != NULL);
	ret = ret ? ret : watched_run(&watch, &watched, e);
	if (!ret && c->command)
		children_wait(t);
	o->has_status = watched.has_status;
	o->status = watched.status;
	w->interrupted = watched.interrupted;
	int stopped = tracing_stop(t, ret ? NULL : e);
	ret = ret ? ret : stopped;
	o->n_lost = tracing_n_lost(t);
	stopped = *m ? user_memory_stop(*m, ret ? NULL : e) : 0;
	ret = ret ? ret : stopped;
	const struct user_memory_facts f =
	    *m ? *user_memory_facts(*m) : (struct user_memory_facts){.n_lost = 0};
	o->n_memory_lost = f.n_lost;
	o->n_lost += f.n_ring_lost;
	o->counts_32_bits = f.counts_32_bits;
	o->n_calls32 = f.n_calls32;
	stopped = w->snapshot ? snapshot_stop(w->snapshot, ret ? NULL : e) : 0;
	ret = ret ? ret : stopped;
	o->n_unseen = w->snapshot ? snapshot_n_unseen(w->snapshot) : 0;
	FREE_EACH(threads.tid, more.tid);
	return ret;
}

int vfs_capture(const struct vfs_config *c, struct vfs_outcome *o, struct err *e)
{
	struct tracing *t = NULL;
	struct user_memory *m = NULL;
	char host[256] = "", *command = command_line(c);
	*o = (struct vfs_outcome){.no_paths = ERR_INIT, .no_rings = ERR_INIT};
	struct vfs_writing *w = xcalloc(1, sizeof *w);
	sigset_t held, before;
	signals_hold(&held, true, &before);
	int ret = namespace_check(e);
	ret = ret ? ret : tracing_prepare(c, &t, o, e);
	gethostname(host, sizeof host - 1);
	struct trace_meta last, meta = {.level = LEVEL_SYSCALL, .epoch_ns = clock_monotonic_ns(),
	.wall_epoch_ns = clock_realtime_ns(),
					.clock = "monotonic", .clock_resolution_ns = 1,
					 .host = host, .command = command, .root = "/",
					.captured_by = "validate capture vfs"};
	const struct trace_write_options how = {.compress = c->compress};
	if (!ret) {
		*w = (struct vfs_writing){.config = c, .outcome = o, .epoch_ns = meta.epoch_ns};
		processes_init(&w->processes);
		threads_init(&w->threads);
		ret = c->snapshot ? snapshot_open(&w->snapshot, c->scratch, e) : 0;
		ret = ret ? ret : trace_writer_open(&w->writer, c->output, &meta, &how, e);
	}
	if (!ret) {
		const struct syscalls_sink sink = {.context = w, .object = object_sink,
		.heap = heap_sink, .identify = identify_sink, .renamed = rename_sink,
						.lists_all = true,
						 .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE)};
		w->calls = syscalls_open(&sink, &w->queue);
		ret = events_record(c, w, t, &before, o, &m, e);
		/* the instance is removed, so a signal may interrupt now */
		signals_release(&before, w->interrupted);
		ret = ret ? ret : events_convert(w, t, m, &meta, &last, e);
		int closed =
		    ret ? (trace_writer_abort(w->writer), 0) : trace_writer_close(w->writer, e);
		ret = ret ? ret : closed;
	}
	syscalls_close(w->calls);
	processes_release(&w->processes);
	processes_release(&w->threads);
	files_release(&w->files);
	snapshot_close(w->snapshot);
	record_queue_release(&w->queue);
	user_memory_close(m);
	ring_entries_close(w->rings); /* user_memory used it to interpret the data */
	free(w);
	tracing_close(t);
	signals_release(&before, false);
	free(command);
	return ret;
}
