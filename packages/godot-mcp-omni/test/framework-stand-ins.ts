import { knownClass } from "./known-class.ts";

/**
 * Command lines at the places where the addons of GUT and gdUnit4 have theirs. They take the options that those take
 * and refuse others, choose tests, write reports and end as those do, with a handful of assertions.
 */
export const GUT_STAND_IN: Readonly<Record<string, string>> = {
  ...knownClass("GutTest", "res://addons/gut/test.gd"),
  "addons/gut/test.gd": `class_name GutTest
extends Node

var passing := 0
var failing := PackedStringArray()
var pending_texts := PackedStringArray()
var running := ""


func assert_eq(got: Variant, expected: Variant) -> void:
	if typeof(got) == typeof(expected) and got == expected:
		passing += 1
		return
	var line := -1
	for frame: Dictionary in get_stack():
		if frame.function == running:
			line = frame.line
	failing.append("[%s] expected to equal [%s]:  \\n            at line %d" % [got, expected, line])


func pending(text := "") -> void:
	pending_texts.append(text)
`,
  "addons/gut/gut_cmdln.gd": `extends SceneTree

const FLAGS := ["-gexit", "-gdisable_colors", "-ginclude_subdirs"]
const VALUES := ["-gconfig", "-gdir", "-gtest", "-gunit_test_name", "-gjunit_xml_file"]

var _options := {"dirs": [], "tests": [], "unit_test_name": "", "junit_xml_file": "", "should_exit": false}
var _failed := 0
var _failed_tests := 0
var _tests := 0


func _initialize() -> void:
	# It looks for classes by their names, which it knows when the tree is ready.
	_run.call_deferred()


func _run() -> void:
	var args := Array(OS.get_cmdline_args())
	var config := "res://.gutconfig.json"
	var unknown := []
	while not args.is_empty():
		var arg: String = args.pop_front()
		var parts := arg.split("=")
		if arg == "-s":
			args.pop_front()
		elif FLAGS.has(arg):
			_options.should_exit = _options.should_exit or arg == "-gexit"
		elif parts.size() > 1 and parts[0] == "-gconfig":
			config = parts[1]
		elif not VALUES.has(parts[0]):
			unknown.append(arg)
	if not unknown.is_empty():
		print("Unknown arguments:  ", unknown)
		quit(1)
		return
	if FileAccess.file_exists(config):
		var read: Variant = JSON.parse_string(FileAccess.get_file_as_string(config))
		if read == null:
			print("Invalid gutconfig -1")
			quit(1)
			return
		for key: String in _options:
			_options[key] = read.get(key, _options[key])
	var paths := []
	for folder: String in _options.dirs:
		for file: String in DirAccess.get_files_at(folder):
			if file.begins_with("test_") and file.ends_with(".gd"):
				paths.append(folder.path_join(file))
	var xml := ""
	for path: String in paths + _options.tests:
		var script: GDScript = load(path)
		if script == null or not _is_test(script):
			print("Ignoring script ", path, " because it does not extend GutTest")
			continue
		xml += _suite(script, path)
		for name: String in script.get_script_constant_map():
			var inner: Variant = script.get_script_constant_map()[name]
			if name.begins_with("Test") and inner is GDScript and _is_test(inner):
				xml += _suite(inner, "%s.%s" % [path, name])
	if _options.junit_xml_file != "":
		var out := FileAccess.open(_options.junit_xml_file, FileAccess.WRITE)
		out.store_string('<?xml version="1.0" encoding="UTF-8"?>\\n<testsuites name="GutTests" failures="%d" tests="%d" >\\n%s</testsuites>' % [_failed_tests, _tests, xml])
		out.close()
	if _options.should_exit:
		quit(1 if _failed > 0 else 0)


func _is_test(script: GDScript) -> bool:
	var base := script.get_base_script()
	return base != null and (base.resource_path == "res://addons/gut/test.gd" or _is_test(base))


func _suite(script: GDScript, full_name: String) -> String:
	var name := full_name.replace("res://", "")
	var test: Node = script.new()
	root.add_child(test)
	var cases := ""
	if test.get("skip_script") == null:
		_call(test, "before_all")
		for method: Dictionary in script.get_script_method_list():
			if method.name.begins_with("test_") and (_options.unit_test_name == "" or method.name.contains(_options.unit_test_name)):
				cases += _case(test, method.name, name)
		_call(test, "after_all")
	test.free()
	_tests += cases.count("<testcase")
	_failed_tests += cases.count("<failure")
	return '  <testsuite name="%s" tests="%d" failures="%d" skipped="%d" time="0.25" >\\n%s  </testsuite>\\n' % [
		name, cases.count("<testcase"), cases.count("<failure"), cases.count("<skipped"), cases]


func _case(test: Node, method: String, name: String) -> String:
	_call(test, method)
	var status := "no asserts"
	var inside := ""
	if not test.pending_texts.is_empty():
		status = "pending"
		inside = '<skipped message="pending"><![CDATA[%s]]></skipped>' % test.pending_texts[0]
	elif not test.failing.is_empty():
		status = "fail"
		inside = '<failure message="failed"><![CDATA[%s]]></failure>' % test.failing[0]
	elif test.passing > 0:
		status = "pass"
	return '      <testcase name="%s" assertions="%d" status="%s" classname="%s" time="0.25" >\\n      %s</testcase>\\n' % [
		method, test.passing + test.failing.size(), status, name, inside]


## A failure outside a test counts, and is in no report.
func _call(test: Node, method: String) -> void:
	test.passing = 0
	test.failing.clear()
	test.pending_texts.clear()
	test.running = method
	if test.has_method(method):
		test.call(method)
	_failed += test.failing.size()
`,
};

