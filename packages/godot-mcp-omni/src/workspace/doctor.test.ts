import { describe, expect, it } from "vitest";
import { openTestServer } from "../../test/server-project.ts";

describe("the doctor", () => {
  it("does not call a Godot well that was named and is none", async () => {
    const { call } = openTestServer({ flags: { godot: "/nowhere/godot" } });
    expect(await call("godot_workspace", { action: "doctor_report" })).toMatchObject({
      result: {
        ok: false,
        checks: expect.arrayContaining([expect.objectContaining({ name: "godot", status: "failed" })]),
      },
    });
  });
});
