extends Node
## Counts the frames in which the nodes of the game are processed, not those in which it is paused.

## Before any other node of the frame.
signal frame_began
## After all of them.
signal frame_ended
signal ticked

var frame := 0


func _init() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	process_priority = -(1 << 30)
	process_physics_priority = -(1 << 30)


func _process(_delta: float) -> void:
	frame += 1
	frame_began.emit()
	_end.call_deferred()


func _physics_process(_delta: float) -> void:
	ticked.emit()


func after(frames: int, callback: Callable) -> void:
	for _frame: int in frames:
		await frame_began
	await frame_ended
	callback.call()


func wait_ticks(ticks: int) -> void:
	for _tick: int in ticks:
		await ticked
	await frame_began


func _end() -> void:
	frame_ended.emit()
