@tool
extends RefCounted
## Operations that need an editor: its tabs, its selection, its views, play and stop, its log.

const Failure := preload("failure.gd")
const ResPath := preload("res_path.gd")
const SceneReader := preload("scene_reader.gd")

const SCREENS := ["2D", "3D", "Script", "AssetLib"]
const MAX_SHOT := 1280

var _host: RefCounted


func _init(host: RefCounted) -> void:
	_host = host


func run(operation: String, params: Dictionary) -> Variant:
	match operation:
		"project.import": return await _import(params)
		"editor.state": return _state()
		"editor.open_scene": return await _open(params)
		"editor.close_scene": return await _close(params)
		"editor.reload_scene": return await _reload(params)
		"editor.accept_file": return _accept(params)
		"editor.select": return await _select(params)
		"editor.screen": return _screen(params)
		"editor.screenshot": return await _screenshot(params)
		"editor.edit_script": return await _edit_script(params)
		"editor.breakpoint": return await _breakpoint(params)
		"editor.play": return await _play(params)
		"editor.stop": return await _stop()
		"editor.log": return _log(params)
	return Failure.unsupported("\"%s\" is not for the editor." % operation)


func _import(params: Dictionary) -> Variant:
	if params.has("paths"):
		for path: Variant in params.paths:
			if not path is String or not FileAccess.file_exists(path):
				return Failure.not_found("There is no file %s." % path, {"path": path})
	var start: int = _host.log.count if _host.log != null else 0
	if params.has("paths"):
		var files := EditorInterface.get_resource_filesystem()
		while files.is_scanning():
			await _host.next_frame()
		for path: String in params.paths:
			# A scan does not detect a second new file in the same second.
			if files.get_file_type(path) == "":
				files.update_file(path)
		files.reimport_files(PackedStringArray(params.paths))
	await _host.scan()
	return {"imported": true, "said": _host.log.since(start, 20, true) if _host.log != null else []}


func _state() -> Dictionary:
	var root := EditorInterface.get_edited_scene_root()
	var scripts := EditorInterface.get_script_editor().get_open_scripts().map(func(s: Script) -> String: return s.resource_path)
	return {
		"version": Engine.get_version_info().string,
		"scenes": _scenes(),
		"current": root.scene_file_path if root != null and root.scene_file_path != "" else null,
		"selection": _selection(),
		"playing": EditorInterface.get_playing_scene() if EditorInterface.is_playing_scene() else null,
		"scripts": scripts,
		"headless": DisplayServer.get_name() == "headless",
		"scanning": EditorInterface.get_resource_filesystem().is_scanning(),
	}


func _scenes() -> Array:
	return Array(EditorInterface.get_open_scenes()).map(func(path: String) -> Dictionary:
		return {"scene": path, "unsaved": _host.unsaved != null and _host.unsaved.has(path)})


func _open(params: Dictionary) -> Variant:
	var view: Variant = await _host.view(params.get("scene"))
	return view if view is Failure else SceneReader.tree(view, {})


func _close(params: Dictionary) -> Variant:
	var path: Variant = params.get("scene")
	if not path in EditorInterface.get_open_scenes():
		return _not_open(path)
	if _host.unsaved != null and _host.unsaved.has(path) and not params.get("discard", false):
		return Failure.denied("unsaved_changes", "%s has unsaved changes." % path, {}, "Save it, or pass discard.")
	var view: Variant = await _host.view(path)
	if view is Failure:
		return view
	EditorInterface.close_scene()
	await _host.next_frame()
	return {"scenes": _scenes()}


func _reload(params: Dictionary) -> Variant:
	var path: Variant = params.get("scene")
	if not path in EditorInterface.get_open_scenes():
		return _not_open(path)
	if params.get("keepUnsaved", false) and _host.unsaved != null and _host.unsaved.has(path):
		return Failure.denied("unsaved_changes", "%s has unsaved changes." % path, {"path": path}, "Save it first.")
	await _host.reload_in_front(path)
	return await _open(params)


func _accept(params: Dictionary) -> Variant:
	var path: Variant = params.get("scene")
	if not path in EditorInterface.get_open_scenes():
		return _not_open(path)
	_host.accept(path)
	return {"scene": path}


func _not_open(path: Variant) -> Failure:
	return Failure.not_found("%s is not open." % path, {"open": Array(EditorInterface.get_open_scenes())})


func _select(params: Dictionary) -> Variant:
	var view: Variant = await _host.view(params.get("scene", ""))
	if view is Failure:
		return view
	var nodes := []
	for reference: Variant in params.get("nodes", []):
		var node: Variant = view.find(reference)
		if node is Failure:
			return node
		nodes.append(node)
	EditorInterface.get_selection().clear()
	for node: Node in nodes:
		EditorInterface.get_selection().add_node(node)
	if params.get("focus", false) and not nodes.is_empty():
		EditorInterface.edit_node(nodes[-1])
	return {"selection": _selection()}


func _selection() -> Array:
	var root := EditorInterface.get_edited_scene_root()
	if root == null:
		return []
	return EditorInterface.get_selection().get_selected_nodes().map(func(node: Node) -> String:
		return str(root.get_path_to(node)))


