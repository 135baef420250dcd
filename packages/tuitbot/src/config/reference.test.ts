import { expect, test } from "vitest";
import { configKeys } from "./keys.ts";
import { configurationMarkdown } from "./reference.ts";

test("every key is explained", () => {
  const page = configurationMarkdown({ templates: {}, categories: [], engagements: [] });
  for (const { name, key, env, describe, fields, example } of configKeys()) {
    expect(describe, name).not.toBe("");
    expect(page).toContain(`| \`${key}\` |`);
    expect(page).toContain(`\`${env}\``);
    for (const field of fields) expect(field.describe, `${name}.${field.name}`).not.toBe("");
    expect(example !== "", name).toBe(fields.length > 0);
  }
});
