@tool
extends RefCounted
## Scenes as an editor holds them: edits go into its undo history, saving is its own.
##
## Serves a person's editor through the plugin, and the headless one that works alone.

const Change := preload("change.gd")
const Diagnostics := preload("diagnostics.gd")
const EditorHistory := preload("editor_history.gd")
const EditorWork := preload("editor_work.gd")
const Failure := preload("failure.gd")
const SceneCheck := preload("scene_check.gd")
const SceneView := preload("scene_view.gd")
const UnsavedScenes := preload("unsaved_scenes.gd")

## Frames that opening a scene may take before it counts as failed.
const PATIENCE := 1200

## Set by whoever answers requests.
var log: RefCounted
var unsaved: UnsavedScenes

var _history := EditorHistory.new()
var _work := EditorWork.new(self)
## Scenes' files as the editor last read or wrote them.
var _stamps := {}


## Without a plugin there is no person, and nothing is ever left unsaved.
func _init(plugin: EditorPlugin = null) -> void:
	if plugin != null:
		unsaved = UnsavedScenes.new(plugin)
		plugin.scene_saved.connect(_remember)


## The scene at `path`, brought to the front; the current one when the path is "".
func view(path: Variant) -> Variant:
	var root := EditorInterface.get_edited_scene_root()
	if path == "" and unsaved != null and root != null:
		path = root.scene_file_path
	var opened: Variant = await open(path)
	if opened is Failure:
		return opened
	var out := SceneView.new()
	out.path = opened.scene_file_path
	out.root = opened
	return out


## Waits until the scene is the one being edited, as it is on disk now.
func open(path: Variant) -> Variant:
	if not path is String or not path.begins_with("res://") or not path.get_extension() in ["tscn", "scn"]:
		return Failure.schema("\"scene\" is the res:// path of a scene.", {}, "" if unsaved != null else "Without an editor there is no current scene.")
	if not FileAccess.file_exists(path):
		return Failure.not_found("There is no scene %s." % path, {"path": path})
	var fresh: Variant = await _read_again(path)
	if fresh is Failure:
		return fresh
	var root := EditorInterface.get_edited_scene_root()
	if root != null and root.scene_file_path == path and root.is_inside_tree():
		return root
	if ResourceLoader.load(path, "PackedScene") == null:
		return _broken(path)
	EditorInterface.open_scene_from_path(path)
	for frame: int in PATIENCE:
		root = EditorInterface.get_edited_scene_root()
		if root != null and root.scene_file_path == path and root.is_inside_tree():
			_remember(path)
			return root
		await next_frame()
	return Failure.internal("The editor did not open %s." % path, {"path": path}, "Look for a dialog in the editor.")


## Makes the change one step of the scene's history. What could not be saved whole never gets there.
func keep(view_: SceneView, change: Change, label: String, wanted: bool) -> Variant:
	var packed := PackedScene.new()
	packed.pack(view_.root)
	var compared: Variant = SceneCheck.compare(view_, packed)
	if compared is Failure:
		change.abandon()
		return compared
	_history.add(view_.root, change, label)
	if not wanted and unsaved != null:
		return false
	var saved: Variant = save(view_, view_.path)
	if saved is Failure:
		_history.walk(view_.root, "undo")
		save(view_, view_.path)
	return saved


func save(view_: SceneView, path: String) -> Variant:
	var error := OK
	if path == view_.path:
		error = EditorInterface.save_scene()
	else:
		EditorInterface.save_scene_as(path)
	if error != OK or not FileAccess.file_exists(path):
		return Failure.internal("The editor could not save %s: %s." % [path, error_string(error)])
	_remember(path)
	return SceneCheck.compare_file(view_, path)


func walk_history(view_: SceneView, way: String, wanted: bool) -> Variant:
	var step: Variant = _history.walk(view_.root, way)
	if step is Failure:
		return step
	var saved: Variant = save(view_, view_.path) if wanted or unsaved == null else false
	if saved is Failure:
		return saved
	step.merge({"scene": view_.path, "saved": saved})
	return step


## Lets the editor see a file that was written beside it.
func refreshed(answer: Variant) -> Variant:
	if answer is Dictionary:
		EditorInterface.get_resource_filesystem().update_file(answer.path)
	return answer


func run(operation: String, params: Dictionary) -> Variant:
	if operation == "diagnostics":
		await scan()
		return Diagnostics.new(log).run(params)
	return await _work.run(operation, params)


## Goes through the project's files, as an editor does when its window comes back.
func scan() -> void:
	var files := EditorInterface.get_resource_filesystem()
	while files.is_scanning():
		await next_frame()
	files.scan()
	await next_frame()
	while files.is_scanning():
		await next_frame()


func next_frame() -> void:
	await Engine.get_main_loop().process_frame


## A scene, or one it is made of, that something else has written: read again, unless work would be lost.
func _read_again(path: String) -> Variant:
	var stale := _needs(path, {}).filter(func(file: String) -> bool:
		return _stamps.has(file) and _stamps[file] != FileAccess.get_md5(file))
	if stale.is_empty():
		for file: String in _needs(path, {}):
			_remember(file)
		return null
	for file: String in stale:
		if unsaved != null and unsaved.has(file):
			return Failure.denied("%s has changed on disk, and has unsaved changes in the editor." % file, {"path": file},
					"Save it or reload it in the editor first.")
	await scan()
	for file: String in stale:
		ResourceLoader.load(file, "", ResourceLoader.CACHE_MODE_REPLACE)
		_remember(file)
	if path in EditorInterface.get_open_scenes():
		EditorInterface.reload_scene_from_path(path)
		await next_frame()
	return null


## The scene's file and the scenes, resources and scripts it is made of.
func _needs(path: String, seen: Dictionary) -> Array:
	seen[path] = true
	for dependency: String in ResourceLoader.get_dependencies(path):
		var parts := dependency.split("::")
		var file := parts[2] if parts.size() > 2 else parts[0]
		if not seen.has(file) and file.get_extension() in ["tscn", "scn", "tres", "res", "gd"] and FileAccess.file_exists(file):
			_needs(file, seen)
	return seen.keys()


func _remember(path: String) -> void:
	_stamps[path] = FileAccess.get_md5(path)


func _broken(path: String) -> Failure:
	var missing := []
	for dependency: String in ResourceLoader.get_dependencies(path):
		var parts := dependency.split("::")
		var file := parts[2] if parts.size() > 2 else parts[0]
		if not ResourceLoader.exists(file) or ResourceLoader.load(file) == null:
			missing.append(file)
	return Failure.not_found("%s cannot be loaded." % path, {"path": path, "missing": missing},
			"Import the project, then look at its diagnostics.")
