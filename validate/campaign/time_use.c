/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/time_use.h"

#include "common/clock.h"

const char *const time_part_names[] = {"program", "replay", "calibration", "recordings",
    "blank", "start", "restore", "sync", "evict", "settle", "summary", "journal", "analysis",
    "setup", "cleanup", "other", NULL};

static void time_count(struct time_use *t)
{
	const int64_t ns = clock_monotonic_ns();
	t->s[t->now] += (double)(ns - t->since_ns) * 1e-9;
	t->since_ns = ns;
}

void time_use_start(struct time_use *t, enum time_part part)
{
	*t = (struct time_use){.since_ns = clock_monotonic_ns(), .now = part};
}

static bool is_whole(enum time_part part)
{
	return part == TIME_CALIBRATION || part == TIME_RECORDINGS || part == TIME_BLANK;
}

enum time_part time_begin(struct time_use *t, enum time_part part)
{
	const enum time_part before = t->now;
	time_count(t);
	if (!is_whole(before))
		t->now = part;
	return before;
}

void time_end(struct time_use *t, enum time_part before)
{
	time_count(t);
	t->now = before;
}

void time_move(struct time_use *t, enum time_part from, enum time_part to, double s)
{
	time_count(t);
	if (is_whole(t->now) || !(s > 0))
		return;
	t->s[from] -= s;
	t->s[to] += s;
}

double time_use_of(const json_t *o, const char *name)
{
	SCOPED_STRBUF key = STRBUF_INIT;
	strbuf_addf(&key, "%s_s", name);
	const double s = json_number_value(json_object_get(o, key.s));
	return s > 0 ? s : 0;
}

json_t *time_use_to_json(struct time_use *t, const json_t *earlier)
{
	json_t *o = json_object();
	double total = 0, neither = 0;
	time_count(t);
	json_object_set_new(o, "total_s", json_real(0));
	json_object_set_new(o, "neither_s", json_real(0));
	for (int i = 0; i < TIME_N; i++) {
		SCOPED_STRBUF key = STRBUF_INIT;
		const double s =
		    time_use_of(earlier, time_part_names[i]) + (t->s[i] > 0 ? t->s[i] : 0);
		strbuf_addf(&key, "%s_s", time_part_names[i]);
		json_object_set_new(o, key.s, json_real(s));
		total += s;
		neither += i == TIME_PROGRAM || i == TIME_REPLAY ? 0 : s;
	}
	json_object_set_new(o, "total_s", json_real(total));
	json_object_set_new(o, "neither_s", json_real(neither));
	return o;
}
