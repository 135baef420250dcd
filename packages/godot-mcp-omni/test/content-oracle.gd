extends SceneTree
## Loads what was made and says what Godot makes of it, as one line of JSON.


func _initialize() -> void:
	_report.call_deferred()


func _report() -> void:
	print("FACTS " + JSON.stringify(await _facts()))
	quit()


func _facts() -> Dictionary:
	var out := {}
	for mode: String in ["files", "engine"]:
		out[mode] = {}
		for name: String in ["_tiles", "_grid", "_sprites", "_animation", "_interface", "_properties"]:
			out[mode][name.trim_prefix("_")] = await call(name, "res://%s/" % mode)
	out["added"] = _added()
	return out


func _added() -> Dictionary:
	var hero: Texture2D = load("res://added/hero.png")
	var logo: Texture2D = load("res://added/logo.svg")
	var thing: PackedScene = load("res://added/thing.glb")
	var beep: AudioStreamWAV = load("res://added/beep.wav")
	return {
		"hero.png": [hero.get_class(), "%dx%d" % [hero.get_width(), hero.get_height()], hero.get_image().has_mipmaps()],
		"logo.svg": [logo.get_class(), "%dx%d" % [logo.get_width(), logo.get_height()], logo.get_image().has_mipmaps()],
		"thing.glb": [thing.get_class(), str(thing.get_state().get_node_name(1))],
		"text.woff2": ["FontFile", load("res://added/text.woff2").get_font_name()],
		"beep.wav": [beep.get_class(), beep.loop_mode],
	}


func _tiles(base: String) -> Dictionary:
	var set_: TileSet = load(base + "ground.tres")
	var atlas: TileSetAtlasSource = set_.get_source(0)
	var data := atlas.get_tile_data(Vector2i(1, 0), 0)
	var scene: Node = load(base + "level.tscn").instantiate()
	var layer: TileMapLayer = scene.get_node("Ground")
	var cells := {}
	for cell: Vector2i in layer.get_used_cells():
		var at := layer.get_cell_atlas_coords(cell)
		cells["%d,%d" % [cell.x, cell.y]] = [layer.get_cell_source_id(cell), at.x, at.y, layer.get_cell_alternative_tile(cell)]
	var rect := layer.get_used_rect()
	var facts := {
		"count": atlas.get_tiles_count(),
		"grid": [atlas.get_atlas_grid_size().x, atlas.get_atlas_grid_size().y],
		"region": str(atlas.get_tile_texture_region(Vector2i(1, 1))),
		"polygon": Array(data.get_collision_polygon_points(0, 0)).map(func(p: Vector2) -> Array: return [p.x, p.y]),
		"solid": [data.get_collision_polygons_count(0), atlas.get_tile_data(Vector2i(0, 0), 0).get_collision_polygons_count(0)],
		"layers": set_.get_physics_layers_count(),
		"layer": set_.get_physics_layer_collision_layer(0),
		"terrain": [set_.get_terrain_name(0, 0), set_.get_terrain_set_mode(0), data.terrain_set, data.terrain,
			data.get_terrain_peering_bit(TileSet.CELL_NEIGHBOR_RIGHT_SIDE)],
		"rect": [rect.position.x, rect.position.y, rect.size.x, rect.size.y],
		"cells": cells,
	}
	scene.free()
	return facts


func _grid(base: String) -> Dictionary:
	var scene: Node = load(base + "rooms.tscn").instantiate()
	var map: GridMap = scene.get_node("Rooms")
	var cells := {}
	for cell: Vector3i in map.get_used_cells():
		cells["%d,%d,%d" % [cell.x, cell.y, cell.z]] = [map.get_cell_item(cell), map.get_cell_item_orientation(cell)]
	scene.free()
	return cells


func _sprites(base: String) -> Dictionary:
	var out := {}
	for file: String in ["sheet", "folder"]:
		var frames: SpriteFrames = load(base + "%s_frames.tres" % file)
		var animations := {}
		for name: StringName in frames.get_animation_names():
			var first := frames.get_frame_texture(name, 0)
			animations[name] = [frames.get_frame_count(name), frames.get_animation_speed(name), frames.get_animation_loop(name),
				str(first.region) if first is AtlasTexture else first.resource_path]
		out[file] = animations
	return out


