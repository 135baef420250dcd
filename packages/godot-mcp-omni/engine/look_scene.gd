extends RefCounted
## Draws a scene, a node of it or a resource: 3D from several sides, controls at several window sizes, 2D as a whole.
## Scripts of the scene are detached first, as in the editor.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")

const TILE := Vector2i(480, 360)
const COLUMNS := 2
const MARGIN := 1.15
const BACKGROUND := Color(0.16, 0.17, 0.2)
const MAX_NODES := 40
## Direction from the center to the camera, and the up direction of the picture.
const SIDES := {
	"corner": [Vector3(1, 0.8, 1.2), Vector3.UP], "front": [Vector3.BACK, Vector3.UP],
	"right": [Vector3.RIGHT, Vector3.UP], "top": [Vector3.UP, Vector3.FORWARD],
}

var _tree: SceneTree
var _nodes: Array[Dictionary] = []


func _init(tree: SceneTree) -> void:
	_tree = tree


func begin(text: String) -> void:
	var params: Dictionary = JSON.parse_string(text)
	var result: Variant = await _look(params)
	var answer: Dictionary = result.to_answer(0) if result is Failure else {"ok": true, "result": result}
	var file := FileAccess.open(params.answer, FileAccess.WRITE)
	if file != null:
		file.store_string(JSON.stringify(answer))
		file.close()
	_tree.quit()


func _look(params: Dictionary) -> Variant:
	var shown: Variant = _thing(params)
	if shown is Failure:
		return shown
	var root: Node = shown
	_take_scripts_off(root)
	var pictures: Array[Dictionary]
	if not root.find_children("*", "GeometryInstance3D", true, false).is_empty() or root is GeometryInstance3D:
		pictures = await _sides(root)
	elif root is Control or root is CanvasLayer:
		pictures = await _windows(root, params.sizes)
	elif not root.find_children("*", "CanvasItem", true, false).is_empty() or root is CanvasItem:
		pictures = await _whole(root)
	else:
		return Failure.unsupported("%s has nothing that is drawn." % params.path)
	var sheet := Image.create_empty(TILE.x * mini(COLUMNS, pictures.size()),
			TILE.y * ceili(pictures.size() / float(COLUMNS)), false, Image.FORMAT_RGB8)
	for index: int in pictures.size():
		var image: Image = pictures[index].image
		image.convert(Image.FORMAT_RGB8)
		sheet.blit_rect(image, Rect2i(Vector2i.ZERO, TILE), Vector2i(index % COLUMNS, index / COLUMNS) * TILE)
		pictures[index].erase("image")
	if sheet.save_png(params.picture) != OK:
		return Failure.disk(params.picture, ERR_FILE_CANT_WRITE)
	var out := {"views": pictures, "nodes": _nodes.slice(0, MAX_NODES), "width": sheet.get_width(), "height": sheet.get_height()}
	if _nodes.size() > MAX_NODES:
		out["more"] = _nodes.size() - MAX_NODES
	return out


## The node to draw: an instance of a scene or a part of it, or a node that shows a resource.
func _thing(params: Dictionary) -> Variant:
	if not ResourceLoader.exists(params.path):
		return Failure.not_found("There is no resource %s." % params.path)
	var resource: Resource = load(params.path)
	if resource is PackedScene:
		var root: Node = (resource as PackedScene).instantiate()
		if root == null:
			return Failure.unsupported("%s cannot be opened." % params.path)
		var name: String = params.get("node", ".")
		var node := root.get_node_or_null(NodePath(name))
		if node == null:
			return Failure.unknown("node", name, root.find_children("*", "", true, false).map(
					func(each: Node) -> String: return str(root.get_path_to(each))))
		if node != root:
			node.owner = null
			node.get_parent().remove_child(node)
			root.free()
		return node
	if resource is Mesh:
		var mesh := MeshInstance3D.new()
		mesh.mesh = resource
		return mesh
	if resource is Material and not resource is CanvasItemMaterial:
		var ball := MeshInstance3D.new()
		ball.mesh = SphereMesh.new()
		ball.material_override = resource
		return ball
	if resource is Texture2D:
		var sprite := Sprite2D.new()
		sprite.texture = resource
		return sprite
	return Failure.unsupported("%s is a %s, which cannot be drawn." % [params.path, resource.get_class()], {},
			"Look at a scene that uses it.")


