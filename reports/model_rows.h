/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Macros for the lists of the model (model.h).
 *
 *	#define S budget
 *	MODEL(S, "Uncertainty budget of one future replay.",
 *		STATUS_ROW(status, "status", NULL)
 *		ROW(double, U95, "U95", SHARE, "Expanded uncertainty.", STATUS(status))
 *		ARRAY_IN(row, n_rows, "rows", NULL)
 *		OBJECT(monte_carlo, "monte_carlo", NULL))
 *	#undef S
 *
 * Rows name fields of struct S. The compiler derives kind, offset and nested list from the type of
 * the field, and refuses a field whose type has no kind. A struct that is nested in another one
 * must be in MODEL_TYPES. */
#pragma once

#include "reports/model.h"

#define MODEL_AS_OBJECT(tag) struct tag * : MODEL_OBJECT,
#define MODEL_LIST_OF(tag) struct tag * : &model_##tag, const struct tag * : &model_##tag,

/* A field of struct S, only for its type; its kind (-1: none); the list of its struct or NULL. */
#define MODEL_FIELD(f) (((struct S *)NULL)->f)
#define MODEL_KIND(f)                                                                              \
	_Generic(&MODEL_FIELD(f), MODEL_TYPES(MODEL_AS_OBJECT) double *: MODEL_REAL,               \
		 unsigned long *: MODEL_U64, unsigned long long *: MODEL_U64,                      \
		 unsigned int *: MODEL_U32, long *: MODEL_I64, long long *: MODEL_I64,             \
		 bool *: MODEL_BOOL, char *: MODEL_LETTER, char **: MODEL_TEXT,                    \
		 const char **: MODEL_TEXT, json_t **: MODEL_JSON,                                 \
		 default: _Generic(MODEL_FIELD(f), char *: MODEL_CHARS, default: -1))
#define MODEL_NESTED(f) _Generic(&MODEL_FIELD(f), MODEL_TYPES(MODEL_LIST_OF) default: NULL)
#define MODEL_CHECK(condition) (0 * sizeof(char[(condition) ? 1 : -1]))
/* Does not compile unless the field has this type. */
#define MODEL_IS(f, type) MODEL_CHECK(_Generic(&MODEL_FIELD(f), type *: 1, default: 0))

#define MODEL_AT(f)                                                                                \
	.kind = MODEL_KIND(f) + MODEL_CHECK(MODEL_KIND(f) != -1), .of = MODEL_NESTED(f),           \
	.at = offsetof(struct S, f)

