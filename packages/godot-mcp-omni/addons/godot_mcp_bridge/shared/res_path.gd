@tool
extends RefCounted
## Checks the paths in requests: they must be inside the project, however they are written.

const Failure := preload("failure.gd")
const FreshFiles := preload("fresh_files.gd")


## Null, or why the path is not a file of the project with one of the extensions (any, if none are given).
static func refuse(path: Variant, extensions := []) -> Variant:
	var known: bool = path is String and (extensions.is_empty() or path.get_extension() in extensions)
	if not known or not path.begins_with("res://"):
		var ends := "" if extensions.is_empty() else ", which ends in ." + " or .".join(extensions)
		return Failure.schema("A file is named by its res:// path%s." % ends, {"given": path})
	if path.split("/").has("..") or path.contains("\\") or path.simplify_path().trim_prefix("res://").begins_with(".godot"):
		return Failure.denied("project_folder", "%s leads out of the project's own files." % path, {"path": path})
	return null


## Like `refuse`, for a file to write: an existing one is replaced only on request.
static func refuse_new(path: Variant, extensions: Array, overwrite: bool) -> Variant:
	var refused: Variant = refuse(path, extensions)
	if refused is Failure:
		return refused
	if FileAccess.file_exists(path) and not overwrite:
		return Failure.denied("overwrite", "%s exists already." % path, {"path": path}, "Pass overwrite to replace it.")
	return null


## Like `refuse`, for a file that must exist, including `uid://`. Returns the loaded resource.
static func load_resource(path: Variant, type := "Resource") -> Variant:
	var file: Variant = path
	if path is String and path.begins_with("uid://"):
		var id := ResourceUID.text_to_id(path)
		file = ResourceUID.get_id_path(id) if ResourceUID.has_id(id) else path
	var refused: Variant = refuse(file)
	if refused is Failure:
		return refused
	# An imported file counts as existing as long as its .import file is there.
	if not ResourceLoader.exists(file) or not FileAccess.file_exists(file):
		return Failure.not_found("There is no resource %s." % file, {"path": file},
				"Check the path. An asset that is new must be imported first.")
	var contents := FreshFiles.refresh(file)
	var resource := ResourceLoader.load(file)
	FreshFiles.note(contents)
	if resource == null:
		return Failure.unsupported("%s could not be loaded." % file, {"path": file}, "Run diagnostics on the project.")
	if not resource.is_class(type):
		return Failure.schema("%s is a %s, not a %s." % [file, resource.get_class(), type])
	return resource


## A resource that is a file, not a part of one.
static func is_file(resource: Resource) -> bool:
	return resource.resource_path != "" and not resource.resource_path.contains("::")
