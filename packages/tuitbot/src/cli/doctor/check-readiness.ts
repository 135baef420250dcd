import type { Check } from "@toolpact/cli";
import {
  keyObstacle,
  type Obstacle,
  type Readiness,
  readinessOf,
  storageObstacle,
  xObstacles,
} from "../../app/readiness.ts";
import type { Services } from "../../app/services.ts";
import type { StoreFacts } from "../../storage/inspect-store.ts";
import type { Connection } from "../../x/connection.ts";
import type { Context } from "../context.ts";
import { openServer } from "../open-server.ts";
import { broken, fine, warning } from "./check.ts";

export interface CheckedParts {
  readonly connection: Connection;
  /** The checks of the database and the key of approvals. */
  readonly database: Check;
  readonly key: Check;
  readonly facts: { readonly ok: boolean; readonly value?: StoreFacts } | undefined;
}

/** Whether the account can act now, and why not: the same answer that a server gives. Sends nothing to X. */
export async function checkReadiness(
  parts: CheckedParts,
  context: Context,
): Promise<{ readonly checks: readonly Check[]; readonly readiness: Readiness }> {
  const { connection, database, key, facts } = parts;
  const isStored = facts?.value?.pending === 0;
  const stored = isStored ? await storedObstacles(context) : [];
  const ofMachine = [
    ...(database.status === "failed" ? [storageObstacle(asFailure(database))] : []),
    ...(key.status === "failed" ? [keyObstacle(asFailure(key))] : []),
  ];
  const isChecked = ({ reason }: Obstacle) => ofMachine.some((checked) => checked.reason === reason);
  const others = stored.filter((obstacle) => !isChecked(obstacle));
  const known = ofMachine.map((one) => stored.find(({ reason }) => reason === one.reason) ?? one);
  const readiness = readinessOf([...xObstacles(connection), ...known, ...others]);
  return {
    readiness,
    checks: [
      ...others.map(({ message, fix, blocks }) =>
        blocks.length > 1 ? broken(NAME, message, fix) : warning(NAME, message, fix),
      ),
      ...(readiness.obstacles.length === 0 ? [fine(NAME, "Posts and replies can be sent or queued.")] : []),
    ],
  };
}

const NAME = "acting";

/** A stop, a used-up budget and used-up limits. The database exists and is up to date, so opening it changes nothing. */
async function storedObstacles(context: Context): Promise<readonly Obstacle[]> {
  const opened = await openServer({ profile: "write" }, context, { isOffline: true });
  if (!opened.ok) return [];
  const { core, close } = opened.value;
  try {
    const services = await (await core()).services.resolve(["server"], {}, context.signal);
    // Exactly the service that was asked for.
    const { server } = (services.ok ? services.value : {}) as Partial<Pick<Services, "server">>;
    const status = await server?.workflowStatus?.(context.signal);
    // Nothing is stored yet of a sign-in that the database has never seen.
    return (status?.obstacles ?? []).filter(({ reason }) => reason !== "account_unknown");
  } finally {
    await close();
  }
}

function asFailure({ message, fix }: Check) {
  return { code: "db_error", message, ...(fix !== undefined && { suggestedFix: fix }) };
}
