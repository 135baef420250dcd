extends RefCounted
## Lists the screen content as a user would name it, and finds a position to click by text or node.
##
## Positions are in screenshot pixels, like those of inputs.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")
const Types := preload("../addons/godot_mcp_bridge/shared/types.gd")
const View := preload("game_view.gd")

const PAGE := 200
const MAX_TEXT_LENGTH := 200
## Classes that draw in 2D and in 3D. A list, because all of `CanvasItem` and `Node3D` would be every node.
const DRAWN_2D := ["Sprite2D", "AnimatedSprite2D", "Polygon2D", "Line2D", "MeshInstance2D", "MultiMeshInstance2D",
	"TileMapLayer", "GPUParticles2D", "CPUParticles2D"]
const DRAWN_3D := ["GeometryInstance3D", "GridMap"]

var _tree: SceneTree
var _view: View


func _init(tree: SceneTree, view: View) -> void:
	_tree = tree
	_view = view


## One page of the screen content: controls first, then 2D and 3D nodes, the nearest first.
func list(params: Dictionary) -> Dictionary:
	var rows := _rows()
	var after := int(params.get("after", 0))
	var page := rows.slice(after, after + int(params.get("limit", PAGE)))
	var size := _picture_size()
	var out := {"width": size.x, "height": size.y, "items": page.map(_without_node), "total": rows.size()}
	var focus := _tree.root.gui_get_focus_owner()
	if focus != null:
		out["focus"] = str(focus.get_path())
	if after + page.size() < rows.size():
		out["next"] = after + page.size()
	return out


## `{node, at}`: where to click the given `text` or `node`, or why that fails. With neither, the position `x`, `y`.
func place_of(asked: Dictionary) -> Variant:
	if asked.has("node"):
		var found: Variant = _view.find(asked.node)
		if found is Failure:
			return found
		if not found is Node:
			return Failure.schema("\"%s\" is no node." % asked.node)
		return _place_of_node(found)
	if asked.has("text"):
		var row: Variant = _by_text(asked.text)
		return row if row is Failure else _place_of_row(row)
	return {"node": null, "at": Vector2(asked.x, asked.y)}


## Null if a click there reaches the node, else the control that receives it. Call it one frame after the mouse arrived.
func covering(node: Node) -> Variant:
	var hovered := _tree.root.gui_get_hovered_control()
	if node == null or hovered == null or hovered == node or hovered.is_ancestor_of(node) or node.is_ancestor_of(hovered):
		return null
	# A control of a viewport inside the root's is below its container.
	return null if node.get_viewport() != _tree.root else hovered


## Why a click on it would do nothing, or null.
static func refusal(node: Node) -> Failure:
	if node is BaseButton and (node as BaseButton).disabled:
		return Failure.unsupported("%s is disabled." % node.get_path(), {"node": str(node.get_path())},
				"Do what enables it first, as a player would.")
	return null


func _rows() -> Array[Dictionary]:
	var controls: Array[Dictionary] = []
	var things: Array[Dictionary] = []
	var bounds := Rect2(Vector2.ZERO, _picture_size())
	# Each with whether its representative is listed already. Children go on top in reverse, as in the tree.
	var open: Array = [[_tree.root, false]]
	while not open.is_empty():
		var next: Array = open.pop_back()
		var node: Node = next[0]
		var is_covered: bool = next[1]
		if node is Window and node != _tree.root and not (node as Window).visible:
			continue
		if node is CanvasItem and not (node as CanvasItem).visible or node is Node3D and not (node as Node3D).visible \
				or node is CanvasLayer and not (node as CanvasLayer).visible:
			continue
		if node is Control:
			controls.append_array(_control_rows(node, bounds))
		elif _is_thing(node) and not (is_covered and _is_drawn(node)):
			var row := _thing_row(node, bounds)
			if not row.is_empty():
				things.append(row)
				is_covered = true
		for index: int in range(node.get_child_count(true) - 1, -1, -1):
			var child := node.get_child(index, true)
			# Internal parts of a control are not the user's, except for the tabs of a container.
			if node is Control and index >= node.get_child_count() and not child is TabBar:
				continue
			open.append([child, is_covered])
	return controls + things


