import { startPostgres } from "./server.ts";

/** The PostgreSQL that a file's tests run on, or why there is none. On CI its absence is a failure. */
export const realPostgres = await startPostgres().then(
  (server) => ({ ok: true, server }) as const,
  (error: unknown) => {
    if (process.env.CI === "true") throw error;
    console.error(`!!! NOT TESTED on PostgreSQL: ${String(error)}`);
    return { ok: false, why: String(error) } as const;
  },
);