#define MODEL_MEMBER(name_, about_, kind_, ...)                                                    \
	{.name = name_, .about = about_, .kind = MODEL_##kind_, __VA_ARGS__},
/* The field, of this type. */
#define MODEL_OF(f, type) .at = offsetof(struct S, f) + MODEL_IS(f, type)
#define MODEL_LIST_AT(f) _Generic(MODEL_FIELD(f), MODEL_TYPES(MODEL_LIST_OF) default: NULL)

/* --- rows; further members of struct model_member may follow ------------- */
/* A number or estimate. Its type is that of the field. */
#define ROW(type, f, name_, format_, about_, ...)                                                  \
	{.name = name_, .about = about_, .format = FORMAT_##format_,                               \
	 MODEL_AT(f) + MODEL_IS(f, type), __VA_ARGS__},
/* Only null if it is not finite. */
#define FINITE(f, name_, format_, about_, ...)                                                     \
	ROW(double, f, name_, format_, about_, .plain = true, __VA_ARGS__)
/* Always finite. */
#define DEFINED(f, name_, format_, about_)                                                         \
	FINITE(f, name_, format_, about_, .finite = true)
#define STATUS(f) .status_at = offsetof(struct S, f) + 1 + MODEL_IS(f, enum stat_status)
#define NAN_IS(status) .if_nan = status
#define IF(function) .present = function
#define IF_SET(f) .set_at = offsetof(struct S, f), .set_size = sizeof MODEL_FIELD(f)
#define NULLABLE .nullable = true
#define FLAG(f, name_, about_, ...)                                                                \
	MODEL_MEMBER(name_, about_, BOOL, MODEL_OF(f, bool), __VA_ARGS__)
/* A text, or a struct that is a member of S. */
#define TEXT(f, name_, about_, ...) {.name = name_, .about = about_, MODEL_AT(f), __VA_ARGS__},
/* A file name or another text of a trace. */
#define NAME(f, name_, about_) TEXT(f, name_, about_, NULLABLE, .exact = true)
#define OBJECT(f, name_, about_, ...) TEXT(f, name_, about_, __VA_ARGS__)
/* The same with another list than that of its type. */
#define OBJECT_AS(f, tag, name_, about_, ...)                                                      \
	PART_AS(tag, name_, about_, .at = offsetof(struct S, f), __VA_ARGS__)
/* A struct at a pointer. */
#define POINTER(f, name_, about_, ...)                                                             \
	MODEL_MEMBER(name_, about_, OBJECT, .pointer = true, .of = MODEL_LIST_AT(f),               \
		     .at = offsetof(struct S, f), __VA_ARGS__)
/* The name of the scenario or replayer with this index. */
#define SCENARIO(f, name_, about_)                                                                 \
	BY_TEXT(model_scenario_name, name_, about_, MODEL_OF(f, size_t))
#define REPLAYER(f, name_, about_)                                                                 \
	BY_TEXT(model_replayer_name, name_, about_, MODEL_OF(f, size_t))
#define STATUS_ROW(f, name_, about_)                                                               \
	MODEL_MEMBER(name_, about_, STATUS, MODEL_OF(f, enum stat_status))
/* The name of an enum's value. */
#define WORD(f, name_, about_, words_, ...)                                                        \
	MODEL_MEMBER(name_, about_, WORD, .words = words_,                                         \
		     .at = offsetof(struct S, f) +                                                 \
			   MODEL_CHECK(sizeof MODEL_FIELD(f) == sizeof(int)), __VA_ARGS__)
#define MODEL_LENGTH(nf) .n_at = offsetof(struct S, nf) + 1 + MODEL_IS(nf, size_t)
/* Structs at a pointer, and in the struct itself. */
#define MODEL_ELEMENTS(f, name_, about_, ...)                                                      \
	MODEL_MEMBER(name_, about_, ARRAY, .at = offsetof(struct S, f), .of = MODEL_LIST_AT(f),    \
		     .size = sizeof *MODEL_FIELD(f), __VA_ARGS__)
#define ARRAY(f, nf, name_, about_, ...)                                                           \
	MODEL_ELEMENTS(f, name_, about_, MODEL_LENGTH(nf), __VA_ARGS__)
#define ARRAY_IN(f, nf, name_, about_, ...)                                                        \
	MODEL_ELEMENTS(f, name_, about_, MODEL_LENGTH(nf), .in_place = true, __VA_ARGS__)
/* The same with a list of this name. */
#define ARRAY_AS(f, nf, tag, name_, about_, ...)                                                   \
	MODEL_MEMBER(name_, about_, ARRAY, .of = &model_##tag, .at = offsetof(struct S, f),        \
		     .size = sizeof *MODEL_FIELD(f), MODEL_LENGTH(nf), __VA_ARGS__)
#define REALS(f, nf, name_, format_, about_, ...)                                                  \
	MODEL_MEMBER(name_, about_, REALS, .format = FORMAT_##format_, MODEL_OF(f, double *),      \
		     MODEL_LENGTH(nf), __VA_ARGS__)
#define REALS_IN(f, name_, format_, about_, ...)                                                   \
	MODEL_MEMBER(name_, about_, REALS, .format = FORMAT_##format_, .in_place = true,           \
		     .at = offsetof(struct S, f) +                                                 \
			   MODEL_CHECK(sizeof *MODEL_FIELD(f) == sizeof(double)),                  \
		     .n = sizeof MODEL_FIELD(f) / sizeof *MODEL_FIELD(f), __VA_ARGS__)
#define SETTINGS(f, nf, name_, about_)                                                             \
	MODEL_MEMBER(name_, about_, SETTINGS, MODEL_LENGTH(nf), MODEL_OF(f, struct setting *))
/* A nested object with other fields of S. */
#define PART(name_, about_, ...) MODEL_MEMBER(name_, about_, OBJECT, .of = MODEL_ROWS(__VA_ARGS__))
/* The same with a list of this name. */
#define PART_AS(tag, name_, about_, ...)                                                           \
	MODEL_MEMBER(name_, about_, OBJECT, .of = &model_##tag, __VA_ARGS__)
#define MODEL_ROWS(...)                                                                            \
	&(const struct model_list) { .member = (const struct model_member[]){__VA_ARGS__{0}} }
/* A function for the rows below: the value of an expression of the struct *x. */
#define GET(type, function, tag, x, value)                                                         \
	static type function(const struct model_at *at)                                            \
	{                                                                                          \
		const struct tag *x = at->s;                                                       \
		return value;                                                                      \
	}
/* The same of an expression of `at`. */
#define GET_AT(type, function, value)                                                              \
	static type function(const struct model_at *at)                                            \
	{                                                                                          \
		return value;                                                                      \
	}
/* Values by functions; `tag` is the list of the struct that `function` returns. */
#define BY_REAL(function, name_, format_, about_, ...)                                             \
	MODEL_MEMBER(name_, about_, REAL, .format = FORMAT_##format_, .real = function, __VA_ARGS__)
#define BY_FINITE(function, name_, format_, about_, ...)                                           \
	BY_REAL(function, name_, format_, about_, .plain = true, __VA_ARGS__)
#define FIXED_TEXT(words_, name_) BY_TEXT(model_first_word, name_, NULL, .words = words_)
#define FIXED_COUNT(value, name_, about_) BY_COUNT(model_fixed_count, name_, about_, .n = value)
#define BY_COUNT(function, name_, about_, ...)                                                     \
	MODEL_MEMBER(name_, about_, U64, .format = FORMAT_COUNT, .count = function, __VA_ARGS__)
#define BY_TEXT(function, name_, about_, ...)                                                      \
	MODEL_MEMBER(name_, about_, TEXT, .text = function, __VA_ARGS__)
#define BY_NAME(function, name_, about_, ...)                                                      \
	BY_TEXT(function, name_, about_, NULLABLE, .exact = true, __VA_ARGS__)
#define BY_TEXTS(n, function, name_, about_, ...)                                                  \
	MODEL_MEMBER(name_, about_, TEXTS, .count = n, .text = function, __VA_ARGS__)
#define BY_OBJECT(function, tag, name_, about_, ...)                                               \
	PART_AS(tag, name_, about_, .item = function, __VA_ARGS__)
#define BY_ARRAY(n, function, tag, name_, about_, ...)                                             \
	MODEL_MEMBER(name_, about_, ARRAY, .of = &model_##tag, .count = n, .item = function,       \
		     __VA_ARGS__)
/* A value as JSON; its types. */
#define BY_JSON(function, type_, name_, about_, ...)                                               \
	MODEL_MEMBER(name_, about_, JSON, .type = type_, .json = function, __VA_ARGS__)
/* Members of another list in the same object: of the struct itself (NULL) or that of a function. */
#define INLINE(function, tag)                                                                      \
	MODEL_MEMBER("", NULL, INLINE, .of = &model_##tag, .item = function)
#define INLINE_POINTER(f, tag)                                                                     \
	MODEL_MEMBER("", NULL, INLINE, .of = &model_##tag, .pointer = true,                        \
		     .at = offsetof(struct S, f) + MODEL_CHECK(sizeof *MODEL_FIELD(f) > 0))
/* Of the case with this index. */
#define INLINE_CASE(f, tag)                                                                        \
	MODEL_MEMBER("", NULL, INLINE, .of = &model_##tag, .item = model_cell_at,                  \
		     MODEL_OF(f, size_t))

/* A list for one file only; with a definition of its own in the schema. */
#define LIST(tag, about_, ...)                                                                     \
	static const struct model_list model_##tag = {                                             \
	    .name = #tag, .about = about_,                                                         \
	    .member = (const struct model_member[]){__VA_ARGS__{0}}};
#define MODEL(...) MODEL_(__VA_ARGS__)
#define MODEL_(tag, about_, ...)                                                                   \
	const struct model_list model_##tag = {                                                    \
	    .name = #tag, .about = about_,                                                         \
	    .member = (const struct model_member[]){__VA_ARGS__{0}}};
