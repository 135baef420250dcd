import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testApp } from "./command-line.ts";

const page = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8");
const guides = ["configuration", "policy", "budgets", "operating", "approve-anywhere", "web-app"].map(
  (name) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8"),
);
const examples = guides.flatMap((text) =>
  [...text.matchAll(/^```toml\n(.*?)```/gms)].map(([, example = ""]) => example),
);

describe("the configuration in docs", () => {
  test("has an example for rules, rate limits and templates", () => {
    const all = examples.join("\n");
    for (const part of ["[[mcp_policy.rules]]", "[[mcp_policy.rate_limits]]", "template ="])
      expect(all).toContain(part);
    for (const word of [
      "conditions.schedule_window.start_hour",
      "match_value",
      "growth_aggressive",
      "`engage`",
    ])
      expect(page).toContain(word);
  });

  test.each(examples)("this example is a valid configuration:\n%s", async (example) => {
    await using desk = testApp();
    writeFileSync(join(desk.home, "my.toml"), example);
    const checked = await desk.run(["-c", "my.toml", "config", "validate", "--output", "json"]);
    expect(checked.json()).toMatchObject({ valid: true, errors: [] });
  });
});

describe("tuitbot config init", () => {
  test("writes a file that only its owner can read and that is valid, and says where", async () => {
    await using desk = testApp();
    const file = join(desk.home, ".tuitbot/config.toml");
    const ran = await desk.run(["config", "init"]);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining(file) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(desk.home, ".tuitbot"))).toEqual(["config.toml"]);
    expect((await desk.run(["config", "validate"])).code).toBe(0);
  });

  test("never overwrites a file", async () => {
    await using desk = testApp();
    mkdirSync(join(desk.home, ".tuitbot"));
    const file = join(desk.home, ".tuitbot/config.toml");
    writeFileSync(file, "# mine\n");
    const ran = await desk.run(["config", "init"]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("is there already") });
    expect(readFileSync(file, "utf8")).toBe("# mine\n");
    expect(readdirSync(join(desk.home, ".tuitbot"))).toEqual(["config.toml"]);
  });

  test("says why a file cannot be written", async () => {
    await using desk = testApp();
    writeFileSync(join(desk.home, "file"), "");
    const ran = await desk.run(["-c", "file/my.toml", "config", "init"]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("cannot be written (") });
    expect(existsSync(join(desk.home, "file/my.toml"))).toBe(false);
  });
});
