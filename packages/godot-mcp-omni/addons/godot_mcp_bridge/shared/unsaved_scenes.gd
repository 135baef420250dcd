@tool
extends RefCounted
## The open scenes that differ from their files. The editor does not report this, but its histories count steps.

class Known:
	extends RefCounted
	var history: UndoRedo
	var saved_version: int


var _undo: EditorUndoRedoManager
var _known := {}


func _init(plugin: EditorPlugin) -> void:
	_undo = plugin.get_undo_redo()
	plugin.scene_changed.connect(watch)
	plugin.scene_saved.connect(_on_saved)
	watch(EditorInterface.get_edited_scene_root())


## A scene that was not in front since the editor started has not been changed.
func has(path: String) -> bool:
	var known: Known = _known.get(path)
	return known != null and is_instance_valid(known.history) and known.history.get_version() != known.saved_version


## Starts watching a scene that is in front and unchanged.
func watch(root: Node) -> void:
	if root == null or root.scene_file_path == "":
		return
	var known: Known = _known.get(root.scene_file_path)
	if known == null or not is_instance_valid(known.history):
		known = Known.new()
		known.history = _undo.get_history_undo_redo(_undo.get_object_history_id(root))
		known.saved_version = known.history.get_version()
		_known[root.scene_file_path] = known


func _on_saved(path: String) -> void:
	watch(EditorInterface.get_edited_scene_root())
	if _known.has(path) and is_instance_valid(_known[path].history):
		_known[path].saved_version = _known[path].history.get_version()
