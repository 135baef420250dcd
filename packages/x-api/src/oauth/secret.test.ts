import { format, inspect } from "node:util";
import { expect, test } from "vitest";
import { Secret } from "./secret.ts";

test("a secret shows itself in no way but reveal()", () => {
  const secret = new Secret("swordfish");
  const shown = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true, depth: 9 }),
    format("%s %o %j", secret, secret, secret),
    Object.entries(secret).join(),
  ].join("\n");
  expect(shown).not.toContain("swordfish");
  expect(shown).toContain("[secret]");
  expect(secret.reveal()).toBe("swordfish");
});