export const GDUNIT4_STAND_IN: Readonly<Record<string, string>> = {
  ...knownClass("GdUnitTestSuite", "res://addons/gdUnit4/src/GdUnitTestSuite.gd"),
  "addons/gdUnit4/src/GdUnitTestSuite.gd": `class_name GdUnitTestSuite
extends Node

var reports: Array[Dictionary] = []


class IntAssert:
	var suite: GdUnitTestSuite
	var got: int

	func is_equal(expected: int) -> void:
		if got == expected:
			return
		var line := -1
		for frame: Dictionary in get_stack():
			if frame.function.begins_with("test") or frame.function == "before":
				line = frame.line
				break
		suite.reports.append({"line": line, "text": "Expecting:\\n %d\\n but was\\n %d" % [expected, got]})


func assert_int(got: int) -> IntAssert:
	var made := IntAssert.new()
	made.suite = self
	made.got = got
	return made
`,
  "addons/gdUnit4/bin/GdUnitCmdTool.gd": `extends SceneTree

var _files := PackedStringArray()
var _ignored := PackedStringArray()
var _folder := "res://reports"
var _is_continued := false
var _failed := 0
var _failed_tests := 0
var _tests := 0


func _initialize() -> void:
	_run.call_deferred()


func _run() -> void:
	var args := Array(OS.get_cmdline_args())
	while not args.is_empty() and not args.pop_front().contains("GdUnitCmdTool.gd"):
		pass
	var is_headless_fine := false
	while not args.is_empty():
		match args.pop_front():
			"-a", "--add": _files.append(args.pop_front())
			"-i", "--ignore": _ignored.append(args.pop_front())
			"-rd", "--report-directory": _folder = args.pop_front()
			"-rc", "--report-count": args.pop_front()
			"-c", "--continue": _is_continued = true
			"--ignoreHeadlessMode": is_headless_fine = true
			_:
				quit(100)
				return
	if DisplayServer.get_name() == "headless" and not is_headless_fine:
		print("Headless mode is not supported!")
		quit(103)
		return
	var scripts: Array[GDScript] = []
	for file: String in _files:
		var script := load(file) as GDScript
		if script == null or not script.can_instantiate():
			print("\\u001b[38;2;255;0;0mScript errors were detected during test discovery!\\u001b[0m")
			quit(105)
			return
		if script.get_base_script() != null and script.get_base_script().resource_path.contains("GdUnitTestSuite"):
			scripts.append(script)
	var xml := ""
	for script: GDScript in scripts:
		xml += _suite(script)
	if xml == "":
		print("No test cases found, abort test run!")
		quit(0)
		return
	# A path that begins with a slash is one inside the project.
	if _folder.begins_with("/"):
		_folder = "res:/" + _folder
	var place := ProjectSettings.globalize_path(_folder).path_join("report_1")
	DirAccess.make_dir_recursive_absolute(place)
	var out := FileAccess.open(place.path_join("results.xml"), FileAccess.WRITE)
	out.store_string('<?xml version="1.0" encoding="UTF-8" ?>\\n<testsuites id="2026-01-01" name="report_1" tests="%d" failures="%d" skipped="0" flaky="0" time="0.002">\\n%s</testsuites>\\n' % [_tests, _failed_tests, xml])
	out.close()
	var orphans := Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT)
	quit(100 if _failed > 0 else 101 if orphans > 0 else 0)


func _suite(script: GDScript) -> String:
	var path := script.resource_path
	var suite := path.get_file().replace(".gd", "")
	var test: GdUnitTestSuite = script.new()
	root.add_child(test)
	if test.has_method("before"):
		test.call("before")
	_failed += test.reports.size()
	var cases := ""
	for method: Dictionary in script.get_script_method_list():
		if not method.name.begins_with("test") or _ignored.has("%s:%s" % [path, method.name]):
			continue
		if _failed > 0 and not _is_continued:
			break
		cases += '\\t\\t<testcase name="%s" classname="%s" time="0.002">\\n' % [method.name.xml_escape(true), suite]
		test.reports.clear()
		test.call(method.name)
		_failed += test.reports.size()
		for report: Dictionary in test.reports:
			cases += '\\t\\t\\t<failure message="FAILED: %s:%d" type="FAILURE">\\n<![CDATA[\\n%s\\n\\tat \\'%s\\' in %s:%d\\n]]>\\n\\t\\t\\t</failure>\\n' % [
				path, report.line, report.text, method.name, path, report.line]
		cases += "\\t\\t</testcase>\\n"
	test.free()
	if cases == "":
		return ""
	var failed := cases.count("FAILED: ")
	_tests += cases.count("<testcase")
	_failed_tests += failed
	return '\\t<testsuite id="0" name="%s" package="%s" timestamp="2026-01-01T00:00:00" hostname="localhost" tests="%d" failures="%d" errors="0" skipped="0" flaky="0" time="0.002">\\n%s\\t</testsuite>\\n' % [
		suite, path.get_base_dir().replace("res://", ""), cases.count("<testcase"), failed, cases]
`,
};
