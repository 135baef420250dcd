import { expect, test } from "vitest";
import { docText } from "./docs.ts";

test("markup becomes plain text, and of two languages GDScript stays", () => {
  const markup = `
		Moves by [param delta]. See [method move_and_slide], [Node2D] and [code]null[/code].
		[b]Note:[/b] text[lb]0[rb].
		[codeblocks]
		[gdscript]
		func f():
			pass
		[/gdscript]
		[csharp]
		void F() {}
		[/csharp]
		[/codeblocks]
	`;
  expect(docText(markup)).toMatchInlineSnapshot(`
    "Moves by \`delta\`. See \`move_and_slide\`, \`Node2D\` and \`null\`.
    Note: text[0].
    \`\`\`gdscript
    func f():
    	pass
    \`\`\`"
  `);
});
