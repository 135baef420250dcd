@tool
extends RefCounted
## Disconnects the signals of a scene for a while.
##
## When another scene comes to the front, the editor removes this one's nodes from the tree. Connections to native
## methods work in an editor too, so `tree_exited` to `queue_free` would free nodes that its tab still uses.

var _cut: Array[Dictionary] = []


func _init(root: Node) -> void:
	if root == null:
		return
	for node: Node in [root] + root.find_children("*", "", true, false):
		for connection: Dictionary in node.get_incoming_connections():
			if connection.flags & CONNECT_PERSIST:
				connection.signal.disconnect(connection.callable)
				_cut.append(connection)


func put_back() -> void:
	for connection: Dictionary in _cut:
		var emitter: Signal = connection.signal
		if is_instance_valid(emitter.get_object()) and connection.callable.is_valid():
			emitter.connect(connection.callable, connection.flags)
	_cut.clear()


## Reverts changes by connections to native methods while a scene was opened, such as `tree_entered` to `hide`. Scripts
## that are not tools do not run in an editor.
static func restore(root: Node, packed: PackedScene) -> void:
	var changed := {}
	for node: Node in [root] + root.find_children("*", "", true, false):
		for connection: Dictionary in node.get_incoming_connections():
			if connection.flags & CONNECT_PERSIST and ClassDB.class_has_method(node.get_class(), connection.callable.get_method()):
				changed[node] = true
	# A container places its children when it is in the tree.
	var targets := changed.keys().filter(func(node: Node) -> bool: return not node.get_parent() is Container)
	if targets.is_empty():
		return
	var stored := packed.instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
	for node: Node in targets:
		var twin := stored.get_node_or_null(root.get_path_to(node))
		for property: Dictionary in twin.get_property_list() if twin != null else []:
			if property.usage & PROPERTY_USAGE_STORAGE and property.type != TYPE_OBJECT:
				var value: Variant = twin.get(property.name)
				if value != node.get(property.name):
					node.set(property.name, value)
	stored.free()
