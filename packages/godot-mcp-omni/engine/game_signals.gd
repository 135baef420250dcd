extends RefCounted
## Records the signals of the game's nodes: those of their scripts and classes, not those common to all nodes.

const Clock := preload("game_clock.gd")

const MAX_NODES := 3000
const MAX_ROWS := 40
## Classes whose signals say little about a game.
const PLAIN := ["Object", "Node", "CanvasItem", "Node2D", "Node3D", "VisualInstance3D", "Control", "Container", "ScrollBar",
	"CollisionObject2D", "CollisionObject3D", "Viewport", "Window", "CanvasLayer", "TileMapLayer", "SubViewport"]

## Rows of `{frame, node, signal, times, to}`.
var fired: Array[Dictionary] = []
var dropped := 0

var _tree: SceneTree
var _clock: Clock
var _made: Array[Array] = []
var _heard := 0
static var _of_class := {}


func _init(tree: SceneTree, clock: Clock) -> void:
	_tree = tree
	_clock = clock
	var open: Array[Node] = [tree.root]
	while not open.is_empty() and _heard < MAX_NODES:
		var node: Node = open.pop_back()
		_listen(node)
		open.append_array(node.get_children())
	tree.node_added.connect(_listen)


func stop() -> void:
	_tree.node_added.disconnect(_listen)
	for made: Array in _made:
		var heard: Signal = made[0]
		if is_instance_valid(heard.get_object()) and heard.is_connected(made[1]):
			heard.disconnect(made[1])
	_made.clear()


func report() -> Dictionary:
	if fired.is_empty():
		return {}
	return {"signals": fired} if dropped == 0 else {"signals": fired, "moreSignals": dropped}


func _listen(node: Node) -> void:
	_heard += 1
	var known: Array = _signals_of(node.get_class())
	var script: Script = node.get_script()
	if script != null:
		known = known + script.get_script_signal_list()
	for info: Dictionary in known:
		var heard := Signal(node, info.name)
		if heard.is_null() or not node.has_signal(info.name):
			continue
		var row := _on_fired.bind(node.get_instance_id(), str(node.get_path()), info.name)
		var callable := row if info.args.is_empty() else row.unbind(info.args.size())
		if not heard.is_connected(callable):
			heard.connect(callable)
			_made.append([heard, callable])


## Collects from the class and its base classes, up to the first plain one.
func _signals_of(type: StringName) -> Array:
	if not _of_class.has(type):
		var out := []
		var name := type
		while name != &"" and not PLAIN.has(str(name)):
			# Bodies have a second pair of signals, with the shapes.
			out.append_array(ClassDB.class_get_signal_list(name, true).filter(func(info: Dictionary) -> bool:
				return not info.name.contains("_shape_")))
			name = ClassDB.get_parent_class(name)
		_of_class[type] = out
	return _of_class[type]


## A signal may remove its node from the tree before this callback runs.
func _on_fired(id: int, path: String, name: String) -> void:
	var node := instance_from_id(id) as Node
	if node == null:
		return
	for row: Dictionary in fired:
		if row.node == path and row.signal == name:
			row.times += 1
			return
	if fired.size() == MAX_ROWS:
		dropped += 1
		return
	fired.append({"frame": _clock.frame, "node": path, "signal": name, "times": 1, "to": _receivers(node, name)})


## Methods that are connected to it, as `Main._on_coin`.
func _receivers(node: Node, name: String) -> Array:
	var out := []
	for connection: Dictionary in node.get_signal_connection_list(name):
		var callable: Callable = connection.callable
		var object := callable.get_object()
		if object == self or object == null or object is Node and (object as Node).get_script() == null:
			continue
		var owner := str((object as Node).name) if object is Node else object.get_class()
		out.append("%s.%s" % [owner, callable.get_method()])
	return out
