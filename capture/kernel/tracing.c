/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/tracing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include <kbuffer.h>
#include <tracefs.h>

#include "capture/app/app_private.h"
#include "common/unnamed_file.h"

#define POLL_NS 20000000
#define INSTANCE_PREFIX "validate-"

struct cpu_stream {
	int pipe, file; /* trace_pipe_raw; unlinked scratch file */
	uint64_t n_bytes;
	unsigned char *map;
	uint64_t at; /* offset after the current page */
	struct kbuffer *page;
	bool loaded;
	const unsigned char *data; /* the current event; NULL at the end */
	unsigned int size;
	unsigned long long ns;
};

struct tracing {
	struct tracefs_instance *instance;
	struct tep_handle *formats;
	struct tep_event **event; /* event[n_kinds]; NULL: the kernel does not have the event */
	size_t n_kinds;
	uint16_t *kind_of_id; /* kind_of_id[65536]: kind + 1; 0: not recorded */
	struct cpu_stream *cpu;
	unsigned int n_cpus;
	size_t page_bytes;
	pthread_t reader;
	bool reading;
	_Atomic bool stop;
	int write_error; /* errno of the reader's first failed write */
	uint64_t n_lost, n_events;
	bool reading_back;
	struct cpu_stream *taken; /* stream of the event that the caller borrows */
};

/* --- the instance -------------------------------------------------------- */

/* Removes the instances of killed processes, by the PID in their names. */
static void stale_remove(void)
{
	char **all = tracefs_instances(NULL); /* with an expression, it would leak memory */
	for (char **name = all; name && *name; name++) {
		char *end = *name;
		long pid = strncmp(*name, INSTANCE_PREFIX, strlen(INSTANCE_PREFIX))
			       ? 0
			       : strtol(*name + strlen(INSTANCE_PREFIX), &end, 10);
		if (pid <= 0 || *end || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		struct tracefs_instance *old = tracefs_instance_create(*name);
		if (old) {
			tracefs_instance_destroy(old);
			tracefs_instance_free(old);
		}
	}
	tracefs_list_free(all);
}

static int instance_make(struct tracing *t, struct err *e)
{
	char name[40];
	const char *dir = tracefs_tracing_dir();
	if (!dir)
		return err_set(
		    e, ENOENT,
		    "tracefs is not mounted: run as root: mount -t tracefs nodev "
		    "/sys/kernel/tracing");
	if (access(dir, R_OK | W_OK | X_OK) < 0)
		return err_set(e, EACCES,
			       "this user has no access to %s (%s): kernel tracepoints need root",
			       dir, strerror(errno));
	stale_remove();
	snprintf(name, sizeof name, INSTANCE_PREFIX "%ld", (long)getpid());
	t->instance = tracefs_instance_create(name);
	if (!t->instance)
		return err_sys(e, errno ? errno : EIO, "%s: cannot create a tracing instance", dir);
	return 0;
}

static int setting_write(struct tracing *t, const char *file, const char *value, struct err *e)
{
	if (tracefs_instance_file_write(t->instance, file, value) >= 0)
		return 0;
	return err_sys(e, errno ? errno : EIO, "tracefs: cannot write \"%s\" to %s", value, file);
}

/* Reads the event's own files, because the library's functions search all events of the system. */
static int event_choose(struct tracing *t, size_t kind, const char *name, const char *filter,
			struct err *e)
{
	const bool optional = name[0] == '?';
	name += optional;
	const char *colon = strchr(name, ':');
	char system[64], file[300];
	snprintf(system, sizeof system, "%.*s", (int)(colon - name), name);
	snprintf(file, sizeof file, "events/%s/%s/enable", system, colon + 1);
	if (!tracefs_file_exists(t->instance, file)) {
		t->event[kind] = NULL;
		return optional ? 0 : err_set(e, ENOENT, "this kernel has no tracepoint %s", name);
	}
	t->event[kind] = tep_find_event_by_name(t->formats, system, colon + 1);
	if (!t->event[kind] || t->event[kind]->id < 0 || t->event[kind]->id > UINT16_MAX)
		return err_set(e, ENOENT, "the format of the tracepoint %s cannot be read", name);
	t->kind_of_id[t->event[kind]->id] = (uint16_t)(kind + 1);
	if (filter &&
	    tracefs_event_file_write(t->instance, system, colon + 1, "filter", filter) < 0)
		return err_sys(e, errno ? errno : EINVAL,
			       "tracepoint %s: cannot set the filter \"%s\"", name, filter);
	return setting_write(t, file, "1", e);
}

static int events_choose(struct tracing *t, const struct tracing_options *o, struct err *e)
{
	while (o->event[t->n_kinds])
		t->n_kinds++;
	const char **systems = xcalloc(t->n_kinds + 1, sizeof *systems);
	size_t n = 0;
	for (size_t i = 0; i < t->n_kinds; i++) {
		const char *name = o->event[i] + (o->event[i][0] == '?'),
			   *colon = strchr(name, ':');
		char *system = xasprintf("%.*s", (int)(colon - name), name);
		bool known = false;
		for (size_t k = 0; k < n; k++)
			known |= !strcmp(systems[k], system);
		if (known)
			free(system);
		else
			systems[n++] = system;
	}
	t->formats = tracefs_local_events_system(NULL, systems);
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)systems[i]);
	free(systems);
	if (!t->formats)
		return err_set(e, EIO, "the formats of the kernel's tracepoints cannot be read");
	t->event = xcalloc(t->n_kinds + 1, sizeof *t->event);
	t->kind_of_id = xcalloc(UINT16_MAX + 1, sizeof *t->kind_of_id);
	int ret = 0;
	for (size_t i = 0; !ret && i < t->n_kinds; i++)
		ret = event_choose(t, i, o->event[i], o->filter, e);
	return ret;
}

