extends RefCounted
## Answers the server's requests in order. The game is paused between two of them.

const Link := preload("../addons/godot_mcp_bridge/shared/link.gd")
const Cases := preload("test_runner_cases.gd")
const Recording := preload("test_runner_recording.gd")

var _link := Link.new()
var _cases: Cases
var _recording: Recording
var _busy := false
## Requests for a frame that came while the scene was opened.
var _early: Array[Dictionary] = []
## The request for the frame that is played now.
var _frame := {}


func _init(tree: SceneTree) -> void:
	var log: RefCounted = null
	# Loggers exist since Godot 4.5; without one, the output and errors of a test are not known.
	if ClassDB.class_exists("Logger"):
		log = load(get_script().resource_path.get_base_dir().path_join("test_runner_log.gd")).new()
		OS.call("add_logger", log)
	_cases = Cases.new(tree, log)
	_recording = Recording.new(tree, log, _begin_frame, _end_frame)
	_link.dial(int(OS.get_environment("GODOT_MCP_WORKER_PORT")), OS.get_environment("GODOT_MCP_WORKER_TOKEN"), "engine")


func turn() -> void:
	var request: Variant = null
	if _busy:
		_early.append_array(_link.poll())
	else:
		request = _link.wait()
	if _link.state == Link.State.CLOSED:
		# The server is gone.
		OS.kill(OS.get_process_id())
	elif request != null:
		_busy = true
		_work(request)


## Stops the whole game until the server requests its next frame: games that play together take turns.
func _begin_frame() -> void:
	var request: Variant = _link.wait() if _early.is_empty() else _early.pop_front()
	if request == null:
		# The server is gone.
		OS.kill(OS.get_process_id())
		return
	_frame = request


func _end_frame() -> void:
	_link.send({"id": _frame.id, "ok": true, "result": {}})


func _work(request: Dictionary) -> void:
	var result: Variant
	match request.operation:
		"test":
			result = await _cases.run(request.params.path, request.params.test)
		"recording":
			result = await _recording.play(request.params)
	if result is Dictionary:
		_link.send({"id": request.id, "ok": true, "result": result})
	else:
		_link.send(result.to_answer(request.id))
	_busy = false
