@tool
extends MainLoop
## A headless Godot that stays and answers requests one after the other.
##
## Started as `--headless --editor --script`: with the editor's hint scripts of the project stand still, and
## because this main loop is no SceneTree, neither the editor nor the project's autoloads are built.

var _link: RefCounted
var _answers: RefCounted


func _initialize() -> void:
	# Waiting happens in the socket; a frame need not take its time.
	OS.low_processor_usage_mode = false
	var lifeline := Thread.new()
	lifeline.start(_die_with_the_server)
	# The project's rules for its own scripts do not apply to these.
	var rules: Variant = ProjectSettings.get_setting("debug/gdscript/warnings/enable")
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", false)
	var folder: String = get_script().resource_path.get_base_dir()
	var addon := folder.get_base_dir().path_join("addons/godot_mcp_bridge")
	_answers = load(addon.path_join("answers.gd")).new(load(folder.path_join("engine_host.gd")).new())
	_link = load(addon.path_join("link.gd")).new()
	ProjectSettings.set_setting("debug/gdscript/warnings/enable", rules)
	_link.dial(int(OS.get_environment("GODOT_MCP_WORKER_PORT")), OS.get_environment("GODOT_MCP_WORKER_TOKEN"), {
		"role": "engine",
		"project": ProjectSettings.globalize_path("res://"),
		"version": Engine.get_version_info().string,
		"pid": OS.get_process_id(),
	})


func _process(_delta: float) -> bool:
	var request: Variant = _link.wait()
	if request == null:
		OS.kill(OS.get_process_id())
		return true
	_link.send(await _answers.to(request))
	return false


## The server holds the other end of stdin; when it is gone, so is this process, whatever it is doing.
func _die_with_the_server() -> void:
	while not OS.read_buffer_from_stdin(64).is_empty():
		pass
	OS.kill(OS.get_process_id())
