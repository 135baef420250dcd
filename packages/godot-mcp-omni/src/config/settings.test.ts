import { describe, expect, it } from "vitest";
import { readSettings, settingsFile } from "./settings.ts";

describe("settings", () => {
  it("come from flags before the environment, and from there before the file", () => {
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

  it("open a gate for true alone", () => {
    expect(readSettings({ flags: {}, env: { ALLOW_DANGEROUS_OPS: "true" } })).toMatchObject({
      value: { allowDangerousOps: true, allowExternalTools: false },
    });
    expect(readSettings({ flags: {}, env: { ALLOW_DANGEROUS_OPS: "yes please" } })).toMatchObject({
      ok: false,
      failure: { code: "E_SCHEMA_VALIDATION", message: "ALLOW_DANGEROUS_OPS must be true or false." },
    });
  });

  it("take an empty GODOT_PATH as the wish for none", () => {
    expect(readSettings({ flags: {}, env: { GODOT_PATH: "" } })).toMatchObject({ value: { godotPath: "" } });
  });

  it("split toolsets and fold the schema style", () => {
    const env = { GODOT_MCP_TOOLSETS: "scene, docs,", GODOT_MCP_SCHEMA_STYLE: "oneof" };
    expect(readSettings({ flags: {}, env })).toMatchObject({
      value: { toolsets: ["scene", "docs"], schemaStyle: "oneOf" },
    });
  });

  it("refuse a file with a setting that is none", () => {
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

  it("live in the user's folder, not in the project's", () => {
    expect(settingsFile({ HOME: "/home/dev" })).toBe("/home/dev/.config/godot-mcp-omni/config.json");
    expect(settingsFile({})).toBeUndefined();
  });
});
