@tool
extends MarginContainer
## The activity of agents in this project: the connected servers, the running calls, the last edits with undo, and
## a button that stops every change. Texts come from agents and files, so they are shown as plain lines.

const Link := preload("shared/link.gd")
const Stop := preload("stop.gd")

const MAX_TEXT := 200
const MAX_ANSWER := 400
## Limit of each list; servers send fewer rows.
const MAX_ROWS := 20
const REFRESH_MS := 500
## Colors of the editor's theme, light or dark.
const PLAIN := ""
const GOOD := "success_color"
const WARNING := "warning_color"
const BAD := "error_color"
const FAINT := "disabled_font_color"

static var _control := RegEx.create_from_string("[\\p{C}\\p{Zl}\\p{Zp}]+")

## Version of this addon, from plugin.cfg.
var version := ""

## The last message of each server, by its link.
var _told := {}
var _next_ask := 1
var _refresh_at := 0
var _connection := _line()
var _dot := ColorRect.new()
var _warning := _paragraph()
var _button := Button.new()
var _stopped := _paragraph()
var _now := _line()
var _last := _line()
var _edits := VBoxContainer.new()
var _answer := _paragraph()
var _shown := ""


func _init() -> void:
	name = "Agent"
	custom_minimum_size = Vector2(180, 0)
	for side: String in ["left", "right", "top", "bottom"]:
		add_theme_constant_override("margin_" + side, 6)
	var column := VBoxContainer.new()
	add_child(column)
	_dot.custom_minimum_size = Vector2(10, 10)
	_dot.size_flags_vertical = Control.SIZE_SHRINK_CENTER
	column.add_child(_row([_dot, _connection]))
	column.add_child(_warning)
	_button.auto_translate_mode = Node.AUTO_TRANSLATE_MODE_DISABLED
	_button.pressed.connect(_toggle)
	column.add_child(_button)
	column.add_child(_stopped)
	column.add_child(HSeparator.new())
	column.add_child(_row([_heading("Now"), _now]))
	column.add_child(_row([_heading("Last call"), _last]))
	column.add_child(HSeparator.new())
	column.add_child(_heading("Last edits"))
	var scroll := ScrollContainer.new()
	scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	scroll.custom_minimum_size = Vector2(0, 80)
	_edits.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	scroll.add_child(_edits)
	column.add_child(scroll)
	column.add_child(_answer)


## Handles a message of a server that is not a request. Returns whether it was for the dock.
func hears(link: Link, message: Dictionary) -> bool:
	if message.get("dock") is Dictionary:
		_told[link] = message.dock
		_show()
		return true
	if message.has("told"):
		_say(_answer, _plain(str(message.get("text", "")), MAX_ANSWER), GOOD if _is_true(message, "ok") else BAD)
		return true
	return false


## Call it every frame, with the links that are open.
func turn(links: Array[Link], now: int) -> void:
	if now < _refresh_at:
		return
	_refresh_at = now + REFRESH_MS
	for link: Link in _told.keys():
		if not link in links:
			_told.erase(link)
	_show()


func _toggle() -> void:
	var done := Stop.take_back() if Stop.is_ordered() else Stop.order()
	_say(_answer, "" if done == OK else "The order could not be stored: %s." % error_string(done), BAD)
	_show()


func _undo(link: Link, edit: String) -> void:
	_say(_answer, "Undoing…", FAINT)
	link.send({"ask": _next_ask, "undo": edit})
	link.flush()
	_next_ask += 1


func _show() -> void:
	var servers: Array = _told.values()
	var stopped := Stop.is_ordered()
	# Rebuilt controls lose the pointer and the focus, so rebuild them only after a change.
	var shown := JSON.stringify([servers, stopped])
	if shown == _shown:
		return
	_shown = shown
	_show_connection(servers)
	_button.text = "Resume" if stopped else "Stop agents"
	_button.tooltip_text = "Let agents change the project again" if stopped else \
			"Refuse every change by agents until you resume. They can still read."
	_say(_stopped, "Stopped%s. Agents can read, and change nothing." % _time_of(Stop.since()) if stopped else "", BAD)
	var now := PackedStringArray()
	for server: Dictionary in servers:
		for line: Variant in _list(server, "now"):
			now.append(_plain(str(line)))
	_say(_now, "nothing" if now.is_empty() else ", ".join(now), PLAIN if not now.is_empty() else FAINT)
	_show_last(servers)
	_show_edits()


