extends RefCounted
## Reads the caller's GDScript for a node: finds `$Node` and `%Unique`, and makes a script of statements.

const TOKENS := "(?<space>\\s+)|(?<comment>#[^\\n]*)|(?<string>[&^r]?(?:\"\"\"[\\s\\S]*?\"\"\"|'''[\\s\\S]*?'''|\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'))" \
		+ "|(?<number>\\d[\\w.]*)|(?<name>[A-Za-z_]\\w*)|(?<path>[$%](?:\"[^\"]*\"|'[^']*'|/?%?[A-Za-z_]\\w*(?:/(?:%?\\w+|\\.\\.))*))" \
		+ "|(?<op>\\*\\*=|<<=|>>=|[-+*/%&|^]=|==|!=|<=|>=|:=|->|\\S)"
const KEYWORDS := ["var", "const", "for", "while", "if", "elif", "else", "match", "return", "pass", "break", "continue",
	"assert", "breakpoint", "in", "not", "and", "or", "await", "is", "as", "when"]
## A statement that begins with one of these has no value.
const NO_VALUE := ["var", "const", "for", "while", "if", "elif", "else", "match", "return", "pass", "break", "continue",
	"assert", "breakpoint"]
const OPERATORS := ["in", "not", "and", "or"]
const ASSIGNMENTS := ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**=", "<<=", ">>="]
const OPENING := ["(", "[", "{"]
const CLOSING := [")", "]", "}"]

static var _reader: RegEx


## Rows of `{kind, text, at}`. A `%` after a value is the operator.
static func tokens_of(text: String) -> Array[Dictionary]:
	if _reader == null:
		_reader = RegEx.create_from_string(TOKENS)
	var out: Array[Dictionary] = []
	var before := {"kind": "op", "text": ""}
	var depth := 0
	var at := 0
	while at < text.length():
		var found := _reader.search(text, at)
		if found == null:
			break
		var kind: String = found.names.keys().filter(func(name: String) -> bool: return found.get_start(name) != -1)[0]
		var token := {"kind": kind, "text": found.get_string(), "at": found.get_start()}
		if kind == "path" and token.text.begins_with("%") and _is_value(before):
			token = {"kind": "op", "text": "%", "at": found.get_start()}
		out.append(token)
		depth += int(token.text in OPENING) - int(token.text in CLOSING)
		if not token.kind in ["space", "comment"]:
			before = token
		elif depth == 0 and token.text.contains("\n"):
			before = {"kind": "op", "text": ""}
		at = token.at + token.text.length()
	return out


static func _is_value(token: Dictionary) -> bool:
	return token.kind in ["number", "string", "path"] or token.text in CLOSING \
			or (token.kind == "name" and not token.text in KEYWORDS)


## The path of a token such as `$A/B`, `$"A B"`, `%Unique`.
static func path_of(token: String) -> String:
	var path := token.substr(1)
	if path.begins_with("\"") or path.begins_with("'"):
		path = path.substr(1, path.length() - 2)
	return "%" + path if token.begins_with("%") else path


## The text with each `$Node` replaced by the result of `replace` for its path.
static func with_paths(text: String, replace: Callable) -> String:
	var out := ""
	for token: Dictionary in tokens_of(text):
		out += replace.call(path_of(token.text)) if token.kind == "path" else token.text
	return out


## Whether the text is beyond Godot's expressions, which end silently at syntax they do not support.
static func is_more_than_expression(text: String) -> bool:
	var depth := 0
	for token: Dictionary in tokens_of(text.strip_edges()):
		if token.kind == "comment" or token.text in ASSIGNMENTS or token.text in [";", ":="]:
			return true
		if token.kind == "name" and (token.text == "func" or token.text in KEYWORDS and not token.text in OPERATORS):
			return true
		if token.kind == "space" and depth == 0 and token.text.contains("\n"):
			return true
		depth += int(token.text in OPENING) - int(token.text in CLOSING)
	return false


