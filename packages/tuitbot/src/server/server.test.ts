import { expect, test } from "vitest";
import { configSchema } from "../config/schema.ts";
import { sandboxWorld } from "../x/sandbox-account.ts";
import { createServer } from "./server.ts";

test("a server that could not load its tools loads them with the next call", async () => {
  const { account } = sandboxWorld("enterprise");
  let asked = 0;
  const server = await createServer({
    profile: "utility-readonly",
    config: { values: configSchema.parse({}), file: undefined, fromEnvironment: [] },
    place: { env: {}, home: "/", cwd: "/" },
    account: async () => {
      asked += 1;
      if (asked === 1) throw new Error("The keychain is locked.");
      return account;
    },
    isStored: false,
    isSandbox: true,
  });
  await expect(server.core()).rejects.toThrow("locked");
  await server.close();
  expect(await server.core()).toBe(await server.core());
  expect(asked).toBe(2);
});
