@tool
extends SceneTree
## A headless Godot that stays and answers requests.
##
## Started as `--headless --editor --script` it is an editor without a window whose main loop is this script:
## scripts of the project stand still, classes and textures are known, and nothing is added to the project. This
## script is read under the project's rules for scripts, however strict.

var _loop: RefCounted


func _initialize() -> void:
	# For the scripts that follow, the rules are off. The engine takes note of a change when it is idle.
	var rules: Variant = ProjectSettings.get_setting("debug/gdscript/warnings/enable")
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", false)
	_load.call_deferred(rules)


func _load(rules: Variant) -> void:
	var own: Script = get_script()
	var script: GDScript = load(own.resource_path.get_base_dir().path_join("worker_loop.gd"))
	_loop = script.new()
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", rules)


func _process(_delta: float) -> bool:
	if _loop != null:
		_loop.call(&"turn")
	return false
