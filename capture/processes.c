/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/processes.h"

#include "capture/trace.h"
#include "common/json_members.h"

struct processes_key {
	char text[12];
};

static struct processes_key key_of(uint32_t pid)
{
	struct processes_key k;
	snprintf(k.text, sizeof k.text, "%" PRIu32, pid);
	return k;
}

void processes_init(struct processes *p)
{
	*p = (struct processes){
	    .of_pid = json_object(), .early = json_object(), .key = "pid", .n_least = 2};
}

void threads_init(struct processes *p)
{
	processes_init(p);
	p->key = "tid";
	p->n_least = 1;
}

void processes_release(struct processes *p)
{
	json_decref(p->of_pid);
	json_decref(p->early);
	p->of_pid = p->early = NULL;
}

static void wait_set(json_t *row, uint32_t tid, int64_t end_ns)
{
	json_object_set_new(row, "waited_by", json_integer((json_int_t)tid));
	json_object_set_new(row, "waited_ns", json_integer((json_int_t)end_ns));
}

void processes_see(struct processes *p, uint32_t pid, uint32_t parent, int64_t begin_ns)
{
	struct processes_key k = key_of(pid);
	if (json_object_size(p->of_pid) >= PROCESSES_MAX || json_object_get(p->of_pid, k.text))
		return;
	json_t *row = json_pack("{s:I,s:I,s:I}", p->key, (json_int_t)pid, "parent",
				(json_int_t)parent, "begin_ns", (json_int_t)begin_ns);
	json_object_set_new(p->of_pid, k.text, row);
	/* A wait that was recorded before the first record of its child. If the wait ended before
	 * the child began, it belongs to an earlier process of the same number. */
	const json_t *wait = json_object_get(p->early, k.text);
	const json_int_t end_ns = json_integer_value(json_object_get(wait, "waited_ns"));
	if (wait && end_ns >= begin_ns)
		wait_set(row, (uint32_t)json_integer_value(json_object_get(wait, "waited_by")),
			 end_ns);
	json_object_del(p->early, k.text);
}

void processes_started_by(struct processes *p, uint32_t pid, uint32_t parent)
{
	json_t *row = json_object_get(p->of_pid, key_of(pid).text);
	if (row && !json_object_get(row, "waited_ns"))
		json_object_set_new(row, "parent", json_integer((json_int_t)parent));
}

static bool is_time(json_int_t ns)
{
	return ns >= -TRACE_TIME_MAX && ns <= TRACE_TIME_MAX;
}

bool process_row_read(struct process_row *x, const json_t *row)
{
	static const struct json_member members[] = {
	    MEMBER(process_row, WHOLE, pid, .old_name = "tid"), /* in a list of threads */
	    MEMBER(process_row, WHOLE, parent),
	    MEMBER(process_row, INTEGER, begin_ns),
	    MEMBER(process_row, WHOLE, waited_by, .may_be_absent = true),
	    MEMBER(process_row, INTEGER, waited_ns, .may_be_absent = true),
	    {0}};
	struct err e = ERR_INIT;
	*x = (struct process_row){0};
	return !json_members_get(x, members, row, &e) && is_time(x->begin_ns) &&
	       is_time(x->waited_ns);
}

void processes_add(struct processes *p, const json_t *rows, int64_t shift_ns)
{
	size_t i;
	json_t *row;
	json_array_foreach(rows, i, row)
	{
		struct process_row x;
		if (!process_row_read(&x, row))
			continue;
		const json_t *known = json_object_get(p->of_pid, key_of(x.pid).text);
		if (!known)
			processes_see(p, x.pid, x.parent, x.begin_ns + shift_ns);
		else if (x.parent && !json_integer_value(json_object_get(known, "parent")))
			processes_started_by(p, x.pid, x.parent);
		if (x.waited_by)
			processes_waited(p, x.pid, x.waited_by, x.waited_ns + shift_ns);
	}
}

void processes_waited(struct processes *p, uint32_t pid, uint32_t tid, int64_t end_ns)
{
	const struct processes_key k = key_of(pid);
	json_t *row = json_object_get(p->of_pid, k.text);
	if (!row && json_object_size(p->early) < PROCESSES_MAX) {
		json_t *wait = json_object();
		wait_set(wait, tid, end_ns);
		json_object_set_new(p->early, k.text, wait);
	} else if (row && !json_object_get(row, "waited_ns")) {
		wait_set(row, tid, end_ns);
	}
}

json_t *processes_list(const struct processes *p)
{
	const char *pid;
	json_t *row, *list = json_object_size(p->of_pid) >= p->n_least ? json_array() : NULL;
	json_object_foreach(p->of_pid, pid, row)
	{
		if (list)
			json_array_append(list, row);
	}
	return list;
}
