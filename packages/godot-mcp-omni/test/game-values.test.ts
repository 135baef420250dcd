import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@toolpact/contract";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { BadValue, decodeValue } from "../src/game/debugger/decode.ts";
import { encodeValue } from "../src/game/debugger/encode.ts";
import { runProcess } from "../src/godot/process.ts";
import { anyObject, anyValue } from "./any-value.ts";
import { realGodot } from "./real-godot.ts";

describe("a value in Godot's binary format", () => {
  test("is the same after encoding and decoding", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(decodeValue(encodeValue(value))).toEqual(value);
      }),
    );
  });

  test("that is cut short or made up is refused, never read beyond its end", () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), (value, cut) => {
        const bytes = encodeValue(value);
        expect(() => decodeValue(bytes.subarray(0, cut % bytes.length))).toThrow(BadValue);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          decodeValue(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(BadValue);
        }
      }),
    );
  });

  test.skipIf(realGodot === undefined)("is byte for byte what Godot makes of it, both ways", async () => {
    const folder = mkdtempSync(join(tmpdir(), "godot-values-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const values = fc.sample(anyValue, 800);
    const objects = fc.sample(anyObject, 50);
    const [ours, theirs] = [join(folder, "ours"), join(folder, "theirs")];
    writeFileSync(
      ours,
      [...values, ...objects].map((value) => encodeValue(value).toString("base64")).join("\n"),
    );
    const run = await runProcess(realGodot ?? "", {
      args: [
        "--headless",
        "--script",
        join(import.meta.dirname, "game-values.gd"),
        "--",
        ours,
        theirs,
        String(fc.sample(fc.nat(), 1)[0]),
      ],
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder },
      timeoutMs: 60_000,
      clock: systemClock,
    });
    expect(run).toMatchObject({ ok: true, value: { code: 0 } });
    const lines = readFileSync(theirs, "utf8").trim().split("\n");
    const echoed = lines.slice(0, lines.indexOf("own"));
    expect(echoed).toHaveLength(values.length + objects.length);
    for (const [index, value] of values.entries()) {
      expect(decodeValue(Buffer.from(echoed[index] ?? "", "base64"))).toEqual(value);
      expect(echoed[index]).toBe(encodeValue(value).toString("base64"));
    }
    for (const [index, { id }] of objects.entries())
      expect(BigInt.asUintN(64, BigInt(echoed[values.length + index] ?? ""))).toBe(id);

    const own = lines.slice(lines.indexOf("own") + 1, -2);
    expect(own).toHaveLength(400);
    for (const line of own)
      expect(encodeValue(decodeValue(Buffer.from(line, "base64"))).toString("base64")).toBe(line);

    const id = BigInt(lines.at(-2)?.split(" ")[1] ?? 0);
    expect(BigInt.asUintN(64, id)).toBeGreaterThan(2n ** 53n);
    expect(decodeValue(Buffer.from(lines.at(-1) ?? "", "base64"))).toEqual({
      type: "Object",
      id: BigInt.asUintN(64, id),
    });
  });
});
