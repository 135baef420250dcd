@tool
extends RefCounted
## Names that users write and Godot does not store: `rotation_degrees`, `global_position`, `anchors_preset`.
## written-values.ts does the same for files.

const Failure := preload("failure.gd")
const FromJson := preload("from_json.gd")
const Types := preload("types.gd")
const WorldTransform := preload("world_transform.gd")

const SIDES: Array[String] = ["left", "top", "right", "bottom"]


## The stored properties behind a name, with their values; other names map to themselves.
static func meant(object: Object, name: String, json: Variant) -> Variant:
	var parts := name.split(":")
	if _has_own(object, parts[0]):
		return {name: json}
	if parts[0] == "rotation_degrees" and "rotation" in object:
		parts[0] = "rotation"
		return {":".join(parts): _in_radians(json)}
	if parts[0] == "global_position" and (object is Node2D or object is Node3D):
		return _local_position(object as Node, json)
	if parts[0] == "anchors_preset" and object is Control:
		return _layout(object as Control, json)
	return {name: json}


## Whether a script of the object has a variable of this name.
static func _has_own(object: Object, name: String) -> bool:
	var script: Script = object.get_script()
	return script != null and script.get_script_property_list().any(
			func(info: Dictionary) -> bool: return info.name == name)


static func _in_radians(json: Variant) -> Variant:
	if json is float or json is int:
		return deg_to_rad(float(json))
	if json is Array:
		return json.map(_in_radians)
	if json is Dictionary:
		var out := {}
		for key: Variant in json:
			out[key] = _in_radians(json[key])
		return out
	return json


static func _local_position(node: Node, json: Variant) -> Variant:
	var value: Variant = FromJson.decode(json, Types.plain(TYPE_VECTOR2 if node is Node2D else TYPE_VECTOR3))
	if value is Failure:
		return value
	var space: Variant = WorldTransform.above(node)
	if space != null:
		var determinant: float = space.determinant() if node is Node2D else space.basis.determinant()
		if is_zero_approx(determinant):
			return Failure.unsupported("A node above it has no size, so no position leads there.", {},
					"Set position, which is relative to the parent.")
		value = space.affine_inverse() * value
	if value is Vector2:
		return {"position": {"x": value.x, "y": value.y}}
	return {"position": {"x": value.x, "y": value.y, "z": value.z}}


## Applies an anchor preset like the editor. A side that has a size keeps it; the others get the minimum size.
static func _layout(control: Control, json: Variant) -> Variant:
	var file: String = (Failure as Script).resource_path.get_base_dir().path_join("anchor_presets.json")
	var presets: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(file))
	var row: Array = []
	for name: String in presets:
		if (json is String and _folded(name) == _folded(json)) or (not json is String and presets[name][0] == json):
			row = presets[name]
	if row.is_empty():
		var failure := Failure.unknown("preset", str(json), presets.keys(), "E_SCHEMA_VALIDATION")
		failure.message = "There is no anchor preset %s." % JSON.stringify(json).left(60)
		return failure
	var parent := control.get_parent()
	if parent is Container:
		return Failure.unsupported("A %s places its children: anchors have no effect there." % parent.get_class(), {},
				"Set size_flags_horizontal and size_flags_vertical instead.")
	var x := _axis(control, row, 0)
	var y := _axis(control, row, 1)
	if parent is Control:
		control.set("layout_mode", 1)
	# Godot derives the preset of a new control, which has no position yet, from its anchors.
	var out := {"anchors_preset": row[0]} if control.is_inside_tree() else {}
	for index: int in SIDES.size():
		out["anchor_" + SIDES[index]] = row[index + 1]
	out.merge({
		"offset_left": x[0], "offset_top": y[0], "offset_right": x[1], "offset_bottom": y[1],
		"grow_horizontal": x[2], "grow_vertical": y[2],
	})
	return out


## The offsets of an axis, and the direction in which the control grows.
static func _axis(control: Control, row: Array, begin: int) -> Array:
	var has_size: bool = control.get("anchor_" + SIDES[begin]) == control.get("anchor_" + SIDES[begin + 2])
	var size: float = control.get("offset_" + SIDES[begin + 2]) - control.get("offset_" + SIDES[begin]) if has_size else 0.0
	var anchor: float = row[begin + 1]
	if anchor != row[begin + 3]:
		return [0.0, 0.0, 2]
	return [-anchor * size, (1.0 - anchor) * size, 2 if anchor == 0.5 else int(1 - anchor)]


static func _folded(name: String) -> String:
	return name.to_lower().replace(" ", "").replace("_", "").replace("-", "").trim_prefix("preset")
