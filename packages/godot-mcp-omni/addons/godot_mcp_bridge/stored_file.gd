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


## `check` gets the draft's path before it is put in place and may refuse with a failure.
static func save(resource: Resource, path: String, check := Callable()) -> Variant:
	var draft := _draft(path)
	_keep_ids(path, draft)
	var error := ResourceSaver.save(resource, draft)
	if error != OK:
		return Failure.internal("%s could not be saved: %s." % [path, error_string(error)])
	var refused: Variant = check.call(draft) if check.is_valid() else null
	if refused is Failure:
		DirAccess.remove_absolute(draft)
		return refused
	if not path.get_extension() in ["tscn", "tres"]:
		ResourceSaver.set_uid(draft, uid_for(path))
		return _put_in_place(draft, path)
	var text := FileAccess.get_file_as_string(draft)
	DirAccess.remove_absolute(draft)
	return write_text(path, _with_uids(text, path))


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


## The engine numbers external resources anew for a new path; the draft gets the numbers of the file.
static func _keep_ids(path: String, draft: String) -> void:
	if not ResourceLoader.exists(path):
		return
	for dependency: String in ResourceLoader.get_dependencies(path):
		var parts := dependency.split("::")
		var resource := ResourceLoader.get_cached_ref(parts[2] if parts.size() > 2 else parts[0])
		if resource != null and resource.get_id_for_path(path) != "":
			resource.set_id_for_path(draft, resource.get_id_for_path(path))


## Outside the editor the engine leaves identifiers out of what it saves.
static func _with_uids(text: String, path: String) -> String:
	var lines := text.split("\n")
	for index: int in lines.size():
		var line := lines[index]
		if index == 0:
			lines[0] = _with_uid(line, "format=3", " uid=\"%s\"" % uid_text(path))
		elif line.begins_with("[ext_resource "):
			var target := line.get_slice(" path=\"", 1).get_slice("\"", 0)
			var id := ResourceLoader.get_resource_uid(target)
			if id != ResourceUID.INVALID_ID and not line.contains(" uid=\""):
				lines[index] = line.replace(" path=\"", " uid=\"%s\" path=\"" % ResourceUID.id_to_text(id))
		elif line.begins_with("[node ") or line.begins_with("[resource]"):
			break
	return "\n".join(lines)


static func _with_uid(line: String, after: String, uid: String) -> String:
	var pattern := RegEx.create_from_string(" uid=\"[^\"]*\"")
	return pattern.sub(line, "").replace(after, after + uid)


static func _put_in_place(draft: String, path: String) -> Variant:
	DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	var error := DirAccess.rename_absolute(draft, path)
	return null if error == OK else Failure.internal("%s could not be put in place: %s." % [path, error_string(error)])