## Controls with text or input; each entry of lists and tabs.
func _control_rows(control: Control, bounds: Rect2) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	var rect := _seen_rect(control, Rect2(Vector2.ZERO, control.size), bounds)
	if rect.size.x < 1 or rect.size.y < 1 or control.modulate.a == 0.0:
		return out
	var text := text_of(control)
	if text != "" or control is BaseButton or control is LineEdit or control is TextEdit or control is Slider \
			or control is SpinBox or control is ProgressBar or control is ItemList or control is Tree \
			or control.get_script() != null and control != _tree.current_scene and control.mouse_filter != Control.MOUSE_FILTER_IGNORE:
		var row := {"node": control, "path": str(control.get_path()), "type": Types.of_object(control), "rect": _numbers(rect)}
		if text != "":
			row["text"] = text.left(MAX_TEXT_LENGTH)
		if control.has_focus():
			row["focus"] = true
		if control is BaseButton:
			var button: BaseButton = control
			if button.disabled:
				row["disabled"] = true
			if button.toggle_mode:
				row["on"] = button.button_pressed
		if control is LineEdit and not (control as LineEdit).editable or control is TextEdit and not (control as TextEdit).editable:
			row["disabled"] = true
		if control is Range:
			row["value"] = (control as Range).value
		out.append(row)
	if control is ItemList:
		var items: ItemList = control
		for index: int in items.item_count:
			var place := items.get_item_rect(index)
			place.position.y -= items.get_v_scroll_bar().value
			_add_entry(out, control, items.get_item_text(index), place, bounds, items.is_selected(index))
	elif control is TabBar:
		var tabs: TabBar = control
		for index: int in tabs.tab_count:
			_add_entry(out, control, tabs.get_tab_title(index), tabs.get_tab_rect(index), bounds, tabs.current_tab == index)
	return out


func _add_entry(out: Array[Dictionary], control: Control, text: String, place: Rect2, bounds: Rect2, is_on: bool) -> void:
	var rect := _seen_rect(control, place, bounds)
	if rect.size.x >= 1 and rect.size.y >= 1 and text != "":
		out.append({"node": control, "path": str(control.get_path()), "type": "entry", "text": text.left(MAX_TEXT_LENGTH),
			"rect": _numbers(rect), "on": is_on})


## The visible text of a control, or its tooltip.
static func text_of(control: Control) -> String:
	var text := ""
	if control is RichTextLabel:
		text = (control as RichTextLabel).get_parsed_text()
	elif control is LineEdit and (control as LineEdit).text == "":
		text = (control as LineEdit).placeholder_text
	elif control is TextEdit and (control as TextEdit).text == "":
		text = (control as TextEdit).placeholder_text
	elif "text" in control:
		text = str(control.get("text"))
	if control is LineEdit and (control as LineEdit).secret:
		text = "•".repeat((control as LineEdit).text.length())
	if text != "" and control.can_auto_translate():
		text = control.tr(text)
	return (text if text != "" else control.tooltip_text).strip_edges()


## The scene itself is not an item in it.
func _is_thing(node: Node) -> bool:
	if node == _tree.current_scene or not (node is Node2D or node is Node3D):
		return false
	if node is Camera2D or node is Camera3D or node is Light3D:
		return false
	return node is CollisionObject2D or node is CollisionObject3D or _is_drawn(node) \
			or node.get_script() != null or node.scene_file_path != ""


func _is_drawn(node: Node) -> bool:
	return (DRAWN_2D if node is Node2D else DRAWN_3D).any(func(type: String) -> bool: return node.is_class(type)) \
			and node.get_script() == null and node.scene_file_path == ""


func _thing_row(node: Node, bounds: Rect2) -> Dictionary:
	var row := {"node": node, "path": str(node.get_path()), "type": Types.of_object(node)}
	if node is Node2D:
		var shape := _rect_2d(node)
		var rect := _on_screen_2d(node, shape).intersection(bounds) if shape.has_area() else Rect2()
		var at: Vector2 = _to_picture(node) * Vector2.ZERO
		if not bounds.has_point(at) and not rect.has_area():
			return {}
		row["at"] = _point(at)
		if rect.has_area():
			row["rect"] = _numbers(rect)
	else:
		var seen: Variant = _seen_3d(node, bounds)
		if seen == null:
			return {}
		row.merge(seen)
	return row