## The left side of a comparison, or the whole expression.
static func compared_in(text: String) -> String:
	var depth := 0
	for token: Dictionary in tokens_of(text):
		if depth == 0 and token.kind == "name" and token.text in OPERATORS:
			return text
		if depth == 0 and token.text in ["<", ">", "<=", ">=", "==", "!="]:
			return text.left(token.at).strip_edges()
		depth += int(token.text in OPENING) - int(token.text in CLOSING)
	return text


## A script with a function `run` of these statements; members of `base` are those of its variable `_self`.
static func script_of(text: String, base: Object, known: Array, returns: bool) -> Dictionary:
	var tokens := tokens_of(_dedented(text))
	var members := _members_of(base)
	for name: String in _declared(tokens) + known:
		members.erase(name)
	var value_at := _value_at(tokens) if returns else -1
	var indent := "    " if RegEx.create_from_string("(?m)^ ").search(_dedented(text)) != null else "\t"
	var code := ""
	var before := ""
	for token: Dictionary in tokens:
		if token.at == value_at:
			code += "return "
		match token.kind:
			"path":
				code += "_self.get_node(^\"%s\")" % path_of(token.text)
			"name" when before != ".":
				code += members.get(token.text, token.text)
			"op" when token.text == ":=":
				# The types of live objects are not known here.
				code += "="
			_:
				code += token.text
		if not token.kind in ["space", "comment"]:
			before = token.text
	var head := "extends RefCounted\nvar _self\n"
	for name: String in known:
		head += "var %s\n" % name
	head += "func run():\n"
	return {"source": head + code.indent(indent) + "\n" + indent + "pass\n", "head": head.count("\n")}


static func _dedented(text: String) -> String:
	return text.replace("\r\n", "\n").dedent().strip_edges(false, true)


## The meaning of each bare name of the object.
static func _members_of(base: Object) -> Dictionary:
	var out := {"self": "_self"}
	if base == null:
		return out
	for name: String in ClassDB.class_get_integer_constant_list(base.get_class()):
		out[name] = "%s.%s" % [base.get_class(), name]
	# The list also has headings, named after the classes of the object.
	var properties := base.get_property_list().filter(func(info: Dictionary) -> bool:
		return not info.usage & (PROPERTY_USAGE_CATEGORY | PROPERTY_USAGE_GROUP | PROPERTY_USAGE_SUBGROUP))
	for list: Array in [properties, base.get_method_list(), base.get_signal_list()]:
		for info: Dictionary in list:
			out[info.name] = "_self." + info.name
	var script: Script = base.get_script()
	while script != null:
		for name: String in script.get_script_constant_map():
			out[name] = "_self." + name
		script = script.get_base_script()
	return out


static func _declared(tokens: Array[Dictionary]) -> Array:
	var out := []
	var words := tokens.filter(func(token: Dictionary) -> bool: return not token.kind in ["space", "comment"])
	for index: int in range(1, words.size()):
		if words[index].kind == "name" and words[index - 1].text in ["var", "const", "for"]:
			out.append(words[index].text)
		if words[index].text == "(" and words[index - 1].text == "func":
			var at := index + 1
			while at < words.size() and words[at].text != ")":
				if words[at].kind == "name" and words[at - 1].text in ["(", ","]:
					out.append(words[at].text)
				at += 1
	return out


## Start of the last statement if it is an expression; else -1.
static func _value_at(tokens: Array[Dictionary]) -> int:
	var begin := -1
	var depth := 0
	var is_fresh := true
	var has_value := false
	for token: Dictionary in tokens:
		if token.kind == "comment":
			continue
		if token.kind == "space":
			if depth == 0 and token.text.contains("\n"):
				# Only statements that are not indented count.
				is_fresh = token.text.ends_with("\n")
				if not is_fresh:
					has_value = false
			continue
		if is_fresh and not token.text in CLOSING:
			begin = token.at
			has_value = not token.text in NO_VALUE
			is_fresh = false
		if token.text in OPENING:
			depth += 1
		elif token.text in CLOSING:
			depth -= 1
		elif depth == 0 and token.text in ASSIGNMENTS:
			has_value = false
		elif depth == 0 and token.text == ";":
			is_fresh = true
	return begin if has_value else -1
