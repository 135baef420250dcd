@tool
extends RefCounted
## Scenes in an editor: edits go into its undo history, and the editor saves.
##
## Used in a user's editor by the plugin, and in the headless engine.

const Change := preload("change.gd")
const Diagnostics := preload("diagnostics.gd")
const EditorHistory := preload("editor_history.gd")
const EditorWork := preload("editor_work.gd")
const Failure := preload("failure.gd")
const FreshFiles := preload("fresh_files.gd")
const KnownClasses := preload("known_classes.gd")
const QuietScene := preload("quiet_scene.gd")
const ResPath := preload("res_path.gd")
const SceneCheck := preload("scene_check.gd")
const SceneView := preload("scene_view.gd")
const StoredFile := preload("stored_file.gd")
const UnsavedScenes := preload("unsaved_scenes.gd")

## Frames that opening a scene may take before it counts as failed.
const PATIENCE := 1200

## Set by the owner.
var log: RefCounted
var unsaved: UnsavedScenes

var _history := EditorHistory.new()
var _work := EditorWork.new(self)
var _view: SceneView
## The files that make up each scene, from its last read or write here.
var _stamps := {}
var _reloaded := {}


## Without a plugin there is no user, and nothing is unsaved.
func _init(plugin: EditorPlugin = null) -> void:
	if plugin != null:
		unsaved = UnsavedScenes.new(plugin)
		FreshFiles.person_since = int(Time.get_unix_time_from_system())
		FreshFiles.unsaved = unsaved
		plugin.scene_saved.connect(_remember)
		plugin.resource_saved.connect(func(resource: Resource) -> void:
			FreshFiles.note({resource.resource_path: FileAccess.get_md5(resource.resource_path)}))


## The scene at `path`, brought to the front; the current one when the path is "".
func view(path: Variant) -> Variant:
	var root := EditorInterface.get_edited_scene_root()
	if path == "" and unsaved != null and root != null:
		path = root.scene_file_path
	var opened: Variant = await open(path)
	if opened is Failure:
		return opened
	if _view == null or _view.root != opened or _view.path != opened.scene_file_path:
		_view = SceneView.new()
		_view.path = opened.scene_file_path
		_view.root = opened
	return _view


## Waits until the current content of the scene is the one being edited.
func open(path: Variant) -> Variant:
	if path == "":
		return Failure.schema("Name the scene: no editor has one open.")
	var refused: Variant = ResPath.refuse(path, ["tscn", "scn"])
	if refused is Failure:
		return refused
	if not FileAccess.file_exists(path):
		return Failure.not_found("There is no scene %s." % path, {"path": path})
	var refused_by_parts: Variant = FreshFiles.refuse_lacking(path)
	if refused_by_parts is Failure and await _import_again(refused_by_parts.details.missing):
		refused_by_parts = FreshFiles.refuse_lacking(path)
	if refused_by_parts is Failure:
		return refused_by_parts
	var fresh: Variant = await _read_again(path)
	if fresh is Failure:
		return fresh
	var root := EditorInterface.get_edited_scene_root()
	if root != null and root.scene_file_path == path and root.is_inside_tree():
		return _named_as_stored(root)
	if ResourceLoader.load(path, "PackedScene") == null:
		return Failure.for_files("This Godot cannot load %s." % path, {"path": path})
	FreshFiles.note(_stamps[path])
	var quiet := QuietScene.new(root)
	# A scene that the user opened before may have unsaved changes.
	var is_new := unsaved == null or _open_root(path) == 0
	var opened: Node = await _in_front(path)
	quiet.put_back()
	if opened != null and is_new:
		QuietScene.restore(opened, ResourceLoader.load(path, "PackedScene"))
	if opened == null and unsaved == null:
		return Failure.for_files("The editor did not open %s." % path, {"path": path})
	if opened == null:
		return Failure.timeout("The editor did not open %s." % path, {"path": path, "outcome": "not done"},
				"Look for a dialog in the editor.")
	if unsaved != null:
		# The editor reports some frames later that another scene is in front, possibly after an edit.
		unsaved.watch(opened)
	return _named_as_stored(opened)


## Adds the change to the scene's history and saves. Undoes it if the save was incomplete.
func keep(view_: SceneView, change: Change, label: String, wanted: bool) -> Variant:
	_history.add(view_.root, change, label)
	if not wanted and unsaved != null:
		return false
	var saved: Variant = save(view_, view_.path)
	if saved is Failure:
		_history.walk(view_.root, "undo")
		save(view_, view_.path)
	return saved


func save(view_: SceneView, path: String) -> Variant:
	if unsaved == null and path == view_.path and path.get_extension() == "tscn" and not resets_on_save(view_):
		return _save_alone(view_)
	# Skips the preview image, which takes longer than the save.
	EditorInterface.save_scene_as(path, false)
	if not FileAccess.file_exists(path):
		return Failure.disk(path, ERR_FILE_CANT_WRITE)
	_remember(path)
	return SceneCheck.compare_file(view_, path)


func walk_history(view_: SceneView, direction: String, wanted: bool, expected := {}) -> Variant:
	var had_unsaved := unsaved != null and unsaved.has(view_.path)
	var step: Variant = _history.walk(view_.root, direction, expected)
	if step is Failure:
		return step
	var saved: Variant = save(view_, view_.path) if wanted or unsaved == null else false
	if saved is Failure:
		return saved
	step.merge({"scene": view_.path, "saved": saved})
	return step.merged({"hadUnsaved": true}) if had_unsaved else step


## An animation called RESET sets its values when the editor saves.
func resets_on_save(view_: SceneView) -> bool:
	return view_.root.find_children("*", "AnimationMixer").any(func(mixer: AnimationMixer) -> bool:
		return mixer.reset_on_save and mixer.has_animation(&"RESET"))