## Position of a 3D node on the screen, and its distance; null if it is not visible.
func _seen_3d(node: Node3D, bounds: Rect2) -> Variant:
	var camera := node.get_viewport().get_camera_3d()
	if camera == null:
		return null
	var middle := _middle_3d(node)
	if camera.is_position_behind(middle) or not camera.is_position_in_frustum(middle):
		return null
	var at := _viewport_to_picture(node.get_viewport()) * camera.unproject_position(middle)
	if not bounds.has_point(at):
		return null
	return {"at": _point(at), "distance": snappedf(camera.global_position.distance_to(middle), 0.01)}


static func _middle_3d(node: Node3D) -> Vector3:
	if node is VisualInstance3D:
		return node.global_transform * (node as VisualInstance3D).get_aabb().get_center()
	for child: Node in node.get_children():
		if child is VisualInstance3D and not child is Light3D:
			return _middle_3d(child)
	return node.global_position


## In the node's own coordinates: its drawing or collision area, or that of its children.
static func _rect_2d(node: Node2D) -> Rect2:
	var rect := _own_rect_2d(node)
	if rect.has_area():
		return rect
	for child: Node in node.get_children():
		if child is Node2D and (child as Node2D).visible:
			var of_child := _own_rect_2d(child)
			if of_child.has_area():
				of_child = (child as Node2D).transform * of_child
				rect = of_child if not rect.has_area() else rect.merge(of_child)
	return rect


static func _own_rect_2d(node: Node2D) -> Rect2:
	if node is Sprite2D:
		return (node as Sprite2D).get_rect() if (node as Sprite2D).texture != null else Rect2()
	if node is AnimatedSprite2D:
		var sprite: AnimatedSprite2D = node
		if sprite.sprite_frames == null or not sprite.sprite_frames.has_animation(sprite.animation):
			return Rect2()
		var texture := sprite.sprite_frames.get_frame_texture(sprite.animation, sprite.frame)
		if texture == null:
			return Rect2()
		return Rect2(sprite.offset - (texture.get_size() / 2 if sprite.centered else Vector2.ZERO), texture.get_size())
	if node is Polygon2D or node is Line2D or node is CollisionPolygon2D:
		var points: PackedVector2Array = node.get("points" if node is Line2D else "polygon")
		if points.is_empty():
			return Rect2()
		var rect := Rect2(points[0], Vector2.ZERO)
		for point: Vector2 in points:
			rect = rect.expand(point)
		return rect
	if node is CollisionShape2D:
		var shape := (node as CollisionShape2D).shape
		return shape.get_rect() if shape != null else Rect2()
	if node is TileMapLayer:
		var layer: TileMapLayer = node
		if layer.tile_set == null:
			return Rect2()
		var used := layer.get_used_rect()
		var tile := Vector2(layer.tile_set.tile_size)
		return Rect2(Vector2(used.position) * tile, Vector2(used.size) * tile)
	return Rect2()


func _on_screen_2d(item: CanvasItem, rect: Rect2) -> Rect2:
	return _to_picture(item) * rect


## From the item's own coordinates to pixels of the picture.
func _to_picture(item: CanvasItem) -> Transform2D:
	return _viewport_to_picture(item.get_viewport()) * item.get_global_transform_with_canvas()


## A viewport inside another, or an embedded window, is placed by its container.
func _viewport_to_picture(viewport: Viewport) -> Transform2D:
	if viewport == _tree.root or viewport == null:
		# If the whole viewport is stretched, a screenshot of it is not.
		var is_stretched := _tree.root.content_scale_mode == Window.CONTENT_SCALE_MODE_VIEWPORT
		return Transform2D.IDENTITY if is_stretched else _tree.root.get_final_transform()
	var parent := viewport.get_parent()
	if viewport is Window:
		return _viewport_to_picture(parent.get_viewport()) * Transform2D(0.0, Vector2((viewport as Window).position))
	if parent is SubViewportContainer:
		var container: SubViewportContainer = parent
		var shrink := float(container.stretch_shrink) if container.stretch else 1.0
		return _to_picture(container) * Transform2D.IDENTITY.scaled(Vector2(shrink, shrink))
	# Something else draws it, if at all.
	return Transform2D(0.0, Vector2(-1e6, -1e6))


