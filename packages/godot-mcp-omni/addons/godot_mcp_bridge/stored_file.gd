@tool
extends RefCounted
## Files are written beside the project's own and then put in their place, so no one ever sees half of one.

const Failure := preload("failure.gd")

const WORKSHOP := "res://.godot/mcp"


static func write_text(path: String, text: String) -> Variant:
	var draft := _draft(path)
	var file := FileAccess.open(draft, FileAccess.WRITE)
	if file == null:
		return Failure.internal("%s could not be written: %s." % [path, error_string(FileAccess.get_open_error())])
	file.store_string(text)
	var error := file.get_error()
	file.close()
	return _put_in_place(draft, path) if error == OK else Failure.internal("%s could not be written." % path)


## The file's own identifier, or a new one.
static func uid_for(path: String) -> int:
	var id := ResourceLoader.get_resource_uid(path)
	if id == ResourceUID.INVALID_ID:
		id = ResourceUID.create_id()
		ResourceUID.add_id(id, path)
	return id


static func uid_text(path: String) -> String:
	return ResourceUID.id_to_text(uid_for(path))


static func _draft(path: String) -> String:
	DirAccess.make_dir_recursive_absolute(WORKSHOP)
	return WORKSHOP.path_join("%s.%s" % [path.md5_text(), path.get_extension()])


static func _put_in_place(draft: String, path: String) -> Variant:
	DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	var error := DirAccess.rename_absolute(draft, path)
	return null if error == OK else Failure.internal("%s could not be put in place: %s." % [path, error_string(error)])
