@tool
extends RefCounted
## One connection to a server: frames of a length and JSON, and a handshake in which both sides
## prove that they have the token without sending it.

enum State { DIALLING, GREETING, PROVING, READY, CLOSED }

const PROTOCOL := 1
const MAX_FRAME := 64 << 20

static var _control := RegEx.create_from_string("[\\x01-\\x1f]")
static var _vertical_tab := RegEx.create_from_string("(?<!\\\\)((?:\\\\\\\\)*)\\\\v")

var state := State.DIALLING

var _peer := StreamPeerTCP.new()
var _token: PackedByteArray
var _role: String
var _addon: String
var _nonce: String
var _in := PackedByteArray()
var _out := PackedByteArray()


## `role` is "editor" or "engine"; an editor sends the version of its addon.
func dial(port: int, token: String, role: String, addon := "") -> void:
	_token = token.to_utf8_buffer()
	_role = role
	_addon = addon
	_nonce = Crypto.new().generate_random_bytes(16).hex_encode()
	if _peer.connect_to_host("127.0.0.1", port) != OK:
		close()


func close() -> void:
	state = State.CLOSED
	_peer.disconnect_from_host()


## Never blocks. Returns the requests that arrived.
func poll() -> Array[Dictionary]:
	var requests: Array[Dictionary] = []
	if state == State.CLOSED:
		return requests
	_peer.poll()
	match _peer.get_status():
		StreamPeerTCP.STATUS_CONNECTING:
			return requests
		StreamPeerTCP.STATUS_CONNECTED:
			_greet()
			_receive(requests)
			flush()
		_:
			close()
	return requests


## Sends as much as the other side accepts now.
func flush() -> void:
	while state != State.CLOSED and not _out.is_empty():
		var sent := _peer.put_partial_data(_out)
		if sent[0] != OK:
			close()
		elif sent[1] == 0:
			return
		else:
			_out = _out.slice(sent[1])


## Sends pending data and waits briefly. Returns whether something arrived.
func is_more_coming(patience_usec: int) -> bool:
	var until := Time.get_ticks_usec() + patience_usec
	_send_all()
	while Time.get_ticks_usec() < until:
		_peer.poll()
		if _peer.get_available_bytes() > 0 or _peer.get_status() != StreamPeerTCP.STATUS_CONNECTED:
			return true
		OS.delay_usec(100)
	return false


## Waits for the next request without using the CPU; null when the connection is closed.
func wait() -> Variant:
	while state == State.DIALLING:
		_peer.poll()
		if _peer.get_status() == StreamPeerTCP.STATUS_CONNECTED:
			_greet()
		elif _peer.get_status() != StreamPeerTCP.STATUS_CONNECTING:
			close()
		else:
			OS.delay_msec(1)
	while state != State.CLOSED:
		_send_all()
		var head := _peer.get_data(4)
		if head[0] != OK:
			break
		var size: int = head[1].decode_u32(0)
		var body: Array = _peer.get_data(size) if size <= MAX_FRAME else [FAILED]
		if body[0] != OK:
			break
		var request: Variant = _take(body[1])
		if request != null:
			return request
	close()
	return null


func send(message: Dictionary) -> void:
	var body := _strict(JSON.stringify(message, "", false, true)).to_utf8_buffer()
	var frame := PackedByteArray()
	frame.resize(4)
	frame.encode_u32(0, body.size())
	_out.append_array(frame + body)


## The engine leaves some control characters unescaped and writes `\v`; both are invalid JSON.
static func _strict(json: String) -> String:
	var out := json
	if _control.search(json) != null:
		for code: int in range(1, 32):
			out = out.replace(String.chr(code), "\\u%04x" % code)
	return _vertical_tab.sub(out, "$1\\u000b", true) if out.contains("\\v") else out


func _greet() -> void:
	if state != State.DIALLING:
		return
	state = State.GREETING
	_peer.set_no_delay(true)
	send({"hello": {
		"role": _role,
		"project": ProjectSettings.globalize_path("res://"),
		"version": Engine.get_version_info().string,
		"addon": _addon,
		"pid": OS.get_process_id(),
		"protocol": PROTOCOL,
		"nonce": _nonce,
	}})


func _receive(requests: Array[Dictionary]) -> void:
	var available := _peer.get_available_bytes()
	if available > 0:
		_in.append_array(_peer.get_partial_data(available)[1])
	var start := 0
	while state != State.CLOSED and _in.size() - start >= 4:
		var size := _in.decode_u32(start)
		if size > MAX_FRAME:
			close()
		if _in.size() - start - 4 < size:
			break
		var request: Variant = _take(_in.slice(start + 4, start + 4 + size))
		start += 4 + size
		if request != null:
			requests.append(request)
	if start > 0:
		_in = _in.slice(start)


func _send_all() -> void:
	if not _out.is_empty():
		_peer.put_data(_out)
		_out.clear()


## One frame: a step of the handshake, or a request.
func _take(body: PackedByteArray) -> Variant:
	var json := JSON.new()
	if json.parse(body.get_string_from_utf8()) != OK or not json.data is Dictionary:
		close()
		return null
	var message: Dictionary = json.data
	match state:
		State.GREETING:
			var theirs := str(message.get("nonce", ""))
			if not _equal(str(message.get("proof", "")), _proof("server", theirs)):
				close()
				return null
			send({"proof": _proof("client", theirs)})
			state = State.PROVING
			return null
		State.PROVING:
			state = State.READY
			return null
	return message


func _proof(side: String, theirs: String) -> String:
	var text := "%s:%s:%s" % [side, _nonce, theirs]
	return Crypto.new().hmac_digest(HashingContext.HASH_SHA256, _token, text.to_utf8_buffer()).hex_encode()


func _equal(a: String, b: String) -> bool:
	return Crypto.new().constant_time_compare(a.to_utf8_buffer(), b.to_utf8_buffer())
