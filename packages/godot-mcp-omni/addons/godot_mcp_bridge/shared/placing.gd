@tool
extends RefCounted
## Adds nodes to the tree and removes them, with their owners.

## Every node of a subtree that has an owner, with that owner.
static func owners(node: Node) -> Array[Array]:
	var out: Array[Array] = []
	if node.owner != null:
		out.append([node, node.owner])
	for child: Node in node.get_children(true):
		out.append_array(owners(child))
	return out


## A node that leaves the tree loses its owner, so owners are set again after every move.
static func put(node: Node, parent: Node, index: int, owned: Array[Array]) -> void:
	parent.add_child(node)
	if index >= 0:
		parent.move_child(node, index)
	for pair: Array in owned:
		if pair[0].owner != pair[1]:
			pair[0].owner = pair[1]


static func take(node: Node) -> void:
	node.get_parent().remove_child(node)


static func transfer(node: Node, parent: Node, index: int, owned: Array[Array], name: StringName) -> void:
	take(node)
	node.name = name
	put(node, parent, index, owned)


## A container's layout is not part of the scene; outside it, a control starts with its minimum size.
static func forget_layout(node: Node, old_parent: Node) -> void:
	if node is Control and old_parent is Container and not node.get_parent() is Container:
		for side: Side in [SIDE_LEFT, SIDE_TOP, SIDE_RIGHT, SIDE_BOTTOM]:
			node.set_offset(side, 0.0)