func _screen(params: Dictionary) -> Variant:
	if not params.get("screen") in SCREENS:
		return Failure.unknown("screen", str(params.get("screen")), SCREENS, "E_SCHEMA_VALIDATION")
	EditorInterface.set_main_screen_editor(params.screen)
	return {"screen": params.screen}


func _screenshot(params: Dictionary) -> Variant:
	var view: String = params.get("view", "editor")
	var viewport: Viewport = EditorInterface.get_base_control().get_viewport()
	if view == "2D":
		viewport = EditorInterface.get_editor_viewport_2d()
	elif view == "3D":
		viewport = EditorInterface.get_editor_viewport_3d(0)
	elif view != "editor":
		return Failure.unknown("view", view, ["2D", "3D", "editor"], "E_SCHEMA_VALIDATION")
	# A hidden view is not drawn, so its screenshot would be old or empty.
	var holder := viewport.get_parent() as Control
	if view != "editor" and holder != null and not holder.is_visible_in_tree():
		return Failure.unsupported("The %s view is hidden: the editor shows another screen." % view, {},
				"Show it first, with godot_editor switch_screen.")
	if DisplayServer.get_name() == "headless":
		return Failure.unsupported("An editor without a display has no picture.", {}, "Start the editor on a display.")
	# Recent changes are laid out in the next frames, and a frame without changes is drawn only if forced.
	await _host.next_frame()
	await _host.next_frame()
	RenderingServer.force_draw()
	var image := viewport.get_texture().get_image()
	if image == null or image.is_empty():
		return Failure.unsupported("The view gave no picture.")
	var longest := maxi(image.get_width(), image.get_height())
	var limit := int(params.get("maxSize", MAX_SHOT))
	if longest > limit:
		var size := Vector2i(Vector2(image.get_size()) * limit / longest).max(Vector2i.ONE)
		image.resize(size.x, size.y, Image.INTERPOLATE_LANCZOS)
	var png := Marshalls.raw_to_base64(image.save_png_to_buffer())
	return {"png": png, "width": image.get_width(), "height": image.get_height()}


func _edit_script(params: Dictionary) -> Variant:
	var script: Variant = ResPath.load_resource(params.get("path"), "Script")
	if script is Failure:
		return script
	var line := int(params.get("line", 1))
	if _opens_elsewhere() and not params.get("externalTools", false):
		return Failure.denied("ALLOW_EXTERNAL_TOOLS", "This editor opens scripts in another program.", {},
				"The operator can start the server with ALLOW_EXTERNAL_TOOLS=true, or switch the external editor off.")
	EditorInterface.edit_script(script, line)
	await _host.next_frame()
	return {"path": script.resource_path, "line": line}


func _opens_elsewhere() -> bool:
	return EditorInterface.get_editor_settings().get_setting("text_editor/external/use_external_editor") == true


func _breakpoint(params: Dictionary) -> Variant:
	var opened: Variant = await _edit_script(params)
	if opened is Failure:
		return opened
	var current := EditorInterface.get_script_editor().get_current_editor()
	var code := current.get_base_editor() as CodeEdit if current != null else null
	if code == null:
		return Failure.unsupported("Breakpoints need the built-in script editor.")
	var line := int(params.get("line", 0))
	if line < 1 or line > code.get_line_count():
		return Failure.schema("\"line\" is a number from 1 to %d." % code.get_line_count())
	var on: bool = params.get("on", true)
	code.set_line_as_breakpoint(line - 1, on)
	return {"path": opened.path, "line": line, "on": code.is_line_breakpointed(line - 1)}


func _play(params: Dictionary) -> Variant:
	if EditorInterface.is_playing_scene():
		await _stop()
	var scene: String = params.get("scene", ProjectSettings.get_setting("application/run/main_scene", ""))
	if scene.begins_with("uid://"):
		scene = ResourceUID.get_id_path(ResourceUID.text_to_id(scene))
	if scene == "":
		return Failure.not_found("The project has no main scene.", {}, "Set application/run/main_scene or name a scene.")
	if not FileAccess.file_exists(scene):
		return Failure.not_found("There is no scene %s." % scene, {"path": scene})
	EditorInterface.play_custom_scene(scene)
	for frame: int in 120:
		if EditorInterface.is_playing_scene():
			return {"playing": true, "scene": scene}
		await _host.next_frame()
	return Failure.timeout("The editor did not start the game.", {}, "Look at the editor's log.")


func _stop() -> Dictionary:
	EditorInterface.stop_playing_scene()
	while EditorInterface.is_playing_scene():
		await _host.next_frame()
	return {"playing": false}


func _log(params: Dictionary) -> Variant:
	if _host.log == null:
		return Failure.unsupported("The editor's log needs Godot 4.5 or newer.")
	var after := int(params.get("after", 0))
	var entries: Array = _host.log.since(after, int(params.get("limit", 100)), params.get("onlyErrors", false))
	var next: int = _host.log.count if entries.is_empty() else int(entries[-1].index) + 1
	return {"entries": entries, "next": next, "lost": maxi(0, _host.log.oldest() - after)}
