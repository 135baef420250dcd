@tool
extends RefCounted
## Keeps the classes of a running Godot as new as the files, and detects changes that require a restart.
##
## Autoloads are read at the start only. After a class has been added, removed or moved, scripts that were compiled
## before may report errors that a new Godot does not.

const CACHE := "res://.godot/global_script_class_cache.cfg"
const UIDS := "res://.godot/uid_cache.bin"
const SETTINGS := "res://project.godot"
const AUTOLOAD := "autoload"

## The content of each script when the editor listed its class.
static var _listed := {}
static var _at_start := {}
## The path of each uid when Godot read the autoloads.
static var _uids := {}


## Call it before the first scan, which rewrites the list of uids.
static func starting() -> void:
	var file := FileAccess.open(UIDS, FileAccess.READ)
	if file != null:
		for index: int in file.get_32():
			var id := file.get_64()
			_uids[id] = file.get_buffer(file.get_32()).get_string_from_utf8()


static func started() -> void:
	_at_start = _cached()


## Makes the editor list classes of scripts that it may have missed: a scan detects changes by the second.
static func update(scripts: Array) -> void:
	var files := EditorInterface.get_resource_filesystem()
	var found := {}
	for path: String in scripts:
		found[path] = FileAccess.get_md5(path)
		if _listed.get(path) != found[path]:
			files.update_file(path)
	for entry: Array in _cached().values():
		if not FileAccess.file_exists(entry[0]):
			files.update_file(entry[0])
	_listed = found


## All scripts of a folder.
static func all_scripts(folder := "res://") -> Array:
	var out := []
	if FileAccess.file_exists(folder.path_join(".gdignore")):
		return out
	for file: String in DirAccess.get_files_at(folder):
		if file.get_extension() == "gd":
			out.append(folder.path_join(file))
	for inner: String in DirAccess.get_directories_at(folder):
		if not inner.begins_with("."):
			out.append_array(all_scripts(folder.path_join(inner)))
	return out


## Whether classes have come, gone or moved since the start.
static func have_changed() -> bool:
	return _cached() != _at_start


## Whether the autoloads are still those of the start. One whose uid was unknown then stays without a type.
static func has_autoloads() -> bool:
	var file := ConfigFile.new()
	if file.load(SETTINGS) != OK:
		return true
	var stored := {}
	for name: String in file.get_section_keys(AUTOLOAD) if file.has_section(AUTOLOAD) else PackedStringArray():
		stored[AUTOLOAD + "/" + name] = file.get_value(AUTOLOAD, name)
	for property: Dictionary in ProjectSettings.get_property_list():
		if property.name.begins_with(AUTOLOAD + "/") and not stored.has(property.name):
			return false
	return stored.keys().all(func(name: String) -> bool:
		return ProjectSettings.get_setting(name, "") == stored[name] and _was_known(str(stored[name]).trim_prefix("*")))


static func _was_known(path: String) -> bool:
	var id := ResourceUID.text_to_id(path)
	return not path.begins_with("uid://") or not ResourceUID.has_id(id) or _uids.get(id) == ResourceUID.get_id_path(id)


## Path and base of each class, from the file that a new Godot reads at its start.
static func _cached() -> Dictionary:
	var out := {}
	var cache := ConfigFile.new()
	if cache.load(CACHE) == OK:
		for entry: Dictionary in cache.get_value("", "list", []):
			out[str(entry["class"])] = [str(entry.path), str(entry.base)]
	return out
