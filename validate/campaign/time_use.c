/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/time_use.h"

#include "common/clock.h"
#include "common/units.h"

static const char *const time_part_names[] = {"program", "replay", "calibration", "recordings",
    "blank", "start", "restore", "sync", "evict", "settle", "summary", "journal", "analysis",
    "setup", "cleanup", "other", NULL};

static const char *const part_texts[] = {"program", "replays", "calibration", "recordings",
    "blank replays", "starting processes", "restoring files", "syncing", "evicting caches",
    "settling", "summaries", "journal", "analysis", "setup", "cleaning up", "other"};

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

static double seconds_of(const json_t *o, const char *name)
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
		    seconds_of(earlier, time_part_names[i]) + (t->s[i] > 0 ? t->s[i] : 0);
		strbuf_addf(&key, "%s_s", time_part_names[i]);
		json_object_set_new(o, key.s, json_real(s));
		total += s;
		neither += i == TIME_PROGRAM || i == TIME_REPLAY ? 0 : s;
	}
	json_object_set_new(o, "total_s", json_real(total));
	json_object_set_new(o, "neither_s", json_real(neither));
	return o;
}

struct shown_part {
	const char *text;
	double share;
};

static int by_share(const void *x, const void *y)
{
	const struct shown_part *a = x, *b = y;
	return a->share < b->share ? 1 : a->share > b->share ? -1 : strcmp(a->text, b->text);
}

/* Returns the share in whole percent. The rounded numbers add up to the rounded sum of all shares
 * so far. */
static double percent_of(double *sum, double share)
{
	const double before = round(100 * *sum);
	*sum += share;
	return round(100 * *sum) - before;
}

void time_use_add_words(struct strbuf *out, const json_t *o, double least)
{
	const double total = seconds_of(o, "total");
	const double program = seconds_of(o, time_part_names[TIME_PROGRAM]) / total,
		     replay = seconds_of(o, time_part_names[TIME_REPLAY]) / total;
	struct shown_part part[TIME_N + 1];
	double rest = 1 - program - replay;
	size_t n = 0;
	if (!(total > 0))
		return;
	for (int i = TIME_REPLAY + 1; i < TIME_N; i++) {
		const double share = seconds_of(o, time_part_names[i]) / total;
		if (share < least)
			continue;
		part[n++] = (struct shown_part){part_texts[i], share};
		rest -= share;
	}
	qsort(part, n, sizeof *part, by_share);
	if (rest > 1e-9)
		part[n++] = (struct shown_part){"the rest", rest};
	format_duration(out, total * 1e9);
	double sum = 0;
	const double shown_program = percent_of(&sum, program),
		     shown_replay = percent_of(&sum, replay);
	strbuf_addf(out, ": program %.0f %%, replays %.0f %%; other work %.0f %%",
		    shown_program, shown_replay, 100 - shown_program - shown_replay);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%s%s %.0f %%", i ? ", " : ": ", part[i].text,
			    percent_of(&sum, part[i].share));
}
