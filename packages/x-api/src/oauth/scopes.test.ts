import { expect, test } from "vitest";
import { operations } from "../operations/index.ts";
import { scopesFor } from "./login.ts";

test("requests the scopes of the operations and offline.access", () => {
  expect(scopesFor([])).toEqual(["offline.access"]);
  expect(scopesFor(["createPosts"])).toEqual(["offline.access", "tweet.read", "tweet.write", "users.read"]);
  expect(scopesFor(["mediaUpload", "createPosts"])).toContain("media.write");
});

test("operations for app tokens need no scope", () => {
  expect(operations.searchPostsAll.auth.every(({ scheme }) => scheme === "bearer")).toBe(true);
  expect(scopesFor(["searchPostsAll"])).toEqual(["offline.access"]);
});
