import type { Guard, JsonObject } from "@toolpact/contract";
import { xErrors } from "../errors.ts";
import type { OpenSession } from "../storage/session.ts";

/** Says in its own words why the database, or the account whose it is, is not to be had. */
export function openGuard(session: OpenSession): Guard<unknown, unknown, JsonObject> {
  return {
    name: "open",
    codes: () => [...xErrors, "db_error"],
    async run(call, next) {
      const opened = await session(call.signal);
      return opened.ok ? next() : opened;
    },
  };
}
