extends RefCounted
## The visible state of a game in one frame: as numbers to compare frames by, or in full.

const Values := preload("../addons/godot_mcp_bridge/shared/values.gd")

const MAX_NODES := 2000
const SEEN := ["visible", "global_position", "global_rotation", "scale", "size", "modulate", "text", "value",
	"frame", "animation"]


## Two numbers, at least one of which is equal for frames that look the same: values are rounded in
## two different ways, and a rounding error changes at most one of them.
static func numbers_of(tree: SceneTree) -> Array[int]:
	var whole := []
	var halves := []
	for node: Node in _nodes(tree):
		var step := 0.001 if node is Node3D else 0.1
		whole.append(node.get_path())
		for name: String in SEEN:
			if name in node:
				whole.append(_rounded(node.get(name), step, 0.0))
				halves.append(_rounded(node.get(name), step, step / 2))
	return [hash(whole), hash([whole.size(), halves])]


static func _rounded(value: Variant, step: float, offset: float) -> Variant:
	match typeof(value):
		TYPE_FLOAT:
			return roundi((value + offset) / step)
		TYPE_VECTOR2:
			return [roundi((value.x + offset) / step), roundi((value.y + offset) / step)]
		TYPE_VECTOR3:
			return [roundi((value.x + offset) / step), roundi((value.y + offset) / step), roundi((value.z + offset) / step)]
		TYPE_COLOR:
			return value.to_rgba32()
	return value


## The observed properties of each node, and the variables of its script.
static func state_of(tree: SceneTree) -> Dictionary:
	var out := {}
	for node: Node in _nodes(tree):
		var values := {}
		for name: String in SEEN:
			if name in node:
				values[name] = Values.encode(node.get(name), tree.current_scene)
		if node.get_script() != null:
			for info: Dictionary in node.get_property_list():
				if info.usage & PROPERTY_USAGE_SCRIPT_VARIABLE:
					values[info.name] = Values.overview(node.get(info.name), tree.current_scene)
		out[str(node.get_path())] = values
	return out


static func _nodes(tree: SceneTree) -> Array[Node]:
	var out: Array[Node] = []
	var open: Array[Node] = [tree.root]
	while not open.is_empty() and out.size() < MAX_NODES:
		var node: Node = open.pop_back()
		if node is CanvasItem or node is Node3D or node.get_script() != null:
			out.append(node)
		open.append_array(node.get_children())
	return out
