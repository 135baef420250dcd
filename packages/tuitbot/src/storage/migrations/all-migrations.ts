import { agentTables } from "./agent-tables.ts";
import { announceChanges } from "./announce-changes.ts";
import { counterTables } from "./counter-tables.ts";
import { draftTables } from "./draft-tables.ts";
import { engagementTables } from "./engagement-tables.ts";
import type { Migration } from "./migration.ts";
import { mutationTables } from "./mutation-tables.ts";
import { noticeTables } from "./notice-tables.ts";
import { webTables } from "./web-tables.ts";

/** All migrations, oldest first, named in sorting order. Once released, a migration is not changed. */
export const allMigrations: readonly Migration[] = [
  {
    name: "001-initial",
    changesData: false,
    statements: (types) => [
      ...mutationTables(types),
      ...engagementTables(types),
      ...draftTables(types),
      ...webTables(types),
      ...noticeTables(types),
      ...agentTables(types),
      ...counterTables(types),
      ...announceChanges(types),
    ],
  },
];
