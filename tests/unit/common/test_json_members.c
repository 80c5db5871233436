/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/json_members.h"
#include "common/xalloc.h"

struct point {
	double x, y;
};

struct thing {
	uint64_t count, unknown, hash;
	uint32_t whole;
	int64_t from, wait;
	double real, share;
	bool yes, timed, cached;
	char name[8], digits[5];
	char *note;
	double three[3];
	uint64_t n_points, n_pairs;
	struct point *point; /* [n_points] */
	double pair[4];      /* [n_pairs] */
	struct point centre;
	uint64_t hits, misses;
	uint32_t later;
	double seconds;
	/* written if set */
	uint64_t of_file;
	bool safe;
	char *label;
};

static const struct json_member point_members[] = {
    MEMBER(point, REAL, x),
    MEMBER(point, POSITIVE, y),
    {0},
};
static const struct json_member cache_members[] = {
    MEMBER(thing, COUNT, hits),
    MEMBER(thing, COUNT, misses),
    {0},
};
static const struct json_member members[] = {
    MEMBER(thing, COUNT, count),
    MEMBER(thing, COUNT, unknown, .nullable = true),
    MEMBER(thing, HASH, hash, .nullable = true),
    MEMBER(thing, WHOLE, whole),
    MEMBER(thing, INTEGER, from),
    MEMBER(thing, DURATION, wait),
    MEMBER(thing, REAL, real, .nullable = true),
    MEMBER(thing, RATIO, share, .if_set = true),
    MEMBER(thing, BOOL, yes),
    MEMBER(thing, TEXT, name, .size = 8),
    MEMBER(thing, DIGITS, digits, .size = 5, .if_set = true),
    MEMBER(thing, STRING, note, .nullable = true),
    MEMBER(thing, REAL, three, .n = 3),
    MEMBER(thing, OBJECT, point, .of = point_members, .size = sizeof(struct point), .n = 9,
	   MEMBER_LENGTH(thing, n_points), .allocated = true),
    MEMBER(thing, REAL, pair, .n = 4, MEMBER_LENGTH(thing, n_pairs), .may_be_empty = true),
    MEMBER_AS("middle", thing, OBJECT, centre, .of = point_members),
    {.kind = MEMBER_GROUP, .of = cache_members, MEMBER_FLAG(thing, cached)},
    MEMBER(thing, WHOLE, later, .may_be_absent = true),
    MEMBER(thing, REAL, seconds, MEMBER_FLAG(thing, timed)),
    MEMBER(thing, HASH, of_file, .if_set = true),
    MEMBER(thing, BOOL, safe, .if_set = true),
    MEMBER(thing, STRING, label, .if_set = true),
    {0},
};

static const char full[] =
    "{\"count\":9223372036854775807,\"unknown\":null,\"hash\":\"00000000000000ff\","
    "\"whole\":4294967295,\"from\":-5,\"wait\":5,\"real\":null,\"share\":0.5,\"yes\":true,"
    "\"name\":\"1234567\",\"digits\":\"0a1b\",\"note\":\"a note\",\"three\":[1.5,2.5,3.5],"
    "\"point\":[{\"x\":-1.0,\"y\":0.25},{\"x\":2.0,\"y\":0.5}],\"pair\":[0.5],"
    "\"middle\":{\"x\":0.125,\"y\":0.0},\"hits\":3,\"misses\":4,\"later\":7,\"seconds\":0.75,"
    "\"of_file\":\"8000000000000000\",\"safe\":true,\"label\":\"x\"}";
static const char least[] =
    "{\"count\":0,\"unknown\":1,\"hash\":null,\"whole\":0,\"from\":0,\"wait\":0,\"real\":0.5,"
    "\"yes\":false,\"name\":\"x\",\"note\":null,\"three\":[0.0,0.0,0.0],"
    "\"point\":[{\"x\":0.0,\"y\":0.0}],\"pair\":[],\"middle\":{\"x\":0.0,\"y\":0.0},\"later\":0}";

static json_t *parse(const char *text)
{
	json_t *o = json_loads(text, 0, NULL);
	assert_non_null(o);
	return o;
}

static void same_after_both_ways(const char *text, struct thing *t)
{
	struct err e = ERR_INIT;
	json_auto_t *o = parse(text), *again = json_object();
	assert_int_equal(json_members_get(t, members, o, &e), 0);
	assert_int_equal(json_members_put(again, t, members), 0);
	SCOPED_FREE char *out = json_dumps(again, JSON_COMPACT);
	assert_string_equal(out, text);
}

