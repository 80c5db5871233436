/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/process_memory.h"

#include <sys/resource.h>

#include "common/cgroup_where.h"
#include "common/proc_text.h"

/* Reads the kilobytes after a label at the start of a line, in bytes. False: no such line. */
static bool bytes_after(const char *text, const char *label, uint64_t *bytes)
{
	size_t len = strlen(label);
	for (const char *line = text; line;
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (!strncmp(line, label, len)) {
			*bytes = strtoull(line + len, NULL, 10) * 1024;
			return true;
		}
	return false;
}

static bool read_of_process(pid_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	return proc_text_read(path, to, size);
}

uint64_t process_anonymous_bytes(pid_t pid)
{
	char text[4096];
	uint64_t bytes = 0;
	if (read_of_process(pid, "smaps_rollup", text, sizeof text) &&
	    (bytes_after(text, "Pss_Anon:", &bytes) || bytes_after(text, "Anonymous:", &bytes)))
		return bytes;
	if (read_of_process(pid, "status", text, sizeof text))
		bytes_after(text, "RssAnon:", &bytes);
	return bytes;
}

/* Address space that RLIMIT_AS still permits. */
static uint64_t address_space_left(void)
{
	char text[4096];
	uint64_t used;
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    !read_of_process(getpid(), "status", text, sizeof text) ||
	    !bytes_after(text, "VmSize:", &used))
		return UINT64_MAX;
	return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

uint64_t memory_available_bytes(void)
{
	char text[4096];
	uint64_t bytes = UINT64_MAX;
	if (!proc_text_read("/proc/meminfo", text, sizeof text) ||
	    !bytes_after(text, "MemAvailable:", &bytes))
		bytes = UINT64_MAX;
	const struct cgroup_room room = cgroup_room("");
	const uint64_t group =
	    room.limit_bytes == UINT64_MAX ? UINT64_MAX : room.limit_bytes - room.anonymous_bytes;
	const uint64_t space = address_space_left();
	bytes = group < bytes ? group : bytes;
	return space < bytes ? space : bytes;
}
