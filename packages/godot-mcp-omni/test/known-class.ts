/** What Godot writes down of a class when it imports a project, so that not every test has to wait for that. */
export function knownClass(name: string, path: string): Readonly<Record<string, string>> {
  return {
    ".godot/global_script_class_cache.cfg": `list=[{
"base": &"Node",
"class": &"${name}",
"icon": "",
"is_abstract": false,
"is_tool": false,
"language": &"GDScript",
"path": "${path}"
}]
`,
  };
}
