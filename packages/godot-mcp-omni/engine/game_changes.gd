extends RefCounted
## Compares the game before and after some frames: script variables, visible properties, added and removed nodes.

const View := preload("game_view.gd")

const MAX_NODES := 3000
const MAX_ROWS := 40
const MAX_TEXT := 120
## Visible properties of a node.
const SEEN := ["position", "rotation", "visible", "velocity", "text", "value", "disabled", "button_pressed", "animation",
	"current_animation", "frame"]

var _tree: SceneTree
var _view: View
## By the id of the node: its path and values.
var _before := {}
var _scene := ""
var _was_paused := false


func _init(tree: SceneTree, view: View) -> void:
	_tree = tree
	_view = view
	_before = _states()
	_scene = _scene_path()
	_was_paused = tree.paused


func report() -> Dictionary:
	var now := _states()
	var rows := []
	for id: int in now:
		if not _before.has(id):
			continue
		var old: Dictionary = _before[id].values
		var new: Dictionary = now[id].values
		for name: String in new:
			if old.has(name) and not _is_same(old[name], new[name]):
				rows.append({"node": now[id].path, "property": name, "old": _short(old[name]), "new": _short(new[name])})
	var out := {}
	if _scene_path() != _scene:
		out["scene"] = _scene_path()
	if _tree.paused != _was_paused:
		out["paused"] = _tree.paused
	_put(out, "values", rows)
	_put(out, "added", _missing(now, _before))
	_put(out, "removed", _missing(_before, now))
	return out


func _put(out: Dictionary, name: String, rows: Array) -> void:
	if rows.is_empty():
		return
	out[name] = rows.slice(0, MAX_ROWS)
	if rows.size() > MAX_ROWS:
		out["more"] = int(out.get("more", 0)) + rows.size() - MAX_ROWS


## Paths in the first and not in the second; of a branch only its top.
func _missing(all: Dictionary, other: Dictionary) -> Array:
	var out := []
	for id: int in all:
		var path: String = all[id].path
		if not other.has(id) and not out.any(func(above: String) -> bool: return path.begins_with(above + "/")):
			out.append(path)
	return out


func _states() -> Dictionary:
	var out := {}
	var open: Array[Node] = [_tree.root]
	while not open.is_empty() and out.size() < MAX_NODES:
		var node: Node = open.pop_back()
		out[node.get_instance_id()] = {"path": str(node.get_path()), "values": _values(node)}
		for index: int in range(node.get_child_count() - 1, -1, -1):
			open.append(node.get_child(index))
	return out


func _values(node: Node) -> Dictionary:
	var out := {}
	if node.get_script() != null:
		for info: Dictionary in node.get_property_list():
			if info.usage & PROPERTY_USAGE_SCRIPT_VARIABLE:
				out[info.name] = _kept(node.get(info.name))
	if not node is Window:
		for name: String in SEEN:
			if name in node:
				out[name] = _kept(node.get(name))
	return out


## Lists change in place and objects may be freed, so lists are stored as text and objects by id and path.
func _kept(value: Variant) -> Variant:
	match typeof(value):
		TYPE_ARRAY, TYPE_DICTIONARY:
			return str(value)
		TYPE_OBJECT:
			return [value.get_instance_id(), _view.encode_path(value)] if is_instance_valid(value) else null
	return value


func _is_same(old: Variant, new: Variant) -> bool:
	return typeof(old) == typeof(new) and old == new


func _short(value: Variant) -> Variant:
	match typeof(value):
		TYPE_ARRAY:
			return value[1]
		TYPE_STRING:
			return value.left(MAX_TEXT)
	return _view.encode(value)


func _scene_path() -> String:
	return "" if _tree.current_scene == null else _tree.current_scene.scene_file_path
