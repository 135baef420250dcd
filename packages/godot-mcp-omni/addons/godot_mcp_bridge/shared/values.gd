@tool
extends RefCounted
## Converts the engine's values to JSON.
##
## If the type is declared, a vector is `{x, y}`, a color `{r, g, b, a}`, a resource its path or
## `{resource, properties}`. Elsewhere a value that JSON lacks carries its type: `{"$type": "Vector2", x, y}`.

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

## The largest integer that every JSON parser reads exactly. Larger ones are written as text.
const MAX_WHOLE := 9007199254740991

## The depth to which nested resources are expanded.
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


## A value for an overview, with long values cut. A value that is requested by name is complete.
static func overview(value: Variant, base: Node) -> Variant:
	var json: Variant = encode(value, base)
	var text := JSON.stringify(json)
	if text.length() <= MAX_IN_OVERVIEW:
		return json
	return {"cut": text.left(MAX_IN_OVERVIEW / 4) + "…", "bytes": text.length()}


## Whether two values are saved the same way; NaN equals itself.
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


## The shortest decimal of the same number: 0.1 in 32 bits instead of 0.10000000149.
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
