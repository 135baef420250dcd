@tool
extends RefCounted
## Whether a scene's file holds what the scene in memory holds.

const Failure := preload("failure.gd")
const SceneView := preload("scene_view.gd")


## Reads the file again. True, or what is wrong with it.
static func compare_file(view: SceneView, file: String) -> Variant:
	var packed: PackedScene = ResourceLoader.load(file, "PackedScene", ResourceLoader.CACHE_MODE_IGNORE)
	if packed == null:
		return Failure.internal("What was saved of %s cannot be loaded again." % view.path)
	return compare(view, packed)


static func compare(view: SceneView, packed: PackedScene) -> Variant:
	var state := packed.get_state()
	var saved := {}
	for index: int in state.get_node_count():
		saved[str(state.get_node_path(index)).trim_prefix("./")] = str(state.get_node_type(index))
	var lost := []
	for node: Node in view.nodes():
		var path := view.path_of(node)
		if saved.has(path):
			if saved[path] != "" and saved[path] != node.get_class():
				lost.append(path)
		elif node.owner == view.root and not view.is_inherited(node):
			lost.append(path)
	var strange := saved.keys().filter(func(path: String) -> bool: return not view.root.has_node(NodePath(path)))
	if lost.is_empty() and strange.is_empty():
		return true
	return Failure.internal("The saved scene is not the edited one, so the edit was taken back.",
			{"missing": lost, "unexpected": strange})
