import { expect, test } from "vitest";
import { shownChecks } from "./checks.ts";

test("checks are a line each, and how to mend what is wrong stands below it", () => {
  const shown = shownChecks(
    [
      { name: "network", status: "ok", message: "Reached." },
      { name: "sign-in", status: "failed", message: "Nobody is signed in.", fix: "Run `auth login`." },
      { name: "credits", status: "skipped", message: "Needs a sign-in." },
    ],
    { hasColor: false },
  );
  expect(shown).toMatchInlineSnapshot(`
    "ok       network  Reached.
    failed   sign-in  Nobody is signed in.
                      → Run \`auth login\`.
    skipped  credits  Needs a sign-in.
    "
  `);
});
