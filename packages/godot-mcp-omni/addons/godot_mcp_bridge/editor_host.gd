@tool
extends RefCounted
## Scenes as the editor holds them: edits go into its undo history, saving is its own.

const Change := preload("change.gd")
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

var _undo: EditorUndoRedoManager
var _work: EditorWork


func _init(plugin: EditorPlugin) -> void:
	unsaved = UnsavedScenes.new(plugin)
	_undo = plugin.get_undo_redo()
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


## Makes the change one step of the scene's history. A save that goes wrong takes it back, history and all.
func keep(view_: SceneView, change: Change, label: String, wanted: bool) -> Variant:
	_undo.create_action(label, UndoRedo.MERGE_DISABLE, view_.root)
	_undo.add_do_method(change, "redo")
	_undo.add_undo_method(change, "undo")
	for node: Node in change.made:
		_undo.add_do_reference(node)
	for node: Node in change.removed:
		_undo.add_undo_reference(node)
	_undo.commit_action(false)
	if not wanted:
		return false
	var saved: Variant = await save(view_, view_.path)
	if saved is Failure:
		_history(view_).undo()
		await save(view_, view_.path)
	return saved


func save(view_: SceneView, path: String) -> Variant:
	var error := OK
	if path == view_.path:
		error = EditorInterface.save_scene()
	else:
		EditorInterface.save_scene_as(path)
	if error != OK:
		return Failure.internal("The editor could not save %s: %s." % [path, error_string(error)])
	if not FileAccess.file_exists(path):
		return Failure.internal("The editor did not save %s." % path)
	view_.path = path
	var compared: Variant = SceneCheck.compare(view_, path)
	return compared if compared is Failure else true


func walk_history(view_: SceneView, way: String, wanted: bool) -> Variant:
	var history := _history(view_)
	if not (history.has_undo() if way == "undo" else history.has_redo()):
		return Failure.not_found("There is nothing to %s in %s." % [way, view_.path])
	var step := history.get_current_action_name() if way == "undo" else \
			history.get_action_name(history.get_current_action() + 1)
	history.call(way)
	var saved: Variant = await save(view_, view_.path) if wanted else false
	if saved is Failure:
		return saved
	return {
		"scene": view_.path, "step": step, "saved": saved,
		"canUndo": history.has_undo(), "canRedo": history.has_redo(),
	}


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


func _history(view_: SceneView) -> UndoRedo:
	return _undo.get_history_undo_redo(_undo.get_object_history_id(view_.root))
