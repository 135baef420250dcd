@tool
extends RefCounted
## The operations of both the headless engine and the editor. The host opens and saves scenes.

const Change := preload("change.gd")
const ClassLists := preload("class_lists.gd")
const ClassNames := preload("class_names.gd")
const Connections := preload("connections.gd")
const Failure := preload("failure.gd")
const ResPath := preload("res_path.gd")
const Resources := preload("resources.gd")
const SceneCheck := preload("scene_check.gd")
const SceneEdits := preload("scene_edits.gd")
const SceneReader := preload("scene_reader.gd")
const SceneView := preload("scene_view.gd")
const Settings := preload("settings.gd")
const StoredFile := preload("stored_file.gd")
const ToolCalls := preload("tool_calls.gd")
const Types := preload("types.gd")

var _host: RefCounted


func _init(host: RefCounted) -> void:
	_host = host


## Returns a dictionary or a failure; null means that a script error ended it.
func run(operation: String, params: Dictionary) -> Variant:
	match operation:
		"scene.create": return await _create_scene(params)
		"scene.tree": return await _with_scene(params, SceneReader.tree)
		"scene.find": return await _with_scene(params, SceneReader.find)
		"scene.edit": return await _edit_scene(params)
		"scene.save": return await _save_scene(params)
		"scene.undo": return await _walk_history(params, "undo")
		"scene.redo": return await _walk_history(params, "redo")
		"inspect": return await _inspect(params)
		"properties.list": return await _list("properties", params)
		"methods.list": return await _list("methods", params)
		"signals.list": return await _list("signals", params)
		"connections.list": return await _with_scene(params, _list_connections)
		"resource.create": return await _host.refreshed(Resources.create(params))
		"resource.edit": return await _host.refreshed(Resources.edit(params))
		"uid": return Resources.uid(params)
		"settings.get": return Settings.read(params)
		"settings.set": return Settings.write(params)
		"input_map.get": return Settings.read_input_map(params)
		"input_map.set": return Settings.write_input_map(params)
		"tool.call": return await ToolCalls.run(params, _host.log)
	return await _host.run(operation, params)


func _with_scene(params: Dictionary, reader: Callable) -> Variant:
	var view: Variant = await _host.view(params.get("scene", ""))
	return view if view is Failure else reader.call(view, params)


func _create_scene(params: Dictionary) -> Variant:
	var path: Variant = params.get("scene")
	var refused: Variant = ResPath.refuse_new(path, ["tscn"], params.get("overwrite", false))
	if refused is Failure:
		return refused
	var exists := FileAccess.file_exists(path)
	var text: Variant = _scene_text(path, params)
	var written: Variant = text if text is Failure else StoredFile.write_text(path, text)
	if written is Failure:
		return written
	if exists:
		# An editor reloads a replaced file some frames later, and crashes if it opens the file before.
		await _host.scan()
	else:
		await _host.refreshed({"path": path})
	var view: Variant = await _host.view(path)
	if view is Failure:
		return view
	return {"scene": path, "root": SceneReader.tree(view, {}).root, "overwritten": exists}


func _scene_text(path: String, params: Dictionary) -> Variant:
	var header := "[gd_scene format=3 uid=\"%s\"]\n" % StoredFile.uid_text(path)
	var name: String = params.get("rootName", path.get_file().get_basename().to_pascal_case())
	if name.validate_node_name() != name or name == "":
		return Failure.schema("\"%s\" cannot be a node's name." % name, {"valid": name.validate_node_name()})
	if params.has("inherits"):
		var base: Variant = ResPath.load_resource(params.inherits, "PackedScene")
		if base is Failure:
			return base
		if params.has("rootType") or base.resource_path == path:
			return Failure.schema("\"inherits\" names another scene, and \"rootType\" is left out.")
		return header + "\n%s\n\n[node name=\"%s\" instance=ExtResource(\"1_base\")]\n" % [
				_external("PackedScene", base.resource_path, "1_base"), params.get("rootName", str(base.get_state().get_node_name(0)))]
	var type: String = params.get("rootType", "Node2D")
	if not Types.is_node_class(type):
		var known := ClassNames.exists(type)
		return Failure.schema("%s is not a node." % type) if known else Failure.unknown("class", type, ClassNames.all())
	if ClassDB.class_exists(type):
		if not ClassNames.can_make(type):
			return Failure.schema("%s is abstract: name one of the classes that inherit it." % type)
		return header + "\n[node name=\"%s\" type=\"%s\"]\n" % [name, type]
	return header + "\n%s\n\n[node name=\"%s\" type=\"%s\"]\nscript = ExtResource(\"1_script\")\n" % [
			_external("Script", ClassNames.script_of(type), "1_script"), name, ClassNames.native_base(type)]


