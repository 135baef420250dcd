@tool
extends RefCounted
## Between JSON and the engine's values.
##
## Where the type is declared, a vector is `{x, y}`, a colour `{r, g, b, a}`, a resource its path or
## `{resource, properties}`. Where it is not, anything JSON lacks carries its type: `{"$type": "Vector2", x, y}`.

const Failure := preload("failure.gd")
const Properties := preload("properties.gd")
const ResPath := preload("res_path.gd")
const Types := preload("types.gd")

## The members of each compound type, in the engine's order.
const MEMBERS := {
	TYPE_VECTOR2: {"x": TYPE_FLOAT, "y": TYPE_FLOAT},
	TYPE_VECTOR2I: {"x": TYPE_INT, "y": TYPE_INT},
	TYPE_RECT2: {"position": TYPE_VECTOR2, "size": TYPE_VECTOR2},
	TYPE_RECT2I: {"position": TYPE_VECTOR2I, "size": TYPE_VECTOR2I},
	TYPE_VECTOR3: {"x": TYPE_FLOAT, "y": TYPE_FLOAT, "z": TYPE_FLOAT},
	TYPE_VECTOR3I: {"x": TYPE_INT, "y": TYPE_INT, "z": TYPE_INT},
	TYPE_TRANSFORM2D: {"x": TYPE_VECTOR2, "y": TYPE_VECTOR2, "origin": TYPE_VECTOR2},
	TYPE_VECTOR4: {"x": TYPE_FLOAT, "y": TYPE_FLOAT, "z": TYPE_FLOAT, "w": TYPE_FLOAT},
	TYPE_VECTOR4I: {"x": TYPE_INT, "y": TYPE_INT, "z": TYPE_INT, "w": TYPE_INT},
	TYPE_PLANE: {"normal": TYPE_VECTOR3, "d": TYPE_FLOAT},
	TYPE_QUATERNION: {"x": TYPE_FLOAT, "y": TYPE_FLOAT, "z": TYPE_FLOAT, "w": TYPE_FLOAT},
	TYPE_AABB: {"position": TYPE_VECTOR3, "size": TYPE_VECTOR3},
	TYPE_BASIS: {"x": TYPE_VECTOR3, "y": TYPE_VECTOR3, "z": TYPE_VECTOR3},
	TYPE_TRANSFORM3D: {"basis": TYPE_BASIS, "origin": TYPE_VECTOR3},
	TYPE_PROJECTION: {"x": TYPE_VECTOR4, "y": TYPE_VECTOR4, "z": TYPE_VECTOR4, "w": TYPE_VECTOR4},
	TYPE_COLOR: {"r": TYPE_FLOAT, "g": TYPE_FLOAT, "b": TYPE_FLOAT, "a": TYPE_FLOAT},
}

const ELEMENTS := {
	TYPE_PACKED_INT32_ARRAY: TYPE_INT,
	TYPE_PACKED_INT64_ARRAY: TYPE_INT,
	TYPE_PACKED_FLOAT32_ARRAY: TYPE_FLOAT,
	TYPE_PACKED_FLOAT64_ARRAY: TYPE_FLOAT,
	TYPE_PACKED_STRING_ARRAY: TYPE_STRING,
	TYPE_PACKED_VECTOR2_ARRAY: TYPE_VECTOR2,
	TYPE_PACKED_VECTOR3_ARRAY: TYPE_VECTOR3,
	TYPE_PACKED_VECTOR4_ARRAY: TYPE_VECTOR4,
	TYPE_PACKED_COLOR_ARRAY: TYPE_COLOR,
}

## The greatest whole number that every reader of JSON reads as it is. Beyond it, numbers are text.
const MAX_WHOLE := 9007199254740991

const NOT_FINITE := {"inf": INF, "-inf": -INF, "nan": NAN}

## How deep resources inside resources are written out.
const RESOURCE_DEPTH := 2
const MAX_IN_OVERVIEW := 400


## To JSON. `base` is the node that paths to nodes start from.
static func encode(value: Variant, base: Node = null, depth := RESOURCE_DEPTH) -> Variant:
	match typeof(value):
		TYPE_INT:
			return str(value) if _is_beyond_json(value) else value
		TYPE_FLOAT:
			return _plain_float(value)
		TYPE_STRING_NAME, TYPE_NODE_PATH:
			return str(value)
		TYPE_OBJECT:
			return _encode_object(value, base, depth)
		TYPE_ARRAY:
			var typed: bool = value.is_typed()
			return value.map(func(item: Variant) -> Variant:
				return encode(item, base, depth) if typed else _tagged(item, base, depth))
		TYPE_DICTIONARY:
			return _encode_dictionary(value, base, depth)
		TYPE_PACKED_BYTE_ARRAY:
			return Marshalls.raw_to_base64(value)
		TYPE_CALLABLE, TYPE_SIGNAL, TYPE_RID:
			return {"$type": type_string(typeof(value))}
	if MEMBERS.has(typeof(value)):
		return _encode_members(value)
	if ELEMENTS.has(typeof(value)):
		return Array(value).map(func(item: Variant) -> Variant: return encode(item))
	return value


