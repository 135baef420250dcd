extends SceneTree
## Loads every script of a project as its game would, once and in a fresh process. Errors go to stderr.


func _initialize() -> void:
	_load_all("res://")
	quit()


func _load_all(folder: String) -> void:
	for file: String in DirAccess.get_files_at(folder):
		if file.get_extension() == "gd":
			load(folder.path_join(file))
	for inner: String in DirAccess.get_directories_at(folder):
		if not inner.begins_with("."):
			_load_all(folder.path_join(inner))