## The part of a control's rectangle that is not cut off by the picture or by containers.
func _seen_rect(control: Control, rect: Rect2, bounds: Rect2) -> Rect2:
	var seen := _on_screen_2d(control, rect).intersection(bounds)
	var above := control.get_parent()
	while above is CanvasItem and seen.has_area():
		if above is Control and (above as Control).clip_contents:
			seen = seen.intersection(_on_screen_2d(above, Rect2(Vector2.ZERO, (above as Control).size)))
		above = above.get_parent()
	return seen


func _picture_size() -> Vector2:
	var root := _tree.root
	if root.content_scale_mode == Window.CONTENT_SCALE_MODE_VIEWPORT:
		return root.get_visible_rect().size
	return Vector2(root.size)


## Exact text first, then a prefix, then a part of it; clickable nodes before others.
func _by_text(text: String) -> Variant:
	var rows := _rows().filter(func(row: Dictionary) -> bool: return row.has("text"))
	var wanted := text.strip_edges().to_lower()
	for fits: Callable in [
		func(label: String) -> bool: return label == wanted,
		func(label: String) -> bool: return label.begins_with(wanted),
		func(label: String) -> bool: return label.contains(wanted),
	]:
		var found := rows.filter(func(row: Dictionary) -> bool: return fits.call(str(row.text).to_lower()))
		var active := found.filter(func(row: Dictionary) -> bool: return not row.node is Label and not row.node is RichTextLabel)
		var best: Array = found if active.is_empty() else active
		if best.size() > 1:
			return Failure.schema("%d things on the screen are named \"%s\"." % [best.size(), text],
					{"nodes": best.map(func(row: Dictionary) -> String: return row.path)}, "Name one of these nodes instead.")
		if best.size() == 1:
			return best[0]
	var hidden := _hidden_with(wanted)
	if hidden != null:
		return Failure.not_found("\"%s\" is at %s, but not on the screen." % [text, hidden.get_path()],
				{"node": str(hidden.get_path())}, "It is hidden, scrolled out or outside the window: open or scroll to it first.")
	var failure := Failure.unknown("text on the screen", text, rows.map(func(row: Dictionary) -> String: return row.text))
	failure.details["texts"] = rows.slice(0, 20).map(func(row: Dictionary) -> String: return str(row.text).left(60))
	return failure


func _hidden_with(wanted: String) -> Control:
	for node: Node in _tree.root.find_children("*", "Control", true, false):
		if text_of(node).to_lower() == wanted:
			return node
	return null


func _place_of_row(row: Dictionary) -> Dictionary:
	var rect: Array = row.rect
	return {"node": row.node, "at": Vector2(rect[0] + rect[2] / 2.0, rect[1] + rect[3] / 2.0)}


func _place_of_node(node: Node) -> Variant:
	var bounds := Rect2(Vector2.ZERO, _picture_size())
	if node is Control:
		var seen := _seen_rect(node, Rect2(Vector2.ZERO, (node as Control).size), bounds)
		if (node as Control).is_visible_in_tree() and seen.has_area():
			return {"node": node, "at": seen.get_center()}
	elif node is Node2D and (node as Node2D).is_visible_in_tree():
		var rect := _rect_2d(node)
		var at: Vector2 = _to_picture(node) * (rect.get_center() if rect.has_area() else Vector2.ZERO)
		if bounds.has_point(at):
			return {"node": node, "at": at}
	elif node is Node3D and (node as Node3D).is_visible_in_tree():
		var seen: Variant = _seen_3d(node, bounds)
		if seen != null:
			return {"node": node, "at": Vector2(seen.at[0], seen.at[1])}
	return Failure.unsupported("%s is not on the screen." % node.get_path(), {"node": str(node.get_path())},
			"It is hidden, scrolled out or outside the window; screen lists what can be seen.")


static func _without_node(row: Dictionary) -> Dictionary:
	var out := row.duplicate()
	out.erase("node")
	return out


static func _numbers(rect: Rect2) -> Array:
	return [roundi(rect.position.x), roundi(rect.position.y), roundi(rect.size.x), roundi(rect.size.y)]


static func _point(at: Vector2) -> Array:
	return [roundi(at.x), roundi(at.y)]
