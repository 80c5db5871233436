/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/run/source.h"

#include "microbench/block/block_load.h"

/* --- references of scripts ----------------------------------------------- */

static int renamed_names(struct script_refs *s, const struct bench_run *r, struct trace_writer *w,
			 struct err *e)
{
	int ret = 0;
	for (unsigned int i = 0; i < r->n_workers; i++) {
		const struct script *script = &r->worker[i].script;
		for (size_t k = 0; k < script->n && !ret; k++) {
			uint32_t to = script->step[k].value;
			if (script->step[k].op != OP_RENAME || s->heap[to] != HEAP_NONE)
				continue;
			const char *name = r->names.name[to];
			ret = trace_writer_heap(w, name, strlen(name), &s->heap[to], e);
		}
	}
	return ret;
}

/* Stores the sizes of the initial files. The set may be large, so names are looked up as objects of
 * the trace. */
static int first_sizes(struct script_refs *s, const struct bench_run *r, struct trace_writer *w,
		       struct err *e)
{
	size_t n = r->names.n + r->files.n, n_names = r->names.n;
	SCOPED_FREE uint32_t *name_of = xcalloc(n, sizeof *name_of);
	uint32_t id;
	int ret = 0;
	for (size_t i = n_names; i-- > 0;)
		name_of[s->object[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < r->files.n && !ret; i++) {
		const struct fileset_entry *f = &r->files.entry[i];
		if (f->directory)
			continue;
		ret = trace_writer_object(w, OBJECT_PATH, f->path, &id, e);
		if (!ret && id < n && name_of[id])
			s->n_bytes[name_of[id] - 1] = f->size;
	}
	return ret;
}

int script_refs_make(struct script_refs *s, const struct bench_run *r, struct trace_writer *w,
		     struct err *e)
{
	int ret = 0;
	s->object = xcalloc(r->names.n, sizeof *s->object);
	s->heap = xcalloc(r->names.n, sizeof *s->heap);
	s->n_bytes = xcalloc(r->names.n, sizeof *s->n_bytes);
	for (size_t i = 0; i < r->names.n && !ret; i++) {
		s->heap[i] = HEAP_NONE;
		ret = trace_writer_object(w, OBJECT_PATH, r->names.name[i], &s->object[i], e);
	}
	ret = ret ? ret : renamed_names(s, r, w, e);
	return ret ? ret : first_sizes(s, r, w, e);
}

void script_refs_release(struct script_refs *s)
{
	FREE_EACH(s->object, s->heap, s->n_bytes);
}

int source_open(struct source *s, const struct bench_run *r, unsigned int worker,
		const struct script_refs *refs, struct trace_writer *w, struct err *e)
{
	const struct bench_thread *t = &r->worker[worker].bench;
	*s = (struct source){
	    .worker = &r->worker[worker], .next = t->sample, .end = t->sample + t->n_samples,
	    .refs = refs};
	if (r->workload->script)
		return 0;
	if (r->workload->block)
		return trace_writer_object(w, OBJECT_DEVICE, r->config->device, &s->object, e);
	return trace_writer_object(w, OBJECT_PATH, r->files.entry[worker].path, &s->object, e);
}

/* --- steps --------------------------------------------------------------- */

static void data_take(struct source_slot *slot, const struct script_refs *refs,
		      const struct bench_step *step, struct trace_record *out)
{
	uint64_t *size = &refs->n_bytes[slot->name];
	if (slot->appends && step->op == OP_WRITE)
		slot->position = *size;
	out->offset = slot->position;
	out->length = step->value;
	slot->position += out->rvalue > 0 ? (uint64_t)out->rvalue : 0;
	if (step->op == OP_WRITE && slot->position > *size)
		*size = slot->position;
}

static void data_at_take(const struct source_slot *slot, const struct script_refs *refs,
			 const struct bench_step *step, struct trace_record *out)
{
	out->offset = (uint64_t)step->name * step->value;
	out->length = step->value;
	uint64_t end = out->offset + (out->rvalue > 0 ? (uint64_t)out->rvalue : 0);
	if (step->op == OP_PWRITE && end > refs->n_bytes[slot->name])
		refs->n_bytes[slot->name] = end;
}

static void open_take(struct source_slot *slot, const struct script_refs *refs,
		      const struct bench_step *step, int flags, struct trace_record *out)
{
	*slot = (struct source_slot){0, step->name, (int32_t)out->rvalue, step->how == OPEN_APPEND};
	out->flags = (uint32_t)flags;
	out->length = flags & O_CREAT ? step->value : 0;
	out->fd = slot->fd;
	if (step->how == OPEN_REPLACE && out->rvalue >= 0)
		refs->n_bytes[step->name] = 0;
}

/* Fills the members that the operation's row (op.h) lists. */
static void step_take(struct source *s, const struct bench_step *step, const struct bench_thread *t,
		      struct trace_record *out)
{
	struct source_slot *slot = &s->slot[step->slot];
	out->fd = slot->fd;
	out->object = s->refs->object[slot->name];
	switch ((enum trace_op)step->op) {
	case OP_OPEN:
		out->object = s->refs->object[step->name];
		open_take(slot, s->refs, step, t->open_flags[step->how], out);
		break;
	case OP_READ:
	case OP_WRITE:
		data_take(slot, s->refs, step, out);
		break;
	case OP_PREAD:
	case OP_PWRITE:
		data_at_take(slot, s->refs, step, out);
		break;
	case OP_FSYNC:
		break;
	case OP_LSEEK:
		out->offset = step->value;
		out->flags = step->how;
		slot->position = out->rvalue >= 0 ? (uint64_t)out->rvalue : slot->position;
		break;
	case OP_GETDENTS:
		out->length = step->value;
		break;
	case OP_CLOSE:
		slot->fd = -1;
		break;
	default: /* operations on a path */
		out->object = s->refs->object[step->name];
		out->fd = -1;
		if (step->op == OP_MKDIR)
			out->length = step->value;
		if (step->op == OP_RENAME)
			out->heap = s->refs->heap[step->value];
		if (step->op == OP_UNLINK && out->rvalue == 0)
			s->refs->n_bytes[step->name] = 0;
	}
}

const char *source_step_path(const struct bench_thread *t, size_t k)
{
	const struct bench_step *step = t->script->step;
	unsigned int slot = step[k].slot;
	bool by_slot = step[k].op == OP_READ || step[k].op == OP_WRITE || step[k].op == OP_LSEEK ||
		step[k].op == OP_PREAD || step[k].op == OP_PWRITE || step[k].op == OP_FSYNC ||
		step[k].op == OP_CLOSE || step[k].op == OP_GETDENTS;
	while (by_slot && k > 0 && !(step[k].op == OP_OPEN && step[k].slot == slot))
		k--;
	return t->names[step[k].name];
}

/* --- samples ------------------------------------------------------------- */

int64_t source_time(const struct bench_run *r, uint64_t ticks)
{
	return llrint((double)(int64_t)(ticks - r->start) * r->clock.ns_per_tick);
}

void source_take(struct source *s, const struct bench_run *r, struct trace_record *out)
{
	const struct bench_thread *t = &s->worker->bench;
	const struct bench_sample *from = s->next++;
	*out = (struct trace_record){
	    .begin_ns = source_time(r, from->begin), .end_ns = source_time(r, from->end),
	    .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE, .offset = OFFSET_NONE,
	    .rvalue = from->result < 0 ? -1 : from->result, .pid = s->worker->pid,
	    .tid = (uint32_t)s->worker->tid, .object = s->object, .fd = t->fd, .heap = HEAP_NONE,
	    .op = (uint16_t)from->op, .error = (uint16_t)(from->result < 0 ? -from->result : 0),
	};
	if (t->load) {
		const struct drawn_request *request = &t->load->request[s->k++];
		out->offset = request->offset;
		out->length = request->length;
		out->intended_ns = request->due == INT64_MIN
				       ? TIME_NONE
				       : source_time(r, r->start + (uint64_t)request->due);
		return;
	}
	if (t->script) {
		while (!step_is_call(&t->script->step[s->k]))
			s->k++;
		step_take(s, &t->script->step[s->k++], t, out);
		return;
	}
	if (from->op == OP_LSEEK) {
		out->offset = 0;
		out->flags = SEEK_SET;
		s->block = 0;
	} else if (from->op != OP_FSYNC) {
		out->offset = (t->block ? t->block[s->k] : s->block) * t->block_bytes;
		out->length = t->block_bytes;
		s->k++;
		s->block++;
	}
}
