extends RefCounted
## Walks a node to a position: follows its navigation agent, or holds the actions that move it. One turn a physics tick.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")
const Inputs := preload("game_inputs.gd")
const View := preload("game_view.gd")

## Common movement actions, including those of the engine's default input map.
const NAMES := {
	"left": ["move_left", "left", "walk_left", "ui_left"],
	"right": ["move_right", "right", "walk_right", "ui_right"],
	"up": ["move_up", "up", "move_forward", "forward", "walk_up", "ui_up"],
	"down": ["move_down", "down", "move_back", "move_backward", "back", "walk_down", "ui_down"],
}
## Ticks without progress after which it counts as blocked. A detour may lead away from the target.
const PATIENCE := 90
## Ticks on a built navigation map after which it counts as complete.
const SETTLING := 30
## Ticks to wait at most for a navigation map that has regions and is not built yet.
const BUILDING := 300

var node: Node
var ticks := 0

var _to: Variant
var _near: float
var _most: int
var _actions := {}
var _held := {}
var _agent: Node
## The tick at which the navigation map was built; 0 before that.
var _built_at := 0
var _route: Array = []
var _place: Variant
var _placed_at := 0
var _is_sideways := false
var _turn_by := Basis.IDENTITY


## Null, or why it cannot begin.
func begin(asked: Dictionary, view: View) -> Failure:
	var found: Variant = view.find(asked.node)
	if found is Failure:
		return found
	if not (found is Node2D or found is Node3D):
		return Failure.schema("%s is no node of 2D or 3D." % asked.node)
	node = found
	var to: Variant = _target(asked, view)
	if to is Failure:
		return to
	_to = to
	_near = float(asked.get("near", 8.0 if node is Node2D else 0.5))
	_most = int(asked.get("within", 900))
	if not asked.has("actions"):
		_agent = _agent_of(node)
		if _agent != null:
			_agent.set("target_position", _to)
			_near = maxf(_near, float(_agent.get("target_desired_distance")))
			return null
	return _choose_actions(asked)


## Null while it walks, then `{node, position, ticks}` or why it did not arrive.
func turn() -> Variant:
	if not is_instance_valid(node) or not node.is_inside_tree():
		stop()
		return Failure.not_found("The node was removed while it walked.")
	ticks += 1
	if _built_at == 0:
		if ticks < BUILDING and not _has_built_map():
			return null
		_built_at = ticks
		_placed_at = ticks
	var left := distance()
	if left <= _near:
		stop()
		return {"node": str(node.get_path()), "position": _list(node.get("global_position")), "ticks": ticks,
			"distance": snappedf(left, 0.001)}
	var here: Variant = node.get("global_position")
	if _place == null or here.distance_to(_place) > _near / 2:
		_place = here
		_placed_at = ticks
	if _agent != null and ticks - _built_at == SETTLING and not bool(_agent.call("is_target_reachable")):
		return _gave_up("%s cannot be reached by navigation." % [_list(_to)],
				"The nearest point on the navigation mesh is %s." % [_list(_agent.call("get_final_position"))],
				{"reachable": _list(_agent.call("get_final_position"))})
	if ticks - _placed_at > PATIENCE:
		return _blocked()
	if ticks > _most:
		return _gave_up("%s did not arrive within %d ticks." % [node.name, _most], "Give it more with within.", {})
	if _agent == null:
		_steer()
	return null


func distance() -> float:
	var at: Variant = node.get("global_position")
	if node is Node2D:
		return absf(_to.x - at.x) if _is_sideways else (at as Vector2).distance_to(_to)
	# The height of a character's origin above the floor is not known.
	return Vector2(at.x, at.z).distance_to(Vector2(_to.x, _to.z))


## Releases what it holds.
func stop() -> void:
	for side: String in _held.keys():
		_press(side, false)


static func _target(asked: Dictionary, view: View) -> Variant:
	var is_flat := view.find(asked.node) is Node2D
	var to: Variant = _members_of(asked.get("to"))
	var named: Variant = asked.get("toNode", to)
	if named is String:
		var found: Variant = view.find(named)
		if found is Failure:
			return found
		if not (found is Node2D if is_flat else found is Node3D):
			return Failure.schema("%s is not in the same space as %s." % [named, asked.node])
		return found.get("global_position")
	if is_flat:
		return Vector2(to.x, to.get("y", 0.0))
	if not to.has("z"):
		return Failure.schema("A place in 3D has x and z.")
	return Vector3(to.x, to.get("y", 0.0), to.z)


## A place as a list, or as text such as `Vector2(1, 2)`, by members. Recordings have it as it was given.
static func _members_of(to: Variant) -> Variant:
	var text: String = to if to is String else ""
	var numbers: Variant = JSON.parse_string("[%s]" % text.get_slice("(", 1).trim_suffix(")")) if text.begins_with("Vector") and text.ends_with(")") else to
	if not numbers is Array:
		return to
	var out := {}
	for index: int in mini(numbers.size(), 3):
		out["xyz"[index]] = numbers[index]
	return out


static func _agent_of(of: Node) -> Node:
	for child: Node in of.get_children():
		if child is NavigationAgent2D or child is NavigationAgent3D:
			return child
	return null


