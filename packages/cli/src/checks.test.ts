import { expect, test } from "vitest";
import { formatChecks } from "./checks.ts";

test("each check is one line, with its fix below it", () => {
  const text = formatChecks(
    [
      { name: "network", status: "ok", message: "Reached." },
      { name: "sign-in", status: "failed", message: "Nobody is signed in.", fix: "Run `auth login`." },
      { name: "credits", status: "skipped", message: "Needs a sign-in." },
    ],
    { hasColor: false },
  );
  expect(text).toMatchInlineSnapshot(`
    "ok       network  Reached.
    failed   sign-in  Nobody is signed in.
                      → Run \`auth login\`.
    skipped  credits  Needs a sign-in.
    "
  `);
});
