extends SceneTree
## Reads values from a file, one a line as base64, and writes what this engine makes of each;
## then as many random values.

const OWN := 400


func _initialize() -> void:
	var args := OS.get_cmdline_user_args()
	var out := FileAccess.open(args[1], FileAccess.WRITE)
	for line: String in FileAccess.get_file_as_string(args[0]).split("\n", false):
		var value: Variant = bytes_to_var(Marshalls.base64_to_raw(line))
		if value is EncodedObjectAsID:
			out.store_line(str(value.object_id))
		else:
			out.store_line(Marshalls.raw_to_base64(var_to_bytes(value)))
	seed(int(args[2]))
	out.store_line("own")
	for _i: int in OWN:
		out.store_line(Marshalls.raw_to_base64(var_to_bytes(_draw(3))))
	var object := RefCounted.new()
	out.store_line("object %d" % object.get_instance_id())
	out.store_line(Marshalls.raw_to_base64(var_to_bytes(object)))
	out.close()
	quit()


func _draw(depth: int) -> Variant:
	var type := randi() % TYPE_MAX
	match type:
		TYPE_INT:
			return (randi() << (randi() % 33)) - (randi() << (randi() % 32))
		TYPE_FLOAT:
			return randf_range(-1e6, 1e6) if randi() % 2 else PackedFloat32Array([randf()])[0]
		TYPE_STRING, TYPE_STRING_NAME:
			return type_convert("é%d☃" % randi(), type)
		TYPE_NODE_PATH:
			return NodePath("/root/A:b") if randi() % 2 else NodePath("../B/%C")
		TYPE_VECTOR2:
			return Vector2(randf(), randf())
		TYPE_VECTOR4I:
			return Vector4i(randi(), -1, 0, randi())
		TYPE_TRANSFORM3D:
			return Transform3D(Basis.from_euler(Vector3(randf(), randf(), randf())), Vector3.ONE * randf())
		TYPE_PROJECTION:
			return Projection.create_perspective(90, randf() + 0.1, 0.1, 100)
		TYPE_COLOR:
			return Color(randf(), randf(), randf())
		TYPE_SIGNAL:
			return process_frame
		TYPE_CALLABLE:
			return quit
		TYPE_OBJECT:
			return root
		TYPE_ARRAY:
			if depth == 0:
				return [1] as Array[int]
			return range(randi() % 4).map(func(_i: int) -> Variant: return _draw(depth - 1))
		TYPE_DICTIONARY:
			if depth == 0:
				return {&"a": 1} as Dictionary[StringName, int]
			return {"a": _draw(depth - 1), 2: _draw(depth - 1), Vector2.UP: null}
		TYPE_PACKED_BYTE_ARRAY:
			return PackedByteArray([1, 2, 255]).slice(0, randi() % 4)
		TYPE_PACKED_STRING_ARRAY:
			return PackedStringArray(["", "a", "☃☃"])
		TYPE_PACKED_VECTOR3_ARRAY:
			return PackedVector3Array([Vector3(randf(), 1, 2), Vector3.ZERO])
	return type_convert([randi(), randi()] if type >= TYPE_PACKED_BYTE_ARRAY else null, type)
