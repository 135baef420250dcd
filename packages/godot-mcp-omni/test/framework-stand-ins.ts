/**
 * Command lines at the places where the addons of GUT and gdUnit4 have theirs: they take the same options, refuse
 * others, and write reports of the same shape. A test fails by returning a text.
 */
export const GUT_STAND_IN: Readonly<Record<string, string>> = {
  "addons/gut/test.gd": "class_name GutTest\nextends Node\n",
  "addons/gut/gut_cmdln.gd": `extends SceneTree

var _files := PackedStringArray()
var _name := ""
var _report := ""


func _initialize() -> void:
	var args := OS.get_cmdline_args()
	for arg: String in args.slice(args.find("res://addons/gut/gut_cmdln.gd") + 1):
		var value := arg.get_slice("=", 1)
		match arg.get_slice("=", 0):
			"-gtest": _files = value.split(",")
			"-gunit_test_name": _name = value
			"-gjunit_xml_file": _report = value
			"-gexit", "-gdisable_colors", "-gconfig": pass
			_:
				print("Unknown arguments:  ", arg)
				quit(1)
				return
	if _files.is_empty():
		_files = JSON.parse_string(FileAccess.get_file_as_string("res://.gutconfig.json")).tests
	var xml := ""
	for file: String in _files:
		var suite := file.trim_prefix("res://")
		xml += '<testsuite name="%s" time="0.5" >' % suite
		var test: Object = load(file).new()
		for method: Dictionary in test.get_script().get_script_method_list():
			if not method.name.begins_with("test_") or not method.name.contains(_name) and _name != "":
				continue
			xml += '<testcase name="%s" assertions="1" classname="%s" time="0.25" >' % [method.name, suite]
			var said: Variant = test.call(method.name)
			if said is String:
				xml += '<failure message="failed"><![CDATA[%s\\n      at line 7]]></failure>' % said
			xml += "</testcase>"
		xml += "</testsuite>"
	var out := FileAccess.open(_report, FileAccess.WRITE)
	out.store_string('<?xml version="1.0" encoding="UTF-8"?>\\n<testsuites name="GutTests" >%s</testsuites>' % xml)
	out.close()
	quit(0)
`,
};

export const GDUNIT4_STAND_IN: Readonly<Record<string, string>> = {
  "addons/gdUnit4/src/GdUnitTestSuite.gd": "class_name GdUnitTestSuite\nextends Node\n",
  "addons/gdUnit4/bin/GdUnitCmdTool.gd": `extends SceneTree

var _files := PackedStringArray()
var _ignored := PackedStringArray()
var _folder := ""


func _initialize() -> void:
	var args := Array(OS.get_cmdline_args())
	args = args.slice(args.find("res://addons/gdUnit4/bin/GdUnitCmdTool.gd") + 1)
	if not args.has("--ignoreHeadlessMode"):
		quit(103)
		return
	while not args.is_empty():
		match args.pop_front():
			"-a": _files.append(args.pop_front())
			"-i": _ignored.append(args.pop_front())
			"-rd": _folder = args.pop_front()
			"-rc": args.pop_front()
			"-c", "--ignoreHeadlessMode": pass
			_:
				quit(100)
				return
	if _folder.begins_with("/"):
		_folder = "res:/" + _folder
	var xml := ""
	for file: String in _files:
		var suite := file.get_file().get_basename().to_pascal_case()
		xml += '<testsuite id="0" name="%s" package="%s">' % [suite, file.get_base_dir()]
		var test: Object = load(file).new()
		for method: Dictionary in test.get_script().get_script_method_list():
			if not method.name.begins_with("test_") or _ignored.has("%s:%s" % [file, method.name]):
				continue
			xml += '<testcase name="%s" classname="%s" time="0.002">' % [method.name, suite]
			var said: Variant = test.call(method.name)
			if said is String:
				xml += '<failure message="FAILED: %s:7" type="FAILURE">\\n<![CDATA[\\n%s\\n]]>\\n</failure>' % [file, said]
			xml += "</testcase>"
		xml += "</testsuite>"
	var place := ProjectSettings.globalize_path(_folder).path_join("report_1")
	DirAccess.make_dir_recursive_absolute(place)
	var out := FileAccess.open(place.path_join("results.xml"), FileAccess.WRITE)
	out.store_string('<?xml version="1.0" encoding="UTF-8" ?>\\n<testsuites name="report_1">%s</testsuites>' % xml)
	out.close()
	quit(0)
`,
};
