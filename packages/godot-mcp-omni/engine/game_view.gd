extends RefCounted
## Reads the running game: nodes, properties, values of expressions.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")
const FromJson := preload("../addons/godot_mcp_bridge/shared/from_json.gd")
const Code := preload("game_code.gd")
const Properties := preload("../addons/godot_mcp_bridge/shared/properties.gd")
const Types := preload("../addons/godot_mcp_bridge/shared/types.gd")
const Values := preload("../addons/godot_mcp_bridge/shared/values.gd")

const PAGE := 200

var _tree: SceneTree


func _init(tree: SceneTree) -> void:
	_tree = tree


func tree(params: Dictionary) -> Variant:
	var from: Variant = find(params.get("node", "/root"))
	if from is Failure:
		return from
	if not from is Node:
		return Failure.schema("\"%s\" is no node." % params.node)
	var after := int(params.get("after", 0))
	var end := after + int(params.get("limit", PAGE))
	var rows := []
	var total := 0
	# Each with its depth. Children go on top in reverse, which keeps the order of the tree.
	var open: Array = [[from, 0]]
	var deepest := int(params.get("depth", 1 << 20))
	while not open.is_empty():
		var next: Array = open.pop_back()
		var node: Node = next[0]
		if _matches(node, params):
			if total >= after and total < end:
				rows.append(_row(node))
			total += 1
		if next[1] < deepest:
			for index: int in range(node.get_child_count() - 1, -1, -1):
				open.append([node.get_child(index), next[1] + 1])
	var out := {"nodes": rows, "total": total}
	if total > end:
		out["next"] = end
	return out


func inspect(params: Dictionary) -> Variant:
	var object: Variant = find(params.node)
	if object is Failure:
		return object
	var out := {"type": Types.of_object(object), "id": str(object.get_instance_id())}
	var script: Script = object.get_script()
	if script != null:
		out["script"] = script.resource_path
	if object is Node:
		out["path"] = _path_of(object)
		var groups: Array = object.get_groups().filter(func(group: StringName) -> bool: return not group.begins_with("_"))
		if not groups.is_empty():
			out["groups"] = groups
		if object.get_child_count() > 0:
			out["children"] = object.get_child_count()
	var properties: Variant = _properties(object, params)
	if properties is Failure:
		return properties
	out["properties"] = properties
	return out


func set_property(params: Dictionary) -> Variant:
	var object: Variant = find(params.node)
	if object is Failure:
		return object
	var name: String = params.property
	var variable := _variable(object, name.get_slice(":", 0))
	if variable.is_empty() or name.contains(":"):
		var changes: Variant = Properties.set_all(object, {name: params.value}, _tree.current_scene)
		return changes if changes is Failure else {"old": changes[0].old, "value": changes[0].new, "type": changes[0].type}
	# A script variable that the inspector does not show.
	var old: Variant = object.get(name)
	var value: Variant = FromJson.decode(params.value, variable, old, _tree.current_scene)
	if value is Failure:
		return value
	object.set(name, value)
	return {
		"old": encode(old),
		"value": encode(object.get(name)),
		"type": Types.of_property(variable),
	}


## Describes objects by their ids.
func describe(ids: Array) -> Dictionary:
	var out := {}
	for id: String in ids:
		var object := instance_from_id(id.to_int())
		if object == null:
			continue
		out[id] = {"type": Types.of_object(object)}
		if object is Node and object.is_inside_tree():
			out[id]["path"] = _path_of(object)
		elif object is Resource and object.resource_path != "":
			out[id]["path"] = object.resource_path
	return out


## The value of an expression in an array of one, or a failure. Autoloads and singletons are available by name, nodes as
## `$Node` and `%Unique` from the node.
func evaluate(text: String, node: String) -> Variant:
	var base: Variant = base_of(node)
	if base is Failure:
		return base
	if Code.is_more_than_expression(text):
		return Failure.schema("\"%s\" is not an expression." % text.left(80), {"unread": true},
				"Only evaluate takes statements; wait and watch take expressions such as count > 3.")
	var known := _known()
	for name: String in Engine.get_singleton_list():
		if text.contains(name):
			known[name] = Engine.get_singleton(name)
	var lost := []
	var with_nodes := Code.with_paths(text, func(path: String) -> String:
		var found: Variant = find(path, base)
		if found is Failure:
			lost.append(found)
		var name := "_node%d" % known.size()
		known[name] = found
		return name)
	var expression := Expression.new()
	if expression.parse(with_nodes, PackedStringArray(known.keys())) != OK:
		return Failure.schema("The expression cannot be read: %s" % expression.get_error_text(), {"unread": true})
	if not lost.is_empty():
		return lost[0]
	var value: Variant = expression.execute(known.values(), base, false)
	if expression.has_execute_failed():
		return Failure.schema("The expression failed: %s" % expression.get_error_text())
	return [value]


