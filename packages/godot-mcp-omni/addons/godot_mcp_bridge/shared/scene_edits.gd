@tool
extends RefCounted
## The edits of a scene. Each checks first, then acts through the change, which can be undone.

const Animations := preload("animations.gd")
const Change := preload("change.gd")
const ClassNames := preload("class_names.gd")
const Connections := preload("connections.gd")
const Copies := preload("copies.gd")
const EditChecks := preload("edit_checks.gd")
const Failure := preload("failure.gd")
const Names := preload("names.gd")
const Navigation := preload("navigation.gd")
const PathRepair := preload("path_repair.gd")
const Placing := preload("placing.gd")
const Properties := preload("properties.gd")
const ResPath := preload("res_path.gd")
const SceneView := preload("scene_view.gd")
const Tiles := preload("tiles.gd")
const Types := preload("types.gd")
const Values := preload("values.gd")
const WorldTransform := preload("world_transform.gd")

const EDITS := {
	"add": "_add",
	"instance": "_instance",
	"remove": "_remove",
	"rename": "_rename",
	"move": "_move",
	"duplicate": "_duplicate",
	"reparent": "_reparent",
	"set": "_set_properties",
	"script": "_script",
	"group": "_group",
	"unique_name": "_unique_name",
	"editable": "_editable",
	"connect": "_connect",
	"disconnect": "_disconnect",
	"tiles": "_tiles",
	"animation": "_animation",
	"animate": "_animate",
	"bake": "_bake",
}

var _view: SceneView
var _change: Change


## Applies all edits or none. Returns one row of changes per edit.
static func run(view: SceneView, change: Change, edits: Array) -> Variant:
	var runner: RefCounted = new()
	runner._view = view
	runner._change = change
	view.labels = {}
	var rows := []
	for index: int in edits.size():
		var row: Variant = runner._run_one(edits[index])
		if not row is Dictionary:
			change.abandon()
			if not row is Failure:
				row = Failure.internal("The edit ended in a script error.")
			row.details["edit"] = index
			return row.at("Edit %d" % (index + 1)) if edits.size() > 1 else row
		rows.append(row)
	for row: Dictionary in rows:
		var node: Variant = row.get("object")
		row.erase("object")
		# Its path after the whole batch.
		if node is Node and is_instance_valid(node) and (node == view.root or view.root.is_ancestor_of(node)):
			row["node"] = view.path_of(node)
	return rows


func _run_one(edit: Variant) -> Variant:
	if not edit is Dictionary:
		return Failure.schema("An edit is an object with a \"kind\".")
	if not EDITS.has(edit.get("kind")):
		return Failure.unknown("edit", str(edit.get("kind")), EDITS.keys(), "E_SCHEMA_VALIDATION")
	return call(EDITS[edit.kind], edit)


func _add(edit: Dictionary) -> Variant:
	if not edit.get("type") is String:
		return Failure.schema("\"type\" names the class of the new node.")
	if ClassNames.exists(edit.type) and not Types.is_node_class(edit.type):
		return Failure.schema("%s is not a node." % edit.type)
	var made: Variant = Types.instantiate(edit.type)
	return made if made is Failure else _place_new(edit, made, edit.get("name", edit.type))


func _instance(edit: Dictionary) -> Variant:
	var source: Variant = ResPath.load_resource(edit.get("source"), "PackedScene")
	if source is Failure:
		return source
	if EditChecks.depends_on(source.resource_path, _view.path):
		return Failure.schema("%s holds %s, so it cannot be put into it." % [source.resource_path, _view.path],
				{"cycle": [_view.path, source.resource_path]})
	var made: Node = source.instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
	if made == null:
		return Failure.unsupported("%s cannot be instantiated." % source.resource_path, {}, "Run diagnostics on the project.")
	return _place_new(edit, made, edit.get("name", str(made.name)))


