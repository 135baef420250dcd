extends SceneTree
## The main loop of a Godot that runs tests and recordings, as the server asks for them.
##
## The project's autoloads are there already; its main scene is not, and nothing is added to the project. This script
## is read under the project's rules for scripts, however strict.

var _loop: RefCounted


func _initialize() -> void:
	# For the scripts that follow, the rules are off. The engine takes note of a change when it is idle.
	var rules: Variant = ProjectSettings.get_setting("debug/gdscript/warnings/enable")
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", false)
	_load.call_deferred(rules)


func _load(rules: Variant) -> void:
	var own: Script = get_script()
	var script: GDScript = load(own.resource_path.get_base_dir().path_join("test_runner_loop.gd"))
	_loop = script.new(self)
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", rules)


func _process(_delta: float) -> bool:
	if _loop != null:
		_loop.call(&"turn")
	return false