static void test_both_ways(void **state)
{
	(void)state;
	struct thing t = {.share = NAN, .later = 1};
	same_after_both_ways(full, &t);
	assert_true(t.count == INT64_MAX && t.unknown == UINT64_MAX && t.hash == 0xff);
	assert_true(t.whole == UINT32_MAX && t.from == -5 && t.wait == 5 && t.yes);
	assert_true(isnan(t.real) && t.share == 0.5 && t.three[2] == 3.5);
	assert_string_equal(t.name, "1234567");
	assert_string_equal(t.digits, "0a1b");
	assert_string_equal(t.note, "a note");
	assert_true(t.n_points == 2 && t.point[1].x == 2 && t.n_pairs == 1 && t.pair[0] == 0.5);
	assert_true(t.cached && t.timed && t.hits == 3 && t.misses == 4 && t.later == 7);
	assert_true(t.of_file == 1ull << 63 && t.safe);
	assert_string_equal(t.label, "x");
	free(t.label);
	free(t.note);
	free(t.point);

	t = (struct thing){.share = NAN, .note = "old", .timed = true};
	same_after_both_ways(least, &t);
	assert_true(isnan(t.share) && !t.cached && !t.timed && !t.note && !*t.digits);
	free(t.point);
}

/* If a member that may be absent is absent, its field does not change. */
static void test_absent(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct thing t = {.later = 11};
	json_auto_t *o = parse(least);
	json_object_del(o, "later");
	assert_int_equal(json_members_get(&t, members, o, &e), 0);
	assert_int_equal(t.later, 11);
	free(t.point);
}

/* The caller of a table with `known` fields has set them. */
static void test_known(void **state)
{
	(void)state;
	static const struct json_member known[] = {
	    MEMBER(thing, REAL, pair, .n = 4, MEMBER_LENGTH(thing, n_pairs), .known = true),
	    MEMBER(thing, REAL, seconds, MEMBER_FLAG(thing, timed), .known = true),
	    {0},
	};
	json_auto_t *o = parse("{\"pair\": [1, 2], \"seconds\": 3}");
	struct err e = ERR_INIT;
	struct thing t = {.n_pairs = 2};
	assert_int_equal(json_members_get(&t, known, o, &e), 0);
	assert_true(t.pair[1] == 2 && t.seconds == 0);
	t.timed = true;
	assert_int_equal(json_members_get(&t, known, o, &e), 0);
	assert_true(t.seconds == 3);
	json_object_del(o, "seconds");
	assert_int_equal(json_members_get(&t, known, o, &e), -EINVAL);
	t = (struct thing){.n_pairs = 3};
	assert_int_equal(json_members_get(&t, known, o, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "not an array of 3 elements"));
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *member, *value; /* NULL: absent */
		const char *message;
	} rows[] = {
	    {"count", NULL, "\"count\" is missing: it must be a whole number of 0 or more"},
	    {"count", "-1", "\"count\" is not a whole number of 0 or more"},
	    {"count", "1.0", "\"count\" is not"},
	    {"count", "null", "\"count\" is not"},
	    {"whole", "4294967296", "\"whole\" is not"},
	    {"from", "\"1\"", "\"from\" is not a whole number"},
	    {"wait", "-1", "\"wait\" is not a whole number of 0 or more"},
	    {"real", "\"x\"", "\"real\" is not a number or null"},
	    {"share", "1.5", "\"share\" is not a number between 0 and 1"},
	    {"share", "-0.5", "\"share\" is not a number of 0 or more"},
	    {"yes", "1", "\"yes\" is not true or false"},
	    {"hash", "\"ff\"", "\"hash\" is not 16 hexadecimal digits"},
	    {"hash", "\"00000000000000FF\"", "\"hash\" is not"},
	    {"name", "\"\"", "\"name\" is not a string of 1 to 7 bytes"},
	    {"name", "\"12345678\"", "\"name\" is not a string of 1 to 7 bytes"},
	    {"digits", "\"abc\"", "\"digits\" is not 4 hexadecimal digits"},
	    {"note", "3", "\"note\" is not a string"},
	    {"three", "[1, 2]", "\"three\" is not an array of 3 elements"},
	    {"three", "[1, 2, null]", "three[2]: \"three\" is not a number"},
	    {"point", "[]", "\"point\" is not an array of up to 9 elements"},
	    {"pair", "[1, 2, 3, 4, 5]", "\"pair\" is not an array of up to 4 elements"},
	    {"pair", "{}", "\"pair\" is not an array"},
	    {"middle", "[]", "\"middle\" is not an object"},
	    {"middle", "{\"x\": 1, \"y\": -1}", "middle: \"y\" is not a number of 0 or more"},
	    {"misses", NULL, "\"misses\" is missing"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = ERR_INIT;
		struct thing t = {0};
		json_auto_t *o = parse(full);
		if (rows[i].value)
			json_object_set_new(o, rows[i].member,
					    json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
		else
			json_object_del(o, rows[i].member);
		assert_int_equal(json_members_get(&t, members, o, &e), -EINVAL);
		if (!strstr(e.msg, rows[i].message))
			fail_msg("%s: %s", rows[i].message, e.msg);
		free(t.label);
		free(t.note);
		free(t.point);
	}
}

/* JSON has no NaN. */
static void test_unwritable(void **state)
{
	(void)state;
	const struct point p = {.x = NAN};
	json_auto_t *o = json_object();
	assert_int_not_equal(json_members_put(o, &p, point_members), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_both_ways), cmocka_unit_test(test_absent),
	    cmocka_unit_test(test_known),     cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_unwritable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
