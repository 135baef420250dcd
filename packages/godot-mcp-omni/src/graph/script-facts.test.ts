import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { finish } from "../formats/document.ts";
import { readingScript } from "./script-facts.ts";

test("a script with 2 MB of nested classes in one line does not block the server", () => {
  const read = () => finish(readingScript("class ".repeat(300_000), "res://a.gd"));
  // Only another context can interrupt work that takes minutes.
  expect(() => runInNewContext("read()", { read }, { timeout: 120_000 })).not.toThrow();
}, 300_000);

test("a class inside a class is named with the outer one", () => {
  const { symbols } = finish(readingScript("class Outer:\n\tclass Inner:\n\t\tvar x\n", "res://a.gd"));
  expect(symbols.map(({ name, of }) => [name, of])).toEqual([
    ["Outer", undefined],
    ["Inner", "Outer"],
    ["x", "Outer.Inner"],
  ]);
});