func _show_connection(servers: Array) -> void:
	var untrusted := servers.filter(func(server: Dictionary) -> bool: return not _is_true(server, "trusted"))
	var names := PackedStringArray()
	for server: Dictionary in servers:
		var client := str(server.client) if server.get("client") != null else "godot-mcp-omni"
		names.append(client + (" (reads only)" if _is_true(server, "readOnly") else ""))
	_dot.color = _color(FAINT if servers.is_empty() else WARNING if not untrusted.is_empty() else GOOD)
	_say(_connection, "No server is connected" if servers.is_empty() else "Connected: " + ", ".join(names), PLAIN)
	var warnings := PackedStringArray()
	for server: Dictionary in servers:
		if str(server.get("server")) != version:
			warnings.append("The server is version %s, this addon %s: run godot-mcp-omni addon install, then restart the editor."
					% [_plain(str(server.get("server"))), version])
	for server: Dictionary in untrusted:
		warnings.append("This project is not trusted, so the server does not use this editor. If it is yours: %s"
				% _plain(str(server.get("howToTrust", ""))))
	_say(_warning, "\n".join(warnings), WARNING)


func _show_last(servers: Array) -> void:
	var last := {}
	for server: Dictionary in servers:
		var told: Variant = server.get("last")
		if told is Dictionary and (last.is_empty() or _number(told, "at") > _number(last, "at")):
			last = told
	var line := str(last.get("line", "none"))
	if last.has("failure"):
		line += ": " + str(last.failure)
	_say(_last, line, BAD if last.has("failure") else FAINT if last.is_empty() else PLAIN)


func _show_edits() -> void:
	for row: Node in _edits.get_children():
		_edits.remove_child(row)
		row.queue_free()
	var seen := {}
	for link: Link in _told:
		for edit: Variant in _list(_told[link], "edits"):
			# Servers of one project share its journal.
			if edit is Dictionary and not seen.has(str(edit.get("id"))):
				seen[str(edit.get("id"))] = true
				_edits.add_child(_edit_row(link, edit))
	if seen.is_empty():
		var none := _line()
		_say(none, "none yet", FAINT)
		_edits.add_child(none)


func _edit_row(link: Link, edit: Dictionary) -> Control:
	var undone := _is_true(edit, "undone")
	var what := _line()
	_say(what, str(edit.get("label", "")), FAINT if undone else PLAIN)
	var files: Array = _list(edit, "files").map(func(path: Variant) -> String: return _plain(str(path)))
	what.tooltip_text = "%s\n%s" % [_plain(str(edit.get("label", ""))), "\n".join(files)]
	var when := Label.new()
	when.auto_translate_mode = Node.AUTO_TRANSLATE_MODE_DISABLED
	_say(when, "undone" if undone else _time_of(_number(edit, "at") / 1000.0).trim_prefix(" at "), FAINT)
	var button := Button.new()
	button.text = "Undo"
	button.auto_translate_mode = Node.AUTO_TRANSLATE_MODE_DISABLED
	button.disabled = not _is_true(edit, "canUndo")
	button.tooltip_text = "A later edit changed the same file; undo that first" if button.disabled and not undone else ""
	button.pressed.connect(_undo.bind(link, str(edit.get("id"))))
	return _row([what, when, button])


static func _list(from: Dictionary, key: String) -> Array:
	return from[key].slice(0, MAX_ROWS) if from.get(key) is Array else []


## Comparing a string or an object with a number or a bool is an error in GDScript.
static func _is_true(from: Dictionary, key: String) -> bool:
	return from[key] if from.get(key) is bool else false


static func _number(from: Dictionary, key: String) -> float:
	return from[key] if from.get(key) is float else 0.0


static func _time_of(unix: float) -> String:
	if unix <= 0.0:
		return ""
	var bias: int = Time.get_time_zone_from_system().bias
	return " at " + Time.get_time_string_from_unix_time(int(unix) + bias * 60).substr(0, 5)


static func _say(label: Label, text: String, color: String) -> void:
	label.text = text if label.autowrap_mode != TextServer.AUTOWRAP_OFF else _plain(text)
	label.visible = text != "" or label.autowrap_mode == TextServer.AUTOWRAP_OFF
	if color == PLAIN:
		label.remove_theme_color_override("font_color")
	else:
		label.add_theme_color_override("font_color", _color(color))
	if label.autowrap_mode == TextServer.AUTOWRAP_OFF:
		label.tooltip_text = label.text


## One line without control characters or marks that change the text direction.
static func _plain(text: String, longest := MAX_TEXT) -> String:
	return _control.sub(text.left(longest), " ", true) + ("…" if text.length() > longest else "")


static func _line() -> Label:
	var label := Label.new()
	label.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	label.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	label.clip_text = true
	label.mouse_filter = Control.MOUSE_FILTER_PASS
	label.auto_translate_mode = Node.AUTO_TRANSLATE_MODE_DISABLED
	return label


static func _paragraph() -> Label:
	var label := Label.new()
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.visible = false
	label.auto_translate_mode = Node.AUTO_TRANSLATE_MODE_DISABLED
	return label


static func _heading(text: String) -> Label:
	var label := Label.new()
	label.text = text
	label.add_theme_color_override("font_color", _color(FAINT))
	return label


static func _color(named: String) -> Color:
	return EditorInterface.get_editor_theme().get_color(named, "Editor")


static func _row(parts: Array[Control]) -> HBoxContainer:
	var row := HBoxContainer.new()
	for part: Control in parts:
		row.add_child(part)
	return row