## A value for an overview, where a long one is cut; asked for by name it comes whole.
static func overview(value: Variant, base: Node) -> Variant:
	var json: Variant = encode(value, base)
	var text := JSON.stringify(json)
	if text.length() <= MAX_IN_OVERVIEW:
		return json
	return {"cut": text.left(MAX_IN_OVERVIEW / 4) + "…", "bytes": text.length()}


## From JSON, by the declared type: `info` is a property as the engine lists it, `current` its value now.
static func decode(json: Variant, info: Dictionary, current: Variant = null, base: Node = null) -> Variant:
	if json is Dictionary and json.has("$type"):
		var tagged: Variant = _decode_tagged(json, base)
		if tagged is Failure or info.type == TYPE_NIL or typeof(tagged) == info.type:
			return tagged
		return _mismatch(json, info)
	var type: int = info.type
	if MEMBERS.has(type):
		return _decode_members(json, info)
	if ELEMENTS.has(type):
		return _decode_packed(json, info)
	match type:
		TYPE_NIL:
			return _decode_untyped(json, base)
		TYPE_BOOL:
			return json if json is bool else _mismatch(json, info)
		TYPE_INT:
			return _decode_int(json, info)
		TYPE_FLOAT:
			if json is String and NOT_FINITE.has(json):
				return NOT_FINITE[json]
			return float(json) if json is float or json is int else _mismatch(json, info)
		TYPE_STRING:
			return json if json is String else _mismatch(json, info)
		TYPE_STRING_NAME:
			return StringName(json) if json is String else _mismatch(json, info)
		TYPE_NODE_PATH:
			return NodePath(json) if json is String else _mismatch(json, info)
		TYPE_OBJECT:
			return _decode_object(json, info, base)
		TYPE_ARRAY:
			return _decode_array(json, info, current, base)
		TYPE_DICTIONARY:
			return _decode_dictionary(json, info, current, base)
		TYPE_PACKED_BYTE_ARRAY:
			return Marshalls.base64_to_raw(json) if json is String else _mismatch(json, info)
	return Failure.schema("A value of type %s cannot be given as JSON." % Types.of_property(info))


## Equal as the engine would save them; not-a-number equals itself.
static func same(a: Variant, b: Variant) -> bool:
	if typeof(a) != typeof(b):
		return false
	if a is float:
		return a == b or (is_nan(a) and is_nan(b))
	return a == b


static func _is_beyond_json(value: int) -> bool:
	return value > MAX_WHOLE or value < -MAX_WHOLE


static func _encode_members(value: Variant) -> Dictionary:
	var out := {}
	for member: String in MEMBERS[typeof(value)]:
		out[member] = encode(value[member])
	return out


## The shortest decimal that is the same number, so that 0.1 kept in 32 bits does not read 0.10000000149.
static func _plain_float(value: float) -> Variant:
	if not is_finite(value):
		return "nan" if is_nan(value) else ("inf" if value > 0 else "-inf")
	if PackedFloat32Array([value])[0] != value:
		return value
	for digits: int in [6, 7, 8]:
		var short := float(("%." + str(maxi(digits - _magnitude(value), 0)) + "f") % value)
		if PackedFloat32Array([short])[0] == value:
			return short
	return value


static func _magnitude(value: float) -> int:
	return 0 if value == 0.0 else int(floor(log(absf(value)) / log(10.0))) + 1


static func _encode_object(value: Variant, base: Node, depth: int) -> Variant:
	if not is_instance_valid(value):
		return null
	if value is Node:
		var inside: bool = base != null and (base == value or base.is_ancestor_of(value))
		return {"node": str(base.get_path_to(value))} if inside else {"node": str(value.name)}
	if not value is Resource:
		return {"object": value.get_class()}
	var out := {"resource": Types.of_object(value)}
	if ResPath.is_file(value):
		out["path"] = value.resource_path
	elif depth > 0:
		var properties := _changed_properties(value, base, depth - 1)
		if not properties.is_empty():
			out["properties"] = properties
	return out


static func _changed_properties(resource: Resource, base: Node, depth: int) -> Dictionary:
	var out := {}
	for info: Dictionary in resource.get_property_list():
		if not info.usage & PROPERTY_USAGE_STORAGE or info.name in ["script", "resource_path", "resource_scene_unique_id"]:
			continue
		var value: Variant = resource.get(info.name)
		if not same(value, Types.default_of(resource, info)):
			out[info.name] = encode(value, base, depth)
	return out


