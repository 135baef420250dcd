@tool
extends RefCounted
## Answers requests in order, after the editor has scanned its files.

const REQUESTS_PER_FRAME := 50
const PAUSE_USEC := 20000
const QUIET_FRAMES := 100

var _lifeline := Thread.new()
var _link_script: GDScript
var _link: RefCounted
var _classes: GDScript
var _answers: RefCounted
var _busy := false
var _quiet_frames := 0


func _init() -> void:
	var shared: String = get_script().resource_path.get_base_dir().get_base_dir().path_join("addons/godot_mcp_bridge/shared")
	_answers = load(shared.path_join("answers.gd")).new(load(shared.path_join("editor_host.gd")).new())
	_link_script = load(shared.path_join("link.gd"))
	_classes = load(shared.path_join("known_classes.gd"))
	_classes.call(&"starting")
	_lifeline.start(_die_with_the_server)


func turn() -> void:
	if _busy or not _has_scanned():
		return
	if _link == null:
		_begin()
	# A frame of an editor takes longer than most requests, so frames run only now and then, and on request.
	for index: int in REQUESTS_PER_FRAME:
		if _busy or (index > 0 and not _link.is_more_coming(PAUSE_USEC)):
			break
		var request: Variant = _link.wait()
		if request == null:
			OS.kill(OS.get_process_id())
			return
		_busy = true
		_work(request)


func _work(request: Dictionary) -> void:
	_link.send(await _answers.to(request))
	_busy = false


func _begin() -> void:
	# The loop waits in the socket, so frames need no sleep.
	OS.low_processor_usage_mode = false
	# There is no window, so nothing needs to be drawn or listed.
	EditorInterface.get_base_control().hide()
	_classes.call(&"started")
	_link = _link_script.new()
	_link.dial(int(OS.get_environment("GODOT_MCP_WORKER_PORT")), OS.get_environment("GODOT_MCP_WORKER_TOKEN"), "engine")


## Before the scan, neither classes nor textures are known. An empty project has no files after it either.
func _has_scanned() -> bool:
	if _link != null:
		return true
	var files := EditorInterface.get_resource_filesystem()
	var top := files.get_filesystem()
	_quiet_frames = 0 if files.is_scanning() else _quiet_frames + 1
	return _quiet_frames > 0 and top.get_file_count() + top.get_subdir_count() > 0 or _quiet_frames > QUIET_FRAMES


## The server holds the other end of stdin. When it closes, this process ends immediately.
func _die_with_the_server() -> void:
	while not OS.read_buffer_from_stdin(64).is_empty():
		pass
	OS.kill(OS.get_process_id())
