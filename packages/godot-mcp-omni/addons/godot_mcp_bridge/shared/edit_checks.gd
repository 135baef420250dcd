@tool
extends RefCounted
## Checks of edits before they change anything.

const Failure := preload("failure.gd")
const FreshFiles := preload("fresh_files.gd")


static func name(given: Variant) -> Variant:
	if not given is String or given == "":
		return Failure.schema("A node needs a name.")
	if given.validate_node_name() != given:
		return Failure.schema("\"%s\" cannot be a node's name." % given, {"valid": given.validate_node_name()},
				"Leave out . : @ / \" and %.")
	return null


## Groups that begin with an underscore are internal to the engine.
static func group(given: Variant) -> Variant:
	if given is String and given != "" and not given.begins_with("_"):
		return null
	return Failure.schema("The name of a group does not begin with an underscore, and is not empty.", {"given": given})


static func index(given: Variant, last: int) -> Variant:
	if (given is int or given is float) and given == floor(given) and given >= 0 and given <= last:
		return int(given)
	return Failure.schema("\"index\" is a whole number from 0 to %d." % last, {"last": last})


static func script_fits(node: Node, script: Script) -> Variant:
	var base := script.get_instance_base_type()
	if base == &"":
		return Failure.schema("%s has errors and cannot be attached." % script.resource_path,
				{"path": script.resource_path}, "Run diagnostics on it.")
	if not node.is_class(base):
		return Failure.schema("%s extends %s and does not fit a %s." % [script.resource_path, base, node.get_class()],
				{"expected": base, "given": node.get_class()})
	return null


static func depends_on(scene: String, wanted: String) -> bool:
	if scene == wanted:
		return true
	for path: String in FreshFiles.dependencies(scene):
		if path.get_extension() in ["tscn", "scn"] and depends_on(path, wanted):
			return true
	return false
