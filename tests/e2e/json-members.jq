# SPDX-License-Identifier: GPL-3.0-or-later
# The members of a document that a schema describes, a line each; for the input null, all members
# that the schema describes: jq --slurpfile schema SCHEMA -rf this. The name of a member begins with
# the definition in which it is described.
def written($s; $root; $at):
	. as $v
	| ($s["$ref"] // empty | ltrimstr("#/$defs/") as $d | $v | written($root["$defs"][$d]; $root; $d)),
	  (arrays | .[] | written($s.items // {}; $root; $at)),
	  (objects | to_entries[] | .key as $k
	   | if ($s.properties // {}) | has($k) then "\($at).\($k)", (.value | written($s.properties[$k]; $root; "\($at).\($k)"))
	     elif ($s.additionalProperties | type) == "object" then .value | written($s.additionalProperties; $root; $at)
	     else empty end);

def described($at):
	(.properties // {} | to_entries[] | "\($at).\(.key)" as $member | $member, (.value | described($member))),
	(.items, .additionalProperties | objects | described($at));

$schema[0] as $s
| if . == null then $s | described("$"), (.["$defs"] // {} | to_entries[] | .key as $d | .value | described($d))
  else written($s; $s; "$") end