func _take_scripts_off(node: Node) -> void:
	node.set_script(null)
	for child: Node in node.get_children(true):
		_take_scripts_off(child)


func _viewport(size: Vector2i) -> SubViewport:
	var viewport := SubViewport.new()
	viewport.size = size
	viewport.own_world_3d = true
	viewport.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	viewport.msaa_3d = Viewport.MSAA_4X
	_tree.root.add_child(viewport)
	return viewport


func _sides(root: Node) -> Array[Dictionary]:
	var viewport := _viewport(TILE)
	viewport.add_child(root)
	if root.find_children("*", "Light3D", true, false).is_empty():
		var sun := DirectionalLight3D.new()
		viewport.add_child(sun)
		sun.look_at_from_position(Vector3(2, 3, 2.5), Vector3.ZERO)
	if root.find_children("*", "WorldEnvironment", true, false).is_empty():
		var world := WorldEnvironment.new()
		world.environment = Environment.new()
		world.environment.background_mode = Environment.BG_COLOR
		world.environment.background_color = BACKGROUND
		world.environment.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
		world.environment.ambient_light_color = Color.WHITE
		world.environment.ambient_light_energy = 0.4
		viewport.add_child(world)
	var box := AABB()
	for node: Node in [root] + root.find_children("*", "GeometryInstance3D", true, false):
		if node is GeometryInstance3D and (node as GeometryInstance3D).is_visible_in_tree():
			var own: AABB = (node as GeometryInstance3D).global_transform * (node as GeometryInstance3D).get_aabb()
			box = own if box.size == Vector3.ZERO else box.merge(own)
			_note(root, node, [own.size.x, own.size.y, own.size.z], [own.get_center().x, own.get_center().y, own.get_center().z])
	var camera := Camera3D.new()
	viewport.add_child(camera)
	camera.projection = Camera3D.PROJECTION_ORTHOGONAL
	var reach := maxf(box.size.length(), 0.1)
	camera.size = reach * MARGIN
	camera.far = reach * 8.0 + 10.0
	camera.make_current()
	var label := _label(viewport)
	var out: Array[Dictionary] = []
	for side: String in SIDES:
		var direction: Vector3 = SIDES[side][0].normalized()
		camera.look_at_from_position(box.get_center() + direction * reach * 2.0, box.get_center(), SIDES[side][1])
		label.text = "%d  %s" % [out.size() + 1, side]
		out.append({"number": out.size() + 1, "view": side, "size": _numbers([box.size.x, box.size.y, box.size.z]),
			"image": await _picture(viewport)})
	return out


## A control fills the window, so it is drawn in windows of several sizes.
func _windows(root: Node, sizes: Array) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	var viewport := _viewport(TILE)
	viewport.add_child(_backdrop())
	viewport.add_child(root)
	for size: Array in sizes:
		viewport.size = Vector2i(int(size[0]), int(size[1]))
		if root is Control and (root as Control).get_parent() == viewport and (root as Control).anchor_right == 0.0 \
				and (root as Control).size == Vector2.ZERO:
			(root as Control).size = viewport.size
		await _tree.process_frame
		if out.is_empty():
			for node: Node in [root] + root.find_children("*", "Control", true, false):
				if node is Control and (node as Control).is_visible_in_tree():
					var rect := (node as Control).get_global_rect()
					_note(root, node, [rect.size.x, rect.size.y], [rect.position.x, rect.position.y])
		var image := await _picture(viewport)
		out.append({"number": out.size() + 1, "view": "%d×%d" % [viewport.size.x, viewport.size.y],
			"size": [viewport.size.x, viewport.size.y], "image": await _numbered(image, out.size() + 1, "%d×%d" % [viewport.size.x, viewport.size.y])})
	return out


