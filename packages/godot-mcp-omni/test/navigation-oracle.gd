extends SceneTree
## Loads scenes with navigation and says what Godot's own servers make of them, as one line of JSON.


func _initialize() -> void:
	_report.call_deferred()


func _report() -> void:
	print("FACTS " + JSON.stringify(await _facts()))
	quit()


func _facts() -> Dictionary:
	var solid: Node3D = load("res://solid.tscn").instantiate()
	root.add_child(solid)
	var flat: Node2D = load("res://flat.tscn").instantiate()
	root.add_child(flat)
	# On a busy machine maps and regions are otherwise ready some frames later, one by one.
	for server: Object in [NavigationServer2D, NavigationServer3D]:
		for map: RID in server.get_maps():
			server.map_set_use_async_iterations(map, false)
			for region: RID in server.map_get_regions(map):
				server.region_set_use_async_iterations(region, false)
	for frame: int in 30:
		await physics_frame
	NavigationServer3D.map_force_update(root.get_world_3d().navigation_map)
	NavigationServer2D.map_force_update(root.get_world_2d().navigation_map)
	var region: NavigationRegion3D = solid.get_node("Walk")
	var mesh: MeshInstance3D = solid.get_node("Crate/Crate_Mesh")
	var material: StandardMaterial3D = mesh.material_override
	var image := Image.new()
	return {
		"solid": {
			"polygons": region.navigation_mesh.get_polygon_count(),
			"bounds": _bounds(region.navigation_mesh.get_vertices()),
			"ways": _ways(solid, func(from: Node3D, to: Node3D) -> bool:
				var path := NavigationServer3D.map_get_path(root.get_world_3d().navigation_map, from.position, to.position, true)
				return not path.is_empty() and path[-1].distance_to(to.position) < 1.5),
			"inside": _inside(solid),
		},
		"flat": {
			"ways": _ways(flat, func(from: Node2D, to: Node2D) -> bool:
				var path := NavigationServer2D.map_get_path(root.get_world_2d().navigation_map, from.position, to.position, true)
				return not path.is_empty() and path[-1].distance_to(to.position) < 20.0),
		},
		"material": {
			"class": material.get_class(),
			"albedo": material.albedo_color.to_html(),
			"metallic": snappedf(material.metallic, 0.01),
			"emission": [material.emission_enabled, material.emission.to_html(false)],
			"transparency": material.transparency,
			"texture": str(material.albedo_texture.get_size()),
			"file": load("res://stone.tres").roughness,
		},
		"svg": [image.load_svg_from_string(FileAccess.get_file_as_string("res://graph.svg")), image.get_width(), image.get_height()],
	}


func _ways(scene: Node, is_way: Callable) -> Dictionary:
	var out := {}
	var start: Node = scene.get_node("Spawn")
	for goal: Node in scene.get_node("Goals").get_children():
		out[str(goal.name)] = is_way.call(start, goal)
	return out


func _bounds(points: PackedVector3Array) -> Array:
	var box := AABB(points[0], Vector3.ZERO)
	for point: Vector3 in points:
		box = box.expand(point)
	return [box.position.x, box.position.z, box.end.x, box.end.z].map(func(side: float) -> float: return snappedf(side, 0.1))


## Pairs of bodies that the physics server finds in each other.
func _inside(scene: Node3D) -> Array:
	var out := []
	for body: Node in scene.find_children("*", "StaticBody3D", true, false):
		for shape: Node in body.find_children("*", "CollisionShape3D", true, false):
			var query := PhysicsShapeQueryParameters3D.new()
			query.shape = shape.shape
			query.transform = shape.global_transform
			query.exclude = [body.get_rid()]
			for hit: Dictionary in root.get_world_3d().direct_space_state.intersect_shape(query):
				var pair := [str(scene.get_path_to(body)), str(scene.get_path_to(hit.collider))]
				pair.sort()
				if not pair in out:
					out.append(pair)
	return out
