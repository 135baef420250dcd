import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { Journal } from "./journal.ts";

let root: string;
let journal: Journal;
const file = (name: string) => path.join(root, name);
const content = (name: string) => readFile(file(name), "utf8").catch(() => null);

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), "godot-journal-"));
  journal = open();
});

function open(keep?: number): Journal {
  return new Journal({
    folder: async () => path.join(root, ".godot_mcp", "journal"),
    exists: () => true,
    isAllowed: async () => true,
    absolute: (res) => path.join(root, res.slice("res://".length)),
    real: (res) => res,
    now: () => 1,
    ...(keep !== undefined && { keep }),
  });
}

async function change(name: string, text: string | null, label = `write ${name}`): Promise<void> {
  const entry = await journal.begin(label, [`res://${name}`]);
  if (text === null) await rm(file(name), { force: true });
  else await writeFile(file(name), text);
  await entry.close();
}

describe("the journal", () => {
  it("undoes changes one by one and redoes them", async () => {
    await change("a", "one");
    await change("a", "two");
    await change("b", "new");
    expect(await journal.step("undo", {})).toMatchObject({ ok: true, value: { label: "write b" } });
    expect(await content("b")).toBeNull();
    await journal.step("undo", {});
    expect(await content("a")).toBe("one");
    await journal.step("redo", {});
    expect(await content("a")).toBe("two");
    await journal.step("redo", {});
    expect(await content("b")).toBe("new");
    expect(await journal.step("redo", {})).toMatchObject({ ok: false, failure: { code: "E_NOT_FOUND" } });
  });

  it("can still redo after edits that changed nothing or failed, but not after a change", async () => {
    await change("a", "one");
    await change("a", "two");
    await journal.step("undo", {});
    await change("a", "one");
    await (await journal.begin("failed", ["res://b"])).drop();
    await (await journal.begin("failed", ["res://b"])).rollBack();
    expect(await journal.step("redo", {})).toMatchObject({ ok: true });
    expect(await content("a")).toBe("two");
    await journal.step("undo", {});
    await change("b", "new");
    expect(await journal.step("redo", {})).toMatchObject({ ok: false, failure: { code: "E_NOT_FOUND" } });
  });

  it("keeps what a replaced file held, whatever is written into the old or the new one later", async () => {
    await writeFile(file("a"), "one");
    const replace = async (text: string) => {
      const entry = await journal.begin("replace", [{ path: "res://a", content: text }]);
      await writeFile(file("draft"), text);
      await rename(file("draft"), file("a"));
      await entry.close();
    };
    // A change that does not happen, after which another program writes in place.
    for (const leave of ["rollBack", "drop"] as const)
      await (await journal.begin("not done", [{ path: "res://a", content: "no" }]))[leave]();
    await writeFile(file("a"), "ONE");
    await writeFile(file("a"), "one");
    await replace("two");
    await writeFile(file("a"), "TWO");
    await writeFile(file("a"), "two");
    await replace("three");
    for (const text of ["two", "one"]) {
      expect(await journal.step("undo", {})).toMatchObject({ ok: true });
      expect(await content("a")).toBe(text);
    }
    for (const text of ["two", "three"]) {
      expect(await journal.step("redo", {})).toMatchObject({ ok: true });
      expect(await content("a")).toBe(text);
    }
  });

  it("does not take a name of the project's own file for its copy of it", async () => {
    await writeFile(file("a"), "one");
    // Killed before the file was replaced.
    await journal.begin("killed", [{ path: "res://a", content: "two" }]);
    await change("a", "two");
    expect(await journal.step("undo", {})).toMatchObject({ ok: true });
    expect(await content("a")).toBe("one");
  });

  it("undoes the last change of one file", async () => {
    await change("a", "one");
    await change("b", "two");
    expect(await journal.step("undo", { path: "res://a" })).toMatchObject({ value: { label: "write a" } });
    expect(await content("a")).toBeNull();
    expect(await content("b")).toBe("two");
  });

  it("redoes nothing that another program took back, and redoes later changes", async () => {
    await writeFile(file("a"), "one");
    await change("a", "two");
    await change("b", "new");
    await writeFile(file("a"), "one");
    expect(await journal.step("undo", {})).toMatchObject({ ok: true, value: { label: "write b" } });
    expect(await journal.step("undo", {})).toMatchObject({ ok: true, value: { label: "write a" } });
    expect(await journal.step("redo", {})).toMatchObject({ ok: true, value: { label: "write b" } });
    expect([await content("a"), await content("b")]).toEqual(["one", "new"]);
    expect(await journal.step("redo", {})).toMatchObject({ ok: false, failure: { code: "E_NOT_FOUND" } });
  });

  it("leaves a file alone that someone else changed since", async () => {
    await change("a", "ours");
    await writeFile(file("a"), "theirs");
    expect(await journal.step("undo", {})).toMatchObject({
      ok: false,
      failure: { code: "E_PERMISSION_DENIED", details: { gate: "journal" } },
    });
    expect(await content("a")).toBe("theirs");
    expect(await journal.step("undo", { force: true })).toMatchObject({ ok: true });
    expect(await content("a")).toBeNull();
  });

  it("brings back what an undo by force replaced", async () => {
    await change("a", "ours");
    await writeFile(file("a"), "theirs");
    await journal.step("undo", { force: true });
    expect(await journal.step("redo", {})).toMatchObject({ ok: true });
    expect(await content("a")).toBe("theirs");
  });

  it("brings back what a redo by force replaced", async () => {
    await change("a", "ours");
    await journal.step("undo", {});
    await writeFile(file("a"), "theirs");
    expect(await journal.step("redo", {})).toMatchObject({ failure: { code: "E_PERMISSION_DENIED" } });
    await journal.step("redo", { force: true });
    expect(await content("a")).toBe("ours");
    expect(await journal.step("undo", {})).toMatchObject({ ok: true });
    expect(await content("a")).toBe("theirs");
  });

  it("rolls a change back without leaving an entry", async () => {
    await writeFile(file("a"), "before");
    const entry = await journal.begin("broken", ["res://a", "res://b"]);
    await writeFile(file("a"), "half");
    await writeFile(file("b"), "made");
    await entry.rollBack();
    expect(await content("a")).toBe("before");
    expect(await content("b")).toBeNull();
    expect(await journal.entries()).toEqual([]);
  });

  it("keeps no entry of a change that changed nothing", async () => {
    await change("a", "same");
    await change("a", "same");
    expect(await journal.entries()).toHaveLength(1);
  });

  it("undoes a change that a dead process had begun", async () => {
    await writeFile(file("a"), "before");
    await journal.begin("cut short", ["res://a"]);
    await writeFile(file("a"), "after");
    expect(await open().step("undo", {})).toMatchObject({ ok: true, value: { label: "cut short" } });
    expect(await content("a")).toBe("before");
  });

  it("takes back a change of several files that was cut short before, between or after them", async () => {
    for (const done of [[], ["a"], ["a", "b"]]) {
      await writeFile(file("a"), "a before");
      await writeFile(file("b"), "b before");
      const planned = ["a", "b"].map((name) => ({ path: `res://${name}`, content: `${name} after` }));
      await journal.begin("cut short", planned);
      for (const name of done) await writeFile(file(name), `${name} after`);
      expect(await open().step("undo", {})).toMatchObject({ ok: true, value: { label: "cut short" } });
      expect([await content("a"), await content("b")]).toEqual(["a before", "b before"]);
    }
  });

  it("goes on with an undo or a redo whose process died before it was noted", async () => {
    await change("a", "ours");
    await rm(file("a"));
    expect(await open().step("undo", {})).toMatchObject({ ok: true });
    await change("b", "ours");
    await journal.step("undo", { path: "res://b" });
    await writeFile(file("b"), "ours");
    expect(await open().step("redo", { path: "res://b" })).toMatchObject({ ok: true });
    expect(await content("b")).toBe("ours");
  });

  it("does again a change that died before it was noted and was taken back", async () => {
    await writeFile(file("a"), "before");
    await journal.begin("cut short", ["res://a"]);
    await writeFile(file("a"), "after");
    await journal.step("undo", {});
    expect(await journal.step("redo", {})).toMatchObject({ ok: true });
    expect(await content("a")).toBe("after");
  });

  it("goes on after its folder was taken away", async () => {
    await change("a", "one");
    await rm(path.join(root, ".godot_mcp"), { recursive: true });
    await change("a", "two");
    expect(await journal.step("undo", {})).toMatchObject({ ok: true });
    expect(await content("a")).toBe("one");
  });

  it("takes back a change whose process died while it noted what it came to", async () => {
    await change("a", "one");
    await change("a", "two");
    const [entry = ""] = (await readdir(path.join(root, ".godot_mcp/journal"))).filter((n) =>
      /2\.json$/.test(n),
    );
    const stored = path.join(root, ".godot_mcp/journal", entry);
    await writeFile(stored, (await readFile(stored, "utf8")).slice(0, -9));
    expect(await open().step("undo", {})).toMatchObject({ ok: true });
    expect(await content("a")).toBe("one");
  });

  it("fixes a content that was kept by half, and never puts half of one back", async () => {
    await writeFile(file("a"), "before");
    const contents = path.join(root, ".godot_mcp/journal/content");
    await change("a", "after");
    const [name = ""] = await readdir(contents);
    await writeFile(path.join(contents, name), "bef");
    expect(await journal.step("undo", {})).toMatchObject({ failure: { code: "E_NOT_FOUND" } });
    expect(await content("a")).toBe("after");
    await change("a", "before");
    await change("a", "last");
    expect(await journal.step("undo", {})).toMatchObject({ ok: true });
    expect(await content("a")).toBe("before");
  });

  it("forgets the oldest, and their contents", async () => {
    journal = open(10);
    for (let i = 0; i < 130; i++) await change("a", `content ${i}`);
    expect((await journal.entries()).length).toBeLessThanOrEqual(61);
    const kept = await readdir(path.join(root, ".godot_mcp/journal/content"));
    expect(kept.length).toBeLessThanOrEqual(62);
  });

  it("brings back every earlier state, whatever happened", async () => {
    const step = fc.record({ name: fc.constantFrom("a", "b"), text: fc.option(fc.string(), { nil: null }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        root = await mkdtemp(path.join(os.tmpdir(), "godot-journal-"));
        journal = open();
        const states = [{ a: await content("a"), b: await content("b") }];
        for (const { name, text } of steps) {
          await change(name, text);
          const now = { a: await content("a"), b: await content("b") };
          const last = states.at(-1);
          if (last?.a !== now.a || last.b !== now.b) states.push(now);
        }
        for (const expected of states.slice(0, -1).reverse()) {
          await journal.step("undo", {});
          expect({ a: await content("a"), b: await content("b") }).toEqual(expected);
        }
        for (const expected of states.slice(1)) {
          await journal.step("redo", {});
          expect({ a: await content("a"), b: await content("b") }).toEqual(expected);
        }
      }),
      { numRuns: 30 },
    );
  });
});
