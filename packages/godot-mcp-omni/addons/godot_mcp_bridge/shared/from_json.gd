@tool
extends RefCounted
## Converts JSON to the engine's values, by the declared type or by the type that the JSON carries.

const Failure := preload("failure.gd")
const Properties := preload("properties.gd")
const ResPath := preload("res_path.gd")
const Types := preload("types.gd")
const Values := preload("values.gd")

## Returned for texts that are no color.
const NO_COLOR := Color(-1, 0, 0)
const NOT_FINITE := {"inf": INF, "-inf": -INF, "nan": NAN}


## `info` is a property as the engine lists it, `current` its value now.
static func decode(json: Variant, info: Dictionary, current: Variant = null, base: Node = null) -> Variant:
	if json is Dictionary and json.has("$type"):
		var tagged: Variant = _decode_tagged(json, base)
		if tagged is Failure or info.type == TYPE_NIL or typeof(tagged) == info.type:
			return tagged
		return _mismatch(json, info)
	var type: int = info.type
	if Values.MEMBERS.has(type):
		return _decode_members(_spelled_out(json, type), info)
	if Values.ELEMENTS.has(type):
		return _decode_packed(_items_of(json, type), info)
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


## The numbers of a text such as `Vector2(1, 2)`, as in GDScript and scene files.
static func _spelled_out(json: Variant, type: int) -> Variant:
	if not json is String:
		return json
	var text: String = json.strip_edges()
	var name := text.get_slice("(", 0)
	if not text.ends_with(")") or name.trim_suffix("i") != type_string(type).trim_suffix("i") \
			or not (name.begins_with("Vector") or name in ["Color", "Quaternion"]):
		return json
	var numbers := text.trim_prefix(name + "(").trim_suffix(")").split(",")
	for number: String in numbers:
		if not number.strip_edges().is_valid_float():
			return json
	return Array(numbers).map(func(number: String) -> float: return number.to_float())


## The items of a text such as `PackedVector2Array(0, 0, 1, 1)`, as in scene files.
static func _items_of(json: Variant, type: int) -> Variant:
	var text: String = json.strip_edges() if json is String else ""
	var name := type_string(type) + "("
	if not text.begins_with(name) or not text.ends_with(")"):
		return json
	var items: Variant = JSON.parse_string("[%s]" % text.trim_prefix(name).trim_suffix(")"))
	var size: int = Values.MEMBERS.get(Values.ELEMENTS[type], {"": 0}).size()
	if not items is Array or items.size() % size != 0:
		return json
	return items if size == 1 else range(0, items.size(), size).map(func(at: int) -> Array: return items.slice(at, at + size))


static func _decode_tagged(json: Dictionary, base: Node) -> Variant:
	var name := str(json["$type"])
	var rest := json.duplicate()
	rest.erase("$type")
	if name == "Dictionary":
		return _decode_entries(rest, base)
	var type := Types.built_in(name)
	if type == TYPE_MAX:
		return Failure.schema("\"%s\" is no type of the engine." % name)
	if Values.MEMBERS.has(type):
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
			# JSON has one kind of number; a whole number becomes an integer.
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
		# Digits, or a name such as `dark orange`.
		var color := Color.from_string(json, NO_COLOR)
		return color if color != NO_COLOR else _mismatch(json, info)
	var given: Variant = json
	json = _by_name(json, type)
	if not json is Dictionary:
		return _mismatch(given, info)
	var value: Variant = Color() if type == TYPE_COLOR else type_convert(null, type)
	for member: String in Values.MEMBERS[type]:
		if not json.has(member):
			if type == TYPE_COLOR and member == "a":
				continue
			return _mismatch(json, info)
		var part: Variant = decode(json[member], Types.plain(Values.MEMBERS[type][member]))
		if part is Failure:
			return part.at(member)
		value[member] = part
	for member: Variant in json:
		if not Values.MEMBERS[type].has(member):
			return _mismatch(json, info)
	return value


## Converts a list of numbers, or the sides of a rectangle, to the members of the type.
static func _by_name(json: Variant, type: int) -> Variant:
	var is_rect := type == TYPE_RECT2 or type == TYPE_RECT2I
	if is_rect and json is Dictionary and json.size() == 4 and json.has_all(["x", "y", "width", "height"]):
		return _by_name([json.x, json.y, json.width, json.height], type)
	if not json is Array:
		return json
	if is_rect and json.size() == 4:
		return {"position": json.slice(0, 2), "size": json.slice(2)}
	var members: Dictionary = Values.MEMBERS[type]
	var is_flat: bool = members.values().all(func(member: int) -> bool: return member == TYPE_FLOAT or member == TYPE_INT)
	var is_complete: bool = json.size() == members.size() or (type == TYPE_COLOR and json.size() == 3)
	if not is_flat or not is_complete:
		return json
	var out := {}
	for index: int in json.size():
		out[members.keys()[index]] = json[index]
	return out


