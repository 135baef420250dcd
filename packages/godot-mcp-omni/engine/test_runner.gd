@tool
extends "boot.gd"
## The main loop of a Godot process that runs tests and recordings for the server.
##
## The project's autoloads are loaded; its main scene is not, and nothing is added to the project.

var _loop: RefCounted


func _part() -> String:
	return "test_runner_loop.gd"


func _begin(script: GDScript) -> void:
	_loop = script.new(self)


func _process(_delta: float) -> bool:
	if _loop != null:
		_loop.call(&"turn")
	return false
