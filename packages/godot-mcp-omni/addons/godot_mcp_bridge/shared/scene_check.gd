@tool
extends RefCounted
## Compares a scene's file with the scene in memory.

const Failure := preload("failure.gd")
const FreshFiles := preload("fresh_files.gd")
const Properties := preload("properties.gd")
const SceneView := preload("scene_view.gd")
const Values := preload("values.gd")


## Reads the file again. Returns true, or a failure.
static func compare_file(view: SceneView, file: String) -> Variant:
	# New instances of it must come from the current file.
	var packed: PackedScene = FreshFiles.read_again(file) if ResourceLoader.has_cached(file) \
			else ResourceLoader.load(file, "PackedScene", ResourceLoader.CACHE_MODE_IGNORE)
	if packed == null:
		return Failure.internal("What was saved of %s cannot be loaded again." % view.path)
	return compare(view, packed.get_state())


static func compare(view: SceneView, state: SceneState) -> Variant:
	if state.get_node_count() == view.root.find_children("*").size() + 1 and state.get_node_instance(0) == null:
		return true
	var saved := {}
	var strange := []
	for index: int in state.get_node_count():
		var path := state.get_node_path(index)
		var node := view.root.get_node_or_null(path)
		var type := state.get_node_type(index)
		if node == null or (type != &"" and type != node.get_class()):
			strange.append(str(path).trim_prefix("./"))
		else:
			saved[node] = true
	var lost := []
	_find_lost(view, view.root, saved, lost)
	if lost.is_empty() and strange.is_empty():
		return true
	return Failure.internal("The saved scene is not the edited one, so the edit was taken back.",
			{"missing": lost, "unexpected": strange})


## Marks in each row the values that are missing in the file.
static func mark_lost_values(view: SceneView, rows: Array) -> void:
	var packed: PackedScene = ResourceLoader.load(view.path, "PackedScene", ResourceLoader.CACHE_MODE_IGNORE)
	var stored := packed.instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
	for row: Dictionary in rows:
		var node := stored.get_node_or_null(NodePath(row.node))
		var lost: Array = row.get("properties", []).filter(func(change: Dictionary) -> bool:
			# Resources of the file are other objects than those in memory, so compare their content.
			var held: Variant = Values.encode(Properties.value_of(node, change.name), stored) if node != null else null
			return JSON.stringify(held) != JSON.stringify(change["new"]))
		if not lost.is_empty():
			row["notSaved"] = lost.map(func(change: Dictionary) -> String: return change.name)
	stored.free()


## Nodes of the scene that are missing in its file and do not come from another scene.
static func _find_lost(view: SceneView, node: Node, saved: Dictionary, lost: Array) -> void:
	for child: Node in node.get_children():
		if child.owner == view.root and not saved.has(child) and not view.is_inherited(child):
			lost.append(view.path_of(child))
		_find_lost(view, child, saved, lost)