## Notifies the editor of a file that was written without it.
func refreshed(answer: Variant) -> Variant:
	if answer is Dictionary:
		EditorInterface.get_resource_filesystem().update_file(answer.path)
	return answer


func run(operation: String, params: Dictionary) -> Variant:
	if operation == "diagnostics":
		await scan()
		return Diagnostics.new(log).run(params)
	return await _work.run(operation, params)


## Reloads an open scene from its file. A headless editor keeps the old nodes next to the new ones.
func reload(path: String) -> void:
	var old := EditorInterface.get_edited_scene_root()
	var quiet := QuietScene.new(old)
	var known := _open_root(path)
	for frame: int in PATIENCE:
		# The editor ignores the request while it is busy with another scene.
		if frame % 10 == 0:
			EditorInterface.reload_scene_from_path(path)
		await next_frame()
		if known == 0 or _open_root(path) != known:
			break
	quiet.put_back()
	var root := EditorInterface.get_edited_scene_root()
	if unsaved == null and is_instance_valid(old) and old != root and old.is_inside_tree():
		old.free()
	if root != null and root.scene_file_path == path:
		QuietScene.restore(root, ResourceLoader.load(path, "PackedScene"))
	_reloaded[path] = true


## The same for a scene that is shown afterwards. Godot crashes if it is reloaded twice in the background.
func reload_in_front(path: String) -> void:
	await _in_front(path)
	await reload(path)


## Position of the scene in its history, if there is one.
func position(view_: SceneView) -> Dictionary:
	return {} if unsaved == null else {"position": _history.position(view_.root)}


## Accepts a file replaced by an equivalent one: the open scene is up to date and keeps its history.
func accept(path: String) -> void:
	_remember(path)


## Scans the project, like an editor whose window gets the focus.
func scan() -> void:
	var files := EditorInterface.get_resource_filesystem()
	while files.is_scanning():
		await next_frame()
	files.scan()
	await next_frame()
	while files.is_scanning():
		await next_frame()


## Imports files added since they failed to load. Returns whether there are any.
func _import_again(lacking: Array) -> bool:
	var due := FreshFiles.to_import(lacking)
	if due.is_empty():
		return false
	await scan()
	# A scan does not retry a failed import, and may leave a new one for a later frame.
	var files := EditorInterface.get_resource_filesystem()
	for file: String in due:
		files.update_file(file)
	files.reimport_files(due)
	return true


func next_frame() -> void:
	await Engine.get_main_loop().process_frame


## The root of an open scene by its id, or 0. Before Godot 4.5 only the root of the scene in front can be found.
func _open_root(path: String) -> int:
	var roots: Array = EditorInterface.call("get_open_scene_roots") if EditorInterface.has_method("get_open_scene_roots") \
			else [EditorInterface.get_edited_scene_root()]
	for root: Node in roots:
		if root != null and root.scene_file_path == path:
			return root.get_instance_id()
	return 0


func _in_front(path: String) -> Node:
	for frame: int in PATIENCE:
		# The editor ignores the request while it is busy with another scene.
		if frame % 10 == 0:
			EditorInterface.open_scene_from_path(path)
		var root := EditorInterface.get_edited_scene_root()
		if root != null and root.scene_file_path == path and root.is_inside_tree():
			return root
		await next_frame()
	return null


## Saves like the editor, without the visible parts.
func _save_alone(view_: SceneView) -> Variant:
	var packed := PackedScene.new()
	packed.pack(view_.root)
	var compared: Variant = SceneCheck.compare(view_, packed.get_state())
	if compared is Failure:
		return compared
	var saved: Variant = StoredFile.save_scene(packed, view_.path)
	if saved is Failure:
		return saved
	# New instances of it must come from the current file.
	if ResourceLoader.has_cached(view_.path):
		FreshFiles.read_again(view_.path)
	_remember(view_.path)
	return true


## A root that was loaded while the old one still existed has another name than in the file.
func _named_as_stored(root: Node) -> Node:
	if _reloaded.erase(root.scene_file_path):
		var packed: PackedScene = ResourceLoader.load(root.scene_file_path, "PackedScene")
		root.name = packed.get_state().get_node_name(0)
	return root


## Reloads a scene if it or a part of it was written since, unless unsaved work would be lost.
func _read_again(path: String) -> Variant:
	var known: Dictionary = _stamps.get(path, {})
	var is_current: bool = not _may_be_older(path) if known.is_empty() else known == FreshFiles.contents(path)
	if is_current:
		_stamps[path] = FreshFiles.refresh(path)
		return null
	if unsaved != null and unsaved.has(path):
		return Failure.denied("unsaved_changes", "%s has changed on disk and has unsaved changes in the editor." % path,
				{"path": path}, "Save it or reload it in the editor first.")
	await scan()
	# A script that uses a class with a new name compiles only after that.
	KnownClasses.update(KnownClasses.all_scripts())
	_stamps[path] = FreshFiles.refresh(path)
	if path in EditorInterface.get_open_scenes():
		await reload(path)
	return null


## Whether the editor opened the scene by itself, as it does with those of its last session, and the file may have changed
## since.
func _may_be_older(path: String) -> bool:
	return path in EditorInterface.get_open_scenes() \
			and (unsaved == null or FileAccess.get_modified_time(path) >= FreshFiles.person_since)


## Called after this editor has saved: its cache of the scene matches the file.
func _remember(path: String) -> void:
	_stamps[path] = FreshFiles.contents(path)
	FreshFiles.note({path: _stamps[path][path]})
