@tool
extends RefCounted
## project.godot: settings and the input map.

const Failure := preload("failure.gd")
const FromJson := preload("from_json.gd")
const InputEvents := preload("input_events.gd")
const StoredFile := preload("stored_file.gd")
const Types := preload("types.gd")
const Values := preload("values.gd")

## Settings that the engine does not declare are ordered after these.
const FIRST_OWN_ORDER := 1 << 16


static func read(params: Dictionary) -> Dictionary:
	var settings := {}
	var unknown := []
	for name: Variant in params.get("names", []):
		if ProjectSettings.has_setting(name):
			settings[name] = Values.encode(ProjectSettings.get_setting(name))
		else:
			unknown.append(name)
	if not params.has("names") or params.has("prefix"):
		for info: Dictionary in _listed():
			var name: String = info.name
			var changed: bool = not Values.same(ProjectSettings.get_setting(name), _default(name))
			if name.begins_with(params.get("prefix", "")) and (changed or params.get("all", false)):
				settings[name] = Values.encode(ProjectSettings.get_setting(name))
	return {"settings": settings, "unknown": unknown}


static func write(params: Dictionary) -> Variant:
	var settings: Variant = params.get("settings")
	if not settings is Dictionary or settings.is_empty():
		return Failure.schema("\"settings\" is an object of names and values.")
	var known := {}
	for info: Dictionary in _listed():
		known[info.name] = info
	var values := {}
	for name: String in settings:
		if name.begins_with("input/"):
			return Failure.schema("\"%s\" belongs to the input map." % name, {}, "Use input_map.set.")
		if not name.contains("/"):
			return Failure.schema("\"%s\" is not a setting: names look like section/name." % name)
		if settings[name] == null:
			values[name] = null
			continue
		if not known.has(name) and _nearly_known(name, known):
			return Failure.unknown("setting", name, known.keys(), "E_SCHEMA_VALIDATION")
		var info: Dictionary = known.get(name, Types.plain(TYPE_NIL))
		var value: Variant = FromJson.decode(settings[name], info, ProjectSettings.get_setting(name))
		if value is Failure:
			return value.at(name)
		values[name] = value
	return _save(values, known)


static func read_input_map(params: Dictionary) -> Dictionary:
	var actions := []
	for info: Dictionary in ProjectSettings.get_property_list():
		var name: String = info.name
		if name.begins_with("input/") and (params.get("builtIn", false) or not name.begins_with("input/ui_")):
			actions.append(_action(name))
	return {"actions": actions}


static func write_input_map(params: Dictionary) -> Variant:
	var values := {}
	for action: Variant in params.get("actions", []):
		if not action is Dictionary or not action.get("name") is String or action.name == "" or action.name.contains("/"):
			return Failure.schema("An action is {name, deadzone, events}; its name cannot contain a slash.")
		var events := []
		for json: Variant in action.get("events", []):
			var event: Variant = InputEvents.decode(json)
			if event is Failure:
				return event.at(action.name)
			events.append(event)
		values["input/" + action.name] = {"deadzone": float(action.get("deadzone", 0.2)), "events": events}
	for name: Variant in params.get("remove", []):
		if not ProjectSettings.has_setting("input/" + str(name)):
			return Failure.not_found("There is no input action \"%s\"." % name)
		values["input/" + str(name)] = null
	if values.is_empty():
		return Failure.schema("Give \"actions\" to set or names to \"remove\".")
	var saved: Variant = _save(values, {})
	if saved is Failure:
		return saved
	return {
		"actions": params.get("actions", []).map(func(action: Dictionary) -> Dictionary: return _action("input/" + action.name)),
		"removed": params.get("remove", []),
	}


static func _save(values: Dictionary, known: Dictionary) -> Variant:
	var before := {}
	var changed := []
	for name: String in values:
		before[name] = ProjectSettings.get_setting(name)
		ProjectSettings.set_setting(name, values[name] if values[name] != null else _default(name))
		changed.append({
			"name": name,
			"type": Types.of_property(known.get(name, Types.plain(typeof(ProjectSettings.get_setting(name))))),
			"old": Values.encode(before[name]),
			"new": Values.encode(ProjectSettings.get_setting(name)),
		})
	var written: Variant = _write()
	if not written is Failure:
		return {"changed": changed}
	for name: String in before:
		ProjectSettings.set_setting(name, before[name])
	return written


static func _write() -> Variant:
	var draft := StoredFile.draft_of("res://project.godot")
	var error := ProjectSettings.save_custom(draft)
	if error != OK:
		return Failure.disk("res://project.godot", error)
	return StoredFile.put_in_place(draft, "res://project.godot")


## A setting that cannot be reverted holds its default.
static func _default(name: String) -> Variant:
	if ProjectSettings.property_can_revert(name):
		return ProjectSettings.property_get_revert(name)
	return ProjectSettings.get_setting(name)


static func _listed() -> Array:
	return ProjectSettings.get_property_list().filter(func(info: Dictionary) -> bool:
		return info.name.contains("/") and not info.name.begins_with("input/"))


## A new name in a known section is usually a typo; other sections belong to the project.
static func _nearly_known(name: String, known: Dictionary) -> bool:
	var section := name.get_slice("/", 0) + "/"
	if section in ["global/", "addons/", "autoload/", "editor_plugins/", "shader_globals/", "global_group/"]:
		return false
	return known.keys().any(func(other: String) -> bool:
		return other.begins_with(section) and ProjectSettings.get_order(other) < FIRST_OWN_ORDER)


static func _action(name: String) -> Dictionary:
	var value: Dictionary = ProjectSettings.get_setting(name)
	return {
		"name": name.trim_prefix("input/"),
		"deadzone": snappedf(value.get("deadzone", 0.2), 0.0001),
		"events": value.get("events", []).map(InputEvents.encode),
	}
