@tool
extends SceneTree
## A main loop of this package: the part that is read under the project's rules for scripts, however strict.
##
## For the scripts that follow, the rules are off. The engine takes note of a change when it is idle.
## Those that extend it are tools as well: there is a rule against others.

const RULES: String = "debug/gdscript/warnings/enable"


func _initialize() -> void:
	var rules: Variant = ProjectSettings.get_setting(RULES)
	ProjectSettings.set_setting(RULES, false)
	_load.call_deferred(rules)


func _load(rules: Variant) -> void:
	var own: Script = get_script()
	var script: GDScript = load(own.resource_path.get_base_dir().path_join(_part()))
	_begin(script)
	ProjectSettings.set_setting(RULES, rules)
	_open.call_deferred()


## The script that the rest is in.
func _part() -> String:
	return ""


func _begin(_script: GDScript) -> void:
	pass


## From here on, the project's rules apply again.
func _open() -> void:
	pass
