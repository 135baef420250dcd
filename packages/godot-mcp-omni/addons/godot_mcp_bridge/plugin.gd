@tool
extends EditorPlugin
## Connects to the servers of this user and answers their requests, one at a time.

const Answers := preload("shared/answers.gd")
const Changes := preload("changes.gd")
const Dock := preload("dock.gd")
const EditorHost := preload("shared/editor_host.gd")
const Failure := preload("shared/failure.gd")
const Link := preload("shared/link.gd")
const Servers := preload("servers.gd")

## For this long after a request, the editor sleeps less between frames.
const ALERT_MS := 2000
const ALERT_SLEEP_USEC := 500
const LINGER_USEC := 3000

var _servers: Servers
var _answers: Answers
var _dock: Dock
var _changes: Changes
var _queue: Array[Array] = []
var _current: Array = []
var _give_up_at := 0
var _scanned := false
var _progress: Array[Node] = []
var _alert_until := 0
var _calm_sleep_usec := 0


func _enter_tree() -> void:
	set_process(false)
	# Godot also loads this plugin for a few seconds when it imports or exports.
	if _is_errand():
		return
	_answers = Answers.new(EditorHost.new(self))
	var version := get_plugin_version()
	_servers = Servers.new(Servers.meeting_place(), version)
	_changes = Changes.new(self, _answers)
	_dock = Dock.new()
	_dock.version = version
	add_control_to_dock(DOCK_SLOT_RIGHT_BL, _dock)
	set_process(true)


func _exit_tree() -> void:
	if _servers != null:
		_calm()
		_servers.close()
		_answers.close()
		remove_control_from_docks(_dock)
		_dock.queue_free()


func _process(_delta: float) -> void:
	if not _is_settled():
		return
	var now := Time.get_ticks_msec()
	_take_requests(now)
	var links := _servers.links()
	_dock.turn(links, now)
	_changes.turn(links, now)
	if _alert_until > 0 and now > _alert_until:
		_calm()
	if not _current.is_empty() and now > _give_up_at:
		# A coroutine that met a script error does not return; other requests must not wait for it.
		_answer(_current, Failure.timeout("The editor did not finish the request.").to_answer(_current[1].get("id")))
		_current = []
	while _current.is_empty() and not _queue.is_empty():
		_work(_queue.pop_front())
		_linger()


func _take_requests(now: int) -> void:
	for pair: Array in _servers.poll(now):
		if pair[1].has("ping"):
			pair[0].send({"pong": pair[1].ping})
		elif not _dock.hears(pair[0], pair[1]):
			_queue.append(pair)
			_wake(now)


## Requests often come in series, and the next one arrives before the next frame.
func _linger() -> void:
	var until := Time.get_ticks_usec() + LINGER_USEC
	while _current.is_empty() and _queue.is_empty() and Time.get_ticks_usec() < until:
		OS.delay_usec(100)
		_take_requests(Time.get_ticks_msec())


func _work(pair: Array) -> void:
	_current = pair
	_give_up_at = Time.get_ticks_msec() + int(pair[1].get("timeoutMs", 10000))
	var reply: Dictionary = await _answers.to(pair[1])
	if _current == pair:
		_current = []
		_answer(pair, reply)


func _answer(pair: Array, reply: Dictionary) -> void:
	var link: Link = pair[0]
	if link.state == Link.State.READY:
		link.send(reply)
		link.flush()


func _wake(now: int) -> void:
	if _alert_until == 0:
		_calm_sleep_usec = OS.low_processor_usage_mode_sleep_usec
		OS.low_processor_usage_mode_sleep_usec = ALERT_SLEEP_USEC
	_alert_until = now + ALERT_MS


func _calm() -> void:
	if _alert_until > 0:
		_alert_until = 0
		OS.low_processor_usage_mode_sleep_usec = _calm_sleep_usec


## Until the editor has scanned the project, it has neither classes nor textures. While it shows a progress
## dialog, frames run in the middle of that work.
func _is_settled() -> bool:
	if not _scanned:
		var files := EditorInterface.get_resource_filesystem()
		_scanned = not files.is_scanning() and files.get_filesystem().get_subdir_count() > 0
		_progress = get_tree().root.find_children("*", "ProgressDialog", true, false)
		return false
	return not _progress.any(func(dialog: Node) -> bool: return dialog.visible)


func _is_errand() -> bool:
	if OS.get_environment("GODOT_MCP_BRIDGE") == "off":
		return true
	for argument: String in OS.get_cmdline_args():
		if argument in ["--import", "--quit", "--export-release", "--export-debug", "--export-pack", "--doctool"]:
			return true
	return false
