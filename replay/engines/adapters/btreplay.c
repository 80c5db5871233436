/* SPDX-License-Identifier: GPL-3.0-or-later */
/* btreplay 1.0 of blktrace: thread i replays stream i, a sequence of bunches of requests, on CPU i.
 * Only the start of a bunch is timed.
 *
 * btreplay finds the device by the name of the stream, DEVICE.replay.CPU, below /dev. With a map
 * (-M) it aborts after each run. It may hang after its last request, if requests complete before
 * the next request is due: its completion thread waits for a signal that was already sent. In this
 * case it is killed, and the run counts. */
#include <sys/wait.h>

#include "replay/engines/adapters/outputs.h"

#define BUNCH_MAX 512u /* limit of btreplay */

/* --- its files (capture/formats/exports.c writes them with a request in each bunch) --- */

struct file_head {
	uint64_t version, genesis, n_bunches, n_packets;
};
struct bunch_head {
	uint64_t n, time_ns;
};
struct packet {
	uint64_t sector, n_bytes;
	uint32_t is_read, unused;
};
struct single { /* as it is exported */
	struct bunch_head bunch;
	struct packet packet;
};

struct stream {
	FILE *f;
	struct file_head head;
	struct bunch_head bunch;
	struct packet packet[BUNCH_MAX];
};

struct streams {
	struct stream *stream;
	uint64_t n;
	struct u64_map threads; /* to their numbers */
	uint32_t n_threads;
	FILE *in;
	struct file_head head; /* of the input */
};

static void bunch_write(struct stream *s)
{
	if (!s->bunch.n)
		return;
	fwrite(&s->bunch, sizeof s->bunch, 1, s->f);
	fwrite(s->packet, sizeof *s->packet, s->bunch.n, s->f);
	s->head.n_bunches++;
	s->head.n_packets += s->bunch.n;
	s->bunch.n = 0;
}

/* As in btrecord, a bunch has at most bunch_max requests, all within a span after its first
 * request. */
static void packet_add(struct stream *s, const struct single *p, const struct known_options *o)
{
	if (s->bunch.n && (!o->btreplay_bunch_ns || s->bunch.n >= o->btreplay_bunch_max ||
			   p->bunch.time_ns - s->bunch.time_ns > (uint64_t)o->btreplay_bunch_ns))
		bunch_write(s);
	if (!s->bunch.n)
		s->bunch.time_ns = p->bunch.time_ns;
	s->packet[s->bunch.n++] = p->packet;
}

static struct stream *stream_of(struct streams *x, const struct trace_record *r)
{
	uint32_t *number = u64_map_at(&x->threads, u64_pair(r->pid, r->tid), x->n_threads);
	x->n_threads += *number == x->n_threads;
	return &x->stream[*number % x->n];
}

static int packets_distribute(struct streams *x, struct adapter_run *r, struct err *e)
{
	const struct known_options *o = &r->config->adapter.known;
	const struct trace_record *record;
	struct single p;
	uint64_t i = 0;
	int more, ret = trace_rewind(r->input, e);
	while (!ret && (more = trace_next(r->input, &record, e))) {
		if (more < 0)
			ret = more;
		else if (!inputs_is_left_out(&r->inputs, i++)) {
			if (fread(&p, sizeof p, 1, x->in) == 1)
				packet_add(stream_of(x, record), &p, o);
			else
				ret = err_set(
				    e, EIO,
				    "the exported file %s is incomplete: it has fewer requests "
				    "than were exported",
				    r->inputs.file.v[0]);
		}
	}
	return ret;
}

static int stream_open(struct stream *s, const struct adapter_run *r, const char *device,
		       uint64_t number, const struct file_head *head, struct err *e)
{
	char *name = xasprintf("%s.replay.%llu", device, (unsigned long long)number),
	     *path = adapter_path(r, name);
	s->f = fopen(path, "we");
	int ret = s->f ? 0 : err_sys(e, errno, "cannot create %s", path);
	if (s->f) {
		s->head = (struct file_head){.version = head->version};
		fwrite(&s->head, sizeof s->head, 1, s->f);
	}
	FREE_EACH(name, path);
	return ret;
}

