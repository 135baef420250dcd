@tool
extends RefCounted
## Keeps the engine's memory of the project's files as new as the disk.
##
## The engine's cache returns its old content; on request it rereads one file, but not its parts.

const Failure := preload("failure.gd")

## Files that are read directly; others are imported.
const READ := ["tscn", "scn", "tres", "res", "gd", "gdshader"]

const LFS_POINTER := "version https://git-lfs"

## Set in a user's editor: content in memory that was not written since then may hold unsaved changes.
static var person_since := 0
## Set in a user's editor: the scenes with unsaved changes.
static var unsaved: RefCounted

## The cached content of each file.
static var _held := {}
## For each file its content and the files that it refers to.
static var _parts := {}
## For each file that could not be loaded, its content then.
static var _unusable := {}


## Rereads the cached content of a file and its parts if the disk has something else.
## Returns the contents of these files.
static func refresh(path: String) -> Dictionary:
	var now := contents(path)
	var scripts := now.keys().filter(func(file: String) -> bool: return file.get_extension() == "gd")
	var others := now.keys().filter(func(file: String) -> bool: return file.get_extension() != "gd")
	# A script may need the class of one that is read after it, so those that do not compile are read again. Scenes that are
	# instantiated before their scripts compile lack the exported properties.
	for file: String in scripts + scripts + others:
		if not ResourceLoader.has_cached(file):
			_held.erase(file)
			if not _cached_parts(file).is_empty():
				read_again(file)
		elif _held.get(file, now[file] if _may_be_unsaved(file) else "") != now[file]:
			# A user may have changed a resource that was not read here before.
			var is_known := person_since == 0 or _held.has(file)
			_held[file] = now[file]
			read_again(file, is_known)
	return now


## Rereads a cached file into the object that all its users share. Without `resets`, a resource file keeps values that it no
## longer has.
static func read_again(file: String, resets := true) -> Resource:
	# The engine rereads a script only in this mode.
	if file.get_extension() == "gd":
		var script: GDScript = ResourceLoader.load(file, "", ResourceLoader.CACHE_MODE_IGNORE)
		compile(script)
		return script
	for part: Resource in _cached_parts(file):
		if resets or file.get_extension() != "tres":
			_reset(part)
	var resource := ResourceLoader.load(file, "", ResourceLoader.CACHE_MODE_REPLACE)
	# Nodes made from it before find their saved values by an index that only instantiating builds. Without it, a save
	# would write all values of an inherited scene as its own.
	var packed := resource as PackedScene
	var made := packed.instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE) if packed != null and packed.can_instantiate() else null
	if made != null:
		made.free()
	return resource


## The cached resources of a file: itself and those inside it. None of a scene that a user has changed and not saved.
static func _cached_parts(file: String) -> Array[Resource]:
	var parts: Array[Resource] = []
	if unsaved != null and unsaved.has(file) or file.get_extension() not in ["tscn", "tres"]:
		return parts
	var paths := [file] if file.get_extension() == "tres" else []
	for heading: String in FileAccess.get_file_as_string(file).split("\n[sub_resource ").slice(1):
		paths.append("%s::%s" % [file, heading.get_slice("\n", 0).get_slice(" id=\"", 1).get_slice("\"", 0)])
	for path: String in paths:
		var part := ResourceLoader.get_cached_ref(path) if ResourceLoader.has_cached(path) else null
		if part != null:
			parts.append(part)
	return parts


## Sets a resource to its defaults. Rereading its file assigns only the values in there, so one that the file no longer
## has would stay, and the next save would write it. The object stays the same, as scenes that inherit it expect.
static func _reset(part: Resource) -> void:
	var script := part.get_script() as Script
	var name_of := func(property: Dictionary) -> String: return property.name
	var names := ClassDB.class_get_property_list(part.get_class()).map(name_of)
	# An editor lists the properties of a script that it does not run as if they were the object's own.
	var exported := script.get_script_property_list().map(name_of) if script != null else []
	for property: Dictionary in part.get_property_list():
		var is_scripts: bool = property.name in exported
		if not property.usage & PROPERTY_USAGE_STORAGE or property.name == "script" or not (is_scripts or property.name in names):
			continue
		var value: Variant = (
			script.get_property_default_value(property.name) if is_scripts
			else ClassDB.class_get_property_default_value(part.get_class(), property.name)
		)
		if part.get(property.name) == value or (value == null and property.type != TYPE_OBJECT):
			continue
		part.set(property.name, value.duplicate() if value is Array or value is Dictionary else value)


