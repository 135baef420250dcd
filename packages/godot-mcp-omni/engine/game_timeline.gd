extends RefCounted
## Sends the inputs of a list, each in its frame. An input with `at` begins a separate track, so inputs can overlap;
## one without follows the previous input.

const Failure := preload("../addons/godot_mcp_bridge/shared/failure.gd")
const Acts := preload("game_acts.gd")
const Clock := preload("game_clock.gd")
const Inputs := preload("game_inputs.gd")
const View := preload("game_view.gd")

## A row per input that was sent: its index and frame.
var sent: Array[Dictionary] = []
## The frame of each step.
var frames := []
## Results of clicks, texts and walks by meaning.
var acts := []
var failure: Failure
var is_over := true

var _tree: SceneTree
var _clock: Clock
var _view: View
var _tracks: Array[Array] = []
var _open := 0
## The events that release what an input holds, by its index.
var _held := {}
var _is_stopped := false


func _init(tree: SceneTree, clock: Clock, view: View) -> void:
	_tree = tree
	_clock = clock
	_view = view


## Null, or the problem with the inputs.
func read(inputs: Array) -> Failure:
	var steps: Variant = Inputs.decode_all(inputs, _tree)
	if steps is Failure:
		return steps
	var before := -1
	for step: Dictionary in steps:
		var input: Dictionary = inputs[step.index]
		var is_first: bool = step.index != before
		before = step.index
		if _tracks.is_empty() or is_first and input.has("at"):
			_tracks.append([])
		if is_first and input.has("at"):
			step.frames = int(input.at)
		_tracks[-1].append(step)
	return null


func has_acts() -> bool:
	return _tracks.any(func(track: Array) -> bool:
		return track.any(func(step: Dictionary) -> bool: return step.has("act")))


func begin() -> void:
	_open = _tracks.size()
	is_over = _open == 0
	for track: Array in _tracks:
		_play(track)


func finish() -> void:
	while not is_over:
		await _clock.frame_began


## Stops sending, and releases held inputs.
func stop() -> void:
	_is_stopped = true
	for events: Array in _held.values():
		Inputs.give(events)
	_held.clear()


func is_stopped() -> bool:
	return _is_stopped


func _play(track: Array) -> void:
	# Inputs are sent at the start of a frame, not between two.
	await _clock.frame_began
	for index: int in track.size():
		var step: Dictionary = track[index]
		var left: int = step.frames
		while left > 0 and not _is_stopped:
			await _clock.frame_began
			left -= 1
		if step.has("ticks") and not _is_stopped:
			await _clock.wait_ticks(step.ticks)
		if _is_stopped:
			break
		if sent.is_empty() or not sent.any(func(row: Dictionary) -> bool: return row.event == step.index):
			sent.append({"event": step.index, "frame": _clock.frame})
		frames.append(_clock.frame)
		Inputs.give(step.events)
		_hold(step.index, track.slice(index + 1))
		if step.has("act"):
			var done: Variant = await Acts.new(_tree, _clock, _view).carry_out(step.act, is_stopped)
			if done is Failure:
				failure = done.at("events[%d]" % step.index)
				_is_stopped = true
				break
			acts.append(done)
	_open -= 1
	is_over = _open == 0


func _hold(input: int, rest: Array) -> void:
	_held.erase(input)
	var later := rest.filter(func(step: Dictionary) -> bool: return step.index == input)
	if not later.is_empty():
		_held[input] = later[-1].events.filter(func(event: InputEvent) -> bool: return event.is_released())
