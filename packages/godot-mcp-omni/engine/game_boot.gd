@tool
extends "boot.gd"
## The main loop of a game that a server runs: the unchanged game and a control script.
##
## Started as `--script` with the server as the debugger, so nothing is added to the project. The project's autoloads
## are loaded already; its scene follows.

var _control: RefCounted


func _part() -> String:
	return "game_control.gd"


func _begin(script: GDScript) -> void:
	_control = script.new(self)


func _open() -> void:
	@warning_ignore("unsafe_method_access")
	_control.begin(OS.get_environment("GODOT_MCP_GAME_SCENE"))


func _finalize() -> void:
	if _control != null:
		@warning_ignore("unsafe_method_access")
		_control.finish()
