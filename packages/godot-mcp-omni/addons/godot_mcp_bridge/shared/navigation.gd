@tool
extends RefCounted
## Bakes the navigation of a region from its descendants, or its groups.

const Change := preload("change.gd")
const Failure := preload("failure.gd")
const ResPath := preload("res_path.gd")
const SceneView := preload("scene_view.gd")


static func bake(change: Change, view: SceneView, node: Node) -> Variant:
	if node is NavigationRegion2D:
		var made: Variant = _copy(view, node, node.navigation_polygon)
		if made is Failure:
			return made
		var source := NavigationMeshSourceGeometryData2D.new()
		NavigationServer2D.parse_source_geometry_data(made, source, node)
		NavigationServer2D.bake_from_source_geometry_data(made, source)
		change.do(node.set_navigation_polygon.bind(made), node.set_navigation_polygon.bind(node.navigation_polygon))
		return _unless_empty(node, made)
	if node is NavigationRegion3D:
		var made: Variant = _copy(view, node, node.navigation_mesh)
		if made is Failure:
			return made
		var source := NavigationMeshSourceGeometryData3D.new()
		NavigationServer3D.parse_source_geometry_data(made, source, node)
		NavigationServer3D.bake_from_source_geometry_data(made, source)
		change.do(node.set_navigation_mesh.bind(made), node.set_navigation_mesh.bind(node.navigation_mesh))
		return _unless_empty(node, made)
	return Failure.schema("\"%s\" is a %s; NavigationRegion2D and NavigationRegion3D are baked." % [
			view.path_of(node), node.get_class()])


static func _copy(view: SceneView, node: Node, held: Resource) -> Variant:
	if held == null:
		return Failure.schema("\"%s\" has nothing to bake into." % view.path_of(node), {},
				"Set navigation_polygon to {\"resource\": \"NavigationPolygon\"}, or navigation_mesh to {\"resource\": \"NavigationMesh\"}.")
	if ResPath.is_file(held):
		return Failure.unsupported("The navigation of \"%s\" is a separate file: %s." % [view.path_of(node), held.resource_path],
				{"path": held.resource_path}, "Give the region a separate one.")
	return held.duplicate(true)


static func _unless_empty(node: Node, made: Resource) -> Variant:
	if made.get_polygon_count() > 0:
		return null
	return Failure.schema("Nothing to walk on was found for \"%s\"." % node.name, {},
			"In 2D give the NavigationPolygon outlines; in 3D put static bodies or meshes below the region, and look at geometry_parsed_geometry_type.")
