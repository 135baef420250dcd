/** Writes the class cache of Godot's import, which saves tests the import. */
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
