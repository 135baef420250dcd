@tool
extends SceneTree
## Base of this package's main loops: the part that is compiled under the project's warning settings, however strict.
##
## For the scripts that follow, warnings are off. The engine applies the change when it is idle.
## Scripts that extend it are @tool as well, because there is a warning about others.

const RULES: String = "debug/gdscript/warnings/enable"


## Built in threads, navigation maps would be ready after another number of ticks each time.
const THREADED_NAVIGATION: Array[String] = [
	"navigation/world/map_use_async_iterations", "navigation/world/region_use_async_iterations",
]


func _initialize() -> void:
	if OS.get_environment("GODOT_MCP_FIXED_FPS") != "":
		for name: String in THREADED_NAVIGATION:
			if ProjectSettings.has_setting(name):
				ProjectSettings.set_setting(name, false)
	var rules: Variant = ProjectSettings.get_setting(RULES)
	ProjectSettings.set_setting(RULES, false)
	_load.call_deferred(rules)


func _load(rules: Variant) -> void:
	var own: Script = get_script()
	var script: GDScript = load(own.resource_path.get_base_dir().path_join(_part()))
	_begin(script)
	ProjectSettings.set_setting(RULES, rules)
	_open.call_deferred()


## The script with the rest of the main loop.
func _part() -> String:
	return ""


func _begin(_script: GDScript) -> void:
	pass


## From here on, the project's warning settings apply again.
func _open() -> void:
	pass
