@tool
extends RefCounted
## Describes the contents of a scene.

const Connections := preload("connections.gd")
const Failure := preload("failure.gd")
const Properties := preload("properties.gd")
const SceneView := preload("scene_view.gd")
const Types := preload("types.gd")
const Values := preload("values.gd")

const MAX_NODES := 1000
const MAX_FOUND := 100


static func tree(view: SceneView, params: Dictionary) -> Variant:
	var from: Variant = view.find(params.get("under", "."))
	if from is Failure:
		return from
	var left := [int(params.get("limit", MAX_NODES)), false, 0]
	var out := {"scene": view.path}
	if view.root_base() != "":
		out["inherits"] = view.root_base()
	out["root"] = _branch(view, from, int(params.get("depth", 64)), left)
	out["nodes"] = left[2]
	out["truncated"] = left[1]
	return out


static func find(view: SceneView, params: Dictionary) -> Dictionary:
	var found := view.nodes().filter(func(node: Node) -> bool: return _matches(node, params))
	var limit := int(params.get("limit", MAX_FOUND))
	return {
		"scene": view.path,
		"total": found.size(),
		"nodes": found.slice(0, limit).map(func(node: Node) -> Dictionary:
			var row := {"node": view.path_of(node)}
			row.merge(_marks(view, node))
			row.erase("name")
			return row),
	}


static func inspect_node(view: SceneView, node: Node, params: Dictionary) -> Variant:
	var out := {"scene": view.path, "node": view.path_of(node)}
	out.merge(_marks(view, node))
	out.erase("name")
	var connections := Connections.of(view, node)
	if not connections.is_empty():
		out["connections"] = connections
	return _with_properties(out, node, params, view.root)


static func inspect_resource(resource: Resource, params: Dictionary) -> Variant:
	return _with_properties({"path": resource.resource_path, "type": Types.of_object(resource)}, resource, params, null)


## Saved groups; internal ones begin with an underscore.
static func groups(node: Node) -> Array:
	var out := Array(node.get_groups()).map(func(group: StringName) -> String: return str(group)) \
			.filter(func(group: String) -> bool: return not group.begins_with("_"))
	out.sort()
	return out


static func _branch(view: SceneView, node: Node, depth: int, left: Array) -> Dictionary:
	left[0] -= 1
	left[2] += 1
	var out := _marks(view, node)
	var children := []
	for child: Node in node.get_children():
		if not view.is_visible(child):
			continue
		if depth <= 0 or left[0] <= 0:
			left[1] = true
			break
		children.append(_branch(view, child, depth - 1, left))
	if not children.is_empty():
		out["children"] = children
	return out


static func _marks(view: SceneView, node: Node) -> Dictionary:
	var out := {"name": str(node.name), "type": Types.of_object(node)}
	var script: Script = node.get_script()
	if script != null:
		out["script"] = script.resource_path
	if view.is_instance(node):
		out["instance"] = node.scene_file_path
	if view.is_inherited(node) or (node != view.root and node.owner != view.root):
		out["inherited"] = true
	if node.unique_name_in_owner:
		out["unique"] = true
	if not groups(node).is_empty():
		out["groups"] = groups(node)
	return out


static func _matches(node: Node, params: Dictionary) -> bool:
	if params.has("name") and str(node.name) != params.name:
		return false
	if params.has("nameContains") and not str(node.name).containsn(params.nameContains):
		return false
	if params.has("type") and not Types.fits(node, params.type):
		return false
	return not params.has("group") or node.is_in_group(params.group)


static func _with_properties(out: Dictionary, object: Object, params: Dictionary, base: Node) -> Variant:
	var properties := {}
	var defaults := 0
	if params.has("fields"):
		for name: String in params.fields:
			var info: Variant = Properties.find(object, name)
			if info is Failure:
				return info
			properties[name] = Values.encode(object.get(name), base)
	else:
		for info: Dictionary in Properties.of(object):
			if Properties.RESERVED.has(info.name):
				continue
			var value: Variant = object.get(info.name)
			if not params.get("all", false) and (Values.same(value, Types.default_of(object, info)) or _repeats(info, value)):
				defaults += 1
				continue
			properties[info.name] = Values.overview(value, base)
	out["properties"] = properties
	out["defaults"] = defaults
	return out


## Leaves out properties that are not saved, since they repeat others, and those that are not set.
static func _repeats(info: Dictionary, value: Variant) -> bool:
	return not info.usage & PROPERTY_USAGE_STORAGE or value == null
