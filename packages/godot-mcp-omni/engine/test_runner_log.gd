extends Logger
## Records the output and errors of a test. Called from any thread.

const MAX_LINES := 100
const MAX_ERRORS := 20
const SEVERITIES := ["error", "warning", "script_error", "shader_error"]

var _output: Array[String] = []
var _errors: Array[Dictionary] = []
var _left_out := 0
var _mutex := Mutex.new()


func begin() -> void:
	_mutex.lock()
	_output = []
	_errors = []
	_left_out = 0
	_mutex.unlock()


func end() -> Dictionary:
	_mutex.lock()
	var heard := {"output": _output, "errors": _errors, "leftOut": _left_out}
	_mutex.unlock()
	return heard


func _log_error(function: String, file: String, line: int, code: String, rationale: String, _notify: bool,
		type: int, traces: Array[ScriptBacktrace]) -> void:
	var error := {
		"severity": SEVERITIES[type], "message": rationale if rationale != "" else code,
		"file": file, "line": line, "function": function, "stack": _frames(traces),
	}
	_mutex.lock()
	if _errors.size() < MAX_ERRORS:
		_errors.append(error)
	else:
		_left_out += 1
	_mutex.unlock()


func _log_message(message: String, _error: bool) -> void:
	_mutex.lock()
	for line: String in message.strip_edges(false, true).split("\n"):
		if _output.size() < MAX_LINES:
			_output.append(line.left(1000))
		else:
			_left_out += 1
	_mutex.unlock()


func _frames(traces: Array[ScriptBacktrace]) -> Array:
	var here: String = get_script().resource_path.get_base_dir()
	var out := []
	for trace: ScriptBacktrace in traces:
		for index: int in trace.get_frame_count():
			if not trace.get_frame_file(index).begins_with(here):
				out.append({"file": trace.get_frame_file(index), "line": trace.get_frame_line(index),
					"function": trace.get_frame_function(index)})
	return out