/* --- scratch files ------------------------------------------------------- */

int tracing_scratch_file(const char *given, struct err *e)
{
	return unnamed_file_open(app_scratch_choose(given), e);
}

static int streams_open(struct tracing *t, const char *scratch, struct err *e)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	t->n_cpus = n > 0 ? (unsigned int)n : 1;
	t->cpu = xcalloc(t->n_cpus, sizeof *t->cpu);
	for (unsigned int i = 0; i < t->n_cpus; i++)
		t->cpu[i].pipe = t->cpu[i].file = -1;
	for (unsigned int i = 0; i < t->n_cpus; i++) {
		struct cpu_stream *c = &t->cpu[i];
		char name[64];
		snprintf(name, sizeof name, "per_cpu/cpu%u/trace_pipe_raw", i);
		c->pipe = tracefs_instance_file_open(t->instance, name,
						     O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (c->pipe < 0)
			continue; /* the machine does not have this CPU */
		c->file = tracing_scratch_file(scratch, e);
		if (c->file < 0)
			return c->file;
		c->page = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
		if (!c->page)
			return err_set(e, ENOMEM, "not enough memory to read the kernel's events");
	}
	return 0;
}

static void instance_remove(struct tracing *t)
{
	for (unsigned int i = 0; t->cpu && i < t->n_cpus; i++) {
		fd_close(t->cpu[i].pipe);
		t->cpu[i].pipe = -1;
	}
	if (t->instance) {
		setting_write(t, "events/enable", "0", NULL);
		tracefs_instance_destroy(t->instance);
		tracefs_instance_free(t->instance);
	}
	t->instance = NULL;
}

void tracing_close(struct tracing *t)
{
	if (!t)
		return;
	if (t->reading)
		tracing_stop(t, NULL);
	for (unsigned int i = 0; t->cpu && i < t->n_cpus; i++) {
		struct cpu_stream *c = &t->cpu[i];
		if (c->map)
			munmap(c->map, c->n_bytes);
		fd_close(c->file);
		if (c->page)
			kbuffer_free(c->page);
	}
	instance_remove(t);
	if (t->formats)
		tep_free(t->formats);
	FREE_EACH(t->event, t->kind_of_id, t->cpu, t);
}

/* --- recording ----------------------------------------------------------- */

/* Copies the available pages of one CPU's buffer to its file. */
static void stream_drain(struct tracing *t, struct cpu_stream *c, void *page)
{
	ssize_t n;
	while (c->pipe >= 0 && (n = read(c->pipe, page, t->page_bytes)) > 0) {
		if (t->write_error) /* continues to drain, so that no further events are lost */
			continue;
		ssize_t written = pwrite(c->file, page, t->page_bytes, (off_t)c->n_bytes);
		if (written != (ssize_t)t->page_bytes)
			t->write_error = written < 0 ? errno : ENOSPC;
		else
			c->n_bytes += t->page_bytes;
	}
}

