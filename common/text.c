/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/text.h"

/* Length in bytes of the UTF-8 sequence at s[0..len); 0: invalid. */
static size_t sequence_length(const unsigned char *s, size_t len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f ? 1
						    : s[0] == '\t' || s[0] == '\n' || s[0] == '\r';
	size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || n > len)
		return 0;
	uint32_t c = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

size_t text_valid_length(const char *s, size_t len)
{
	size_t at = 0;
	while (at < len) {
		size_t n = sequence_length((const unsigned char *)s + at, len - at);
		if (!n)
			break;
		at += n;
	}
	return at;
}

void text_make_line(char *s)
{
	size_t len = strlen(s);
	while (len && strchr(" \t\r\n", s[len - 1]))
		len--;
	s[len] = 0;
	for (size_t at = 0; at < len;) {
		size_t n = sequence_length((unsigned char *)s + at, len - at);
		if (!n)
			s[at] = '?';
		else if (n == 1 && (s[at] == '\n' || s[at] == '\r' || s[at] == '\t'))
			s[at] = s[at] == '\n' ? ';' : ' ';
		at += n ? n : 1;
	}
}

json_t *json_with_text(const json_t *list, const char *key, const char *text)
{
	json_t *one;
	size_t i;
	json_array_foreach(list, i, one)
	{
		const char *value = json_string_value(json_object_get(one, key));
		if (value && !strcmp(value, text))
			return one;
	}
	return NULL;
}

json_t *text_to_json_cleaned(const char *s)
{
	SCOPED_FREE char *copy = xstrdup(s);
	text_make_line(copy);
	return json_string(copy);
}
