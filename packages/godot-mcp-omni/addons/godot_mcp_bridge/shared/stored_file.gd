@tool
extends RefCounted
## Writes files atomically: to a temporary file that then replaces the old one.

const Failure := preload("failure.gd")
const FreshFiles := preload("fresh_files.gd")

const WORKSHOP := "res://.godot/mcp"

static var _uid_in_head := RegEx.create_from_string(" uid=\"[^\"]*\"")


static func write_text(path: String, text: String) -> Variant:
	var draft := draft_of(path)
	var file := FileAccess.open(draft, FileAccess.WRITE)
	if file == null:
		return Failure.disk(path, FileAccess.get_open_error())
	file.store_string(text)
	var error := file.get_error()
	file.close()
	return put_in_place(draft, path) if error == OK else Failure.disk(path, error)


## Saves a scene in text form. The engine does not know the temporary file, so the real one's uid and ids are applied.
static func save_scene(packed: PackedScene, path: String) -> Variant:
	var draft := draft_of(path)
	_keep_ids(path, draft)
	var error := ResourceSaver.save(packed, draft)
	if error != OK:
		return Failure.disk(path, error)
	var text := FileAccess.get_file_as_string(draft)
	var head := text.get_slice("\n", 0)
	var own_head := "%s uid=\"%s\"]" % [_uid_in_head.sub(head, "").trim_suffix("]"), uid_text(path)]
	return _rewrite(draft, path, own_head + text.substr(head.length()))


## Writes another text to the same temporary file without emptying it: then the file system would wait for the disk.
static func _rewrite(draft: String, path: String, text: String) -> Variant:
	var bytes := text.to_utf8_buffer()
	var file := FileAccess.open(draft, FileAccess.READ_WRITE)
	if file == null:
		return Failure.disk(path, FileAccess.get_open_error())
	if file.get_length() > bytes.size():
		file.close()
		DirAccess.remove_absolute(draft)
		return write_text(path, text)
	file.store_buffer(bytes)
	var error := file.get_error()
	file.close()
	return put_in_place(draft, path) if error == OK else Failure.disk(path, error)


## The file's own identifier, or a new one.
static func uid_text(path: String) -> String:
	var id := ResourceLoader.get_resource_uid(path)
	if id == ResourceUID.INVALID_ID:
		id = ResourceUID.create_id()
		ResourceUID.add_id(id, path)
	return ResourceUID.id_to_text(id)


## The path of the temporary file, unique per process: two servers on one project have separate engines.
static func draft_of(path: String) -> String:
	DirAccess.make_dir_recursive_absolute(WORKSHOP)
	return WORKSHOP.path_join("%s-%d.%s" % [path.md5_text(), OS.get_process_id(), path.get_extension()])


static func put_in_place(draft: String, path: String) -> Variant:
	DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	var error := DirAccess.rename_absolute(draft, path)
	return null if error == OK else Failure.disk(path, error)


## External resources get new ids for a new path; the temporary file keeps the ids of the real one.
static func _keep_ids(path: String, draft: String) -> void:
	for file: String in FreshFiles.dependencies(path):
		var resource := ResourceLoader.get_cached_ref(file)
		if resource != null and resource.get_id_for_path(path) != "":
			resource.set_id_for_path(draft, resource.get_id_for_path(path))
