import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { AuditRecord } from "@toolpact/contract";
import { redact } from "@toolpact/contract/internal";
import { beforeEach, describe, expect, it } from "vitest";
import { auditLog, secretsIn } from "./audit-log.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "godot-audit-"));
});

const record: AuditRecord = {
  id: "call-1",
  at: Date.UTC(2030, 0, 1),
  tool: "godot_scene",
  action: "create",
  client: "test",
  principal: undefined,
  input: { scene: "res://main.tscn" },
  outcome: "done",
  code: undefined,
  elapsedMs: 1.4,
};

const log = (options: Partial<Parameters<typeof auditLog>[0]> = {}) =>
  auditLog({
    folder: async () => folder,
    maxBytes: 5 * 1024 * 1024,
    backups: 3,
    secrets: ["tok_en-of-the-bridge"],
    ...options,
  });

async function lines(file = "audit.log"): Promise<Record<string, unknown>[]> {
  const text = await readFile(path.join(folder, file), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("the audit log", () => {
  it("keeps one line of JSON per call", async () => {
    const sink = log();
    await Promise.all([sink.write(record, "Added."), sink.write({ ...record, id: "call-2" }, "Added.")]);
    expect(await lines()).toEqual([
      {
        ts: "2030-01-01T00:00:00.000Z",
        correlationId: "call-1",
        tool: "godot_scene",
        action: "create",
        principal: undefined,
        client: "test",
        args: { scene: "res://main.tscn" },
        ok: true,
        summary: "Added.",
        outcome: "done",
        code: null,
        durationMs: 1,
      },
      expect.objectContaining({ correlationId: "call-2" }),
    ]);
  });

  it("masks secrets by key and by value", async () => {
    const given = { api_key: "short", list: [{ password: "long-one" }] };
    await log().write(
      {
        ...record,
        input: {
          api_key: "short",
          content: "header: Bearer abcdefghijkl\nuses tok_en-of-the-bridge and ghp_0123456789abcdefghij0",
          nested: [{ text: "https://someone:hunter22@example.test/x" }],
        },
      },
      "There is no long-one or tok_en-of-the-bridge.",
      secretsIn(given, redact(given)),
    );
    const text = await readFile(path.join(folder, "audit.log"), "utf8");
    for (const secret of ["short", "long-one", "abcdefghijkl", "tok_en-of-the-bridge", "ghp_", "hunter22"])
      expect(text).not.toContain(secret);
  });

  it("cuts long texts", async () => {
    await log().write({ ...record, input: { content: "x".repeat(50_000) } }, "Done.");
    expect(JSON.stringify(await lines()).length).toBeLessThan(3_000);
  });

  it("rotates by size and keeps three", async () => {
    const small = log({ maxBytes: 600 });
    for (let i = 0; i < 12; i++) await small.write({ ...record, id: `call-${i}` }, "Done.");
    expect((await readdir(folder)).sort()).toEqual([
      "audit.log",
      "audit.log.1",
      "audit.log.2",
      "audit.log.3",
    ]);
    expect((await lines()).at(-1)).toMatchObject({ correlationId: "call-11" });
    expect((await lines("audit.log.1")).at(-1)).toMatchObject({ correlationId: "call-9" });
  });

  it("says so when the disk fails, and works again when it no longer does", async () => {
    const blocked = path.join(folder, "file");
    await writeFile(blocked, "");
    let place = path.join(blocked, "below");
    const failing = log({ folder: async () => place });
    await expect(failing.write(record, "Done.")).rejects.toThrow();
    place = folder;
    await failing.write(record, "Done.");
    expect(await lines()).toHaveLength(1);
  });
});