static func _encode_dictionary(value: Dictionary, base: Node, depth: int) -> Dictionary:
	var typed := value.is_typed()
	var plain_keys := value.keys().all(func(key: Variant) -> bool:
		return key is String and not key.begins_with("$") or (typed and key is StringName))
	if not plain_keys:
		var entries := []
		for key: Variant in value:
			entries.append([_tagged(key, base, depth), _tagged(value[key], base, depth)])
		return {"$type": "Dictionary", "entries": entries}
	var out := {}
	for key: Variant in value:
		out[str(key)] = encode(value[key], base, depth) if typed else _tagged(value[key], base, depth)
	return out


static func _tagged(value: Variant, base: Node, depth: int) -> Variant:
	var json: Variant = encode(value, base, depth)
	if value is int and _is_beyond_json(value):
		return {"$type": "int", "value": json}
	match typeof(value):
		TYPE_NIL, TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_STRING, TYPE_OBJECT, TYPE_ARRAY, TYPE_DICTIONARY:
			return json
		TYPE_CALLABLE, TYPE_SIGNAL, TYPE_RID:
			return json
	if MEMBERS.has(typeof(value)):
		var out := {"$type": type_string(typeof(value))}
		out.merge(json)
		return out
	return {"$type": type_string(typeof(value)), "value": json}


static func _decode_tagged(json: Dictionary, base: Node) -> Variant:
	var name := str(json["$type"])
	var rest := json.duplicate()
	rest.erase("$type")
	if name == "Dictionary":
		return _decode_entries(rest, base)
	var type := Types.built_in(name)
	if type == TYPE_MAX:
		return Failure.schema("\"%s\" is no type of the engine." % name)
	if MEMBERS.has(type):
		return decode(rest, Types.plain(type), null, base)
	if rest.keys() == ["value"]:
		return decode(rest.value, Types.plain(type), null, base)
	return Failure.schema("{\"$type\": \"%s\"} needs the one member \"value\"." % name)


static func _decode_entries(json: Dictionary, base: Node) -> Variant:
	if not json.get("entries") is Array:
		return Failure.schema("{\"$type\": \"Dictionary\"} needs \"entries\": a list of [key, value].")
	var out := {}
	for entry: Variant in json.entries:
		if not entry is Array or entry.size() != 2:
			return Failure.schema("Every entry of a dictionary is [key, value].")
		var key: Variant = _decode_untyped(entry[0], base)
		var value: Variant = _decode_untyped(entry[1], base)
		if key is Failure or value is Failure:
			return key if key is Failure else value
		out[key] = value
	return out


static func _decode_untyped(json: Variant, base: Node) -> Variant:
	match typeof(json):
		TYPE_FLOAT:
			# JSON knows one kind of number; a whole one is an integer here.
			return int(json) if json == floorf(json) and absf(json) < 9.0e15 else json
		TYPE_ARRAY:
			return _decode_items(json, Types.plain(TYPE_NIL), base)
		TYPE_DICTIONARY:
			if json.has("resource") or (json.has("path") and json.size() == 1):
				return _decode_object(json, Types.plain(TYPE_OBJECT), base)
			if json.has("$type"):
				return _decode_tagged(json, base)
			var out := {}
			for key: Variant in json:
				var value: Variant = _decode_untyped(json[key], base)
				if value is Failure:
					return value.at(str(key))
				out[key] = value
			return out
	return json


static func _decode_items(json: Array, element: Dictionary, base: Node) -> Variant:
	var out := []
	for index: int in json.size():
		var item: Variant = decode(json[index], element, null, base)
		if item is Failure:
			return item.at("[%d]" % index)
		out.append(item)
	return out


static func _decode_array(json: Variant, info: Dictionary, current: Variant, base: Node) -> Variant:
	if not json is Array:
		return _mismatch(json, info)
	var typed: Array = current if current is Array else []
	var element := Types.element_of(typed) if typed.is_typed() else Types.element_by_hint(info)
	var items: Variant = _decode_items(json, element, base)
	if items is Failure or not typed.is_typed():
		return items
	return Array(items, typed.get_typed_builtin(), typed.get_typed_class_name(), typed.get_typed_script())


