@tool
extends RefCounted
## Writes one property's keys into an animation of a player.

const Change := preload("change.gd")
const Failure := preload("failure.gd")
const FromJson := preload("from_json.gd")
const Properties := preload("properties.gd")
const ResPath := preload("res_path.gd")
const SceneView := preload("scene_view.gd")
const Types := preload("types.gd")


static func write(change: Change, view: SceneView, player: Node, node: Node, edit: Dictionary) -> Variant:
	if not player is AnimationPlayer:
		return Failure.schema("\"%s\" is a %s, not an AnimationPlayer." % [view.path_of(player), player.get_class()])
	if not edit.get("animation") is String or edit.animation == "":
		return Failure.schema("\"animation\" names the animation.")
	var base: Node = player.get_node_or_null(player.root_node)
	if base == null:
		return Failure.schema("The player's root_node \"%s\" leads nowhere." % player.root_node)
	var keys: Variant = _keys(view, node, edit)
	if keys is Failure:
		return keys
	var library: AnimationLibrary = player.get_animation_library(&"") if player.has_animation_library(&"") else null
	if library == null:
		library = AnimationLibrary.new()
		change.do(player.add_animation_library.bind(&"", library), player.remove_animation_library.bind(&""))
	var old: Animation = library.get_animation(edit.animation) if library.has_animation(edit.animation) else null
	var animation: Animation = old.duplicate(true) if old != null and not edit.get("replace", false) else Animation.new()
	_write_track(animation, "%s:%s" % [base.get_path_to(node), edit.property], keys)
	animation.length = edit.get("length", maxf(animation.length if old != null else 0.0, keys.keys().max()))
	if edit.has("loop"):
		animation.loop_mode = Animation.LOOP_LINEAR if edit.loop else Animation.LOOP_NONE
	change.do(_put.bind(library, edit.animation, animation), _put.bind(library, edit.animation, old))
	return null


## Puts a whole animation, given as the properties of an Animation, into a library of the player.
static func put(change: Change, view: SceneView, player: Node, edit: Dictionary) -> Variant:
	if not player is AnimationPlayer:
		return Failure.schema("\"%s\" is a %s, not an AnimationPlayer." % [view.path_of(player), player.get_class()])
	var made: Variant = FromJson.decode({"resource": "Animation", "properties": edit.properties},
			Types.plain(TYPE_OBJECT, &"Animation"), null, view.root)
	if made is Failure:
		return made
	var name := StringName(str(edit.get("library", "")))
	var library: AnimationLibrary = player.get_animation_library(name) if player.has_animation_library(name) else null
	if library != null and ResPath.is_file(library):
		return Failure.unsupported("The library \"%s\" is a separate file: %s." % [name, library.resource_path],
				{"path": library.resource_path}, "Name another library, or edit that file with godot_asset resource.edit.")
	if library == null:
		library = AnimationLibrary.new()
		change.do(player.add_animation_library.bind(name, library), player.remove_animation_library.bind(name))
	var old: Animation = library.get_animation(edit.animation) if library.has_animation(edit.animation) else null
	change.do(_put.bind(library, edit.animation, made), _put.bind(library, edit.animation, old))
	return null


static func _keys(view: SceneView, node: Node, edit: Dictionary) -> Variant:
	var name := str(edit.get("property", ""))
	var info: Variant = Properties.find(node, name.get_slice(":", 0))
	if info is Failure:
		return info
	var current: Variant = node.get_indexed(NodePath(":" + name))
	if name.contains(":"):
		info = {"name": name, "type": typeof(current), "hint": 0, "hint_string": ""}
	var out := {}
	for key: Variant in edit.get("keys", []):
		if not key is Dictionary or not (key.get("time") is float or key.get("time") is int) or key.time < 0:
			return Failure.schema("A key is {time, value} with a time of 0 or more.")
		var value: Variant = FromJson.decode(key.get("value"), info, current, view.root)
		if value is Failure:
			return value.at("key at %s" % key.time)
		out[float(key.time)] = value
	return out if not out.is_empty() else Failure.schema("\"keys\" needs at least one {time, value}.")


static func _write_track(animation: Animation, path: String, keys: Dictionary) -> void:
	var track := animation.find_track(NodePath(path), Animation.TYPE_VALUE)
	if track >= 0:
		animation.remove_track(track)
	track = animation.add_track(Animation.TYPE_VALUE)
	animation.track_set_path(track, NodePath(path))
	for time: float in keys:
		animation.track_insert_key(track, time, keys[time])


static func _put(library: AnimationLibrary, name: StringName, animation: Animation) -> void:
	if library.has_animation(name):
		library.remove_animation(name)
	if animation != null:
		library.add_animation(name, animation)
