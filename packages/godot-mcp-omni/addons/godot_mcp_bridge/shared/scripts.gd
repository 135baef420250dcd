@tool
extends RefCounted
## Declarations of a script, with those it extends.

## The script and those it extends, nearest first.
static func chain(script: Script) -> Array[Script]:
	var out: Array[Script] = []
	var next := script
	while next != null:
		out.append(next)
		next = next.get_base_script()
	return out


## Its `class_name`, or that of the nearest script it extends, or "".
static func class_name_of(script: Script) -> String:
	for part: Script in chain(script):
		if part.get_global_name() != &"":
			return part.get_global_name()
	return ""


static func inherits_name(script: Script, name: String) -> bool:
	return chain(script).any(func(part: Script) -> bool: return part.get_global_name() == name)


static func method_names(script: Script) -> Array:
	var out := []
	for part: Script in chain(script):
		for info: Dictionary in part.get_script_method_list():
			out.append(info.name)
	return out
