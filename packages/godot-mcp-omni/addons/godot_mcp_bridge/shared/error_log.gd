@tool
extends Logger
## Keeps the engine's last errors and messages. Called from any thread.

const KEPT := 2000
const SEVERITIES := ["error", "warning", "script_error", "shader_error"]

## Entries so far, including those that were dropped.
var count := 0

var _entries: Array[Dictionary] = []
var _mutex := Mutex.new()


## Entries after `after`, at most `limit`, oldest first.
func since(after: int, limit := KEPT, only_errors := false) -> Array[Dictionary]:
	_mutex.lock()
	var out: Array[Dictionary] = []
	for entry: Dictionary in _entries:
		if entry.index >= after and out.size() < limit and not (only_errors and entry.severity == "info"):
			out.append(entry)
	_mutex.unlock()
	return out


func has_errors_of(folder: String, after: int) -> bool:
	_mutex.lock()
	var found := false
	for index: int in range(_entries.size() - 1, -1, -1):
		var entry := _entries[index]
		if entry.index < after:
			break
		found = found or (entry.severity == "script_error" and entry.path.begins_with(folder))
	_mutex.unlock()
	return found


func oldest() -> int:
	_mutex.lock()
	var index: int = count if _entries.is_empty() else int(_entries[0].index)
	_mutex.unlock()
	return index


func _log_error(_function: String, file: String, line: int, code: String, rationale: String, _notify: bool,
		type: int, _traces: Array[ScriptBacktrace]) -> void:
	_keep({"severity": SEVERITIES[type], "message": rationale if rationale != "" else code, "path": file, "line": line})


func _log_message(message: String, error: bool) -> void:
	_keep({"severity": "error" if error else "info", "message": message.strip_edges(false, true)})


func _keep(entry: Dictionary) -> void:
	_mutex.lock()
	entry["index"] = count
	count += 1
	_entries.append(entry)
	if _entries.size() > KEPT:
		_entries = _entries.slice(KEPT / 4)
	_mutex.unlock()
