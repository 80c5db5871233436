/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/model.h"

static const void *field_of(const struct model_at *at)
{
	return (const char *)at->s + at->m->at;
}

bool model_present(const struct model_at *at)
{
	const struct model_member *m = at->m;
	const char *set = (const char *)at->s + m->set_at;
	bool is_set = !m->set_size;
	for (size_t i = 0; i < m->set_size; i++)
		is_set |= set[i] != 0;
	return is_set && (!m->present || m->present(at));
}

const void *model_pointer(const struct model_at *at)
{
	const void *p;
	memcpy(&p, field_of(at), sizeof p);
	return p;
}

/* The first element of an array; NULL: there is no array. */
static const void *elements_of(const struct model_at *at)
{
	return at->m->in_place ? field_of(at) : model_pointer(at);
}

size_t model_length(const struct model_at *at)
{
	const struct model_member *m = at->m;
	const bool is_field = m->size || m->kind == MODEL_REALS || m->kind == MODEL_SETTINGS;
	if (is_field && !elements_of(at))
		return 0;
	if (m->count)
		return (size_t)m->count(at);
	return m->n_at ? *(const size_t *)((const char *)at->s + m->n_at - 1) : m->n;
}

const void *model_struct(const struct model_at *at)
{
	const struct model_member *m = at->m;
	if (m->item)
		return m->item(at);
	if (m->kind == MODEL_ARRAY)
		return (const char *)elements_of(at) + at->i * m->size;
	return m->pointer ? model_pointer(at) : field_of(at);
}

enum stat_status model_status(const struct model_at *at)
{
	const char *s = at->m->status_above ? at->up->s : at->s;
	return at->m->status_at ? *(const enum stat_status *)(s + at->m->status_at - 1) : STAT_OK;
}

double model_real(const struct model_at *at)
{
	return at->m->real ? at->m->real(at) : *(const double *)field_of(at);
}

const double *model_reals(const struct model_at *at)
{
	return elements_of(at);
}

uint64_t model_count(const struct model_at *at)
{
	const struct model_member *m = at->m;
	if (m->count)
		return m->count(at);
	return m->kind == MODEL_U32 ? *(const uint32_t *)field_of(at)
				    : *(const uint64_t *)field_of(at);
}

int64_t model_integer(const struct model_at *at)
{
	return *(const int64_t *)field_of(at);
}

bool model_bool(const struct model_at *at)
{
	return *(const bool *)field_of(at) != at->m->negated;
}

const struct setting *model_settings(const struct model_at *at)
{
	return elements_of(at);
}

const char *model_text(const struct model_at *at)
{
	const struct model_member *m = at->m;
	const char *text;
	if (m->text)
		return m->text(at);
	switch (m->kind) {
	case MODEL_STATUS:
		return stat_status_name(*(const enum stat_status *)field_of(at));
	case MODEL_WORD:
		return m->words[*(const unsigned int *)field_of(at)];
	case MODEL_LETTER:
		strbuf_addch(at->scratch, *(const char *)field_of(at));
		return at->scratch->s;
	case MODEL_CHARS:
		text = field_of(at);
		return m->nullable && !*text ? NULL : text;
	default:
		return model_pointer(at);
	}
}

/* --- indices ------------------------------------------------------------- */

static size_t index_of(const struct model_at *at)
{
	return *(const size_t *)field_of(at);
}

const char *model_scenario_name(const struct model_at *at)
{
	return at->a->results->protocol.scenario[index_of(at)].name;
}

const char *model_replayer_name(const struct model_at *at)
{
	return at->a->results->protocol.replayer[index_of(at)].name;
}

const char *model_first_word(const struct model_at *at)
{
	return at->m->words[0];
}

uint64_t model_fixed_count(const struct model_at *at)
{
	return at->m->n;
}

const void *model_cell_at(const struct model_at *at)
{
	return &at->a->cell[index_of(at)];
}
