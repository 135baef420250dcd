import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { generatedTable, updateSpecData } from "./generate.ts";
import { isOperationId, type OperationId, operations, prices, specVersion } from "./index.ts";
import { priceRules } from "./price-rules.ts";
import { table } from "./table.gen.ts";

describe("the committed operation table", () => {
  it("equals the generator's output for the committed data", async () => {
    const committed = await readFile(join(import.meta.dirname, "table.gen.ts"), "utf8");
    expect(await generatedTable()).toBe(committed);
  });

  it("holds the 178 operations of 2.167 and the later ones", () => {
    expect(specVersion).toBe("2.167");
    expect(Object.keys(table)).toHaveLength(178);
    expect(Object.keys(operations)).toHaveLength(179);
    expect(Object.entries(operations).filter(([id, op]) => id !== op.id)).toEqual([]);
    expect(isOperationId("getUsageCredits")).toBe(true);
    expect(isOperationId("toString")).toBe(false);
    // @ts-expect-error An id that X does not have is no OperationId.
    const unknown: OperationId = "noSuchOperation";
    expect(isOperationId(unknown)).toBe(false);
  });

  it("accepts authorization as X's specification counts it", () => {
    const counts: Record<string, number> = {};
    for (const op of Object.values(table)) {
      const key = op.auth.map((a) => a.scheme).join("+") || "none";
      counts[key] = (counts[key] ?? 0) + 1;
    }
    expect(counts).toEqual({
      "oauth2+oauth1": 94,
      bearer: 39,
      "oauth2+oauth1+bearer": 29,
      "oauth2+bearer": 7,
      oauth2: 5,
      "oauth1+bearer": 3,
      none: 1,
    });
  });

  it("has the paging of each operation and marks streams", () => {
    const all = Object.values(table);
    expect(all.filter((op) => op.streaming)).toHaveLength(15);
    expect(all.filter((op) => op.paging?.join() === "pagination_token")).toHaveLength(38);
    expect(all.filter((op) => op.paging?.join() === "next_token")).toHaveLength(1);
    expect(all.filter((op) => op.paging?.length === 2)).toHaveLength(5);
  });

  it("names a parameter for every placeholder in every path", () => {
    for (const op of Object.values(operations)) {
      const placeholders = [...op.path.matchAll(/\{([^}]+)\}/g)].map((m) => m[1]).sort();
      const params = op.params.filter((p) => p.in === "path").map((p) => p.name);
      expect(params.sort(), op.id).toEqual(placeholders);
    }
  });

  it("prices operations only with classes that X publishes, and every rule matches an operation", () => {
    const known = new Set([...Object.keys(prices.perResource), ...Object.keys(prices.perRequest)]);
    const used = Object.values(table).flatMap((op) => (op.price === undefined ? [] : [op.price]));
    expect(used.filter((price) => !known.has(price))).toEqual([]);
    expect(used).toHaveLength(Object.values(priceRules).flat().length);
    expect(Object.values(table).filter((op) => op.ownedRead)).toHaveLength(12);
  });

  it("accepts fields by their current and their former name", () => {
    const names = table.getPostsById.params.map((p) => p.name);
    expect(names).toContain("post.fields");
    expect(names).toContain("tweet.fields");
    const legacy = table.getPostsById.params.find((p) => p.name === "tweet.fields");
    expect(legacy).toMatchObject({
      legacy: true,
      items: { enum: expect.arrayContaining(["author_id", "referenced_tweets"]) },
    });
  });
});

describe("the generator", () => {
  it("names an unreadable file", async () => {
    expect(await updateSpecData("no/such/spec.json")).toEqual({
      ok: false,
      failure: "cannot read no/such/spec.json: name a file that exists and can be read",
    });
  });
});
