extends RefCounted
## Acts by meaning: clicks and drags a text or node, types into it, walks a node to a position.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")
const Clock := preload("game_clock.gd")
const Inputs := preload("game_inputs.gd")
const Screen := preload("game_screen.gd")
const View := preload("game_view.gd")
const Walk := preload("game_walk.gd")

## Default duration of a drag: controls begin one only after the mouse has moved some distance.
const DRAG_FRAMES := 10

var _tree: SceneTree
var _clock: Clock
var _view: View
var _screen: Screen


func _init(tree: SceneTree, clock: Clock, view: View) -> void:
	_tree = tree
	_clock = clock
	_view = view
	_screen = Screen.new(tree, view)


## Carries out one step of `Inputs.decode_all` that has an `act`; returns its result or a failure. Calls `is_cancelled` each frame.
func carry_out(act: Dictionary, is_cancelled: Callable) -> Variant:
	if act.kind == "walk":
		return await _walk(act, is_cancelled)
	var place: Variant = _screen.place_of(act)
	if place is Failure:
		return place
	var refused := Screen.refusal(place.node)
	if refused != null:
		return refused
	Inputs.give(Inputs.motion_to(place.at, _tree))
	await _clock.frame_began
	# The target may move, and only now the node below the mouse is known.
	place = _screen.place_of(act)
	if place is Failure:
		return place
	var covering: Variant = _screen.covering(place.node)
	if covering != null:
		return Failure.unsupported("%s is covered by %s, which would get the click." % [place.node.get_path(), covering.get_path()],
				{"node": str(place.node.get_path()), "coveredBy": str(covering.get_path())},
				"Close what is on top, or set its mouse_filter to ignore if it should let clicks through.")
	var steps: Variant = steps_at(act, place)
	if steps is Failure:
		return steps
	var target: Node = place.node if place.node != null else _tree.root.gui_get_hovered_control()
	var path := "" if target == null else str(target.get_path())
	for step: Dictionary in steps:
		var left: int = step.frames
		while left > 0 and not is_cancelled.call():
			await _clock.frame_began
			left -= 1
		if step.has("ticks"):
			await _clock.wait_ticks(step.ticks)
		Inputs.give(step.events)
	var out := {"kind": act.kind, "x": roundi(place.at.x), "y": roundi(place.at.y)}
	if path != "":
		out["node"] = path
	return out


## The steps of a click, drag or text at a place that was found just now.
func steps_at(act: Dictionary, place: Dictionary) -> Variant:
	var press := {"kind": "button", "x": place.at.x, "y": place.at.y, "button": act.get("button", "left")}
	var to := {}
	for member: String in ["toText", "toNode", "toX", "toY"]:
		if act.has(member):
			to[member.substr(2).to_lower()] = act[member]
	if act.has("hold"):
		press["hold"] = act.hold
	if not to.is_empty():
		var end: Variant = _screen.place_of(to)
		if end is Failure:
			return end
		press.merge({"toX": end.at.x, "toY": end.at.y, "hold": act.get("hold", DRAG_FRAMES)}, true)
	var inputs := [press]
	if act.kind == "type":
		inputs.append({"kind": "text", "text": act.letters, "frames": 1})
	return Inputs.decode_all(inputs, _tree)


## For recordings, whose frames cannot wait: the steps from this frame on.
func steps_now(act: Dictionary) -> Variant:
	var place: Variant = _screen.place_of(act)
	if place is Failure:
		return place
	var refused := Screen.refusal(place.node)
	return refused if refused != null else steps_at(act, place)


func walk(act: Dictionary) -> Variant:
	var walk := Walk.new()
	var refused := walk.begin(act, _view)
	return walk if refused == null else refused


func _walk(act: Dictionary, is_cancelled: Callable) -> Variant:
	var walk: Variant = walk(act)
	if walk is Failure:
		return walk
	while not is_cancelled.call():
		await _clock.ticked
		var arrived: Variant = walk.turn()
		if arrived is Dictionary:
			return arrived.merged({"kind": "walk"})
		if arrived != null:
			return arrived
	walk.stop()
	return Failure.timeout("The walk was given up.")
