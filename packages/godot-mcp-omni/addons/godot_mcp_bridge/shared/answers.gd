@tool
extends RefCounted
## Turns a request into its answer.

const Failure := preload("failure.gd")
const Operations := preload("operations.gd")

## Since Godot 4.5; before, a script error is answered without its text.
var log: RefCounted

var _operations: Operations


func _init(host: RefCounted) -> void:
	_operations = Operations.new(host)
	if ClassDB.class_exists("Logger"):
		log = load((Failure as Script).resource_path.get_base_dir().path_join("error_log.gd")).new()
		OS.call("add_logger", log)
		host.log = log


func close() -> void:
	if log != null:
		OS.call("remove_logger", log)


func to(request: Dictionary) -> Dictionary:
	var start: int = log.count if log != null else 0
	var result: Variant = await _operations.run(str(request.get("operation")), request.get("params", {}))
	if result is Dictionary:
		return {"id": request.get("id"), "ok": true, "result": result}
	if not result is Failure:
		result = Failure.internal("The request ended in a script error.", {"errors": _errors(start)})
	return result.to_answer(request.get("id"))


func _errors(start: int) -> Array:
	if log == null:
		return []
	return log.since(start, 20, true).map(func(entry: Dictionary) -> String:
		return "%s (%s:%s)" % [entry.message, entry.get("path", ""), entry.get("line", 0)])
