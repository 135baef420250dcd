import { expect, test } from "vitest";
import { configKeys } from "./keys.ts";
import { configurationMarkdown } from "./reference.ts";

test("every key is explained", () => {
  const page = configurationMarkdown();
  for (const { name, key, env, describe } of configKeys()) {
    expect(describe, name).not.toBe("");
    expect(page).toContain(`| \`${key}\` |`);
    expect(page).toContain(`\`${env}\``);
  }
});
