/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void memory_init(struct app_memory *m, int64_t interval_ns)
{
	m->interval_ns = interval_ns;
	m->next_ns = INT64_MIN;
	m->n = 0;
}

/* The kilobytes behind a label at the start of a line, as bytes; false: there is no such line. */
static int bytes_after(const char *text, const char *label, uint64_t *bytes)
{
	size_t len = strlen(label);
	for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (!strncmp(line, label, len)) {
			*bytes = strtoull(line + len, NULL, 10) * 1024;
			return 1;
		}
	return 0;
}

static int read_text(uint32_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%u/%s", pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t len = read(fd, to, size - 1);
	close(fd);
	to[len > 0 ? len : 0] = 0;
	return len > 0;
}

uint64_t memory_of_process(uint32_t pid)
{
	char text[4096];
	uint64_t bytes = 0;
	if (read_text(pid, "smaps_rollup", text, sizeof text) &&
	    (bytes_after(text, "Pss_Anon:", &bytes) || bytes_after(text, "Anonymous:", &bytes)))
		return bytes;
	if (read_text(pid, "status", text, sizeof text))
		bytes_after(text, "RssAnon:", &bytes);
	return bytes;
}

static void thin_out(struct app_memory *m)
{
	for (size_t i = 0; i < m->n / 2; i++)
		m->sample[i] = m->sample[2 * i];
	m->n /= 2;
	m->interval_ns *= 2;
}

void memory_add(struct app_memory *m, int64_t now_ns, uint64_t bytes)
{
	if (m->n == MEMORY_SAMPLES_MAX)
		thin_out(m);
	m->sample[m->n++] = (struct memory_sample){now_ns, bytes};
	/* in step with the interval, however late this one is */
	if (m->next_ns == INT64_MIN)
		m->next_ns = now_ns;
	m->next_ns += ((now_ns - m->next_ns) / m->interval_ns + 1) * m->interval_ns;
}
