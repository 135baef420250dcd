extends RefCounted
## Applies files that changed on the disk to objects that the game has already created from them.
##
## The engine's debugger replaces the code of scripts and the content of cached resources. The rest is done
## here: initial values of new script variables, and the edits of a scene for its live instances.

const Scripts := preload("../addons/godot_mcp_bridge/shared/scripts.gd")
const Types := preload("../addons/godot_mcp_bridge/shared/types.gd")
const Values := preload("../addons/godot_mcp_bridge/shared/values.gd")

var _tree: SceneTree
## The variables of each script before it is reloaded.
var _variables := {}
## The files that each scene file inherits.
var _bases := {}


func _init(tree: SceneTree) -> void:
	_tree = tree


## Returns which of the files the game has loaded. Any other is read when it is needed.
func begin(files: Array) -> Dictionary:
	var loaded := files.filter(func(path: String) -> bool: return ResourceLoader.has_cached(path))
	_variables.clear()
	for path: String in loaded:
		if path.ends_with(".gd"):
			_variables[path] = _names_of(load(path))
	return {"loaded": loaded}


## `scenes` are `{path, before}`: a file with the content that the game has loaded.
func end(scenes: Array) -> Dictionary:
	var live := _live_nodes()
	return {
		"unset": _initialise(live),
		"scenes": scenes.map(func(scene: Dictionary) -> Dictionary: return _apply(scene.path, scene.before, live)),
	}


func _names_of(script: Script) -> Array:
	return script.get_script_property_list().map(func(info: Dictionary) -> String: return info.name) if script != null else []


func _live_nodes() -> Array[Node]:
	var nodes: Array[Node] = [_tree.root]
	var next := 0
	while next < nodes.size():
		nodes.append_array(nodes[next].get_children())
		next += 1
	return nodes


## Returns the new variables that stay null, because their initial values would need a call of `_init`.
func _initialise(live: Array[Node]) -> Array:
	var unset := {}
	for node: Node in live:
		var chain := Scripts.chain(node.get_script())
		var names := []
		for script: Script in chain:
			for name: String in _names_of(script):
				var is_new: bool = _variables.has(script.resource_path) and not name in _variables[script.resource_path]
				if is_new and node.get(name) == null and not name in names:
					names.append(name)
		if names.is_empty():
			continue
		var has_init := chain.any(func(script: Script) -> bool:
			return script.get_script_method_list().any(func(method: Dictionary) -> bool: return method.name == "_init"))
		# Initializers run once for each object: no two share a list.
		var fresh: Node = null if has_init else node.get_script().new()
		for name: String in names:
			if fresh == null:
				unset["%s of %s" % [name, node.get_script().resource_path]] = true
			else:
				node.set(name, fresh.get(name))
		if fresh != null:
			fresh.free()
	return unset.keys()


func _apply(path: String, before: String, live: Array[Node]) -> Dictionary:
	var report := {"path": path, "instances": 0, "set": [], "added": [], "removed": [], "left": []}
	var new: PackedScene = ResourceLoader.load(path, "PackedScene", ResourceLoader.CACHE_MODE_IGNORE)
	if new == null:
		report["problem"] = "it cannot be read"
		return report
	_bases.clear()
	var roots := live.filter(func(node: Node) -> bool: return path in _files_of(node))
	report.instances = roots.size()
	var old: PackedScene = ResourceLoader.load(before, "PackedScene", ResourceLoader.CACHE_MODE_IGNORE) if before != "" else null
	if old == null:
		if not roots.is_empty():
			report["problem"] = "its old content is not known"
		return report
	var was := _nodes_of(old.get_state())
	var now := _nodes_of(new.get_state())
	for root: Node in roots:
		for place: String in was:
			if not now.has(place):
				_remove(root, place, report)
		for place: String in now:
			if was.has(place):
				_update(root, path, place, was[place], now[place], report)
			else:
				_add(root, place, new, report)
		_connect(root, old.get_state(), new.get_state(), report)
	return report


func _nodes_of(state: SceneState) -> Dictionary:
	var out := {}
	for index: int in state.get_node_count():
		var properties := {}
		for at: int in state.get_node_property_count(index):
			properties[str(state.get_node_property_name(index, at))] = state.get_node_property_value(index, at)
		var instance := state.get_node_instance(index)
		out[str(state.get_node_path(index))] = {
			"type": [str(state.get_node_type(index)), instance.resource_path if instance != null else ""],
			"properties": properties,
			"groups": Array(state.get_node_groups(index)),
		}
	return out


func _update(root: Node, path: String, place: String, was: Dictionary, now: Dictionary, report: Dictionary) -> void:
	var node := root.get_node_or_null(NodePath(place))
	var name := str(root.name) if place == "." else place.trim_prefix("./")
	if node == null:
		return
	if was.type != now.type:
		report.left.append("%s is another type now" % name)
		return
	for property: String in was.properties.merged(now.properties):
		if was.properties.has(property) == now.properties.has(property) \
				and _same(was.properties[property], now.properties[property]):
			continue
		if property == "script":
			report.left.append("%s has another script now" % name)
		elif not _is_overridden(node, root, path, property):
			var info := _info_of(node, property)
			var value: Variant = now.properties[property] if now.properties.has(property) else Types.default_of(node, info)
			node.set(property, node.get_node_or_null(value) if value is NodePath and info.type == TYPE_OBJECT else value)
			report.set.append("%s.%s" % [name, property])
	for group: StringName in was.groups:
		if not group in now.groups:
			node.remove_from_group(group)
	for group: StringName in now.groups:
		if not group in was.groups:
			node.add_to_group(group)


