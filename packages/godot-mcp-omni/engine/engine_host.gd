@tool
extends RefCounted
## Scenes held open by the headless engine. What changed on disk is read again.

const ADDON := "../addons/godot_mcp_bridge/"
const Diagnostics := preload("diagnostics.gd")
const Change := preload(ADDON + "change.gd")
const Failure := preload(ADDON + "failure.gd")
const SceneCheck := preload(ADDON + "scene_check.gd")
const SceneView := preload(ADDON + "scene_view.gd")
const StoredFile := preload(ADDON + "stored_file.gd")

const KEPT_OPEN := 16
## Files whose content decides what a scene looks like in memory.
const WATCHED := ["tscn", "scn", "tres", "res", "gd", "gdshader"]


class OpenScene:
	extends RefCounted
	var view: SceneView
	var history := UndoRedo.new()
	## Content of the scene's file and of all it needs.
	var stamps: Dictionary

	func close() -> void:
		history.clear_history()
		history.free()
		view.root.free()


## Set by whoever answers requests.
var log: RefCounted

var _open := {}
## Content of the files as the engine's cache holds them.
var _loaded := {}


func view(path: Variant) -> Variant:
	if not path is String or not path.begins_with("res://"):
		return Failure.schema("\"scene\" is the res:// path of a scene.", {}, "Without an editor there is no current scene.")
	if not FileAccess.file_exists(path):
		return Failure.not_found("There is no scene %s." % path, {"path": path})
	var stamps := _stamps(path)
	if _open.has(path):
		var known: OpenScene = _open[path]
		if known.stamps == stamps:
			return known.view
		_close(path)
	var scene: Variant = _load(path, stamps)
	if scene is Failure:
		return scene
	if _open.size() >= KEPT_OPEN:
		_close(_open.keys()[0])
	_open[path] = scene
	return scene.view


## Makes the change part of the history and saves. A save that fails takes the change back.
func keep(view_: SceneView, change: Change, label: String, _save: bool) -> Variant:
	var saved: Variant = save(view_, view_.path)
	if saved is Failure:
		change.abandon()
		return saved
	var history: UndoRedo = _open[view_.path].history
	history.create_action(label)
	history.add_do_method(change.redo)
	history.add_undo_method(change.undo)
	for node: Node in change.made:
		history.add_do_reference(node)
	for node: Node in change.removed:
		history.add_undo_reference(node)
	history.commit_action(false)
	return true


func save(view_: SceneView, path: String) -> Variant:
	var packed := PackedScene.new()
	var error := packed.pack(view_.root)
	if error != OK:
		return Failure.internal("%s could not be packed: %s." % [view_.path, error_string(error)])
	var saved: Variant = StoredFile.save(packed, path, _check.bind(view_))
	if saved is Failure:
		return saved
	if path == view_.path:
		_open[path].stamps = _stamps(path)
	return true


func walk_history(view_: SceneView, way: String, _save: bool) -> Variant:
	var history: UndoRedo = _open[view_.path].history
	if not (history.has_undo() if way == "undo" else history.has_redo()):
		return Failure.not_found("There is nothing to %s in %s." % [way, view_.path])
	var step := history.get_current_action_name() if way == "undo" else \
			history.get_action_name(history.get_current_action() + 1)
	history.call(way)
	var saved: Variant = save(view_, view_.path)
	if saved is Failure:
		history.call("redo" if way == "undo" else "undo")
		return saved
	return {
		"scene": view_.path, "step": step, "saved": true,
		"canUndo": history.has_undo(), "canRedo": history.has_redo(),
	}


## Called with the answer of whatever wrote a file.
func refreshed(answer: Variant) -> Variant:
	return answer


func run(operation: String, params: Dictionary) -> Variant:
	if operation == "diagnostics":
		return Diagnostics.new(log).run(params)
	return Failure.unsupported("\"%s\" needs the editor." % operation, {}, "Open the project in the editor with the addon on.")


func _check(draft: String, view_: SceneView) -> Variant:
	return SceneCheck.compare_file(view_, draft)


func _load(path: String, stamps: Dictionary) -> Variant:
	for file: String in stamps:
		if _loaded.get(file) != stamps[file] and ResourceLoader.has_cached(file):
			ResourceLoader.load(file, "", ResourceLoader.CACHE_MODE_REPLACE)
		_loaded[file] = stamps[file]
	var packed := ResourceLoader.load(path, "PackedScene") as PackedScene
	var root: Node = packed.instantiate(PackedScene.GEN_EDIT_STATE_MAIN) if packed != null and packed.can_instantiate() else null
	if root == null:
		return _why_not(path)
	var scene := OpenScene.new()
	scene.stamps = stamps
	scene.view = SceneView.new()
	scene.view.path = path
	scene.view.root = root
	return scene


func _why_not(path: String) -> Failure:
	var missing := []
	for file: String in _needs(path, {}):
		if not ResourceLoader.exists(file) or ResourceLoader.load(file) == null:
			missing.append(file)
	return Failure.not_found("%s cannot be opened." % path if missing.is_empty() else "%s needs what cannot be loaded." % path,
			{"path": path, "missing": missing}, "Import the project, then look at its diagnostics.")


func _close(path: String) -> void:
	var scene: OpenScene = _open[path]
	_open.erase(path)
	scene.close()


## Dependencies come before the files that need them.
func _stamps(path: String) -> Dictionary:
	var out := {}
	for file: String in _needs(path, {}):
		out[file] = FileAccess.get_md5(file)
	out[path] = FileAccess.get_md5(path)
	return out


func _needs(path: String, seen: Dictionary) -> Array[String]:
	var out: Array[String] = []
	seen[path] = true
	for dependency: String in ResourceLoader.get_dependencies(path):
		var parts := dependency.split("::")
		var file := parts[2] if parts.size() > 2 else parts[0]
		if not seen.has(file) and file.get_extension() in WATCHED:
			out.append_array(_needs(file, seen))
			out.append(file)
	return out
