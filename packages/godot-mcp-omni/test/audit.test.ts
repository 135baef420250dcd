import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openTestServer } from "./server-project.ts";

it("tells in the answer when a call could not be written to the audit log, and does the call", async () => {
  const { call, root, write } = openTestServer();
  write(".godot_mcp", "a file where a folder must be");
  const answer = await call("godot_asset", { action: "list_resources" });
  expect(answer).toMatchObject({ ok: true, warnings: [expect.stringContaining("audit log: ENOTDIR")] });
  rmSync(path.join(root, ".godot_mcp"));
  expect(await call("godot_asset", { action: "list_resources" })).not.toHaveProperty("warnings");
});

it("writes no log through a link that leads out of the project", async () => {
  const { call, root } = openTestServer();
  writeFileSync(path.join(root, "../elsewhere"), "");
  symlinkSync(path.join(root, ".."), path.join(root, ".godot_mcp"));
  expect(await call("godot_asset", { action: "list_resources" })).toMatchObject({
    warnings: [expect.stringContaining("ENOTDIR")],
  });
});

it("hides itself from Git and from Godot's import", async () => {
  const { call, read } = openTestServer();
  await call("godot_asset", { action: "list_resources" });
  expect(read(".godot_mcp/.gitignore")).toBe("*\n");
  expect(read(".godot_mcp/.gdignore")).toBe("");
});
