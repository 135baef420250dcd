@tool
extends SceneTree
## The minimum work of an edit in a warm Godot: for each input line it adds a node, saves the scene and replies.

var _mode := OS.get_cmdline_user_args()[0]
var _scene := OS.get_cmdline_user_args()[1]
var _frames := 0


func _process(_delta: float) -> bool:
	_frames += 1
	if EditorInterface.get_resource_filesystem().is_scanning() or _frames < 30:
		return false
	var root := EditorInterface.get_edited_scene_root()
	if root == null:
		if _frames % 10 == 0:
			EditorInterface.open_scene_from_path(_scene)
		return false
	var line := OS.read_string_from_stdin(1024).strip_edges()
	if line == "":
		quit()
		return false
	if line == "\"add\"":
		var node := Node2D.new()
		node.name = "Node%d" % root.get_child_count()
		root.add_child(node)
		node.owner = root
		_save(root)
	printraw("done\n")
	return false


func _save(root: Node) -> void:
	if _mode == "editor":
		EditorInterface.save_scene_as(_scene, false)
		return
	var packed := PackedScene.new()
	packed.pack(root)
	ResourceSaver.save(packed, _scene)
