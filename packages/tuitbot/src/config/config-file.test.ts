import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { commentedConfig, withKeys } from "./config-file.ts";
import { configKeys } from "./keys.ts";
import { configSchema } from "./schema.ts";

describe("the commented file", () => {
  test("changes nothing as it stands", () => {
    expect(configSchema.parse(parse(commentedConfig()))).toEqual(configSchema.parse({}));
  });

  test("shows each default, in TOML that can be used by removing the #", () => {
    const lines = commentedConfig().split("\n");
    for (const { name, section, key, fallback, example } of configKeys()) {
      if (example !== "") continue;
      const header = section === "" ? 0 : lines.indexOf(`[${section}]`);
      const line = lines.slice(header).find((each) => each.startsWith(`#${key} = `));
      const value = parse((line ?? "").slice(1))[key];
      if (fallback === undefined) expect(value, name).toBeDefined();
      else expect(structuredClone(value), name).toEqual(fallback);
    }
    expect(() => parse(lines.map((line) => line.replace(/^#(?! |$)/, "")).join("\n"))).not.toThrow();
  });
});

describe("setting keys", () => {
  test("puts each in the place of the comment that shows it", () => {
    const done = withKeys(commentedConfig(), {
      mode: "composer",
      "x_api.client_id": "abc",
      "business.product_keywords": ["bread", 'so-called "crumb"'],
      "budget.max_usd_per_day": 1.5,
    });
    if (!done.ok) throw new Error(done.failure);
    const was = commentedConfig().split("\n");
    const is = done.value.split("\n");
    expect(is).toHaveLength(was.length);
    expect(is.filter((line, i) => line !== was[i])).toEqual([
      'mode = "composer"',
      'client_id = "abc"',
      'product_keywords = ["bread", "so-called \\"crumb\\""]',
      "max_usd_per_day = 1.5",
    ]);
  });

  test("keeps what is there, with its comments, and adds sections that are missing", () => {
    const mine =
      '# mine\nmode = "composer" # on purpose\n\n[llm]\nprovider = "ollama"\n\n[storage]\n# here\n';
    expect(withKeys(mine, { "llm.model": "small", "x_api.client_id": "abc", mode: "composer" })).toEqual({
      ok: true,
      value:
        '# mine\nmode = "composer" # on purpose\n\n[llm]\nmodel = "small"\nprovider = "ollama"\n\n[storage]\n# here\n\n[x_api]\nclient_id = "abc"\n',
    });
  });

  test("replaces a value that is set", () => {
    expect(
      withKeys('[x_api]\n  client_id = "old"\nplan = "enterprise"\n', { "x_api.client_id": "new" }),
    ).toEqual({
      ok: true,
      value: '[x_api]\n  client_id = "new"\nplan = "enterprise"\n',
    });
  });

  test("replaces a value over several lines, and keeps indentation and the comment after it", () => {
    const mine =
      '[schedule] # when\n  posting_slots = [\n    "08:15",\n    "Mon 18:30", # after work\n  ] # two\n  timezone = "UTC" # is #1\n';
    expect(
      withKeys(mine, { "schedule.posting_slots": ["09:00"], "schedule.timezone": "Europe/Vienna" }),
    ).toEqual({
      ok: true,
      value: '[schedule] # when\n  posting_slots = ["09:00"] # two\n  timezone = "Europe/Vienna" # is #1\n',
    });
  });

  test("removes a key whose value is null", () => {
    expect(
      withKeys('# mine\n[llm]\nmodel = "small"\n# end\n', { "llm.model": null, "llm.provider": null }),
    ).toEqual({
      ok: true,
      value: "# mine\n[llm]\n# end\n",
    });
  });

  test("sets the keys of one account in its own tables", () => {
    const mine = 'mode = "autopilot"\n\n[accounts.cafe]\nmode = "composer"\n';
    expect(withKeys(mine, { mode: "autopilot", "schedule.timezone": "UTC" }, "cafe")).toEqual({
      ok: true,
      value:
        'mode = "autopilot"\n\n[accounts.cafe]\nmode = "autopilot"\n\n[accounts.cafe.schedule]\ntimezone = "UTC"\n',
    });
  });

  test("changes, removes and adds tables of a list, and keeps the lines of the others", () => {
    const mine =
      '[[notify.people]]\nname = "Ana" # the boss\nemail = "a@mail.example"\n\n# Left us.\n[[notify.people]]\nname = "Ben"\n\n[llm]\nmodel = "small"\n';
    const people = [
      { name: "Ana", email: "ana@mail.example", kinds: ["cap_reached"] },
      { name: "Cy", when: "digest" },
    ];
    const done = withKeys(mine, { "notify.people": people });
    expect(done).toEqual({
      ok: true,
      value:
        '[[notify.people]]\nkinds = ["cap_reached"]\nname = "Ana" # the boss\nemail = "ana@mail.example"\n\n# Left us.\n\n[llm]\nmodel = "small"\n\n[[notify.people]]\nname = "Cy"\nwhen = "digest"\n',
    });
    expect(withKeys(mine, { "notify.people": [] })).toEqual({
      ok: true,
      value: '\n# Left us.\n\n[llm]\nmodel = "small"\n',
    });
  });

  test.each([
    ["an inline table", 'x_api = { client_id = "old" }\n'],
    ["a dotted key", 'x_api.client_id = "old"\n'],
    ["no TOML", "x_api:\n"],
  ])("leaves %s alone", (_, text) => {
    expect(withKeys(text, { "x_api.client_id": "new" }).ok).toBe(false);
  });
});
