@tool
extends RefCounted
## Why a request failed, with a code of the server. Functions return a value or a failure.

const Failure := preload("failure.gd")
const Names := preload("names.gd")

var code: String
var message: String
var details: Dictionary
var fix: String


static func of(p_code: String, p_message: String, p_details := {}, p_fix := "") -> Failure:
	var failure := Failure.new()
	failure.code = p_code
	failure.message = p_message
	failure.details = p_details
	failure.fix = p_fix
	return failure


static func schema(p_message: String, p_details := {}, p_fix := "") -> Failure:
	return of("E_SCHEMA_VALIDATION", p_message, p_details, p_fix)


static func not_found(p_message: String, p_details := {}, p_fix := "") -> Failure:
	return of("E_NOT_FOUND", p_message, p_details, p_fix)


static func unsupported(p_message: String, p_details := {}, p_fix := "") -> Failure:
	return of("E_UNSUPPORTED", p_message, p_details, p_fix)


## For edits that only the files driver can do without a loss.
static func for_files(p_message: String, p_details := {}) -> Failure:
	return unsupported(p_message, p_details.merged({"unsupportedBy": "godot", "needsFiles": true}),
			"Leave out the mode, or use mode files: then the text of the file is read and edited.")


static func denied(gate: String, p_message: String, p_details := {}, p_fix := "") -> Failure:
	return of("E_PERMISSION_DENIED", p_message, p_details.merged({"gate": gate}), p_fix)


static func timeout(p_message: String, p_details := {}, p_fix := "") -> Failure:
	return of("E_TIMEOUT", p_message, p_details, p_fix)


## The system refused to write a file.
static func disk(path: String, error: Error) -> Failure:
	return denied("disk", "%s could not be written: %s." % [path, error_string(error)], {"path": path}, "Check the disk.")


## For bugs of the server and its addon only.
static func internal(p_message: String, p_details := {}, p_fix := "") -> Failure:
	return of("E_INTERNAL", p_message, p_details, p_fix)


## An unknown name, with similar known names.
static func unknown(what: String, name: String, known: Array, p_code := "E_NOT_FOUND") -> Failure:
	var nearest := Names.nearest(name, known)
	var hint := "" if nearest.is_empty() else "Did you mean %s?" % " or ".join(nearest)
	return of(p_code, "There is no %s \"%s\"." % [what, name], {"name": name, "nearest": nearest}, hint)


func at(place: String) -> Failure:
	message = "%s: %s" % [place, message]
	return self


func to_answer(id: Variant) -> Dictionary:
	var error := {"code": code, "message": message}
	if not details.is_empty():
		error["details"] = details
	if fix != "":
		error["suggestedFix"] = fix
	return {"id": id, "ok": false, "error": error}
