@tool
extends RefCounted
## Declarations of the engine and the project's scripts: names of types, classes, defaults.

const Failure := preload("failure.gd")
const ClassNames := preload("class_names.gd")
const Scripts := preload("scripts.gd")


## A property description with only a type.
static func plain(type: int, class_name_ := &"") -> Dictionary:
	return {"name": "", "type": type, "class_name": class_name_, "hint": PROPERTY_HINT_NONE, "hint_string": "", "usage": 0}


## The type of this name, or TYPE_MAX.
static func built_in(name: String) -> int:
	for type: int in TYPE_MAX:
		if type_string(type) == name:
			return type
	return TYPE_MAX


## `int`, `Vector2`, `Texture2D`, `Array[int]`, `Variant`.
static func of_property(info: Dictionary) -> String:
	match int(info.type):
		TYPE_NIL:
			return "Variant"
		TYPE_OBJECT:
			var wanted := class_of_property(info)
			return wanted if wanted != "" else "Object"
		TYPE_ARRAY:
			if info.get("hint") == PROPERTY_HINT_ARRAY_TYPE:
				return "Array[%s]" % info.hint_string
		TYPE_DICTIONARY:
			if info.get("hint") == PROPERTY_HINT_DICTIONARY_TYPE:
				return "Dictionary[%s]" % str(info.hint_string).replace(";", ", ")
	return type_string(info.type)


## The `class_name` of its script, else the engine class.
static func of_object(object: Object) -> String:
	var named := Scripts.class_name_of(object.get_script())
	return named if named != "" else object.get_class()


static func class_of_property(info: Dictionary) -> String:
	if info.get("class_name", &"") != &"":
		return info["class_name"]
	if info.get("hint") in [PROPERTY_HINT_RESOURCE_TYPE, PROPERTY_HINT_NODE_TYPE]:
		return info.hint_string
	return ""


## `wanted` is a class, a `class_name`, or a list of them in the notation of inspector hints: `A,B,-C`.
static func fits(object: Object, wanted: String) -> bool:
	if wanted == "":
		return true
	for choice: String in wanted.split(",", false):
		if object.is_class(choice) or Scripts.inherits_name(object.get_script(), choice):
			return true
	return false


static func is_node_class(name: String) -> bool:
	return ClassDB.is_parent_class(ClassNames.native_base(name), &"Node") if name != "" else false


## A new object of an engine's class or a `class_name` of the project.
static func instantiate(name: String) -> Variant:
	if ClassNames.is_of_editor(name):
		return Failure.schema("%s is a class of the editor, not of games." % name)
	if ClassDB.class_exists(name):
		if not ClassNames.can_make(name):
			return Failure.schema("%s is abstract: name one of the classes that inherit it." % name,
					{"inheritors": Array(ClassDB.get_inheriters_from_class(name)).slice(0, 12)})
		return ClassDB.instantiate(name)
	var path := ClassNames.script_of(name)
	if path == "":
		return Failure.unknown("class", name, ClassNames.all())
	var script: Script = load(path)
	var object: Object = ClassDB.instantiate(script.get_instance_base_type()) if script != null else null
	if object == null:
		return Failure.unsupported("The script of %s cannot be used." % name, {"path": path}, "Run diagnostics on it.")
	object.set_script(script)
	return object


## A new resource of an engine's class or a `class_name` of the project.
static func instantiate_resource(name: String) -> Variant:
	var made: Variant = instantiate(name)
	if made is Failure or made is Resource:
		return made
	if made is Node:
		made.free()
	return Failure.schema("%s is not a resource." % name)


static func default_of(object: Object, info: Dictionary) -> Variant:
	for script: Script in Scripts.chain(object.get_script()):
		for own: Dictionary in script.get_script_property_list():
			if own.name == info.name:
				return script.get_property_default_value(info.name)
	return ClassDB.class_get_property_default_value(object.get_class(), info.name)


static func element_of(typed: Array) -> Dictionary:
	var name := typed.get_typed_class_name()
	if Scripts.class_name_of(typed.get_typed_script()) != "":
		name = Scripts.class_name_of(typed.get_typed_script())
	return plain(typed.get_typed_builtin(), name)


static func element_by_hint(info: Dictionary) -> Dictionary:
	if info.get("hint") == PROPERTY_HINT_ARRAY_TYPE:
		if built_in(info.hint_string) != TYPE_MAX:
			return plain(built_in(info.hint_string))
		if ClassNames.exists(info.hint_string):
			return plain(TYPE_OBJECT, info.hint_string)
	return plain(TYPE_NIL)


static func is_flags(info: Dictionary) -> bool:
	return info.get("hint") == PROPERTY_HINT_FLAGS or is_layers(info)


static func is_layers(info: Dictionary) -> bool:
	var hint: int = info.get("hint", PROPERTY_HINT_NONE)
	return hint == PROPERTY_HINT_LAYERS_AVOIDANCE or (
			hint >= PROPERTY_HINT_LAYERS_2D_RENDER and hint <= PROPERTY_HINT_LAYERS_3D_NAVIGATION)


## The labels of a flags property and their bits; layers have none. A label without a number is the next bit.
static func flags(info: Dictionary) -> Dictionary:
	var out := {}
	if is_layers(info):
		return out
	var index := 0
	for flag: String in str(info.hint_string).split(",", false):
		var parts := flag.split(":")
		out[parts[0].strip_edges()] = int(parts[1]) if parts.size() > 1 else 1 << index
		index += 1
	return out


## The labels of an enum property and their numbers; a label without a number follows the previous one.
static func enum_choices(info: Dictionary) -> Dictionary:
	var out := {}
	var next := 0
	for choice: String in str(info.hint_string).split(",", false):
		var parts := choice.split(":")
		if parts.size() > 1:
			next = int(parts[1])
		out[parts[0].strip_edges()] = next
		next += 1
	return out
