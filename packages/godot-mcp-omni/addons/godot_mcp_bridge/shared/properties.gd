@tool
extends RefCounted
## Reads and sets properties, and refuses changes without effect.

const Failure := preload("failure.gd")
const FreshFiles := preload("fresh_files.gd")
const FromJson := preload("from_json.gd")
const ResPath := preload("res_path.gd")
const Types := preload("types.gd")
const Values := preload("values.gd")
const Written := preload("written.gd")

## Set by separate edits, or not at all.
const RESERVED := {
	"script": "attach_script",
	"owner": "nothing: owners follow the tree",
	"name": "rename",
	"scene_file_path": "nothing: it follows the instance",
	"unique_name_in_owner": "set_unique_name",
	"resource_path": "nothing: it follows the file",
}

const APPROXIMATE := [
	TYPE_VECTOR2, TYPE_VECTOR3, TYPE_VECTOR4, TYPE_RECT2, TYPE_TRANSFORM2D, TYPE_PLANE, TYPE_QUATERNION,
	TYPE_AABB, TYPE_BASIS, TYPE_TRANSFORM3D, TYPE_COLOR,
]


static var _makers: Array[Array] = []


## The properties that are visible or saved, as the engine describes them.
static func of(object: Object) -> Array:
	return object.get_property_list().filter(is_one)


## The engine also lists headings of the inspector.
static func is_one(info: Dictionary) -> bool:
	return info.usage & (PROPERTY_USAGE_EDITOR | PROPERTY_USAGE_STORAGE) \
			and not info.usage & (PROPERTY_USAGE_CATEGORY | PROPERTY_USAGE_GROUP | PROPERTY_USAGE_SUBGROUP)


static func find(object: Object, name: String) -> Variant:
	if name.begins_with("metadata/"):
		return Types.plain(TYPE_NIL)
	var known := of(object)
	var made := _made(object, name)
	# Some classes list created properties with a wrong type.
	if made.get("type", TYPE_NIL) != TYPE_NIL or made.has("any"):
		return made
	for info: Dictionary in known:
		if info.name == name:
			return info
	if not made.is_empty():
		return made
	var broken := FreshFiles.broken_script(object)
	if broken != "":
		return Failure.for_files("%s does not compile, so Godot does not know whether it has a property \"%s\"." % [broken, name],
				{"path": broken})
	if _is_declared(object, name):
		return Failure.for_files("The script of this %s compiles again, but was broken when the node was made, so Godot does not know \"%s\"." % [
				Types.of_object(object), name], {"path": object.get_script().resource_path})
	var names := known.map(func(info: Dictionary) -> String: return info.name)
	var failure := Failure.unknown("property", name, names, "E_SCHEMA_VALIDATION")
	failure.message = "%s has no property \"%s\"." % [Types.of_object(object), name]
	return failure


## Whether the object's script has a property that the object does not list. That is so in an editor, which does not run
## the script, for objects that it was attached to while it did not compile.
static func _is_declared(object: Object, name: String) -> bool:
	var script := object.get_script() as Script
	return script != null and Engine.is_editor_hint() and not script.is_tool() \
			and script.get_script_property_list().filter(is_one).any(func(info: Dictionary) -> bool: return info.name == name)


## A property that the class makes as it is set, so that it is not in its list before; empty if there is none.
static func _made(object: Object, name: String) -> Dictionary:
	if not name.contains("/") or _lists_all(object, name):
		return {}
	if _makers.is_empty():
		var file: String = (Failure as Script).resource_path.get_base_dir().path_join("made_properties.json")
		for row: Array in JSON.parse_string(FileAccess.get_file_as_string(file)):
			_makers.append([row[0], RegEx.create_from_string(row[1]), row[2].trim_prefix("~").trim_prefix("="), row[2].begins_with("=")])
	for row: Array in _makers:
		if object.is_class(row[0]) and row[1].search(name) != null:
			var type := TYPE_NIL if row[2] == "Variant" else Types.built_in(row[2])
			var info := Types.plain(type) if type != TYPE_MAX else Types.plain(TYPE_OBJECT, row[2])
			info.merge({"name": name, "usage": PROPERTY_USAGE_STORAGE}, true)
			# It accepts more types than the listed one.
			return info.merged({"any": true}) if row[3] else info
	return {}


## A material accepts any parameter, but lists those that have an effect if its shader compiles.
static func _lists_all(object: Object, name: String) -> bool:
	return object is ShaderMaterial and object.shader != null and name.begins_with("shader_parameter/") \
			and not object.shader.get_shader_uniform_list().is_empty()