func _choose_actions(asked: Dictionary) -> Failure:
	var given: Dictionary = asked.get("actions", {})
	for side: String in NAMES:
		if not given.is_empty():
			if given.has(side):
				if not InputMap.has_action(given[side]):
					return Failure.unknown("action", given[side], InputMap.get_actions())
				_actions[side] = given[side]
			continue
		for name: String in NAMES[side]:
			if InputMap.has_action(name):
				_actions[side] = name
				break
	for pair: Array in [["left", "right"], ["up", "down"]]:
		if _actions.has(pair[0]) != _actions.has(pair[1]):
			return Failure.schema("actions: %s and %s go together." % pair)
	if _actions.is_empty():
		return Failure.schema("actions: left and right, up and down, or both.")
	_is_sideways = not _actions.has("up")
	if asked.get("relative", "world") != "world" and node is Node3D:
		var camera := node.get_viewport().get_camera_3d()
		var by: Node3D = camera if asked.relative == "camera" and camera != null else node
		_turn_by = Basis(Vector3.UP, by.global_rotation.y)
	return null


func _steer() -> void:
	var here: Variant = node.get("global_position")
	if ticks == _built_at or ticks - _built_at == SETTLING:
		_route = _path(here)
	while _route.size() > 1 and _flat(here).distance_to(_flat(_route[0])) <= maxf(_near, 1.0 if node is Node2D else 0.3):
		_route.pop_front()
	var goal: Variant = _to if _route.is_empty() or _is_sideways else _route[0]
	var way := _flat(goal) - _flat(here)
	if node is Node3D:
		var local := _turn_by.inverse() * Vector3(way.x, 0.0, way.y)
		way = Vector2(local.x, local.z)
	if _is_sideways:
		way.y = 0.0
	# A key has no strength: the lesser direction is held only while it matters.
	var dead := maxf(_near * 0.4, maxf(absf(way.x), absf(way.y)) * 0.2)
	for side: String in _actions:
		var wanted := {"left": -way.x, "right": way.x, "up": -way.y, "down": way.y}[side] as float > dead
		if wanted != _held.has(side):
			_press(side, wanted)


## The navigation map as `[server, map]`.
func _map() -> Array:
	if node is Node2D:
		return [NavigationServer2D, _agent.call("get_navigation_map") if _agent != null else (node as Node2D).get_world_2d().navigation_map]
	return [NavigationServer3D, _agent.call("get_navigation_map") if _agent != null else (node as Node3D).get_world_3d().navigation_map]


## False while the server builds the regions, for which it may take threads and any number of ticks.
func _has_built_map() -> bool:
	var found := _map()
	var server: Object = found[0]
	if (server.call("map_get_regions", found[1]) as Array).is_empty():
		return true
	if server.has_method("map_get_iteration_id") and int(server.call("map_get_iteration_id", found[1])) == 0:
		return false
	return (server.call("map_get_closest_point_owner", found[1], node.get("global_position")) as RID).is_valid()


## A path around obstacles of the navigation map; straight if there is no map.
func _path(from: Variant) -> Array:
	var found := _map()
	var server: Object = found[0]
	var points: Array = [] if (server.call("map_get_regions", found[1]) as Array).is_empty() else Array(server.call("map_get_path", found[1], from, _to, true))
	# A route that ends elsewhere is useless; the straight line shows the obstacle.
	if points.is_empty() or _flat(points.back()).distance_to(_flat(_to)) > _near * 2:
		return [_to]
	points.pop_front()
	return points if not points.is_empty() else [_to]


static func _flat(at: Variant) -> Vector2:
	return at if at is Vector2 else Vector2(at.x, at.z)


func _press(side: String, pressed: bool) -> void:
	if pressed:
		_held[side] = true
	else:
		_held.erase(side)
	for event: InputEvent in Inputs.action_events(_actions[side], pressed):
		Input.parse_input_event(event)
	Input.flush_buffered_events()


func _blocked() -> Failure:
	var by := ""
	if node is CharacterBody2D or node is CharacterBody3D:
		for index: int in int(node.call("get_slide_collision_count")):
			var collider: Object = node.call("get_slide_collision", index).call("get_collider")
			if collider is Node:
				by = str((collider as Node).get_path())
	var hint := "Walk around it, to a place in between." if by != "" else \
			"Its script may not follow its navigation agent." if _agent != null else \
			"The actions may not move it, or something holds it: watch its position."
	return _gave_up("%s is blocked%s." % [node.name, "" if by == "" else " by " + by], hint,
			{"blockedBy": by} if by != "" else {})


func _gave_up(message: String, fix: String, details: Dictionary) -> Failure:
	stop()
	return Failure.timeout("%s It is at %s, %s from the target." % [message, _list(node.get("global_position")), snappedf(distance(), 0.01)],
			details.merged({"node": str(node.get_path()), "position": _list(node.get("global_position")), "ticks": ticks}), fix)


static func _list(at: Variant) -> Array:
	return [snappedf(at.x, 0.01), snappedf(at.y, 0.01)] if at is Vector2 else \
			[snappedf(at.x, 0.01), snappedf(at.y, 0.01), snappedf(at.z, 0.01)]