static void *reader_main(void *arg)
{
	struct tracing *t = arg;
	const struct timespec pause = {.tv_nsec = POLL_NS};
	SCOPED_FREE void *page = aligned_alloc(t->page_bytes, t->page_bytes);
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (bool last = false; page && !last;) {
		last = atomic_load(&t->stop);
		for (unsigned int i = 0; i < t->n_cpus; i++)
			stream_drain(t, &t->cpu[i], page);
		if (!last)
			nanosleep(&pause, NULL);
	}
	if (!page)
		t->write_error = ENOMEM;
	return NULL;
}

/* Starts the reader. Call it before the caller's thread is watched with its children, so that the
 * reader is not traced. */
static int reader_start(struct tracing *t, struct err *e)
{
	int code = pthread_create(&t->reader, NULL, reader_main, t);
	t->reading = !code;
	return code ? err_sys(e, code, "cannot start the reader of the kernel's events") : 0;
}

int tracing_open(struct tracing **out, const struct tracing_options *o, struct err *e)
{
	struct tracing *t = xcalloc(1, sizeof *t);
	char kib[24];
	*out = NULL;
	t->page_bytes = (size_t)getpagesize();
	snprintf(kib, sizeof kib, "%llu", (unsigned long long)(o->buffer_bytes >> 10));
	const char *const settings[][2] = {{"tracing_on", "0"},
					   {"trace_clock", "mono"},
					   {"options/overwrite", "0"},
					   {"buffer_size_kb", kib}};
	int ret = instance_make(t, e);
	for (size_t i = 0; i < sizeof settings / sizeof *settings && !ret; i++)
		ret = setting_write(t, settings[i][0], settings[i][1], e);
	ret = ret ? ret : events_choose(t, o, e);
	ret = ret ? ret : streams_open(t, o->scratch, e);
	ret = ret ? ret : reader_start(t, e);
	if (ret) {
		tracing_close(t);
		return ret;
	}
	*out = t;
	return 0;
}

int tracing_watch(struct tracing *t, const int32_t *tid, size_t n, struct err *e)
{
	SCOPED_STRBUF all = STRBUF_INIT;
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&all, "%d ", tid[i]);
	int ret = setting_write(t, "options/event-fork", "1", e);
	if (!ret && tracefs_instance_file_append(t->instance, "set_event_pid", all.s) < 0)
		ret = err_sys(e, errno ? errno : EIO,
			      "tracefs: cannot select the %zu threads whose events are recorded",
			      n);
	return ret;
}

size_t tracing_n_watched(struct tracing *t)
{
	SCOPED_FREE char *text = tracefs_instance_file_read(t->instance, "set_event_pid", NULL);
	size_t n = 0;
	for (const char *s = text; s && *s; s++)
		n += *s == '\n';
	return n;
}

int tracing_start(struct tracing *t, struct err *e)
{
	return setting_write(t, "tracing_on", "1", e);
}

