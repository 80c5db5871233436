# SPDX-License-Identifier: GPL-3.0-or-later
# What in a document does not fit a schema of the few keywords that ours use, a line each: jq --slurpfile schema SCHEMA -rf this.
def type_names:
	if type == "number" then (if . == floor then ["integer", "number"] else ["number"] end) else [type] end;

def faults($s; $root; $path):
	. as $v
	| (if $s["$ref"] then faults($root["$defs"][$s["$ref"] | ltrimstr("#/$defs/")]; $root; $path) else empty end),
	  (if $s.type and ([$s.type] | flatten) - ($v | type_names) == ([$s.type] | flatten)
	   then "\($path): \($v | type) instead of \($s.type)" else empty end),
	  (if $s.enum and ($s.enum | index([$v])) == null then "\($path): \($v) is not one of \($s.enum)" else empty end),
	  (if ($v | type) == "array" and $s.items
	   then range($v | length) as $i | $v[$i] | faults($s.items; $root; "\($path)[\($i)]") else empty end),
	  (if ($v | type) == "object"
	   then (($s.required // [])[] | select(. as $k | $v | has($k) | not) | "\($path): no \(.)"),
		($v | keys_unsorted[] as $k
		 | if ($s.properties // {}) | has($k) then $v[$k] | faults($s.properties[$k]; $root; "\($path).\($k)")
		   elif any($s.patternProperties // {} | keys[]; . as $p | $k | test($p))
		   then $s.patternProperties | to_entries[] | select(.key as $p | $k | test($p)) as $e
			| $v[$k] | faults($e.value; $root; "\($path).\($k)")
		   elif $s.additionalProperties == false then "\($path): \($k) is not in the schema"
		   elif ($s.additionalProperties | type) == "object"
		   then $v[$k] | faults($s.additionalProperties; $root; "\($path).\($k)")
		   else empty end)
	   else empty end);

. as $v | $schema[0] as $s | $v | faults($s; $s; "$")