func _external(type: String, path: String, id: String) -> String:
	var uid := ResourceLoader.get_resource_uid(path)
	var mark := " uid=\"%s\"" % ResourceUID.id_to_text(uid) if uid != ResourceUID.INVALID_ID else ""
	return "[ext_resource type=\"%s\"%s path=\"%s\" id=\"%s\"]" % [type, mark, path, id]


func _edit_scene(params: Dictionary) -> Variant:
	if not params.get("edits") is Array or params.edits.is_empty():
		return Failure.schema("\"edits\" is a list of at least one edit.")
	var view: Variant = await _host.view(params.get("scene", ""))
	if view is Failure:
		return view
	var had_unsaved: bool = _host.unsaved != null and _host.unsaved.has(view.path)
	var change := Change.new()
	var start: int = _host.log.count if _host.log != null else 0
	var rows: Variant = SceneEdits.run(view, change, params.edits)
	if rows is Failure:
		return rows
	if _host.log != null and _host.log.has_errors_of(_folder(), start):
		change.abandon()
		return null
	var saved: Variant = await _host.keep(view, change, _label(params), params.get("save", true))
	if saved is Failure:
		return saved
	if saved and _host.resets_on_save(view):
		SceneCheck.mark_lost_values(view, rows)
	var answer := {"scene": view.path, "changes": rows, "saved": saved}.merged(_host.position(view))
	if answer.has("position"):
		answer["step"] = _label(params)
	return answer.merged({"hadUnsaved": true}) if had_unsaved else answer


## After a script error the caller continues, so a change with an error is not trusted.
func _folder() -> String:
	return get_script().resource_path.get_base_dir()


func _label(params: Dictionary) -> String:
	if params.has("label"):
		return params.label
	var kinds := {}
	for edit: Dictionary in params.edits:
		kinds[edit.kind] = true
	return "MCP: " + ", ".join(kinds.keys())


func _save_scene(params: Dictionary) -> Variant:
	var view: Variant = await _host.view(params.get("scene", ""))
	if view is Failure:
		return view
	var target: String = params.get("as", view.path)
	var refused: Variant = ResPath.refuse_new(target, ["tscn", "scn"], target == view.path or params.get("overwrite", false))
	if refused is Failure:
		return refused
	var saved: Variant = await _host.save(view, target)
	return saved if saved is Failure else {"scene": target, "saved": true}


func _walk_history(params: Dictionary, direction: String) -> Variant:
	var view: Variant = await _host.view(params.get("scene", ""))
	return view if view is Failure else await _host.walk_history(view, direction, params.get("save", true),
			params.get("expected", {}))


func _inspect(params: Dictionary) -> Variant:
	var target: Variant = await _target(params)
	if target is Failure:
		return target
	if target.object is Node:
		return SceneReader.inspect_node(target.view, target.object, params)
	if target.object is Resource:
		return SceneReader.inspect_resource(target.object, params)
	return _inspect_class(target.type, params)


## Default values of a new object of the class.
func _inspect_class(type: String, params: Dictionary) -> Dictionary:
	var values := {}
	for row: Dictionary in ClassLists.list("properties", type, null, {"limit": 100000}).properties:
		if not params.has("fields") or row.name in params.fields:
			values[row.name] = row.get("default")
	return {"type": type, "properties": values, "defaults": 0}


func _list(kind: String, params: Dictionary) -> Variant:
	var target: Variant = await _target(params)
	return target if target is Failure else ClassLists.list(kind, target.type, target.object, params)


func _target(params: Dictionary) -> Variant:
	if params.has("class"):
		if not ClassNames.exists(str(params["class"])):
			return Failure.unknown("class", str(params["class"]), ClassNames.all())
		return {"type": params["class"], "object": null}
	if params.has("resource"):
		var resource: Variant = ResPath.load_resource(params.resource)
		return resource if resource is Failure else {"type": Types.of_object(resource), "object": resource}
	var view: Variant = await _host.view(params.get("scene", ""))
	var node: Variant = view if view is Failure else view.find(params.get("node", "."))
	return node if node is Failure else {"type": Types.of_object(node), "object": node, "view": view}


func _list_connections(view: SceneView, params: Dictionary) -> Variant:
	var out := []
	var from: Variant = view.find(params.node) if params.has("node") else null
	if from is Failure:
		return from
	for node: Node in [from] if from != null else view.nodes():
		out.append_array(Connections.of(view, node, params.get("signal", "")))
	return {"scene": view.path, "connections": out}
