@tool
extends RefCounted
## One change of a scene: steps that take effect at once, and can be undone and redone as a whole.

const Properties := preload("properties.gd")
const Values := preload("values.gd")

## Nodes that exist only while the change is done, and those that exist only while it is undone.
var made: Array[Node] = []
var removed: Array[Node] = []

var _steps: Array[Array] = []


func is_empty() -> bool:
	return _steps.is_empty()


func do(forward: Callable, backward: Callable) -> void:
	_steps.append([forward, backward])
	forward.call()


## Adds a step that has already been done.
func note(forward: Callable, backward: Callable) -> void:
	_steps.append([forward, backward])


## Adds changes of stored properties by setters, including properties that the edit does not name.
func note_properties(object: Object, before: Dictionary) -> void:
	var after := Properties.stored(object)
	var old := {}
	var new_ := {}
	for name: String in before.keys() + after.keys():
		if not Values.same(before.get(name), after.get(name)):
			old[name] = before.get(name)
			new_[name] = after.get(name)
	if not old.is_empty():
		note(Properties.restore.bind(object, new_), Properties.restore.bind(object, old))


func redo() -> void:
	for step: Array in _steps:
		step[0].call()


func undo() -> void:
	for index: int in range(_steps.size() - 1, -1, -1):
		_steps[index][1].call()


## Undoes the change for good and frees its nodes.
func abandon() -> void:
	undo()
	for node: Node in made:
		if is_instance_valid(node) and node.get_parent() == null:
			node.free()
	_steps.clear()
