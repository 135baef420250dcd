@tool
extends RefCounted
## An open scene: its nodes, and which scene each belongs to.

const Failure := preload("failure.gd")

var path: String
var root: Node
## Nodes that earlier edits of a batch made, by label.
var labels := {}

var _base := ""
var _base_paths: Variant = null


## Finds the node of a reference: `.`, `Player/Sprite`, `%Unique`, `$label`, `$label/Child`.
func find(reference: Variant) -> Variant:
	if not reference is String or reference == "":
		return Failure.schema("A node is named by its path from the scene's root, such as \".\" or \"Player/Sprite\".")
	var text: String = reference
	if text == "/root" or text == "/root/" + str(root.name):
		return root
	# Scripts of the running game use `/root/Main/Player`; a scene has no other nodes below `/root`.
	if text.begins_with("/root/" + str(root.name) + "/"):
		return find(text.trim_prefix("/root/" + str(root.name) + "/"))
	if text in [".", "root", root.name]:
		var child := root.get_node_or_null(NodePath(text)) if text != "." else null
		return child if child != null else root
	if text.begins_with("$"):
		return _find_label(text.substr(1))
	if text.begins_with("/") or text.split("/").has("..") or text.contains(":"):
		return Failure.schema("\"%s\" leads out of the scene: a path starts at its root." % text)
	var node := root.get_node_or_null(NodePath(text))
	if node == null and text.begins_with(str(root.name) + "/"):
		node = root.get_node_or_null(NodePath(text.substr(str(root.name).length() + 1)))
	if node != null:
		return node
	var failure := Failure.unknown("node", text, paths())
	failure.message = "There is no node \"%s\" in %s." % [text, path]
	return failure


## Like `find`, for a node to change: the change must be one that is saved.
func find_changeable(reference: Variant) -> Variant:
	var node: Variant = find(reference)
	if node is MissingNode:
		return Failure.for_files("This Godot does not know the class of \"%s\", %s." % [path_of(node), node.original_class])
	if node is Failure or is_visible(node):
		return node
	return Failure.unsupported("\"%s\" is inside an instance, so a change here would be lost." % path_of(node),
			{"instance": node.owner.scene_file_path if node.owner != null else ""},
			"Edit that scene, or make the instance's children editable first.")


## Like `find`, for a node that must be this scene's own; `doing` names the change in the message.
func find_own(reference: Variant, doing: String) -> Variant:
	var node: Variant = find(reference)
	if node is Failure:
		return node
	var refused: Variant = check_own(node, doing)
	return refused if refused is Failure else node


func path_of(node: Node) -> String:
	return str(root.get_path_to(node))


func paths() -> Array:
	var out := ["."]
	for node: Node in nodes():
		if node != root:
			out.append(path_of(node))
	return out


## The nodes that the editor's tree shows: not those inside instances without editable children.
func nodes(from: Node = root) -> Array[Node]:
	var out: Array[Node] = [from]
	for child: Node in from.get_children():
		if is_visible(child):
			out.append_array(nodes(child))
	return out


func is_visible(node: Node) -> bool:
	return node == root or node.owner == root or (node.owner != null and is_open_instance(node.owner))


## An instance whose children may be changed here.
func is_open_instance(node: Node) -> bool:
	return node == root or (is_visible(node) and root.is_editable_instance(node))


func is_instance(node: Node) -> bool:
	return node != root and node.scene_file_path != ""


## Whether it comes from the base scene.
func is_inherited(node: Node) -> bool:
	return node.owner == root and _paths_of_base().has(path_of(node)) or (node == root and not _paths_of_base().is_empty())


## Null if the node belongs to this scene and can be removed, renamed and moved.
func check_own(node: Node, doing: String) -> Variant:
	if node == root:
		return Failure.unsupported("The root of a scene cannot be %s." % doing)
	if node.owner == root and not is_inherited(node):
		return null
	var origin: String = root_base() if node.owner == root else (node.owner.scene_file_path if node.owner != null else "")
	return Failure.unsupported("\"%s\" comes from %s and cannot be %s here." % [path_of(node), origin, doing],
			{"origin": origin}, "Do it in that scene.")


## Paths of nodes that this scene added below nodes of an instance.
func own_inside(instance: Node) -> Array:
	return nodes().filter(func(node: Node) -> bool:
		var parent := node.get_parent()
		return node.owner == root and parent != instance and parent.owner != root \
				and instance.is_ancestor_of(node)).map(path_of)


## Whether the node is in the group through a base or instanced scene, which this scene cannot change.
func is_grouped_elsewhere(node: Node, group: String) -> bool:
	return _is_so_in_origins(node, func(_made: Node, twin: Node) -> bool: return twin.is_in_group(group))


## Whether a base or instanced scene makes the instance's children editable, which this scene cannot change.
func is_opened_elsewhere(node: Node) -> bool:
	return _is_so_in_origins(node, func(made: Node, twin: Node) -> bool: return made.is_editable_instance(twin))


## Whether a test passes in a scene that contains the node; it gets that scene's root and the node there.
func _is_so_in_origins(node: Node, test: Callable) -> bool:
	return _origins(node).any(func(origin: Array) -> bool:
		var packed: PackedScene = load(origin[0])
		var made := packed.instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
		var twin := made.get_node_or_null(origin[1])
		var found: bool = twin != null and test.call(made, twin)
		made.free()
		return found)


## The scene this one inherits from, or "".
func root_base() -> String:
	_read_bases()
	return _base


## The scenes that contain the node, each with its path there.
func _origins(node: Node) -> Array:
	var out := [[node.scene_file_path, NodePath(".")]] if is_instance(node) else []
	var instance := node.owner
	while instance != null and instance != root:
		out.append([instance.scene_file_path, instance.get_path_to(node)])
		instance = instance.owner
	if root_base() != "":
		out.append([root_base(), root.get_path_to(node)])
	return out


func _paths_of_base() -> Dictionary:
	_read_bases()
	return _base_paths


func _read_bases() -> void:
	if _base_paths != null:
		return
	_base_paths = {}
	var packed: PackedScene = load(path)
	var base := _base_of(packed)
	_base = base.resource_path if base != null else ""
	while base != null:
		var state := base.get_state()
		for index: int in state.get_node_count():
			_base_paths[str(state.get_node_path(index)).trim_prefix("./")] = true
		base = _base_of(base)


static func _base_of(packed: PackedScene) -> PackedScene:
	var has_root := packed != null and packed.get_state().get_node_count() > 0
	return packed.get_state().get_node_instance(0) if has_root else null


func _find_label(text: String) -> Variant:
	var parts := text.split("/", true, 1)
	if not labels.has(parts[0]):
		return Failure.unknown("label", "$" + parts[0], labels.keys().map(func(l: String) -> String: return "$" + l))
	var node: Node = labels[parts[0]]
	if parts.size() == 1:
		return node
	var inner := node.get_node_or_null(NodePath(parts[1]))
	return inner if inner != null else Failure.unknown("node", "$" + text, [])
