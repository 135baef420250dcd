@tool
extends "boot.gd"
## The main loop of a look at a scene: draws it from several sides into one picture and ends.

var _looking: RefCounted


func _part() -> String:
	return "look_scene.gd"


func _begin(script: GDScript) -> void:
	_looking = script.new(self)


func _open() -> void:
	@warning_ignore("unsafe_method_access")
	_looking.begin(OS.get_environment("GODOT_MCP_LOOK"))
