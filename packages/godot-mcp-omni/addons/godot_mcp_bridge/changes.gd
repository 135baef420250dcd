@tool
extends RefCounted
## Notifies the servers of changes in this editor: the selection, the log, and edited or saved scenes.

const Answers := preload("shared/answers.gd")
const Link := preload("shared/link.gd")

const TELL_MS := 100

var _answers: Answers
var _changed := {}
var _logged := 0
var _tell_at := 0


func _init(plugin: EditorPlugin, answers: Answers) -> void:
	_answers = answers
	EditorInterface.get_selection().selection_changed.connect(_note.bind("selection"))
	plugin.scene_changed.connect(func(_root: Node) -> void: _note("selection"))
	plugin.scene_saved.connect(_note)
	plugin.get_undo_redo().version_changed.connect(_note_scene)


## Call it every frame, with the links that are open.
func turn(links: Array[Link], now: int) -> void:
	if now < _tell_at:
		return
	if _answers.log != null and _answers.log.count != _logged:
		_logged = _answers.log.count
		_note("log")
	if _changed.is_empty():
		return
	_tell_at = now + TELL_MS
	for link: Link in links:
		link.send({"changed": _changed.keys()})
		link.flush()
	_changed.clear()


func _note(what: String) -> void:
	_changed[what] = true


func _note_scene() -> void:
	var root := EditorInterface.get_edited_scene_root()
	if root != null and root.scene_file_path != "":
		_note(root.scene_file_path)
