@tool
extends RefCounted
## Suggestions for mistyped names, and free names.


static func nearest(name: String, known: Array, limit := 3) -> Array:
	var wanted := _fold(name)
	var scored := []
	for candidate: Variant in known:
		var folded := _fold(str(candidate))
		var score := wanted.similarity(folded)
		if wanted != "" and folded.contains(wanted):
			score = maxf(score, 0.6)
		if score >= 0.45:
			scored.append([score, str(candidate)])
	scored.sort_custom(func(a: Array, b: Array) -> bool: return a[0] > b[0] if a[0] != b[0] else a[1] < b[1])
	return scored.slice(0, limit).map(func(pair: Array) -> String: return pair[1])


## `name`, or the first unused of `name2`, `name3`… among the children of `parent` other than `except`.
static func free_name(parent: Node, name: String, except: Node = null) -> String:
	if not taken(parent, name, except):
		return name
	var stem := name.rstrip("0123456789")
	if stem == "":
		stem = name + "_"
	var number := int(name.substr(stem.length()))
	number = maxi(number, 1)
	while taken(parent, stem + str(number + 1), except):
		number += 1
	return stem + str(number + 1)


static func taken(parent: Node, name: String, except: Node = null) -> bool:
	var holder := parent.get_node_or_null(NodePath(name))
	return holder != null and holder != except


static func _fold(name: String) -> String:
	return name.substr(0, 64).to_lower().replace("_", "").replace("-", "").replace(" ", "")