func _animation(base: String) -> Dictionary:
	var scene: Node = load(base + "stage.tscn").instantiate()
	root.add_child(scene)
	var player: AnimationPlayer = scene.get_node("Anim")
	var walk := player.get_animation("moves/walk")
	var kinds := {Animation.TYPE_VALUE: "value", Animation.TYPE_METHOD: "method", Animation.TYPE_BEZIER: "bezier",
			Animation.TYPE_AUDIO: "audio", Animation.TYPE_ANIMATION: "animation"}
	var tracks := []
	for track: int in walk.get_track_count():
		tracks.append([kinds[walk.track_get_type(track)], str(walk.track_get_path(track)), walk.track_get_key_count(track)])
	var reset := player.get_animation("RESET")
	var tree: AnimationTree = scene.get_node("AnimationTree")
	var machine: AnimationNodeStateMachine = tree.tree_root
	var transitions := []
	for index: int in machine.get_transition_count():
		var link := machine.get_transition(index)
		transitions.append([str(machine.get_transition_from(index)), str(machine.get_transition_to(index)), link.advance_mode,
			str(link.advance_condition), snappedf(link.xfade_time, 0.01), link.switch_mode])
	var states := Array(machine.get_node_list()).map(func(name: StringName) -> String: return str(name)).filter(
			func(name: String) -> bool: return not name in ["Start", "End"])
	states.sort()
	var facts := {
		"libraries": Array(player.get_animation_library_list()),
		"animations": Array(player.get_animation_list()),
		"length": walk.length, "loop": walk.loop_mode, "step": walk.step, "tracks": tracks,
		"first": [str(walk.track_get_key_value(0, 0)), walk.track_get_key_transition(0, 0)],
		"called": [str(walk.track_get_key_value(2, 0).method), walk.track_get_key_value(2, 0).args],
		"curve": [walk.bezier_track_get_key_value(3, 1), walk.bezier_track_get_key_in_handle(3, 1).x, walk.bezier_track_get_key_in_handle(3, 1).y],
		"sound": [walk.audio_track_get_key_stream(4, 0).resource_path, snappedf(walk.audio_track_get_key_end_offset(4, 0), 0.001)],
		"plays": str(walk.animation_track_get_key_animation(5, 0)),
		"reset": [str(reset.track_get_key_value(0, 0)), reset.track_get_key_value(1, 0)],
		"states": states,
		"transitions": transitions,
		"blends": [machine.get_node("move").get_blend_point_count(), machine.get_node("move").get_blend_point_position(1),
			machine.get_node("aim").get_blend_point_count()],
		"visited": await _visited(tree),
	}
	scene.free()
	return facts


func _visited(tree: AnimationTree) -> Array:
	var playback: AnimationNodeStateMachinePlayback = tree.get("parameters/playback")
	var out := []
	for condition: bool in [false, true]:
		tree.set("parameters/conditions/moving", condition)
		for frame: int in 3:
			await process_frame
		out.append(str(playback.get_current_node()))
	return out


func _interface(base: String) -> Dictionary:
	var scene: Node = load(base + "stage.tscn").instantiate()
	root.size = Vector2i(1152, 648)
	root.add_child(scene)
	await process_frame
	await process_frame
	var form: Control = scene.get_node("Layer/Options")
	var rows: Node = form.get_node("Panel/Margin/Rows")
	var fields: Node = rows.get_node("Fields")
	var level: OptionButton = fields.get_node("Level")
	var save: Button = rows.get_node("Buttons/Save")
	var style: StyleBoxFlat = save.get_theme_stylebox("normal")
	var score: Control = scene.get_node("Layer/Score")
	var panel: Control = form.get_node("Panel")
	var facts := {
		"values": [fields.get_node("Player").text, fields.get_node("Volume").value, level.get_item_text(level.selected),
			fields.get_node("Full").button_pressed, fields.get_node("Lives").value],
		"placeholder": fields.get_node("Player").placeholder_text,
		"look": [save.get_theme_color("font_color").to_html(false), save.get_theme_constant("outline_size"),
			save.get_theme_font_size("font_size"), style.bg_color.to_html(false)],
		"pressed": save.pressed.get_connections().size(),
		"middle": panel.get_global_rect().get_center().distance_to(form.size / 2.0) < 2.0 and panel.size.x >= 320 and form.size.x == root.size.x,
		"score": [score.anchor_left, score.anchor_top, score.anchor_right, score.anchor_bottom],
	}
	scene.free()
	return facts


func _properties(base: String) -> Dictionary:
	AudioServer.set_bus_layout(load(base + "buses.tres"))
	var sky: Environment = load(base + "sky.tres")
	var scene: Node = load(base + "stage.tscn").instantiate()
	var sparks: GPUParticles2D = scene.get_node("Sparks")
	var ramp: Gradient = sparks.process_material.color_ramp.gradient
	var walk: NavigationPolygon = scene.get_node("Walk").navigation_polygon
	var facts := {
		"buses": [AudioServer.get_bus_name(0), AudioServer.get_bus_name(1), AudioServer.get_bus_volume_db(1),
			AudioServer.get_bus_effect(1, 0).get_class()],
		"sky": [sky.background_mode, sky.sky.sky_material.get_class(), sky.glow_enabled],
		"sparks": [sparks.amount, sparks.process_material.spread, Array(ramp.colors).map(func(c: Color) -> String: return c.to_html(false))],
		"outlines": walk.get_outline_count(),
		"polygons": walk.get_polygon_count(),
	}
	scene.free()
	return facts