## Runs statements. The result is the value of the last one if it is an expression. Returns the names of the scripts made
## of them, because the engine reports errors by those names.
func run_statements(text: String, node: String) -> Dictionary:
	var base: Variant = base_of(node)
	var known := _known()
	var out := {"scripts": [], "value": null, "compiled": false}
	# A second try without the value of the last statement, because a call may have none.
	for returns: bool in [true, false]:
		var made := Code.script_of(text, base, known.keys(), returns)
		var script := GDScript.new()
		script.source_code = made.source
		out.head = made.head
		out.scripts.append("gdscript://%d.gd" % script.get_instance_id())
		if script.reload() != OK:
			continue
		var object: RefCounted = script.new()
		object.set("_self", base)
		for name: String in known:
			object.set(name, known[name])
		out.compiled = true
		@warning_ignore("unsafe_method_access")
		out.value = encode(await object.run())
		return out
	return out


## The node that expressions are relative to.
func base_of(node: String) -> Variant:
	return find(node) if node != "" else _tree.current_scene


func _known() -> Dictionary:
	var known := {"tree": _tree, "scene": _tree.current_scene}
	for child: Node in _tree.root.get_children():
		if child != _tree.current_scene and str(child.name).is_valid_ascii_identifier():
			known[str(child.name)] = child
	return known


## `/root/Main/Player`, `Player` from the current scene, `%Unique`, `#` and an object's id.
func find(path: String, from: Node = null) -> Variant:
	if path.begins_with("#"):
		var object := instance_from_id(path.substr(1).to_int())
		return object if object != null else Failure.not_found("There is no object %s any more." % path)
	var base: Node = _tree.root if path.begins_with("/") else (from if from != null else _tree.current_scene)
	if base == null:
		return Failure.not_found("No scene is current in the game.")
	var node := base.get_node_or_null(NodePath(path))
	if node != null:
		return node
	var parent := base.get_node_or_null(NodePath(path.get_base_dir())) if path.contains("/") else base
	var known := parent.get_children().map(func(child: Node) -> String: return child.name) if parent != null else []
	return Failure.unknown("node", path, known)


## To JSON.
func encode(value: Variant) -> Variant:
	return Values.encode(value, _tree.current_scene)


func encode_path(object: Object) -> String:
	return _path_of(object) if object is Node else "#%d" % object.get_instance_id()


func _row(node: Node) -> Dictionary:
	var out := {"path": _path_of(node), "type": Types.of_object(node)}
	var script: Script = node.get_script()
	if script != null and script.resource_path.begins_with("res://"):
		out["script"] = script.resource_path
	if node.get_child_count() > 0:
		out["children"] = node.get_child_count()
	return out


func _path_of(node: Node) -> String:
	return str(node.get_path()) if node.is_inside_tree() else str(node.name)


func _matches(node: Node, params: Dictionary) -> bool:
	if params.has("nameContains") and not str(node.name).containsn(params.nameContains):
		return false
	if params.has("type") and not Types.fits(node, params.type):
		return false
	return not params.has("group") or node.is_in_group(params.group)


func _properties(object: Object, params: Dictionary) -> Variant:
	var out := {}
	if params.has("fields"):
		for name: String in params.fields:
			if _variable(object, name).is_empty():
				var info: Variant = Properties.find(object, name)
				if info is Failure:
					return info
			out[name] = encode(object.get(name))
		return out
	for info: Dictionary in object.get_property_list():
		if Properties.RESERVED.has(info.name) or info.usage & PROPERTY_USAGE_CATEGORY:
			continue
		var is_variable: bool = info.usage & PROPERTY_USAGE_SCRIPT_VARIABLE != 0
		if not is_variable and not info.usage & PROPERTY_USAGE_STORAGE and not params.get("all", false):
			continue
		if not info.usage & (PROPERTY_USAGE_EDITOR | PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_SCRIPT_VARIABLE):
			continue
		var value: Variant = object.get(info.name)
		if is_variable or params.get("all", false) or not Values.same(value, Types.default_of(object, info)):
			out[info.name] = Values.overview(value, _tree.current_scene)
	return out


## A variable of the object's script, exported or not.
func _variable(object: Object, name: String) -> Dictionary:
	for info: Dictionary in object.get_property_list():
		if info.name == name and info.usage & PROPERTY_USAGE_SCRIPT_VARIABLE:
			return info
	return {}
