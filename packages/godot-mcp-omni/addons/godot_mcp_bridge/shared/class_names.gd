@tool
extends RefCounted
## The names of classes: the engine's and the project's `class_name` scripts.

const CACHE := "res://.godot/global_script_class_cache.cfg"


static func exists(name: String) -> bool:
	return ClassDB.class_exists(name) or script_of(name) != ""


static func all() -> Array:
	return Array(ClassDB.get_class_list()) + _scripts().keys()


## Excludes placeholders for classes that Godot does not know: a file with one has no type.
static func can_make(name: String) -> bool:
	return ClassDB.can_instantiate(name) and not name in ["MissingNode", "MissingResource"]


static func is_of_editor(name: String) -> bool:
	return ClassDB.class_exists(name) and ClassDB.class_get_api_type(name) in [ClassDB.API_EDITOR, ClassDB.API_EDITOR_EXTENSION]


## The script of a `class_name`, or "".
static func script_of(name: String) -> String:
	return _scripts().get(name, "")


## The engine class of a name, or "".
static func native_base(name: String) -> StringName:
	if ClassDB.class_exists(name):
		return name
	var path := script_of(name)
	var script: Script = load(path) if path != "" else null
	return script.get_instance_base_type() if script != null else &""


## Read from the file, because a running engine does not update its list.
static func _scripts() -> Dictionary:
	var out := {}
	var cache := ConfigFile.new()
	if cache.load(CACHE) == OK:
		for entry: Dictionary in cache.get_value("", "list", []):
			if FileAccess.file_exists(entry.path):
				out[str(entry["class"])] = str(entry.path)
	return out
