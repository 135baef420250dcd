@tool
extends RefCounted
## The user's order that agents change nothing in this project: a file in the servers' own folder, which
## applies to every server, connected or not, and survives a restart.

const FOLDER := "res://.godot_mcp"
const FILE := FOLDER + "/stopped.json"


static func is_ordered() -> bool:
	return FileAccess.file_exists(_real(FILE))


## The time in seconds since 1970; 0 if the file does not contain it.
static func since() -> float:
	var held: Variant = JSON.parse_string(FileAccess.get_file_as_string(_real(FILE)))
	return held.at / 1000.0 if held is Dictionary and held.get("at") is float else 0.0


## Returns OK, or why it could not be written.
static func order() -> Error:
	var project := DirAccess.open(_real("res://"))
	# A link could lead out of the project, and a cloned project may contain one.
	if project == null or project.is_link(".godot_mcp"):
		return ERR_FILE_BAD_PATH
	if not project.dir_exists(".godot_mcp"):
		var made := project.make_dir(".godot_mcp")
		if made != OK:
			return made
		_write(FOLDER + "/.gitignore", "*\n")
		_write(FOLDER + "/.gdignore", "")
	if project.is_link(".godot_mcp/stopped.json"):
		return ERR_FILE_BAD_PATH
	return _write(FILE, JSON.stringify({"at": int(Time.get_unix_time_from_system() * 1000), "by": "dock"}))


static func take_back() -> Error:
	return DirAccess.remove_absolute(_real(FILE))


static func _write(path: String, text: String) -> Error:
	var file := FileAccess.open(_real(path), FileAccess.WRITE)
	if file == null:
		return FileAccess.get_open_error()
	file.store_string(text)
	return file.get_error()


static func _real(path: String) -> String:
	return ProjectSettings.globalize_path(path)