## Compiles a cached script from its file, and returns whether that worked. A script that does not compile counts as
## outdated until it does: the error may be in another script that it uses.
static func compile(script: GDScript) -> bool:
	var path := script.resource_path
	var content := FileAccess.get_md5(path)
	script.source_code = FileAccess.get_file_as_string(path)
	var compiles := script.reload(true) == OK
	_held[path] = content if compiles else ""
	return compiles


## The first script of an object or its base scripts that does not compile now, or "".
static func broken_script(object: Object) -> String:
	var script := object.get_script() as GDScript
	while script != null:
		if script.resource_path.begins_with("res://") and not script.resource_path.contains("::"):
			compile(script)
			if _held[script.resource_path] == "":
				return script.resource_path
		script = script.get_base_script() as GDScript
	return ""


## Records that the cache of these files has these contents.
static func note(files: Dictionary) -> void:
	for file: String in files:
		if ResourceLoader.has_cached(file) and _held.get(file) != "":
			_held[file] = files[file]


## For a file that was written without its cached resource.
static func forget(path: String) -> void:
	_held.erase(path)


## The contents of a file and of the scenes, resources and scripts it consists of; parts come first.
static func contents(path: String, out := {}) -> Dictionary:
	var content := FileAccess.get_md5(path)
	if _parts.get(path, [""])[0] != content:
		_parts[path] = [content, dependencies(path)]
	for file: String in _parts[path][1]:
		if not out.has(file) and file.get_extension() in READ and FileAccess.file_exists(file):
			out[file] = ""
			contents(file, out)
	out.erase(path)
	out[path] = content
	return out


## The files that a file refers to directly.
static func dependencies(path: String) -> Array:
	return Array(ResourceLoader.get_dependencies(path)).map(func(named: String) -> String:
		if not named.contains("::"):
			return named
		var id := ResourceUID.text_to_id(named.get_slice("::", 0))
		return ResourceUID.get_id_path(id) if ResourceUID.has_id(id) else named.get_slice("::", 2))


## Null, or why a file cannot be saved without a loss: this Godot cannot load files that it or one of its parts refers to.
## An editor does not even open such a scene without a prompt.
static func refuse_lacking(path: String) -> Variant:
	var lacking := {}
	for file: String in contents(path):
		if file.get_extension() != "gd":
			for named: String in _parts[file][1]:
				if not _can_load(named):
					lacking[named] = "%s (%s)" % [named, _why_not(named)]
	if lacking.is_empty():
		return null
	return Failure.for_files("%s needs %s, which this Godot cannot load. If it saved the file, it would lose that." % [
			path, ", ".join(lacking.values().slice(0, 5))], {"path": path, "missing": lacking.keys()})


## The existing files of these that were not tried with this content before; an import may help.
static func to_import(files: Array) -> PackedStringArray:
	var out := PackedStringArray()
	for file: String in files:
		var content := "" if file.get_extension() in READ else FileAccess.get_md5(file)
		if content != "" and _unusable.get(file) != content:
			_unusable[file] = content
			out.append(file)
	return out


## An imported file counts as existing as long as its .import file is there, so it is loaded.
static func _can_load(file: String) -> bool:
	if file.get_extension() == "cs" and not ClassDB.class_exists("CSharpScript"):
		return false
	return ResourceLoader.has_cached(file) or ResourceLoader.exists(file) and ResourceLoader.load(file) != null


static func _why_not(file: String) -> String:
	if not FileAccess.file_exists(file):
		return "missing"
	if file.get_extension() == "cs":
		return "C#"
	var opened := FileAccess.open(file, FileAccess.READ)
	var start := opened.get_buffer(LFS_POINTER.length()) if opened != null else PackedByteArray()
	return "a Git LFS pointer" if start == LFS_POINTER.to_ascii_buffer() else "not imported"


static func _may_be_unsaved(file: String) -> bool:
	return person_since > 0 and FileAccess.get_modified_time(file) < person_since
