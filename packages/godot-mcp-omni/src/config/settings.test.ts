import { describe, expect, it } from "vitest";
import { readSettings, settingsFile } from "./settings.ts";

describe("settings", () => {
  it("prefer flags over the environment, and the environment over the settings file", () => {
    const read = readSettings({
      flags: { project: "from-flag" },
      env: { GODOT_MCP_PROJECT: "from-env", GODOT_PATH: "/env/godot" },
      file: { project: "from-file", godotPath: "/file/godot", readOnly: true },
    });
    expect(read).toMatchObject({
      ok: true,
      value: { project: "from-flag", godotPath: "/env/godot", readOnly: true, allowDangerousOps: false },
    });
  });

  it("open a safety gate only if its value is true", () => {
    expect(readSettings({ flags: {}, env: { ALLOW_DANGEROUS_OPS: "true" } })).toMatchObject({
      value: { allowDangerousOps: true, allowExternalTools: false },
    });
    expect(readSettings({ flags: {}, env: { ALLOW_DANGEROUS_OPS: "yes please" } })).toMatchObject({
      ok: false,
      failure: { code: "E_SCHEMA_VALIDATION", message: "ALLOW_DANGEROUS_OPS must be true or false." },
    });
  });

  it("turn Godot off if GODOT_PATH is empty", () => {
    expect(readSettings({ flags: {}, env: { GODOT_PATH: "" } })).toMatchObject({ value: { godotPath: "" } });
  });

  it("split the list of toolsets and accept the schema style in any case", () => {
    const env = { GODOT_MCP_TOOLSETS: "scene, docs,", GODOT_MCP_SCHEMA_STYLE: "oneof" };
    expect(readSettings({ flags: {}, env })).toMatchObject({
      value: { toolsets: ["scene", "docs"], schemaStyle: "oneOf" },
    });
  });

  it("reject a settings file with an unknown setting", () => {
    expect(readSettings({ flags: {}, env: {}, file: { allowDangerousOp: true } })).toMatchObject({
      ok: false,
      failure: {
        message: "The settings file has an unknown setting: allowDangerousOp.",
        suggestedFix: "Did you mean allowDangerousOps?",
      },
    });
  });

  it.each([true, false])(
    "refuse trust (%s) in the file, and take it from the flag and the environment",
    (trust) => {
      expect(readSettings({ flags: { trust: true }, env: {}, file: { trust } })).toMatchObject({
        ok: false,
        failure: {
          code: "E_SCHEMA_VALIDATION",
          message: "The settings file must not have trust: it would trust every project of every server.",
          suggestedFix: expect.stringMatching(/--trust or GODOT_MCP_TRUST/),
        },
      });
      expect(readSettings({ flags: { trust: true }, env: {} })).toMatchObject({ value: { trust: true } });
      expect(readSettings({ flags: {}, env: { GODOT_MCP_TRUST: "true" } })).toMatchObject({
        value: { trust: true },
      });
    },
  );

  it("are read from the user's folder, never from the project", () => {
    expect(settingsFile({ HOME: "/home/dev" })).toBe("/home/dev/.config/godot-mcp-omni/config.json");
    expect(settingsFile({})).toBeUndefined();
  });
});