static func _decode_dictionary(json: Variant, info: Dictionary, current: Variant, base: Node) -> Variant:
	if not json is Dictionary:
		return _mismatch(json, info)
	var typed: Dictionary = current if current is Dictionary else {}
	if not typed.is_typed():
		return _decode_untyped(json, base) if not json.has("resource") else _mismatch(json, info)
	var key_info := Types.plain(typed.get_typed_key_builtin(), typed.get_typed_key_class_name())
	var value_info := Types.plain(typed.get_typed_value_builtin(), typed.get_typed_value_class_name())
	var out := typed.duplicate()
	out.clear()
	for text: String in json:
		var as_number: Variant = JSON.parse_string(text) if key_info.type == TYPE_FLOAT else text
		var key: Variant = decode(as_number, key_info, null, base)
		var value: Variant = decode(json[text], value_info, null, base)
		if key is Failure or value is Failure:
			return (key if key is Failure else value).at(text)
		out[key] = value
	return out


static func _decode_members(json: Variant, info: Dictionary) -> Variant:
	var type: int = info.type
	if type == TYPE_COLOR and json is String:
		return Color(json) if Color.html_is_valid(json) else _mismatch(json, info)
	if not json is Dictionary:
		return _mismatch(json, info)
	var value: Variant = Color() if type == TYPE_COLOR else type_convert(null, type)
	for member: String in MEMBERS[type]:
		if not json.has(member):
			if type == TYPE_COLOR and member == "a":
				continue
			return _mismatch(json, info)
		var part: Variant = decode(json[member], Types.plain(MEMBERS[type][member]))
		if part is Failure:
			return part.at(member)
		value[member] = part
	for member: Variant in json:
		if not MEMBERS[type].has(member):
			return _mismatch(json, info)
	return value


static func _decode_packed(json: Variant, info: Dictionary) -> Variant:
	if not json is Array:
		return _mismatch(json, info)
	var items: Variant = _decode_items(json, Types.plain(ELEMENTS[info.type]), null)
	return items if items is Failure else type_convert(items, info.type)


static func _decode_int(json: Variant, info: Dictionary) -> Variant:
	if json is int or (json is float and json == floorf(json)):
		return int(json)
	if json is String and info.get("hint") == PROPERTY_HINT_ENUM:
		var choices := Types.enum_choices(info)
		if choices.has(json):
			return choices[json]
		return Failure.unknown("choice", json, choices.keys(), "E_SCHEMA_VALIDATION")
	# As text, a number keeps all its digits; one that does not fit into 64 bits would come out as another.
	if json is String and json.is_valid_int() and str(json.to_int()) == json:
		return json.to_int()
	return _mismatch(json, info)


static func _decode_object(json: Variant, info: Dictionary, base: Node) -> Variant:
	if json == null:
		return null
	var wanted := Types.class_of_property(info)
	if Types.is_node_class(wanted) or (json is Dictionary and json.has("node")):
		var path := str(json.node) if json is Dictionary and json.has("node") else str(json)
		var node := base.get_node_or_null(NodePath(path)) if base != null else null
		if node == null:
			return Failure.not_found("There is no node \"%s\"." % path)
		return node if Types.fits(node, wanted) else _mismatch(json, info)
	var resource: Variant = _decode_resource(json, info, base)
	if resource is Failure or Types.fits(resource, wanted):
		return resource
	return Failure.schema("A %s is not a %s." % [Types.of_object(resource), wanted],
			{"expected": wanted, "given": Types.of_object(resource)})


static func _decode_resource(json: Variant, info: Dictionary, base: Node) -> Variant:
	var path: Variant = json.get("path") if json is Dictionary else json
	if path is String and (not json is Dictionary or not json.has("properties")):
		if not (path.begins_with("res://") or path.begins_with("uid://")):
			return _mismatch(json, info)
		return ResPath.load_resource(path)
	if not json is Dictionary or not json.get("resource") is String:
		return _mismatch(json, info)
	var made: Variant = Types.instantiate_resource(json.resource)
	if made is Failure:
		return made
	var properties: Variant = json.get("properties", {})
	if not properties is Dictionary:
		return Failure.schema("\"properties\" of a resource is an object.")
	var set_: Variant = Properties.set_all(made, properties, base)
	return set_ if set_ is Failure else made


static func _mismatch(json: Variant, info: Dictionary) -> Failure:
	var expected := Types.of_property(info)
	var given := JSON.stringify(json)
	return Failure.schema("%s does not fit: %s is expected%s." % [given.left(80), expected, _example(info)],
			{"expected": expected, "given": json if given.length() <= 200 else given.left(200)})


static func _example(info: Dictionary) -> String:
	if MEMBERS.has(info.type):
		return " as " + JSON.stringify(_encode_members(type_convert(null, info.type))).replace("\"", "")
	if info.type == TYPE_OBJECT:
		return " as \"res://…\", {resource, properties} or null"
	if info.type == TYPE_PACKED_BYTE_ARRAY:
		return " as base64 text"
	return ""