static func _decode_packed(json: Variant, info: Dictionary) -> Variant:
	if not json is Array:
		return _mismatch(json, info)
	var items: Variant = _decode_items(json, Types.plain(Values.ELEMENTS[info.type]), null)
	return items if items is Failure else type_convert(items, info.type)


static func _decode_int(json: Variant, info: Dictionary) -> Variant:
	if json is int or (json is float and json == floorf(json)):
		var labelled := Types.enum_choices(info) if info.get("hint") == PROPERTY_HINT_ENUM else {}
		if not labelled.is_empty() and not labelled.values().has(int(json)):
			return Failure.schema("%d is not one of the choices." % int(json), {"choices": labelled})
		return int(json)
	if json is String and info.get("hint") == PROPERTY_HINT_ENUM:
		var choices := Types.enum_choices(info)
		var chosen: Variant = _labelled(choices, json, info.name)
		return chosen if chosen != null else Failure.unknown("choice", json, choices.keys(), "E_SCHEMA_VALIDATION")
	if json is String and not json.is_valid_int() and Types.is_flags(info):
		var flags := Types.flags(info)
		var bits: Variant = _bits_of(flags, json, info.name)
		var known := flags.keys() if not flags.is_empty() else ["layer1|layer3"]
		return bits if bits != null else Failure.unknown("choice", json, known, "E_SCHEMA_VALIDATION")
	# A number in text keeps all its digits; one that does not fit into 64 bits would change.
	if json is String and json.is_valid_int() and str(json.to_int()) == json:
		return json.to_int()
	return _mismatch(json, info)


## The number of "Keep Aspect" for `KEEP_ASPECT`, `keep aspect`, and `STRETCH_KEEP_ASPECT` of the property `stretch_mode`:
## a name may begin with words of the property's. Null unless only one label fits.
static func _labelled(labels: Dictionary, given: String, property: String) -> Variant:
	if labels.has(given):
		return labels[given]
	for name: String in _without_prefix(given, property):
		# "Pass (Propagate Up)" is `pass`.
		var found := labels.keys().filter(func(label: String) -> bool:
			return _folded(name) in [_folded(label), _folded(label.get_slice(" (", 0))])
		if found.size() == 1:
			return labels[found[0]]
	return null


## The bits of `layer1|layer3`, `SIZE_EXPAND|SIZE_FILL`, `Expand | Fill` or `SIZE_EXPAND_FILL`.
static func _bits_of(flags: Dictionary, given: String, property: String) -> Variant:
	var bits := 0
	for part: String in given.split("|"):
		var name := part.strip_edges()
		var bit: Variant = _layer_bit(name) if flags.is_empty() else _labelled(_all_combined(flags), name, property)
		if bit == null:
			return null
		bits |= int(bit)
	return bits


static func _layer_bit(name: String) -> Variant:
	var digits := name.to_lower().trim_prefix("layer").lstrip(" _")
	if not name.to_lower().begins_with("layer") or not digits.is_valid_int() or digits.to_int() < 1 or digits.to_int() > 32:
		return null
	return 1 << (digits.to_int() - 1)


## Two labels make a name, too: `EXPAND_FILL`.
static func _all_combined(flags: Dictionary) -> Dictionary:
	var out := flags.duplicate()
	for a: String in flags:
		for b: String in flags:
			if a != b:
				out[a + " " + b] = flags[a] | flags[b]
	return out


## The name itself, then without leading words of the property's name.
static func _without_prefix(given: String, property: String) -> Array[String]:
	var known := property.to_lower().split("_")
	var words := given.replace("-", "_").replace(" ", "_").split("_")
	var names: Array[String] = [given]
	for start: int in range(1, words.size()):
		if not known.has(words[start - 1].to_lower()):
			break
		names.append("_".join(words.slice(start)))
	return names


static func _folded(label: String) -> String:
	return label.to_lower().replace(" ", "").replace("_", "").replace("-", "")


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
	var set_: Variant = Properties.set_all(made, properties, base, true)
	return set_ if set_ is Failure else made


static func _mismatch(json: Variant, info: Dictionary) -> Failure:
	var expected := Types.of_property(info)
	var given := JSON.stringify(json)
	return Failure.schema("%s does not fit: %s is expected%s." % [given.left(80), expected, _example(info)],
			{"expected": expected, "given": json if given.length() <= 200 else given.left(200)})


static func _example(info: Dictionary) -> String:
	if Values.MEMBERS.has(info.type):
		return " as " + JSON.stringify(Values.encode(type_convert(null, info.type))).replace("\"", "")
	if info.type == TYPE_OBJECT:
		return " as \"res://…\", {resource, properties} or null"
	if info.type == TYPE_PACKED_BYTE_ARRAY:
		return " as base64 text"
	return ""
