@tool
extends RefCounted
## The transform of a 2D or 3D node in its scene.


## Relative to the root of the scene; null for nodes without a transform.
static func of(node: Node) -> Variant:
	if not (node is Node2D or node is Node3D):
		return null
	var space: Variant = _space(node.get_parent(), node)
	return space * node.transform if space != null else node.transform


## The transform of the node's surroundings; null if there are none.
static func above(node: Node) -> Variant:
	return null if node.get("top_level") else _space(node.get_parent(), node)


static func restore(node: Node, world: Variant) -> void:
	var space: Variant = _space(node.get_parent(), node)
	node.transform = space.affine_inverse() * world if space != null else world


## The transform that a node passes to its children, if they are of the same kind.
static func _space(parent: Node, node: Node) -> Variant:
	if not (node is Node2D and parent is CanvasItem or node is Node3D and parent is Node3D):
		return null
	var own: Variant = parent.get_transform() if parent is CanvasItem else parent.transform
	var above: Variant = null if parent.top_level else _space(parent.get_parent(), node)
	return above * own if above != null else own
