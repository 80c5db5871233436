/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_processes.h"

#include <inttypes.h>
#include <stdio.h>

struct key {
	char text[12];
};

static struct key key_of(uint32_t pid)
{
	struct key k;
	snprintf(k.text, sizeof k.text, "%" PRIu32, pid);
	return k;
}

void processes_init(struct app_processes *p)
{
	p->of_pid = json_object();
}

void processes_release(struct app_processes *p)
{
	json_decref(p->of_pid);
	p->of_pid = NULL;
}

void processes_see(struct app_processes *p, uint32_t pid, uint32_t parent, int64_t begin_ns)
{
	struct key k = key_of(pid);
	if (json_object_size(p->of_pid) >= PROCESSES_MAX || json_object_get(p->of_pid, k.text))
		return;
	json_t *row = json_pack("{s:I,s:I,s:I}", "pid", (json_int_t)pid, "parent", (json_int_t)parent, "begin_ns", (json_int_t)begin_ns);
	json_object_set_new(p->of_pid, k.text, row);
}

void processes_waited(struct app_processes *p, uint32_t pid, uint32_t tid, int64_t end_ns)
{
	json_t *row = json_object_get(p->of_pid, key_of(pid).text);
	if (!row || json_object_get(row, "waited_ns"))
		return;
	json_object_set_new(row, "waited_by", json_integer((json_int_t)tid));
	json_object_set_new(row, "waited_ns", json_integer((json_int_t)end_ns));
}

json_t *processes_list(const struct app_processes *p)
{
	const char *pid;
	json_t *row, *list = json_object_size(p->of_pid) > 1 ? json_array() : NULL;
	json_object_foreach(p->of_pid, pid, row)
	{
		if (list)
			json_array_append(list, row);
	}
	return list;
}