## The saved properties of an object.
static func stored(object: Object) -> Dictionary:
	var out := {}
	for info: Dictionary in object.get_property_list():
		if info.usage & PROPERTY_USAGE_STORAGE and info.name != "script":
			var value: Variant = object.get(info.name)
			out[info.name] = value.duplicate() if value is Array or value is Dictionary else value
	return out


## Sets properties in order. Returns the list of changes, or why one was refused; then the previous ones stay set,
## and the caller restores them. With `all`, a value that another one changed counts as refused: the list has what became
## of each, but nobody sees it for a resource inside a value.
static func set_all(object: Object, json: Dictionary, base: Node = null, all := false) -> Variant:
	var changes := []
	var set_values := {}
	var names := json.keys()
	# The sources of a tile set use its layers. Each part keeps its order: `sort_custom` would not.
	if object is TileSet:
		var is_other := func(name: String) -> bool: return not _is_source(name)
		names = names.filter(is_other) + names.filter(_is_source)
	for name: String in names:
		var meant: Variant = Written.meant(object, name, json[name])
		if meant is Failure:
			return meant.at(name)
		for plain: String in meant:
			var change: Variant = _set_one(object, plain, meant[plain], base)
			if change is Failure:
				return change.at(name)
			changes.append(change)
			set_values[plain] = value_of(object, plain)
	var lost := _lost(object, set_values) if all else ""
	if lost != "":
		return Failure.schema("%s does not keep it along with the other values: it became %s." % [
				Types.of_object(object), JSON.stringify(Values.encode(value_of(object, lost), base)).left(80)]).at(lost)
	# One setter may change a property set before.
	for change: Dictionary in changes:
		var place: Variant = _place(object, change.name)
		if not place is Failure:
			change["new"] = Values.encode(_value_at(place), base)
	return changes


## The first of these properties that does not keep its value, or "". The setter of one may change another, so those
## that changed are set once more.
static func _lost(object: Object, values: Dictionary) -> String:
	var changed := func(name: String) -> bool: return not Values.same(value_of(object, name), values[name])
	for name: String in values.keys().filter(changed):
		_put_at(_place(object, name), values[name])
	var lost := values.keys().filter(changed)
	return "" if lost.is_empty() else lost[0]


## The value of `position`, `position:x` or `shape:size`, or null.
static func value_of(object: Object, name: String) -> Variant:
	var place: Variant = _place(object, name)
	return null if place is Failure else _value_at(place)


## The resources inside an object on the path of a name such as `shape:size`.
static func resources_on_the_way(object: Object, names: Array) -> Array:
	var out := []
	for name: String in names:
		var holder: Variant = object
		for part: String in parts_of(name).slice(0, -1):
			holder = holder.get(part) if holder is Object else null
			if holder is Resource and not out.has(holder):
				out.append(holder)
	return out


## Restores values; twice, because one setter may change another property.
static func restore(object: Object, values: Dictionary) -> void:
	for attempt: int in 2:
		for name: String in values:
			if not Values.same(object.get(name), values[name]):
				object.set(name, values[name])


static func _set_one(object: Object, name: String, json: Variant, base: Node) -> Variant:
	var place: Variant = _place(object, name)
	if place is Failure:
		return place
	var elsewhere := _part_of_another(object, name, base)
	if elsewhere != "":
		return Failure.unsupported("\"%s\" is part of another scene." % parts_of(name)[0], {"path": elsewhere},
				"Edit it in that scene, or give the node a separate one.")
	var holder: Object = place.holder
	var info: Dictionary = place.info
	if RESERVED.has(info.name):
		return Failure.schema("\"%s\" is set by %s." % [info.name, RESERVED[info.name]], {"readOnly": true})
	if info.usage & PROPERTY_USAGE_READ_ONLY:
		return Failure.schema("\"%s\" of %s is read-only." % [info.name, Types.of_object(holder)], {"readOnly": true})
	var old: Variant = _value_at(place)
	var is_new_source: bool = holder is TileSet and _is_source(info.name) and json is Dictionary and json.has("properties")
	var value: Variant = _new_source(place, json, base) if is_new_source else FromJson.decode(json, place.value_info, old, base)
	if value is Failure:
		return value
	if old is Array or old is Dictionary:
		old = old.duplicate()
	_put_at(place, value)
	var now: Variant = _value_at(place)
	if Values.same(now, old) and not Values.same(now, value) and not _close(now, value):
		return Failure.schema("%s did not take the value: it is still %s." % [
				Types.of_object(holder), JSON.stringify(Values.encode(now, base)).left(80)],
				{"expected": Types.of_property(place.value_info), "current": Values.encode(now, base)})
	# Many setters take 32 bits and change a longer number.
	if value is int and now is int and now != value and (value > 0xFFFFFFFF or value < -0x80000000):
		_put_at(place, old)
		return Failure.schema("%d is too long a number for %s, which made it %d." % [value, Types.of_object(holder), now],
				{"expected": Types.of_property(place.value_info), "current": Values.encode(old, base)})
	return {
		"name": name,
		"type": Types.of_property(place.value_info),
		"old": Values.encode(old, base),
		"new": Values.encode(now, base),
	}