func _info_of(node: Node, property: String) -> Dictionary:
	for info: Dictionary in node.get_property_list():
		if info.name == property:
			return info
	return {"name": property, "type": TYPE_NIL}


## Resources inside the two files are never the same objects.
func _same(a: Variant, b: Variant) -> bool:
	if typeof(a) in [TYPE_OBJECT, TYPE_ARRAY, TYPE_DICTIONARY]:
		return typeof(a) == typeof(b) and JSON.stringify(Values.encode(a)) == JSON.stringify(Values.encode(b))
	return Values.same(a, b)


## Whether a scene that inherits the changed one, or that contains this instance, sets the property itself.
func _is_overridden(node: Node, root: Node, path: String, property: String) -> bool:
	for file: String in _files_of(root):
		if file == path:
			break
		if _sets(file, root, node, property):
			return true
	var outer := root.owner
	while outer != null:
		for file: String in _files_of(outer):
			if _sets(file, outer, node, property):
				return true
		outer = outer.owner
	return false


func _sets(file: String, root: Node, node: Node, property: String) -> bool:
	var scene := load(file) as PackedScene
	var place := "." if node == root else "./" + str(root.get_path_to(node))
	return scene != null and _nodes_of(scene.get_state()).get(place, {"properties": {}}).properties.has(property)


## The scene whose root the node is, and its base scenes.
func _files_of(node: Node) -> Array:
	var file := node.scene_file_path
	if file == "":
		return []
	if not _bases.has(file):
		var out := []
		var next := file
		while next != "" and not next in out:
			out.append(next)
			var scene := load(next) as PackedScene
			var base := scene.get_state().get_node_instance(0) if scene != null else null
			next = base.resource_path if base != null else ""
		_bases[file] = out
	return _bases[file]


func _remove(root: Node, place: String, report: Dictionary) -> void:
	var node := root.get_node_or_null(NodePath(place))
	if node != null and node != root:
		report.removed.append(place.trim_prefix("./"))
		node.queue_free()


## The parent comes first, and brings the whole branch.
func _add(root: Node, place: String, scene: PackedScene, report: Dictionary) -> void:
	var parent := root.get_node_or_null(NodePath(place.get_base_dir()))
	if parent == null or root.has_node(NodePath(place)):
		return
	var fresh := scene.instantiate()
	var node := fresh.get_node(NodePath(place))
	_own(node, fresh, root)
	node.get_parent().remove_child(node)
	parent.add_child(node)
	_own_again(node, root)
	fresh.free()
	report.added.append(place.trim_prefix("./"))


## The owner of a node must be one of its ancestors.
func _own(node: Node, old: Node, root: Node) -> void:
	if node.owner == old:
		node.owner = null
		node.set_meta(&"_mcp_owned", true)
	for child: Node in node.get_children():
		_own(child, old, root)


func _own_again(node: Node, root: Node) -> void:
	if node.has_meta(&"_mcp_owned"):
		node.remove_meta(&"_mcp_owned")
		node.owner = root
	for child: Node in node.get_children():
		_own_again(child, root)


func _connect(root: Node, old: SceneState, new: SceneState, report: Dictionary) -> void:
	var was := _connections_of(old)
	var now := _connections_of(new)
	for key: String in was.merged(now):
		if was.has(key) == now.has(key):
			continue
		var row: Dictionary = was.merged(now)[key]
		var source := root.get_node_or_null(row.source)
		var target := root.get_node_or_null(row.target)
		if source == null or target == null or not source.has_signal(row.signal):
			continue
		var callable := Callable(target, row.method)
		if not callable.is_valid():
			report.left.append("%s has no method %s" % [target.name, row.method])
		elif now.has(key) and not source.is_connected(row.signal, callable):
			source.connect(row.signal, callable if row.unbinds == 0 else callable.unbind(row.unbinds), row.flags)
			report.set.append("%s.%s → %s" % [source.name, row.signal, row.method])
		elif was.has(key) and source.is_connected(row.signal, callable):
			source.disconnect(row.signal, callable)
			report.set.append("%s.%s disconnected" % [source.name, row.signal])


func _connections_of(state: SceneState) -> Dictionary:
	var out := {}
	for index: int in state.get_connection_count():
		var row := {
			"source": state.get_connection_source(index), "signal": state.get_connection_signal(index),
			"target": state.get_connection_target(index), "method": state.get_connection_method(index),
			"flags": state.get_connection_flags(index), "unbinds": state.get_connection_unbinds(index),
		}
		out[str(row)] = row
	return out
