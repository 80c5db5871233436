/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/child.h"

#include <poll.h>

#include "common/files.h"

#define AT_ONCE 65536
#define PIPE_BYTES (1 << 20)

static int pipe_open(int *from, int *to)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*from = ends[0];
	*to = ends[1];
	fcntl(*from, F_SETFL, O_NONBLOCK); /* the program's end stays blocking */
	fcntl(*from, F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

int child_output_open(struct child_output *o, const char *output, const char *printed,
		      uint64_t limit_bytes)
{
	const int how = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	*o = (struct child_output){.out = -1,
				   .out_end = -1,
				   .printed = -1,
				   .printed_end = -1,
				   .file = -1,
				   .printed_file = -1,
				   .limit_bytes = limit_bytes};
	o->printed_file = open(printed, how, 0666);
	if (o->printed_file < 0 || pipe_open(&o->printed, &o->printed_end) < 0)
		return -1;
	o->tail = xmalloc(CHILD_PRINTED_BYTES);
	if (!output) {
		o->out_end = o->printed_end;
		return 0;
	}
	o->file = open(output, how, 0666);
	return o->file < 0 ? -1 : pipe_open(&o->out, &o->out_end);
}

void child_output_started(struct child_output *o)
{
	close(o->printed_end);
	if (o->out_end != o->printed_end)
		close(o->out_end);
}

/* Writes data to a file. The first error decides: the program is killed, and its run fails. */
static void data_write(struct child_output *o, int fd, const char *data, size_t len)
{
	if (!o->error)
		o->error = -write_all(fd, data, len);
}

static void printed_take(struct child_output *o, const char *data, size_t len)
{
	size_t head = o->n_printed < CHILD_PRINTED_BYTES ? CHILD_PRINTED_BYTES - o->n_printed : 0;
	head = len < head ? len : head;
	if (head)
		data_write(o, o->printed_file, data, head);
	for (size_t i = head, n; i < len; i += n) {
		size_t at = (o->n_printed + i) % CHILD_PRINTED_BYTES;
		n = CHILD_PRINTED_BYTES - at < len - i ? CHILD_PRINTED_BYTES - at : len - i;
		memcpy(o->tail + at, data + i, n);
	}
	o->n_printed += len;
}

/* Does not write output beyond the limit: the program is about to be killed. */
static void output_take(struct child_output *o, const char *data, size_t len)
{
	if (o->n_taken <= o->limit_bytes)
		data_write(o, o->file, data, len);
	o->n_taken += len;
}

/* Reads what is available now, at most the content of a few pipe buffers, because other descriptors
 * wait as well. */
static void pipe_drain(struct child_output *o, int *fd,
		       void (*take)(struct child_output *, const char *, size_t))
{
	char data[AT_ONCE];
	for (int i = 0; *fd >= 0 && i < 64; i++) {
		ssize_t n = read(*fd, data, sizeof data);
		if (n > 0) {
			take(o, data, (size_t)n);
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0 && !o->error)
			o->error = errno;
		close(*fd);
		*fd = -1;
	}
}

void child_output_wait(struct child_output *o, int signal_fd, int timeout_ms)
{
	struct pollfd p[] = {{.fd = signal_fd, .events = POLLIN},
			     {.fd = o->printed, .events = POLLIN},
			     {.fd = o->out, .events = POLLIN}};
	poll(p, sizeof p / sizeof *p, timeout_ms);
	pipe_drain(o, &o->printed, printed_take);
	pipe_drain(o, &o->out, output_take);
}

static void tail_write(struct child_output *o)
{
	uint64_t beyond =
	    o->n_printed > CHILD_PRINTED_BYTES ? o->n_printed - CHILD_PRINTED_BYTES : 0;
	if (!beyond)
		return;
	size_t kept = beyond < CHILD_PRINTED_BYTES ? beyond : CHILD_PRINTED_BYTES;
	if (beyond > kept)
		dprintf(o->printed_file, "\n[... %llu bytes left out ...]\n",
			(unsigned long long)(beyond - kept));
	for (uint64_t at = o->n_printed - kept; at < o->n_printed; at++) {
		size_t from = at % CHILD_PRINTED_BYTES, n = CHILD_PRINTED_BYTES - from;
		n = n < o->n_printed - at ? n : o->n_printed - at;
		data_write(o, o->printed_file, o->tail + from, n);
		at += n - 1;
	}
}

void child_output_close(struct child_output *o)
{
	pipe_drain(o, &o->printed, printed_take);
	pipe_drain(o, &o->out, output_take);
	if (o->printed_file >= 0 && o->tail)
		tail_write(o);
	int *const all[] = {&o->printed, &o->out, &o->file, &o->printed_file};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (*all[i] >= 0 && close(*all[i]) < 0 && !o->error)
			o->error = errno;
	free(o->tail);
	o->tail = NULL;
}
