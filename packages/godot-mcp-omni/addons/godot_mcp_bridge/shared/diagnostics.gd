@tool
extends RefCounted
## Compiles every script of the project and collects the engine's errors and warnings.

const Failure := preload("failure.gd")
const FreshFiles := preload("fresh_files.gd")
const KnownClasses := preload("known_classes.gd")

var _log: RefCounted


func _init(log: RefCounted) -> void:
	_log = log


func run(params: Dictionary) -> Variant:
	if _log == null:
		return Failure.unsupported("Diagnostics need Godot 4.5 or newer; this is %s." % Engine.get_version_info().string)
	var all := KnownClasses.all_scripts()
	var scripts: Array = params.get("paths", all)
	for path: Variant in scripts:
		if not path is String or path.get_extension() != "gd" or not FileAccess.file_exists(path):
			return Failure.not_found("There is no script %s." % path, {"path": path})
	KnownClasses.update(all)
	var start: int = _log.count
	for path: String in scripts:
		var script: GDScript = load(path)
		if script != null:
			# Repeated for scripts that were loaded before.
			FreshFiles.compile(script)
	var problems := _problems(start)
	var outdated := not KnownClasses.has_autoloads() or not problems.is_empty() and KnownClasses.have_changed()
	return {"scripts": scripts.size(), "problems": problems, "outdated": outdated}


func _problems(start: int) -> Array:
	var seen := {}
	for entry: Dictionary in _log.since(start):
		if entry.severity == "script_error" and str(entry.get("path")).begins_with("res://"):
			var row := {
				"path": entry.path, "line": entry.line, "severity": "error",
				"message": entry.message.trim_prefix("Parse Error: ").trim_prefix("Compile Error: "),
			}
			# A script that extends or uses a broken one reports that on line 0.
			if row.line > 0:
				seen[JSON.stringify(row)] = row
	return seen.values()
