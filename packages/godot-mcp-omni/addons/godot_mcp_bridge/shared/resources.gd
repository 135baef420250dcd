@tool
extends RefCounted
## Resources in separate files.

const Failure := preload("failure.gd")
const FreshFiles := preload("fresh_files.gd")
const Properties := preload("properties.gd")
const ResPath := preload("res_path.gd")
const Types := preload("types.gd")


static func create(params: Dictionary) -> Variant:
	var path: Variant = params.get("path")
	var refused: Variant = ResPath.refuse_new(path, ["tres", "res"], params.get("overwrite", false))
	if refused is Failure:
		return refused
	var exists := FileAccess.file_exists(path)
	var made: Variant = Types.instantiate_resource(str(params.get("type")))
	if made is Failure:
		return made
	var set_: Variant = Properties.set_all(made, params.get("properties", {}))
	var saved: Variant = set_ if set_ is Failure else _save(made, path)
	if saved is Failure:
		return saved
	return {"path": path, "type": Types.of_object(made), "overwritten": exists, "changed": set_}


static func edit(params: Dictionary) -> Variant:
	var resource: Variant = ResPath.load_resource(params.get("path"))
	if resource is Failure:
		return resource
	if not resource.resource_path.get_extension() in ["tres", "res"]:
		return Failure.unsupported("%s is not a file that Godot writes." % resource.resource_path)
	var lacking: Variant = FreshFiles.refuse_lacking(resource.resource_path)
	if lacking is Failure:
		return lacking
	var before := Properties.stored(resource)
	var changed: Variant = Properties.set_all(resource, params.get("properties", {}))
	var saved: Variant = changed if changed is Failure else _save(resource, resource.resource_path)
	if saved is Failure:
		Properties.restore(resource, before)
		return saved
	FreshFiles.note({resource.resource_path: FileAccess.get_md5(resource.resource_path)})
	return {"path": resource.resource_path, "changed": changed}


static func _save(resource: Resource, path: String) -> Variant:
	DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	var error := ResourceSaver.save(resource, path, ResourceSaver.FLAG_CHANGE_PATH)
	FreshFiles.forget(path)
	return Failure.disk(path, error) if error != OK else null


static func uid(params: Dictionary) -> Variant:
	var path: Variant = params.get("path")
	if params.has("uid"):
		var named := ResourceUID.text_to_id(str(params.uid))
		if named == ResourceUID.INVALID_ID or not ResourceUID.has_id(named):
			return Failure.not_found("No file has the identifier %s." % params.uid)
		path = ResourceUID.get_id_path(named)
	var refused: Variant = ResPath.refuse(path)
	if refused is Failure:
		return refused
	if not FileAccess.file_exists(path):
		return Failure.not_found("There is no file %s." % path, {"path": path})
	var id := ResourceLoader.get_resource_uid(path)
	return {"path": path, "uid": ResourceUID.id_to_text(id) if id != ResourceUID.INVALID_ID else null}