/* Writes the counts into the head of the stream, because they are known only at its end. */
static int stream_close(struct stream *s, struct err *e)
{
	if (!s->f)
		return 0;
	bunch_write(s);
	bool good = !fseek(s->f, 0, SEEK_SET) && fwrite(&s->head, sizeof s->head, 1, s->f) == 1 &&
		    !ferror(s->f);
	good = !fclose(s->f) && good;
	s->f = NULL;
	return good ? 0 : err_set(e, EIO, "cannot write an input file of btreplay to the scratch "
				  "directory");
}

static int streams_write(struct adapter_run *r, const char *device, struct err *e)
{
	uint64_t n = r->config->adapter.known.btreplay_streams;
	/* write no stream without requests: btreplay would wait for them */
	struct streams x = {.n = n < r->inputs.n_threads ? n : r->inputs.n_threads};
	int ret = 0;
	x.stream = xcalloc(x.n, sizeof *x.stream);
	x.in = fopen(r->inputs.file.v[0], "re");
	if (!x.in || fread(&x.head, sizeof x.head, 1, x.in) != 1)
		ret = err_set(e, EIO, "cannot read %s", r->inputs.file.v[0]);
	for (uint64_t i = 0; i < x.n && !ret; i++)
		ret = stream_open(&x.stream[i], r, device, i, &x.head, e);
	ret = ret ? ret : packets_distribute(&x, r, e);
	for (uint64_t i = 0; i < x.n; i++) {
		int closed = stream_close(&x.stream[i], ret ? NULL : e);
		ret = ret ? ret : closed;
	}
	if (x.in)
		fclose(x.in);
	u64_map_release(&x.threads);
	free(x.stream);
	return ret;
}

/* --- the adapter --------------------------------------------------------- */

/* The name of the device below /dev. The caller frees. */
static char *device_name(const char *device, struct err *e)
{
	SCOPED_FREE char *path = realpath(device, NULL);
	if (!path)
		err_sys(e, errno, "cannot find the device %s", device);
	else if (strncmp(path, "/dev/", 5) || strchr(path + 5, '/') || strlen(path + 5) > 31)
		err_set(e, EINVAL,
			"%s: btreplay accepts only a device directly below /dev, with a name of at "
			"most 31 bytes", device);
	else
		return xstrdup(path + 5);
	return NULL;
}

static int btreplay_ready(struct adapter_run *r, struct err *e)
{
	const struct known_options *o = &r->config->adapter.known;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	if (o->btreplay_streams > (uint64_t)processors)
		return err_set(e, EINVAL, "btreplay-streams %llu: expected at most %ld, one "
			"stream for each CPU",
			(unsigned long long)o->btreplay_streams, processors);
	SCOPED_FREE char *name = device_name(r->device, e);
	if (!name)
		return -e->code;
	adapter_placeholder(r, "name", name);
	return streams_write(r, name, e);
}

/* btreplay may abort or hang after its last request. The observed requests show whether it issued
 * all requests. */
static int btreplay_ended(struct adapter_run *r, struct err *e)
{
	(void)e;
	if (r->quiet)
		adapter_note(r,
			     "btreplay hung after its last request, a known fault, and was killed");
	bool aborted = WIFSIGNALED(r->status) && WTERMSIG(r->status) == SIGABRT &&
		       printed_says(r, "munmap_chunk", NULL, NULL);
	if (aborted)
		adapter_note(r, "btreplay aborted after its last request (munmap_chunk)");
	return r->quiet || aborted ? 0 : -EAGAIN;
}

static const struct adapter adapter_btreplay = {
    .name = "btreplay",
    .program = "btreplay",
    .format = "btrecord",
    .suffix = ".btrecord",
    .command = (const char *const[]){"-W", "-d", "{scratch}", "{name}", NULL},
    .times = ADAPTER_BLOCK,
    .usual = ADAPTER_BLOCK,
    .timed = true,
    .quiet_ns = 2000000000,
    .takes =
	(const char *const[]){"btreplay-bunch", "btreplay-bunch-max", "btreplay-streams", NULL},
    .ready = btreplay_ready,
    .ended = btreplay_ended,
};

ADAPTER_ENGINE(btreplay, LEVEL_BLOCK,
	       "btreplay of blktrace: requests on a device in bunches; it issues each bunch at the "
	       "traced time of its first request");