/* Reads "overrun: N" and "dropped events: N" of per_cpu/cpuI/stats. */
static uint64_t losses_of(struct tracing *t, unsigned int i)
{
	static const char *const lines[] = {"overrun: ", "commit overrun: ", "dropped events: "};
	char name[64];
	uint64_t n = 0;
	snprintf(name, sizeof name, "per_cpu/cpu%u/stats", i);
	SCOPED_FREE char *text = tracefs_instance_file_read(t->instance, name, NULL);
	for (char *line = text; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
			if (!strncmp(line, lines[k], strlen(lines[k])))
				n += strtoull(line + strlen(lines[k]), NULL, 10);
	return n;
}

int tracing_stop(struct tracing *t, struct err *e)
{
	int ret = setting_write(t, "tracing_on", "0", e);
	if (t->reading) {
		atomic_store(&t->stop, true);
		pthread_join(t->reader, NULL);
		t->reading = false;
	}
	t->n_lost = 0;
	for (unsigned int i = 0; i < t->n_cpus; i++)
		t->n_lost += losses_of(t, i);
	/* early, because reading the events may take long and may be interrupted */
	instance_remove(t);
	if (!ret && t->write_error)
		ret = err_sys(e, t->write_error,
			      "cannot store the kernel's events in the scratch directory "
			      "(choose another directory with --scratch)");
	return ret;
}

uint64_t tracing_n_lost(const struct tracing *t)
{
	return t->n_lost;
}

uint64_t tracing_n_events(const struct tracing *t)
{
	return t->n_events;
}

/* --- reading the events ------------------------------------------------- */

static int stream_map(struct cpu_stream *c, struct err *e)
{
	if (c->map || !c->n_bytes)
		return 0;
	c->map = mmap(NULL, c->n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, c->file, 0);
	if (c->map != MAP_FAILED)
		return 0;
	c->map = NULL;
	return err_sys(e, errno, "cannot read the stored events of the kernel");
}

/* Moves to the next event of a CPU. */
static int stream_advance(struct tracing *t, struct cpu_stream *c, struct err *e)
{
	int ret = stream_map(c, e);
	c->data = c->loaded ? kbuffer_next_event(c->page, &c->ns) : NULL;
	while (!ret && !c->data && c->at < c->n_bytes) {
		if (kbuffer_load_subbuffer(c->page, c->map + c->at) < 0)
			return err_set(e, EBADMSG, "cannot decode the kernel's events: a page of "
				"the tracing buffer is damaged or of an unknown format");
		c->at += t->page_bytes;
		c->loaded = true;
		c->data = kbuffer_read_event(c->page, &c->ns);
	}
	if (c->data)
		c->size = (unsigned int)kbuffer_event_size(c->page);
	return ret;
}

static int streams_begin(struct tracing *t, struct err *e)
{
	int ret = 0;
	for (unsigned int i = 0; !ret && i < t->n_cpus; i++)
		if (t->cpu[i].page && !t->cpu[i].loaded)
			ret = stream_advance(t, &t->cpu[i], e);
	return ret;
}

static unsigned int kind_of(const struct tracing *t, const struct cpu_stream *c)
{
	uint16_t id;
	if (c->size < 8)
		return UINT_MAX;
	memcpy(&id, c->data, sizeof id); /* field common_type */
	return t->kind_of_id[id] ? t->kind_of_id[id] - 1u : UINT_MAX;
}

int tracing_next(struct tracing *t, struct tracing_event *v, struct err *e)
{
	int ret = 0;
	if (!t->reading_back)
		ret = streams_begin(t, e);
	else if (t->taken) /* not earlier, because the caller had borrowed its data */
		ret = stream_advance(t, t->taken, e);
	t->reading_back = true;
	t->taken = NULL;
	while (!ret) {
		struct cpu_stream *first = NULL;
		for (unsigned int i = 0; i < t->n_cpus; i++)
			if (t->cpu[i].data && (!first || t->cpu[i].ns < first->ns))
				first = &t->cpu[i];
		if (!first)
			return 0;
		unsigned int kind = kind_of(t, first);
		if (kind == UINT_MAX) { /* not a recorded event, for example a time mark */
			ret = stream_advance(t, first, e);
			continue;
		}
		int32_t pid;
		memcpy(&pid, first->data + 4, sizeof pid); /* field common_pid */
		*v = (struct tracing_event){.kind = kind,
					    .ns = (int64_t)first->ns,
					    .pid = pid,
					    .cpu = (unsigned int)(first - t->cpu),
					    .data = first->data,
					    .n_bytes = first->size};
		t->n_events++;
		t->taken = first;
		return 1;
	}
	return ret;
}

bool tracing_has(const struct tracing *t, unsigned int kind)
{
	return kind < t->n_kinds && t->event[kind];
}

int tracing_event_id(const struct tracing *t, unsigned int kind)
{
	return tracing_has(t, kind) ? t->event[kind]->id : -1;
}

struct tracing_field tracing_field(const struct tracing *t, unsigned int kind, const char *name)
{
	struct tep_format_field *f =
	    kind < t->n_kinds && t->event[kind] ? tep_find_any_field(t->event[kind], name) : NULL;
	if (!f || f->offset < 0 || f->size < 0)
		return (struct tracing_field){0, 0};
	return (struct tracing_field){(unsigned int)f->offset, (unsigned int)f->size};
}
