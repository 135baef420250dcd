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
