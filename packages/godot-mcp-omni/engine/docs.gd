extends MainLoop
## Converts the class reference in an editor's cache into one JSON file per class, and an index.


func _initialize() -> void:
	var kept: Resource = load(OS.get_environment("GODOT_MCP_DOCS_FROM"))
	var folder := OS.get_environment("GODOT_MCP_DOCS_TO")
	var index := []
	for doc: Dictionary in kept.get_meta("classes"):
		doc.erase("tutorials")
		_write(folder.path_join(doc.name + ".json"), doc)
		index.append(_index_row(doc))
	_write(folder.path_join("index.json"), index)


func _process(_delta: float) -> bool:
	return true


func _index_row(doc: Dictionary) -> Dictionary:
	var row := {"name": doc.name, "inherits": doc.get("inherits", ""), "brief": doc.get("brief_description", "").strip_edges()}
	for kind: String in ["properties", "methods", "signals", "constants", "annotations"]:
		row[kind] = doc.get(kind, []).map(func(member: Dictionary) -> String: return member.name)
	return row


func _write(path: String, json: Variant) -> void:
	FileAccess.open(path, FileAccess.WRITE).store_string(JSON.stringify(json))
