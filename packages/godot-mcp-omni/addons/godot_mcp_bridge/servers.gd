@tool
extends RefCounted
## The servers that are announced on this machine, and a connection to each.
##
## Every server leaves a file with its port and token in a folder that only this user can read. The editor
## connects to all of them and retries with growing pauses, so the order of starts does not matter.

const Link := preload("shared/link.gd")

const SEEK_MS := 1000
const FIRST_PAUSE_MS := 250
const MAX_PAUSE_MS := 8000
## Servers ping more often; one that is silent for this long is gone.
const SILENCE_MS := 20000

class Known:
	extends RefCounted
	var port: int
	var token: String
	var link: Link
	var pause_ms := FIRST_PAUSE_MS
	var dial_at := 0
	var heard_at := 0


var _folder: String
var _addon: String
var _known := {}
var _seek_at := 0


## `addon` is the version of the addon, which servers compare with their own.
func _init(folder: String, addon: String) -> void:
	_folder = folder
	_addon = addon


## The folder of announcements; the servers compute the same path.
static func meeting_place() -> String:
	if OS.has_environment("GODOT_MCP_BRIDGE_DIR"):
		return OS.get_environment("GODOT_MCP_BRIDGE_DIR")
	var home := OS.get_environment("HOME")
	match OS.get_name():
		"Windows":
			return OS.get_environment("LOCALAPPDATA").path_join("godot-mcp-omni/bridge")
		"macOS":
			return home.path_join("Library/Caches/godot-mcp-omni/bridge")
	var cache := OS.get_environment("XDG_CACHE_HOME")
	return (cache if cache != "" else home.path_join(".cache")).path_join("godot-mcp-omni/bridge")


## Call it every frame. Returns what arrived, as pairs of link and request.
func poll(now: int) -> Array[Array]:
	if now >= _seek_at:
		_seek_at = now + SEEK_MS
		_seek()
	var out: Array[Array] = []
	for name: String in _known:
		var server: Known = _known[name]
		for request: Dictionary in _poll_one(server, now):
			out.append([server.link, request])
	return out


func links() -> Array[Link]:
	var out: Array[Link] = []
	for server: Known in _known.values():
		if server.link != null and server.link.state == Link.State.READY:
			out.append(server.link)
	return out


func close() -> void:
	for server: Known in _known.values():
		if server.link != null:
			server.link.close()


func _seek() -> void:
	var present := {}
	for file: String in DirAccess.get_files_at(_folder) if DirAccess.dir_exists_absolute(_folder) else PackedStringArray():
		if file.get_extension() != "json":
			continue
		present[file] = true
		if not _known.has(file):
			var announced: Variant = JSON.parse_string(FileAccess.get_file_as_string(_folder.path_join(file)))
			if announced is Dictionary and announced.get("port") is float and announced.get("token") is String:
				var server := Known.new()
				server.port = int(announced.port)
				server.token = announced.token
				_known[file] = server
	for file: String in _known.keys():
		if not present.has(file) and (_known[file].link == null or _known[file].link.state == Link.State.CLOSED):
			_known.erase(file)


func _poll_one(server: Known, now: int) -> Array[Dictionary]:
	if server.link == null:
		if now < server.dial_at:
			return []
		server.link = Link.new()
		server.heard_at = now
		server.link.dial(server.port, server.token, "editor", _addon)
	var requests := server.link.poll()
	if not requests.is_empty():
		server.heard_at = now
	if server.link.state == Link.State.READY:
		server.pause_ms = FIRST_PAUSE_MS
	if server.link.state == Link.State.CLOSED or now - server.heard_at > SILENCE_MS:
		server.link.close()
		server.link = null
		server.dial_at = now + server.pause_ms
		server.pause_ms = mini(server.pause_ms * 2, MAX_PAUSE_MS)
	return requests