## Adds a new node to the tree once it is complete: a refusal changes nothing.
func _place_new(edit: Dictionary, made: Node, name: Variant) -> Variant:
	var ready: Variant = _prepare(edit, made, name)
	if ready is Failure:
		made.free()
		return ready
	var parent: Node = ready.parent
	made.name = Names.free_name(parent, name)
	_change.made.append(made)
	var owned: Array[Array] = [[made, _view.root]]
	_change.do(Placing.put.bind(made, parent, edit.get("index", -1), owned), Placing.take.bind(made))
	_label(edit, made)
	return _row(edit, made, {"type": Types.of_object(made), "properties": ready.changes, "index": made.get_index()})


func _prepare(edit: Dictionary, made: Node, name: Variant) -> Variant:
	var parent: Variant = _check_place(edit, name)
	if parent is Failure:
		return parent
	if edit.get("script") != null:
		var script: Variant = ResPath.load_resource(edit.script, "Script")
		var fits: Variant = script if script is Failure else EditChecks.script_fits(made, script)
		if fits is Failure:
			return fits
		made.set_script(script)
	var changes: Variant = Properties.set_all(made, edit.get("properties", {}), _view.root)
	if changes is Failure:
		return changes
	for group: Variant in edit.get("groups", []):
		var refused: Variant = EditChecks.group(group)
		if refused is Failure:
			return refused
		made.add_to_group(group, true)
	return {"parent": parent, "changes": changes}


