@tool
extends "boot.gd"
## A headless Godot that keeps running and answers requests.
##
## Started as `--headless --editor --script` it is an editor without a window whose main loop is this script:
## scripts of the project do not run, classes and textures are known, and nothing is added to the project.

var _loop: RefCounted


func _part() -> String:
	return "worker_loop.gd"


func _begin(script: GDScript) -> void:
	_loop = script.new()


func _process(_delta: float) -> bool:
	if _loop != null:
		_loop.call(&"turn")
	return false
