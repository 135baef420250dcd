@tool
extends RefCounted
## Scenes as the editor holds them: edits go into its undo history, saving is its own.

const Change := preload("change.gd")
const EditorHistory := preload("editor_history.gd")
const EditorWork := preload("editor_work.gd")
const Failure := preload("failure.gd")
const SceneCheck := preload("scene_check.gd")
const SceneView := preload("scene_view.gd")
const UnsavedScenes := preload("unsaved_scenes.gd")

## Frames that opening, saving and scanning may take before they count as failed.
const PATIENCE := 1200

## Set by whoever answers requests.
var log: RefCounted
var unsaved: UnsavedScenes

var _history: EditorHistory
var _work: EditorWork


func _init(plugin: EditorPlugin) -> void:
	unsaved = UnsavedScenes.new(plugin)
	_history = EditorHistory.new(plugin.get_undo_redo())
	_work = EditorWork.new(self)


## The scene at `path`, brought to the front; the current one when the path is "".
func view(path: Variant) -> Variant:
	var root := EditorInterface.get_edited_scene_root()
	if path == "" and (root == null or root.scene_file_path == ""):
		return Failure.not_found("No saved scene is open in the editor.", {}, "Name the scene.")
	if path != "" and (root == null or root.scene_file_path != path):
		var opened: Variant = await open(path)
		if opened is Failure:
			return opened
		root = opened
	var out := SceneView.new()
	out.path = root.scene_file_path
	out.root = root
	return out


## Waits until the scene is the one being edited.
func open(path: Variant) -> Variant:
	if not path is String or not path.begins_with("res://") or not path.get_extension() in ["tscn", "scn"]:
		return Failure.schema("\"scene\" is the res:// path of a scene.")
	if not FileAccess.file_exists(path):
		return Failure.not_found("There is no scene %s." % path, {"path": path})
	if ResourceLoader.load(path, "PackedScene") == null:
		return Failure.not_found("%s cannot be loaded." % path, {"path": path}, "Look at the editor's log.")
	EditorInterface.open_scene_from_path(path)
	for frame: int in PATIENCE:
		var root := EditorInterface.get_edited_scene_root()
		if root != null and root.scene_file_path == path and root.is_inside_tree():
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
	if not wanted:
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
	return SceneCheck.compare_file(view_, path)


func walk_history(view_: SceneView, way: String, wanted: bool) -> Variant:
	var step: Variant = _history.walk(view_.root, way)
	if step is Failure:
		return step
	var saved: Variant = save(view_, view_.path) if wanted else false
	if saved is Failure:
		return saved
	step.merge({"scene": view_.path, "saved": saved})
	return step


## Lets the editor see a file that was written beside it.
func refreshed(answer: Variant) -> Variant:
	if answer is Dictionary:
		EditorInterface.get_resource_filesystem().update_file(answer.path)
		if answer.path in EditorInterface.get_open_scenes():
			EditorInterface.reload_scene_from_path(answer.path)
			await next_frame()
	return answer


func run(operation: String, params: Dictionary) -> Variant:
	return await _work.run(operation, params)


func next_frame() -> void:
	await Engine.get_main_loop().process_frame

