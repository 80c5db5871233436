/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/calibration.h"

#include "capture/op.h"
#include "common/files.h"
#include "common/text.h"

#define MAX_BYTES (16u << 20)
#define MAX_NS 1e12 /* a larger bias is invalid: 1000 s */

const char *calibration_method_of(const char *captured_by)
{
	for (const struct capture_method *m = capture_methods; m->name; m++)
		if (captured_by && !strncmp(captured_by, m->captured_by, strlen(m->captured_by)))
			return m->name;
	return NULL;
}

/* --- reading ------------------------------------------------------------- */

static void text_of(char *out, size_t size, const json_t *value)
{
	const char *text = json_string_value(value);
	snprintf(out, size, "%s", text ? text : "unknown");
}

static int operation_read(struct calibration *c, const json_t *o, struct err *e)
{
	const json_t *bias = json_object_get(o, "bias_ns"), *u = json_object_get(o, "u_ns");
	const char *name = json_string_value(json_object_get(o, "op"));
	unsigned int op = name ? op_find(name) : OP_INVALID;
	if (!name)
		return err_set(e, EINVAL, "an operation has no name");
	if (!json_is_number(bias) || !(fabs(json_number_value(bias)) <= MAX_NS))
		return err_set(e, EINVAL, "%s: bias_ns is not a number of ns", name);
	if (!json_is_number(u) || !(json_number_value(u) >= 0) || json_number_value(u) > MAX_NS)
		return err_set(e, EINVAL, "%s: u_ns is not a number of ns", name);
	if (op == OP_INVALID) /* an operation of a later version */
		return 0;
	c->op[op].known = true;
	c->op[op].bias_ns = json_number_value(bias);
	c->op[op].u_ns = json_number_value(u);
	return 0;
}

static int method_read(struct calibration *c, const json_t *root, const char *method, struct err *e)
{
	const json_t *list = json_object_get(root, "methods"), *o,
		     *operations =
			 json_object_get(json_with_text(list, "method", method), "calibration");
	size_t i;
	if (!json_is_array(list) || json_integer_value(json_object_get(root, "schema")) != 1)
		return err_set(e, EINVAL,
			"the file is not a calibration of capture (\"validate selftest "
				  "capture\" writes one)");
	if (!json_array_size(operations))
		return err_set(e, ENOENT, "the calibration has no values for capture by %s: "
			       "\"validate selftest capture --methods %s\" measures them",
			       method, method);
	json_array_foreach(operations, i, o)
	{
		int ret = operation_read(c, o, e);
		if (ret)
			return ret;
	}
	return 0;
}

int calibration_read(struct calibration *c, const char *path, const char *method, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	json_error_t why;
	memset(c, 0, sizeof *c);
	int ret = file_read(path, &text, MAX_BYTES, e);
	json_t *root = ret ? NULL : json_loadb(text.s, text.len, JSON_REJECT_DUPLICATES, &why);
	strbuf_release(&text);
	if (!ret && !root)
		return err_set(e, EINVAL, "%s is not a calibration: it is not JSON (line %d: %s)",
			       path, why.line, why.text);
	if (ret)
		return ret;
	ret = method_read(c, root, method, e);
	const json_t *where = json_object_get(root, "environment");
	snprintf(c->method, sizeof c->method, "%s", method);
	text_of(c->host, sizeof c->host, json_object_get(where, "host"));
	text_of(c->date, sizeof c->date, json_object_get(where, "date"));
	text_of(c->kernel, sizeof c->kernel,
		json_object_get(json_object_get(where, "kernel"), "release"));
	json_decref(root);
	return ret ? err_context(e, "%s", path) : 0;
}

/* --- correction of a trace ----------------------------------------------- */

void calibration_apply(struct calibration *c, struct trace_record *r)
{
	if (r->begin_ns == TIME_NONE || r->end_ns == TIME_NONE ||
	    op_info(r->op)->family == FAMILY_PAGE)
		return;
	if (r->op >= OP_N || !c->op[r->op].known) {
		c->n_without++;
		return;
	}
	int64_t response_ns = r->end_ns - r->begin_ns,
		corrected_ns = response_ns - llround(c->op[r->op].bias_ns);
	c->n_clipped += corrected_ns < 0;
	corrected_ns = corrected_ns < 0 ? 0 : corrected_ns;
	c->op[r->op].n++;
	c->taken_ns += (double)(response_ns - corrected_ns);
	r->end_ns = r->begin_ns + corrected_ns;
}

struct correction calibration_correction(const struct calibration *c)
{
	struct correction out = {.n_clipped = c->n_clipped, .n_without = c->n_without};
	double sum_u = 0;
	for (size_t i = 0; i < OP_N; i++) {
		out.n_corrected += c->op[i].n;
		sum_u += (double)c->op[i].n * c->op[i].u_ns;
	}
	double n = (double)(out.n_corrected + out.n_without);
	out.mean_ns = n > 0 ? c->taken_ns / n : 0;
	out.u_ns = n > 0 ? sum_u / n : 0;
	return out;
}

json_t *calibration_facts(const struct calibration *c)
{
	struct correction done = calibration_correction(c);
	json_t *o = correction_to_json(&done), *list = json_array();
	for (unsigned int i = 0; i < OP_N; i++)
		if (c->op[i].n)
			json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:f}", "op",
				op_name(i), "n", (json_int_t)c->op[i].n, "bias_ns",
				c->op[i].bias_ns, "u_ns", c->op[i].u_ns));
	json_object_set_new(o, "method", json_string(c->method));
	json_object_set_new(o, "host", json_string(c->host));
	json_object_set_new(o, "kernel", json_string(c->kernel));
	json_object_set_new(o, "date", json_string(c->date));
	json_object_set_new(o, "operations", list);
	return o;
}
