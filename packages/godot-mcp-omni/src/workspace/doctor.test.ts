import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { GAME, openTestServer } from "../../test/server-project.ts";
import type { DoctorReport } from "./doctor.ts";

describe("the doctor", () => {
  it("reports an error for a configured path that is not Godot", async () => {
    const { call } = openTestServer({ flags: { godot: "/nowhere/godot" } });
    expect(await call("godot_workspace", { action: "doctor_report" })).toMatchObject({
      result: {
        ok: false,
        checks: expect.arrayContaining([expect.objectContaining({ name: "godot", status: "failed" })]),
      },
    });
  });

  it.skipIf(process.platform === "win32")("warns about C# if the Godot binary has no .NET", async () => {
    const csharp = async (version: string) => {
      const server = openTestServer({ files: { ...GAME, "Game.csproj": "<Project />" } });
      const godot = path.join(server.root, "..", "godot");
      writeFileSync(godot, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
      const { call } = openTestServer({
        files: { ...GAME, "Game.csproj": "<Project />" },
        flags: { godot },
      });
      const { result } = await call("godot_workspace", { action: "doctor_report" });
      // The shape of the report is declared.
      return (result as unknown as DoctorReport).checks.find((check) => check.name === "c#");
    };
    expect(await csharp("4.6.3.stable.official.0a1b2c3")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("no .NET"),
    });
    expect(await csharp("4.6.3.stable.mono.official.0a1b2c3")).toMatchObject({ status: "ok" });
  });
});
