import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the example of the README greets, in text and in JSON", async () => {
  const example = fileURLToPath(new URL("../examples/greet.ts", import.meta.url));
  const run = async (...words: string[]) => {
    const args = ["--conditions=toolpact-source", example, ...words];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };
  expect(await run("hello", "Ada")).toBe("Hello Ada!\n");
  expect(JSON.parse(await run("hello", "Ada", "--tone", "cold", "--output", "json"))).toEqual({
    greeting: "Ada.",
  });
});
