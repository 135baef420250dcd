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
	if edit.has("terrain"):
		return _paint_terrain(change, view, node, edit)
	var before := Properties.stored(node)
	for cell: Dictionary in edit.get("cells", []):
		var atlas: Dictionary = cell.get("atlas", {})
		var erased := not cell.has("source")
		node.set_cell(Vector2i(cell.x, cell.y), -1 if erased else int(cell.source),
				Vector2i(-1, -1) if erased else Vector2i(atlas.get("x", 0), atlas.get("y", 0)),
				cell.get("alternative", 0))
	change.note_properties(node, before)
	return null


## As the editor's terrain brush: the cells and their neighbours get tiles that fit together.
static func _paint_terrain(change: Change, view: SceneView, layer: TileMapLayer, edit: Dictionary) -> Variant:
	var tiles := layer.tile_set
	var set_: int = edit.terrain.set
	if tiles == null or set_ >= tiles.get_terrain_sets_count():
		return Failure.schema("The TileSet of \"%s\" has no terrain set %d." % [view.path_of(layer), set_],
				{"sets": 0 if tiles == null else tiles.get_terrain_sets_count()})
	if edit.terrain.terrain >= tiles.get_terrains_count(set_):
		return Failure.schema("Terrain set %d has %d terrains, and the first is 0." % [set_, tiles.get_terrains_count(set_)])
	var cells: Array[Vector2i] = []
	for cell: Dictionary in edit.cells:
		cells.append(Vector2i(cell.x, cell.y))
	var before := Properties.stored(layer)
	layer.set_cells_terrain_connect(cells, set_, int(edit.terrain.terrain), false)
	change.note_properties(layer, before)
	return null
