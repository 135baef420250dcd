@tool
extends RefCounted
## Lists properties, methods and signals of a class, with the class that declares each.

const ClassNames := preload("class_names.gd")
const Properties := preload("properties.gd")
const Scripts := preload("scripts.gd")
const Types := preload("types.gd")
const Values := preload("values.gd")

const MAX_ROWS := 200

const METHOD_FLAGS := {
	"const": METHOD_FLAG_CONST, "static": METHOD_FLAG_STATIC,
	"virtual": METHOD_FLAG_VIRTUAL, "vararg": METHOD_FLAG_VARARG,
}


## `kind` is "properties", "methods" or "signals"; `object` is null if only the class is known.
static func list(kind: String, name: String, object: Object, params: Dictionary) -> Dictionary:
	var rows := []
	for script: Script in Scripts.chain(object.get_script() if object != null else _script_of(name)):
		var origin := script.get_global_name() if script.get_global_name() != &"" else StringName(script.resource_path)
		rows.append_array(_script_rows(kind, script, origin))
	var native: StringName = object.get_class() if object != null else ClassNames.native_base(name)
	while native != &"":
		rows.append_array(_native_rows(kind, native))
		native = ClassDB.get_parent_class(native)
	rows = _once(rows)
	if params.has("contains"):
		rows = rows.filter(func(row: Dictionary) -> bool: return row.name.containsn(params.contains))
	return {"type": name, "total": rows.size(), kind: rows.slice(0, int(params.get("limit", MAX_ROWS)))}


static func _script_of(name: String) -> Script:
	var path := ClassNames.script_of(name)
	return load(path) if path != "" else null


static func _script_rows(kind: String, script: Script, origin: StringName) -> Array:
	match kind:
		"properties":
			return script.get_script_property_list().filter(Properties.is_one).map(func(info: Dictionary) -> Dictionary:
				return _property(info, origin, script.get_property_default_value(info.name)))
		"methods":
			return script.get_script_method_list().map(_method.bind(origin))
	return script.get_script_signal_list().map(_signal.bind(origin))


static func _native_rows(kind: String, native: StringName) -> Array:
	match kind:
		"properties":
			return ClassDB.class_get_property_list(native, true).filter(Properties.is_one).map(func(info: Dictionary) -> Dictionary:
				return _property(info, native, ClassDB.class_get_property_default_value(native, info.name)))
		"methods":
			return ClassDB.class_get_method_list(native, true).filter(_is_public).map(_method.bind(native))
	return ClassDB.class_get_signal_list(native, true).map(_signal.bind(native))


## Names with a leading underscore are virtual or internal methods.
static func _is_public(info: Dictionary) -> bool:
	return not info.name.begins_with("_") or info.flags & METHOD_FLAG_VIRTUAL


static func _property(info: Dictionary, origin: StringName, default: Variant) -> Dictionary:
	var row := {"name": str(info.name), "type": Types.of_property(info), "from": str(origin)}
	if info.hint in [PROPERTY_HINT_ENUM, PROPERTY_HINT_RANGE, PROPERTY_HINT_FLAGS] and info.hint_string != "":
		row["hint"] = info.hint_string
	if default != null:
		row["default"] = Values.encode(default)
	if info.usage & PROPERTY_USAGE_READ_ONLY:
		row["readOnly"] = true
	return row


static func _method(info: Dictionary, origin: StringName) -> Dictionary:
	var row := {"name": str(info.name), "from": str(origin), "args": _arguments(info), "returns": _return_type(info)}
	var flags := METHOD_FLAGS.keys().filter(func(flag: String) -> bool: return info.flags & METHOD_FLAGS[flag])
	if not flags.is_empty():
		row["flags"] = flags
	return row


static func _signal(info: Dictionary, origin: StringName) -> Dictionary:
	return {"name": str(info.name), "from": str(origin), "args": _arguments(info)}


static func _arguments(info: Dictionary) -> Array:
	var out := []
	var first_default: int = info.args.size() - info.default_args.size()
	for index: int in info.args.size():
		var argument: Dictionary = info.args[index]
		var row := {"name": str(argument.name), "type": Types.of_property(argument)}
		if index >= first_default:
			row["default"] = Values.encode(info.default_args[index - first_default])
		out.append(row)
	return out


static func _return_type(info: Dictionary) -> String:
	var result: Dictionary = info["return"]
	if result.type == TYPE_NIL and not result.usage & PROPERTY_USAGE_NIL_IS_VARIANT:
		return "void"
	return Types.of_property(result)


## The declaration nearest to the object wins, as in the engine.
static func _once(rows: Array) -> Array:
	var seen := {}
	return rows.filter(func(row: Dictionary) -> bool:
		var is_new := not seen.has(row.name)
		seen[row.name] = true
		return is_new)