## The scene whose file has a resource on the path of a property, or "" if it is the edited one: a value set there would be
## in memory only. In a running game it may be set.
static func _part_of_another(object: Object, name: String, base: Node) -> String:
	if base == null or base.scene_file_path == "" or not Engine.is_editor_hint():
		return ""
	for part: Resource in resources_on_the_way(object, [name]):
		var file := part.resource_path.get_slice("::", 0)
		if part.resource_path.contains("::") and file != base.scene_file_path:
			return file
	return ""


static func _is_source(name: String) -> bool:
	return name.begins_with("sources/")


## A source needs the layers of its tile set, so it is added before it is filled.
static func _new_source(place: Dictionary, json: Dictionary, base: Node) -> Variant:
	var filled: Dictionary = json.properties if json.properties is Dictionary else {}
	var empty := json.merged({"properties": {} if json.properties is Dictionary else json.properties}, true)
	var made: Variant = FromJson.decode(empty, place.value_info, null, base)
	var number := int(place.name.get_slice("/", 1))
	var tile_set: TileSet = place.holder
	if made is Failure or tile_set.has_source(number):
		return made
	_put_at(place, made)
	var changes: Variant = set_all(made, filled, base)
	if changes is Failure:
		tile_set.remove_source(number)
		return changes
	return made


## Resolves a name: `position`, `position:x`, `shape:size`. The last object on the path has the property.
static func _place(object: Object, name: String) -> Variant:
	var parts := parts_of(name)
	var holder := object
	for index: int in parts.size():
		var info: Variant = find(holder, parts[index])
		if info is Failure:
			return info
		var value: Variant = holder.get(parts[index])
		if index == parts.size() - 1:
			return {"holder": holder, "info": info, "name": parts[index], "value_info": info}
		if value is Resource:
			if ResPath.is_file(value):
				return Failure.unsupported("\"%s\" is a separate file: %s." % [parts[index], value.resource_path],
						{"path": value.resource_path}, "Edit the resource itself, or give the node a separate one.")
			holder = value
			continue
		var rest := parts.slice(index + 1)
		if value == null or rest.size() != 1 or not Values.MEMBERS.get(typeof(value), {}).has(rest[0]):
			return Failure.schema("\"%s\" has no member \"%s\"." % [parts[index], ":".join(rest)],
					{"members": Values.MEMBERS.get(typeof(value), {}).keys()})
		return {
			"holder": holder, "info": info, "name": parts[index], "member": rest[0],
			"value_info": Types.plain(Values.MEMBERS[typeof(value)][rest[0]]),
		}
	return Failure.schema("A property must be named.")


## The parts of `position:x`, `shape:size` or `tile_set:sources/0:1:2/0/probability`. The name of a tile's property begins
## with its position in the atlas, as in `1:2/0/probability`, and is one part. property-path.ts does the same.
static func parts_of(name: String) -> PackedStringArray:
	var out: PackedStringArray = []
	for part: String in name.split(":"):
		var is_tile: bool = not out.is_empty() and out[-1].is_valid_int() and part.get_slice("/", 0).is_valid_int() and part.contains("/")
		if is_tile:
			out[-1] += ":" + part
		else:
			out.append(part)
	return out


static func _value_at(place: Dictionary) -> Variant:
	if place.has("member"):
		return place.holder.get_indexed(NodePath(":%s:%s" % [place.name, place.member]))
	return place.holder.get(place.name)


static func _put_at(place: Dictionary, value: Variant) -> void:
	if place.has("member"):
		place.holder.set_indexed(NodePath(":%s:%s" % [place.name, place.member]), value)
	else:
		place.holder.set(place.name, value)


## A setter may reduce the precision.
static func _close(a: Variant, b: Variant) -> bool:
	if (a is String or a is StringName) and (b is String or b is StringName):
		return str(a) == str(b)
	if typeof(a) != typeof(b):
		return false
	if a is float:
		return is_equal_approx(a, b)
	return typeof(a) in APPROXIMATE and a.is_equal_approx(b)