func _remove(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_own(edit.get("node"), "removed")
	if node is Failure:
		return node
	var path := _view.path_of(node)
	var type := Types.of_object(node)
	var parent: Node = node.get_parent()
	var index: int = node.get_index()
	Connections.drop_outside(_change, _view.root, node)
	_change.removed.append(node)
	_change.do(Placing.take.bind(node), Placing.put.bind(node, parent, index, Placing.owners(node)))
	return {"kind": edit.kind, "node": path, "type": type, "index": index}


func _rename(edit: Dictionary) -> Variant:
	var node: Variant = _view.find(edit.get("node"))
	if node is Failure:
		return node
	var refused: Variant = null if node == _view.root else _view.check_own(node, "renamed")
	if refused == null:
		refused = EditChecks.name(edit.get("name"))
	if refused is Failure:
		return refused
	if node != _view.root and Names.taken(node.get_parent(), edit.name, node):
		return Failure.schema("A sibling is called \"%s\" already." % edit.name,
				{"free": Names.free_name(node.get_parent(), edit.name, node)}, "Choose a name that is free.")
	var from := _view.path_of(node)
	var repair := PathRepair.before(_view)
	_change.do(node.set_name.bind(edit.name), node.set_name.bind(str(node.name)))
	repair.after(_change)
	return _row(edit, node, {"from": from})


func _move(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_own(edit.get("node"), "moved")
	if node is Failure:
		return node
	var parent: Node = node.get_parent()
	var index: Variant = EditChecks.index(edit.get("index"), parent.get_child_count() - 1)
	if index is Failure:
		return index
	_change.do(parent.move_child.bind(node, index), parent.move_child.bind(node, node.get_index()))
	return _row(edit, node, {"index": node.get_index()})


func _duplicate(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_own(edit.get("node"), "duplicated")
	if node is Failure:
		return node
	var name: Variant = edit.get("name", str(node.name))
	var refused: Variant = EditChecks.name(name)
	if refused is Failure:
		return refused
	var copy := Copies.of(node, _view.root)
	var parent: Node = node.get_parent()
	copy.node.name = Names.free_name(parent, name)
	_change.made.append(copy.node)
	_change.do(Placing.put.bind(copy.node, parent, node.get_index() + 1, copy.owned),
			Placing.take.bind(copy.node))
	copy.connect_signals()
	_label(edit, copy.node)
	return _row(edit, copy.node, {
		"type": Types.of_object(copy.node), "from": _view.path_of(node), "index": copy.node.get_index(),
	})


func _reparent(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_own(edit.get("node"), "moved")
	var parent: Variant = node if node is Failure else _parent(edit.get("parent"))
	if parent is Failure:
		return parent
	if parent == node or node.is_ancestor_of(parent):
		return Failure.schema("\"%s\" cannot be put into itself." % _view.path_of(node))
	var old_parent: Node = node.get_parent()
	var last: int = parent.get_child_count() - (1 if parent == old_parent else 0)
	var index: Variant = EditChecks.index(edit.get("index", last), last)
	if index is Failure:
		return index
	var from := _view.path_of(node)
	var before := Properties.stored(node)
	var world: Variant = WorldTransform.of(node) if edit.get("keepGlobalTransform", true) else null
	var repair := PathRepair.before(_view)
	var owned := Placing.owners(node)
	var name := Names.free_name(parent, str(node.name), node)
	_change.do(Placing.transfer.bind(node, parent, index, owned, name),
			Placing.transfer.bind(node, old_parent, node.get_index(), owned, node.name))
	if world != null:
		WorldTransform.restore(node, world)
	Placing.forget_layout(node, old_parent)
	# The new parent may lay out the node later, so all old values are recorded, not only the current differences.
	_change.note(Properties.restore.bind(node, Properties.stored(node)), Properties.restore.bind(node, before))
	repair.after(_change)
	return _row(edit, node, {"from": from, "index": node.get_index()})


func _set_properties(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_changeable(edit.get("node"))
	if node is Failure:
		return node
	if not edit.get("properties") is Dictionary or edit.properties.is_empty():
		return Failure.schema("\"properties\" is an object of names and values.")
	var held := Properties.resources_on_the_way(node, edit.properties.keys())
	var before := Properties.stored(node)
	var before_held := held.map(Properties.stored)
	var changes: Variant = Properties.set_all(node, edit.properties, _view.root)
	_change.note_properties(node, before)
	for index: int in held.size():
		_change.note_properties(held[index], before_held[index])
	return changes if changes is Failure else _row(edit, node, {"properties": changes})


func _script(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_changeable(edit.get("node"))
	if node is Failure:
		return node
	var script: Variant = null
	if edit.get("script") != null:
		script = ResPath.load_resource(edit.script, "Script")
		var fits: Variant = script if script is Failure else EditChecks.script_fits(node, script)
		if fits is Failure:
			return fits
	var old: Script = node.get_script()
	var before := Properties.stored(node)
	node.set_script(script)
	_change.note(_dress.bind(node, script, Properties.stored(node)), _dress.bind(node, old, before))
	var change := {
		"name": "script", "type": "Script",
		"old": Values.encode(old), "new": Values.encode(script),
	}
	return _row(edit, node, {"type": Types.of_object(node), "properties": [change]})


## The values of a script are lost with it, so they are restored with it.
static func _dress(node: Node, script: Script, values: Dictionary) -> void:
	node.set_script(script)
	Properties.restore(node, values)


func _group(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_changeable(edit.get("node"))
	if node is Failure:
		return node
	var refused: Variant = EditChecks.group(edit.get("group"))
	if refused is Failure:
		return refused
	var member: bool = edit.get("member", true)
	if node.is_in_group(edit.group) == member:
		return _row(edit, node, {})
	if not member and _view.is_grouped_elsewhere(node, edit.group):
		return Failure.unsupported("\"%s\" is in \"%s\" through the scene it comes from." % [_view.path_of(node), edit.group],
				{}, "Take it out of the group in that scene.")
	var join: Callable = node.add_to_group.bind(edit.group, true)
	var leave: Callable = node.remove_from_group.bind(edit.group)
	_change.do(join if member else leave, leave if member else join)
	return _row(edit, node, {})


func _unique_name(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_own(edit.get("node"), "given a unique name")
	if node is Failure:
		return node
	var unique: bool = edit.get("unique", true)
	if unique:
		for other: Node in _view.nodes():
			if other != node and other.name == node.name and other.unique_name_in_owner and other.owner == node.owner:
				return Failure.schema("%%%s is taken by \"%s\"." % [node.name, _view.path_of(other)])
	_change.do(node.set_unique_name_in_owner.bind(unique), node.set_unique_name_in_owner.bind(node.unique_name_in_owner))
	return _row(edit, node, {})


func _editable(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_changeable(edit.get("node"))
	if node is Failure:
		return node
	if not _view.is_instance(node):
		return Failure.schema("\"%s\" is not an instance of a scene." % _view.path_of(node))
	var editable: bool = edit.get("editable", true)
	if not editable and _view.is_opened_elsewhere(node):
		return Failure.unsupported("The children of \"%s\" are editable through the scene it comes from."
				% _view.path_of(node), {}, "Set it in that scene.")
	var inside := [] if editable else _view.own_inside(node)
	if not inside.is_empty():
		return Failure.unsupported("This scene put \"%s\" into \"%s\", and without editable children nothing could reach them."
				% ["\", \"".join(inside), _view.path_of(node)], {"nodes": inside},
				"Remove these nodes first, or move them elsewhere.")
	var now := _view.root.is_editable_instance(node)
	_change.do(_view.root.set_editable_instance.bind(node, editable),
			_view.root.set_editable_instance.bind(node, now))
	return _row(edit, node, {})


func _connect(edit: Dictionary) -> Variant:
	return _wire(edit, Connections.add)


func _disconnect(edit: Dictionary) -> Variant:
	return _wire(edit, Connections.remove)


func _wire(edit: Dictionary, act: Callable) -> Variant:
	var node: Variant = _view.find_changeable(edit.get("node"))
	var target: Variant = node if node is Failure else _view.find_changeable(edit.get("to"))
	if target is Failure:
		return target
	var failed: Variant = act.call(_change, _view, node, target, edit)
	return failed if failed is Failure else _row(edit, node, {})


func _tiles(edit: Dictionary) -> Variant:
	return _on(edit, "node", func(node: Node) -> Variant: return Tiles.put(_change, _view, node, edit))


func _animation(edit: Dictionary) -> Variant:
	var node: Variant = _view.find_changeable(edit.get("node"))
	var write := func(player: Node) -> Variant: return node if node is Failure else Animations.write(_change, _view, player, node, edit)
	return _on(edit, "player", write)


func _animate(edit: Dictionary) -> Variant:
	return _on(edit, "player", func(player: Node) -> Variant: return Animations.put(_change, _view, player, edit))


func _bake(edit: Dictionary) -> Variant:
	return _on(edit, "node", func(node: Node) -> Variant: return Navigation.bake(_change, _view, node))


## Runs an edit of the node that a member names. The edit returns a Failure if it changed nothing.
func _on(edit: Dictionary, member: String, act: Callable) -> Variant:
	var node: Variant = _view.find_changeable(edit.get(member))
	if node is Failure:
		return node
	var failed: Variant = act.call(node)
	return failed if failed is Failure else _row(edit, node, {})


func _parent(reference: Variant) -> Variant:
	return _view.find_changeable("." if reference == null else reference)


func _check_place(edit: Dictionary, name: Variant) -> Variant:
	var parent: Variant = _parent(edit.get("parent"))
	if parent is Failure:
		return parent
	var refused: Variant = EditChecks.name(name)
	if refused is Failure:
		return refused
	if edit.has("index"):
		var index: Variant = EditChecks.index(edit.index, parent.get_child_count())
		if index is Failure:
			return index
	if not edit.get("properties", {}) is Dictionary:
		return Failure.schema("\"properties\" is an object of names and values.")
	return parent


func _label(edit: Dictionary, node: Node) -> void:
	if edit.get("as") is String:
		_view.labels[edit["as"]] = node


func _row(edit: Dictionary, node: Node, more: Dictionary) -> Dictionary:
	var row := {"kind": edit.kind, "node": _view.path_of(node), "object": node}
	for key: String in more:
		if not (more[key] is Array and more[key].is_empty()):
			row[key] = more[key]
	return row
