extends SceneTree
## Prints every node of every scene with all values that it would save, as a Godot process reads them that never saw the
## server. Loads every script first, to print their errors on stderr.


func _initialize() -> void:
	var files := _files("res://")
	for path: String in files:
		if path.get_extension() == "gd":
			load(path)
	var out := {}
	for path: String in files:
		if path.get_extension() == "tscn":
			out[path] = _scene(path)
	print("ORACLE", JSON.stringify(out, "", true))
	quit()


func _files(folder: String) -> PackedStringArray:
	var out := PackedStringArray()
	for file: String in DirAccess.get_files_at(folder):
		out.append(folder.path_join(file))
	for inner: String in DirAccess.get_directories_at(folder):
		if not inner.begins_with("."):
			out.append_array(_files(folder.path_join(inner)))
	return out


func _scene(path: String) -> Variant:
	var packed := load(path) as PackedScene
	var root: Node = packed.instantiate() if packed != null else null
	if root == null:
		return null
	var out := {}
	_walk(root, root, out)
	root.free()
	return out


func _walk(root: Node, node: Node, out: Dictionary) -> void:
	var values := {"class": node.get_class(), "groups": str(node.get_groups())}
	for property: Dictionary in node.get_property_list():
		if property.usage & PROPERTY_USAGE_STORAGE:
			values[property.name] = _text(node.get(property.name))
	out[str(root.get_path_to(node))] = values
	for child: Node in node.get_children():
		_walk(root, child, out)


func _text(value: Variant) -> String:
	if value is Resource:
		return value.resource_path if value.resource_path != "" and not value.resource_path.contains("::") else _inner(value)
	if value is Object:
		return value.get_class()
	return var_to_str(value)


## A resource inside the scene, with all that it would save.
func _inner(resource: Resource) -> String:
	var values := {"class": resource.get_class()}
	for property: Dictionary in resource.get_property_list():
		if property.usage & PROPERTY_USAGE_STORAGE and property.name != "script":
			values[property.name] = _text(resource.get(property.name))
	return JSON.stringify(values, "", true)
