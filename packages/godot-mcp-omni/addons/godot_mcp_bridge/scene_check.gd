@tool
extends RefCounted
## Whether a scene's file holds what the scene in memory holds.

const Failure := preload("failure.gd")
const SceneView := preload("scene_view.gd")


## Reads the file again. True, or what is wrong with it.
static func compare_file(view: SceneView, file: String) -> Variant:
	# Whoever makes instances of it must get what the file holds now.
	var mode := ResourceLoader.CACHE_MODE_REPLACE if ResourceLoader.has_cached(file) else ResourceLoader.CACHE_MODE_IGNORE
	var packed: PackedScene = ResourceLoader.load(file, "PackedScene", mode)
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


## Nodes of the scene that its file does not name, though no other scene makes them.
static func _find_lost(view: SceneView, node: Node, saved: Dictionary, lost: Array) -> void:
	for child: Node in node.get_children():
		if child.owner == view.root and not saved.has(child) and not view.is_inherited(child):
			lost.append(view.path_of(child))
		_find_lost(view, child, saved, lost)
