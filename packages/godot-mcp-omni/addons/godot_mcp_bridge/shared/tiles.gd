@tool
extends RefCounted
## Sets tiles of a layer, and erases cells without a tile.

const Change := preload("change.gd")
const Failure := preload("failure.gd")
const Properties := preload("properties.gd")
const SceneView := preload("scene_view.gd")

const ERASED := -1


static func put(change: Change, view: SceneView, node: Node, edit: Dictionary) -> Variant:
	if not node is TileMapLayer:
		return Failure.schema("\"%s\" is a %s; tiles go into a TileMapLayer." % [view.path_of(node), node.get_class()])
	if edit.has("terrain"):
		return _paint_terrain(change, view, node, edit)
	var sources := []
	for cell: Dictionary in edit.get("cells", []):
		var source: Variant = _source_of(view, node, cell)
		if source is Failure:
			return source
		sources.append(source)
	var before := Properties.stored(node)
	for index: int in sources.size():
		var cell: Dictionary = edit.cells[index]
		node.set_cell(Vector2i(cell.x, cell.y), sources[index],
				Vector2i(-1, -1) if sources[index] == ERASED else _atlas_of(cell), cell.get("alternative", 0))
	change.note_properties(node, before)
	return null


## The source of a cell's tile: the only atlas if the cell does not name one, ERASED without a tile.
static func _source_of(view: SceneView, layer: TileMapLayer, cell: Dictionary) -> Variant:
	if cell.has("source"):
		return int(cell.source)
	if not cell.has("atlas") and not cell.has("alternative"):
		return ERASED
	var path := view.path_of(layer)
	var at := _atlas_of(cell)
	var tile := "%d, %d" % [at.x, at.y]
	var tiles := layer.tile_set
	if tiles == null:
		return Failure.schema("\"%s\" has no TileSet with a tile %s." % [path, tile], {},
				"Set its tile_set first, or name the source of each tile.")
	var numbers := range(tiles.get_source_count()).map(func(index: int) -> int: return tiles.get_source_id(index))
	var only := tiles.get_source(numbers[0]) as TileSetAtlasSource if numbers.size() == 1 else null
	if only == null:
		return Failure.schema("Tile %s needs its source: the TileSet of \"%s\" has the sources %s." % [
				tile, path, "(none)" if numbers.is_empty() else ", ".join(numbers.map(str))],
				{"sources": numbers}, "Name the source of each tile.")
	if not only.has_tile(at):
		var known := range(mini(only.get_tiles_count(), 20)).map(func(index: int) -> String:
			return "%d:%d" % [only.get_tile_id(index).x, only.get_tile_id(index).y])
		return Failure.schema("Source %d of \"%s\" has no tile %s." % [numbers[0], path, tile],
				{"source": numbers[0], "tiles": known})
	return numbers[0]


static func _atlas_of(cell: Dictionary) -> Vector2i:
	var atlas: Dictionary = cell.get("atlas", {})
	return Vector2i(atlas.get("x", 0), atlas.get("y", 0))


## Like the editor's terrain brush: the cells and their neighbors get tiles that fit together.
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