func _whole(root: Node) -> Array[Dictionary]:
	var viewport := _viewport(TILE * 2)
	var layer := _backdrop()
	viewport.add_child(layer)
	var stage := Node2D.new()
	viewport.add_child(stage)
	stage.add_child(root)
	await _tree.process_frame
	var bounds := Rect2()
	for node: Node in [root] + root.find_children("*", "CanvasItem", true, false):
		var rect := _rect_of(node)
		if not rect.has_area() or not (node as CanvasItem).is_visible_in_tree():
			continue
		bounds = rect if not bounds.has_area() else bounds.merge(rect)
		_note(root, node, [rect.size.x, rect.size.y], [rect.get_center().x, rect.get_center().y])
	if not bounds.has_area():
		bounds = Rect2(Vector2.ZERO, Vector2(ProjectSettings.get_setting("display/window/size/viewport_width"),
				ProjectSettings.get_setting("display/window/size/viewport_height")))
	var scale := minf(viewport.size.x / bounds.size.x, viewport.size.y / bounds.size.y) / MARGIN
	stage.scale = Vector2(scale, scale)
	stage.position = Vector2(viewport.size) / 2.0 - bounds.get_center() * scale
	var image := await _picture(viewport)
	var size := "%d×%d" % [roundi(bounds.size.x), roundi(bounds.size.y)]
	return [{"number": 1, "view": "whole", "size": _numbers([bounds.size.x, bounds.size.y]), "image": await _numbered(image, 1, "whole " + size)}]


func _rect_of(node: Node) -> Rect2:
	if node is Control:
		return (node as Control).get_global_rect()
	if node is TileMapLayer and (node as TileMapLayer).tile_set != null:
		var layer: TileMapLayer = node
		var used := layer.get_used_rect()
		var tile := Vector2(layer.tile_set.tile_size)
		return layer.global_transform * Rect2(Vector2(used.position) * tile, Vector2(used.size) * tile)
	if node is Polygon2D:
		var rect := Rect2()
		for point: Vector2 in (node as Polygon2D).polygon:
			rect = Rect2(point, Vector2.ZERO) if rect == Rect2() else rect.expand(point)
		return (node as Polygon2D).global_transform * rect
	if node is Sprite2D:
		return (node as Sprite2D).global_transform * (node as Sprite2D).get_rect()
	if node is AnimatedSprite2D and (node as AnimatedSprite2D).sprite_frames != null:
		var sprite: AnimatedSprite2D = node
		var texture := sprite.sprite_frames.get_frame_texture(sprite.animation, sprite.frame)
		if texture != null:
			return sprite.global_transform * Rect2(-texture.get_size() / 2.0 if sprite.centered else Vector2.ZERO, texture.get_size())
	return Rect2()


func _backdrop(shade := BACKGROUND) -> CanvasLayer:
	var layer := CanvasLayer.new()
	layer.layer = -100
	var color := ColorRect.new()
	color.color = shade
	color.set_anchors_preset(Control.PRESET_FULL_RECT)
	layer.add_child(color)
	return layer


func _label(viewport: SubViewport) -> Label:
	var layer := CanvasLayer.new()
	layer.layer = 100
	var label := Label.new()
	label.position = Vector2(8, 4)
	label.add_theme_color_override("font_outline_color", Color.BLACK)
	label.add_theme_constant_override("outline_size", 6)
	layer.add_child(label)
	viewport.add_child(layer)
	return label


## A picture of any size in a tile of the sheet, with its number and name.
func _numbered(image: Image, number: int, name: String) -> Image:
	var viewport := _viewport(TILE)
	viewport.add_child(_backdrop(Color.BLACK))
	var shown := TextureRect.new()
	shown.texture = ImageTexture.create_from_image(image)
	shown.expand_mode = TextureRect.EXPAND_IGNORE_SIZE
	shown.stretch_mode = TextureRect.STRETCH_KEEP_ASPECT_CENTERED
	shown.position = Vector2(0, 28)
	shown.size = Vector2(TILE) - Vector2(0, 28)
	viewport.add_child(shown)
	_label(viewport).text = "%d  %s" % [number, name]
	var out := await _picture(viewport)
	viewport.queue_free()
	return out


func _picture(viewport: SubViewport) -> Image:
	await _tree.process_frame
	await RenderingServer.frame_post_draw
	await RenderingServer.frame_post_draw
	return viewport.get_texture().get_image()


func _note(root: Node, node: Node, size: Array, at: Array) -> void:
	_nodes.append({"node": str(root.get_path_to(node)), "type": node.get_class(), "size": _numbers(size), "at": _numbers(at)})


func _numbers(list: Array) -> Array:
	return list.map(func(number: float) -> float: return snappedf(number, 0.01))
