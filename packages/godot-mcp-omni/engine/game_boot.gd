extends SceneTree
## The main loop of a game that is run by a server: the game as it is, and a control beside it.
##
## Started as `--script` with the server as the debugger, so nothing is added to the project. The project's autoloads
## are there already; its scene follows.

var _control: RefCounted


func _initialize() -> void:
	# The project's rules for its own scripts do not apply to these. The engine takes note of a change when it is idle.
	var rules: Variant = ProjectSettings.get_setting("debug/gdscript/warnings/enable")
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", false)
	_load_control.call_deferred(rules)


func _load_control(rules: Variant) -> void:
	var folder: String = (get_script() as Script).resource_path.get_base_dir()
	_control = (load(folder.path_join("game_control.gd")) as GDScript).new(self)
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", rules)
	_begin.call_deferred()


func _begin() -> void:
	@warning_ignore("unsafe_method_access")
	_control.begin(OS.get_environment("GODOT_MCP_GAME_SCENE"))


func _finalize() -> void:
	if _control != null:
		@warning_ignore("unsafe_method_access")
		_control.finish()
