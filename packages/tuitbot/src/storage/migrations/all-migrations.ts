import { accountColumns } from "./account-columns.ts";
import { agentTables } from "./agent-tables.ts";
import { announceChanges } from "./announce-changes.ts";
import { callerTables } from "./caller-tables.ts";
import { counterTables } from "./counter-tables.ts";
import { draftTables } from "./draft-tables.ts";
import { engagementTables } from "./engagement-tables.ts";
import { loopColumns } from "./loop-columns.ts";
import type { Migration } from "./migration.ts";
import { mutationTables } from "./mutation-tables.ts";
import { noticeTables } from "./notice-tables.ts";
import { pageIndexes } from "./page-indexes.ts";
import { peopleTables } from "./people-tables.ts";
import { sessionColumns } from "./session-columns.ts";
import { signInTables } from "./sign-in-tables.ts";
import { voteColumns } from "./vote-columns.ts";
import { webTables } from "./web-tables.ts";

/** Every migration, oldest first, named so that they sort in this order. */
export const allMigrations: readonly Migration[] = [
  {
    name: "001-initial",
    changesData: false,
    statements: (types) => [
      ...mutationTables(types),
      ...engagementTables(types),
      ...draftTables(types),
      ...counterTables(types),
    ],
  },
  { name: "002-web", changesData: false, statements: webTables },
  { name: "003-announce-changes", changesData: false, statements: announceChanges },
  { name: "004-people", changesData: false, statements: peopleTables },
  { name: "005-notices", changesData: false, statements: noticeTables },
  { name: "006-loop-switches", changesData: false, statements: loopColumns },
  { name: "007-spend-by-caller", changesData: false, statements: callerTables },
  { name: "008-page-indexes", changesData: false, statements: pageIndexes },
  { name: "009-stored-sign-ins", changesData: false, statements: signInTables },
  { name: "010-agents", changesData: false, statements: agentTables },
  { name: "011-accounts", changesData: false, statements: accountColumns },
  { name: "012-votes", changesData: false, statements: voteColumns },
  { name: "013-session-sources", changesData: false, statements: sessionColumns },
];
