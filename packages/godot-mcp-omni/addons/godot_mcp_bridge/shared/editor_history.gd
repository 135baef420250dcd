@tool
extends RefCounted
## Changes as steps of the editor's own undo history.

const Change := preload("change.gd")
const Failure := preload("failure.gd")

var _undo := EditorInterface.get_editor_undo_redo()
var _menu_items := {}


## Adds a change that has already been done to the history.
func add(root: Node, change: Change, label: String) -> void:
	_undo.create_action(label, UndoRedo.MERGE_DISABLE, root)
	_undo.add_do_method(change, "redo")
	_undo.add_undo_method(change, "undo")
	for node: Node in change.made:
		_undo.add_do_reference(node)
	for node: Node in change.removed:
		_undo.add_undo_reference(node)
	_undo.commit_action(false)


## Undoes or redoes one step of the scene with this root. `direction` is "undo" or "redo". With `expected`, only if
## that is the current step of the history.
func walk(root: Node, direction: String, expected := {}) -> Variant:
	var history := _undo.get_history_undo_redo(_undo.get_object_history_id(root))
	var shared := _undo.get_history_undo_redo(EditorUndoRedoManager.GLOBAL_HISTORY)
	if not (history.has_undo() if direction == "undo" else history.has_redo()):
		return Failure.not_found("There is nothing to %s in this scene." % direction)
	var step := history.get_current_action_name() if direction == "undo" else \
			history.get_action_name(history.get_current_action() + 1)
	if not expected.is_empty() and (int(expected.position) != history.get_version() or expected.step != step):
		return Failure.denied("history", "The scene's history has moved on: its last step is \"%s\"." % step, {"step": step},
				"Undo that first.")
	var before := [history.get_version(), shared.get_version()]
	_press(direction, history)
	if shared.get_version() != before[1]:
		_press("redo" if direction == "undo" else "undo", shared)
	if history.get_version() == before[0]:
		return Failure.unsupported("The editor's last step is not one of this scene.", {"step": step},
				"Undo it in the editor, or edit the scene forward.")
	return {"step": step, "canUndo": history.has_undo(), "canRedo": history.has_redo(), "position": history.get_version()}


## Counts the steps of the scene with this root that are done.
func position(root: Node) -> int:
	return _undo.get_history_undo_redo(_undo.get_object_history_id(root)).get_version()


## Uses the editor's menu item, which keeps the editor's own state consistent.
func _press(direction: String, history: UndoRedo) -> void:
	var item := _menu_item(direction)
	if item.is_empty():
		history.call(direction)
	else:
		item[0].id_pressed.emit(item[1])


## The menu item is found by its shortcut. Before Godot 4.6 that cannot be read.
func _menu_item(direction: String) -> Array:
	var settings := EditorInterface.get_editor_settings()
	if _menu_items.has(direction) or not settings.has_method("get_shortcut"):
		return _menu_items.get(direction, [])
	var shortcut: Shortcut = settings.call("get_shortcut", "ui_" + direction)
	for menu: Node in EditorInterface.get_base_control().find_children("*", "PopupMenu", true, false):
		for index: int in menu.item_count:
			if shortcut != null and menu.get_item_shortcut(index) == shortcut:
				_menu_items[direction] = [menu, menu.get_item_id(index)]
	return _menu_items.get(direction, [])
