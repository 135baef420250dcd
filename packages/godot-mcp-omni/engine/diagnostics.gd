@tool
extends RefCounted
## Loads every script of the project and collects what the engine says about them.

const ClassNames := preload("../addons/godot_mcp_bridge/class_names.gd")
const Failure := preload("../addons/godot_mcp_bridge/failure.gd")

var _log: RefCounted


func _init(log: RefCounted) -> void:
	_log = log


func run(params: Dictionary) -> Variant:
	if _log == null:
		return Failure.unsupported("Diagnostics need Godot 4.5 or newer; this is %s." % Engine.get_version_info().string)
	var scripts: Array = params.paths if params.has("paths") else _scripts("res://")
	for path: Variant in scripts:
		if not path is String or path.get_extension() != "gd" or not FileAccess.file_exists(path):
			return Failure.not_found("There is no script %s." % path, {"path": path})
	var start: int = _log.count
	for path: String in scripts:
		ResourceLoader.load(path)
	return {"scripts": scripts.size(), "problems": _problems(start), "newClasses": scripts.any(_names_a_new_class)}


func _scripts(folder: String) -> Array:
	var out := []
	if FileAccess.file_exists(folder.path_join(".gdignore")):
		return out
	for file: String in DirAccess.get_files_at(folder):
		if file.get_extension() == "gd":
			out.append(folder.path_join(file))
	for inner: String in DirAccess.get_directories_at(folder):
		if not inner.begins_with("."):
			out.append_array(_scripts(folder.path_join(inner)))
	return out


func _problems(start: int) -> Array:
	var seen := {}
	for entry: Dictionary in _log.since(start):
		if entry.severity == "script_error" and str(entry.get("path")).begins_with("res://") and not _is_ours(entry):
			var row := {
				"path": entry.path, "line": entry.line, "severity": "error",
				"message": entry.message.trim_prefix("Parse Error: ").trim_prefix("Compile Error: "),
			}
			seen[JSON.stringify(row)] = row
	return seen.values()


## Autoloads do not run here, so the last step of compiling does not find them; the one before it checked their use.
func _is_ours(entry: Dictionary) -> bool:
	if entry.message == "Compile Error: Failed to compile depended scripts.":
		return true
	for info: Dictionary in ProjectSettings.get_property_list():
		if info.name.begins_with("autoload/") \
				and entry.message == "Compile Error: Identifier not found: %s" % info.name.trim_prefix("autoload/"):
			return true
	return false


## A `class_name` that the project's list lacks makes other scripts look wrong.
func _names_a_new_class(path: String) -> bool:
	var found := RegEx.create_from_string("(?m)^\\s*(?:@\\w+(?:\\([^)]*\\))?\\s+)*class_name\\s+(\\w+)").search(FileAccess.get_file_as_string(path))
	return found != null and ClassNames.script_of(found.get_string(1)) != path
