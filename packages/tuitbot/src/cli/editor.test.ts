import { expect, test } from "vitest";
import { editText } from "./editor.ts";

const { PATH } = process.env;

test("the text is what the person's editor leaves", async () => {
  const script =
    "fs.writeFileSync(process.argv[1], String(fs.readFileSync(process.argv[1])).replace('morning', 'evening'))";
  const EDITOR = `${process.execPath} -e "${script}"`;
  expect(await editText("Good morning", "txt", { PATH, EDITOR })).toEqual({
    ok: true,
    value: "Good evening",
  });
  // VISUAL comes first where both are set.
  const both = { PATH, EDITOR: "false", VISUAL: "true" };
  expect(await editText("Good morning", "txt", both)).toEqual({ ok: true, value: "Good morning" });
});

test("an editor that fails, or none, changes nothing", async () => {
  expect(await editText("a", "txt", { PATH, EDITOR: "false" })).toMatchObject({
    ok: false,
    failure: expect.stringContaining("Nothing was changed."),
  });
  expect(await editText("a", "txt", { PATH })).toMatchObject({
    ok: false,
    failure: "No editor is set: set EDITOR to its name.",
  });
});
