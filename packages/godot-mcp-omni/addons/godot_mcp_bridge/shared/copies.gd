@tool
extends RefCounted
## A copy of a subtree as the scene's file would contain it: instances stay instances,
## overrides and added children follow, and references inside refer to the copy.

const Connections := preload("connections.gd")
const Properties := preload("properties.gd")
const Values := preload("values.gd")

var node: Node
var owned: Array[Array] = []

var _root: Node
var _twins := {}


static func of(original: Node, root: Node) -> RefCounted:
	var copy: RefCounted = new()
	copy._root = root
	copy.node = copy._copy(original)
	copy._open_instances()
	copy._point_inside()
	return copy


## Connections inside the subtree and from it to the rest of the scene.
func connect_signals() -> void:
	for original: Node in _twins:
		for connection: Dictionary in Connections.persistent(original):
			_connect_twin(original, connection)


func _connect_twin(original: Node, connection: Dictionary) -> void:
	var target: Object = connection.callable.get_object()
	if not target is Node:
		return
	var callable := Callable(_twins.get(target, target), connection.callable.get_method())
	if connection.callable.get_unbound_arguments_count() > 0:
		callable = callable.unbind(connection.callable.get_unbound_arguments_count())
	if not connection.callable.get_bound_arguments().is_empty():
		callable = callable.bindv(connection.callable.get_bound_arguments())
	var twin: Node = _twins[original]
	# An instance brings the connections of its scene along.
	if not twin.is_connected(connection.signal.get_name(), callable):
		twin.connect(connection.signal.get_name(), callable, connection.flags)


func _copy(original: Node) -> Node:
	var twin: Node
	if original.scene_file_path != "":
		var packed: PackedScene = load(original.scene_file_path)
		twin = packed.instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
	else:
		twin = ClassDB.instantiate(original.get_class())
	_fill(twin, original)
	owned.push_front([twin, _root])
	return twin


func _fill(twin: Node, original: Node) -> void:
	_twins[original] = twin
	twin.name = original.name
	if twin.get_script() != original.get_script():
		twin.set_script(original.get_script())
	var values := Properties.stored(original)
	var own := Properties.stored(twin)
	for name: String in values:
		# Two nodes of one scene cannot share a unique name.
		if name != "unique_name_in_owner" and not Values.same(values[name], own.get(name)):
			twin.set(name, values[name])
	for group: StringName in original.get_groups():
		if not group.begins_with("_") and not twin.is_in_group(group):
			twin.add_to_group(group, true)
	for child: Node in original.get_children():
		if child.owner == _root:
			var copy := _copy(child)
			twin.add_child(copy)
		elif twin.has_node(NodePath(str(child.name))):
			_fill(twin.get_node(NodePath(str(child.name))), child)


## Only an ancestor can open an instance, and the copy has none yet.
func _open_instances() -> void:
	var above := Node.new()
	above.add_child(node)
	for original: Node in _twins:
		if original.scene_file_path != "" and _root.is_editable_instance(original):
			above.set_editable_instance(_twins[original], true)
	above.remove_child(node)
	above.free()


func _point_inside() -> void:
	for original: Node in _twins:
		var twin: Node = _twins[original]
		var values := Properties.stored(twin)
		for name: String in values:
			if values[name] is Node and _twins.has(values[name]):
				twin.set(name, _twins[values[name]])
			elif values[name] is Array and values[name].any(func(item: Variant) -> bool: return _twins.has(item)):
				var items: Array = values[name].duplicate()
				for index: int in items.size():
					items[index] = _twins.get(items[index], items[index])
				twin.set(name, items)
