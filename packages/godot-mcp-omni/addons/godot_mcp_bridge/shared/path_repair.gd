@tool
extends RefCounted
## Updates paths in properties and animation tracks when a node is renamed or moved.
##
## Paths are resolved to nodes before the change and written again after it.

const Change := preload("change.gd")
const ResPath := preload("res_path.gd")
const SceneView := preload("scene_view.gd")

var _view: SceneView
var _properties: Array[Array] = []
var _tracks: Array[Array] = []


static func before(view: SceneView) -> RefCounted:
	var repair: RefCounted = new()
	repair._view = view
	for node: Node in view.nodes():
		repair._read_properties(node)
		if node is AnimationMixer:
			repair._read_tracks(node)
	return repair


func after(change: Change) -> void:
	for row: Array in _properties:
		var holder: Node = row[0]
		var old: NodePath = row[2]
		var new_ := _path(holder, row[3], old)
		if new_ != old:
			change.do(holder.set.bind(row[1], new_), holder.set.bind(row[1], old))
	for row: Array in _tracks:
		var animation: Animation = row[0]
		var old: NodePath = row[2]
		var new_ := _path(row[3], row[4], old)
		if new_ != old:
			change.do(animation.track_set_path.bind(row[1], new_), animation.track_set_path.bind(row[1], old))


func _read_properties(node: Node) -> void:
	for info: Dictionary in node.get_property_list():
		if info.type == TYPE_NODE_PATH and info.usage & PROPERTY_USAGE_STORAGE:
			var path: NodePath = node.get(info.name)
			var target := _target(node, path)
			if target != null:
				_properties.append([node, info.name, path, target])


func _read_tracks(player: AnimationMixer) -> void:
	var base := player.get_node_or_null(player.root_node)
	if base == null:
		return
	for library: StringName in player.get_animation_library_list():
		for name: StringName in player.get_animation_library(library).get_animation_list():
			var animation := player.get_animation_library(library).get_animation(name)
			# A resource in a separate file may be used elsewhere too.
			if ResPath.is_file(animation):
				continue
			for track: int in animation.get_track_count():
				var path := animation.track_get_path(track)
				var target := _target(base, path)
				if target != null:
					_tracks.append([animation, track, path, base, target])


func _target(from: Node, path: NodePath) -> Node:
	if path.is_empty() or path.is_absolute() or path.get_name_count() == 0 or str(path.get_name(0)).begins_with("%"):
		return null
	var target := from.get_node_or_null(NodePath(str(path.get_concatenated_names())))
	return target if target != null and (target == _view.root or _view.root.is_ancestor_of(target)) else null


func _path(from: Node, target: Node, old: NodePath) -> NodePath:
	var text := str(from.get_path_to(target))
	return NodePath(text + (":" + str(old.get_concatenated_subnames()) if old.get_subname_count() > 0 else ""))
