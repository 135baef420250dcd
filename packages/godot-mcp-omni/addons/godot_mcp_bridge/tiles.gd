@tool
extends RefCounted
## Sets tiles of a layer, and erases those without a source.

const Change := preload("change.gd")
const Failure := preload("failure.gd")
const Properties := preload("properties.gd")
const SceneView := preload("scene_view.gd")


static func put(change: Change, view: SceneView, node: Node, edit: Dictionary) -> Variant:
	if not node is TileMapLayer:
		return Failure.schema("\"%s\" is a %s; tiles go into a TileMapLayer." % [view.path_of(node), node.get_class()])
	var before := Properties.stored(node)
	for cell: Dictionary in edit.get("cells", []):
		var atlas: Dictionary = cell.get("atlas", {})
		var erased := not cell.has("source")
		node.set_cell(Vector2i(cell.x, cell.y), -1 if erased else int(cell.source),
				Vector2i(-1, -1) if erased else Vector2i(atlas.get("x", 0), atlas.get("y", 0)),
				cell.get("alternative", 0))
	change.note_properties(node, before)
	return null
