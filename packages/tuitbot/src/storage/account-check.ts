import type {
  Kysely,
  KyselyPlugin,
  OperationNode,
  PluginTransformResultArgs,
  QueryResult,
  UnknownRow,
} from "kysely";
import type { Database } from "./database.ts";

/**
 * Rejects every statement on rows of accounts that does not filter by account: reading or changing rows of all accounts
 * would go unnoticed. Statements are checked when compiled. One that is meant for all accounts gives the reason with
 * with `overAllAccounts`.
 */
export const accountCheck: KyselyPlugin = {
  transformQuery({ node }) {
    checkStatement(node);
    return node;
  },
  // Rows are as the database gives them.
  transformResult: ({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> =>
    Promise.resolve(result),
};

/** Statements that cover all accounts, and why that is right. */
const REASONS = {
  migration: "Tables are changed for all accounts at once.",
  inspection: "The doctor looks at the database, before it is known whose account this is.",
  "left undone": "A look whether anything is open in any account, before it is known whose account this is.",
  receipt: "A receipt was found in its account, and is known by its id, which nobody can guess.",
  "sign-in": "Whose data it is is known once the row is found, by a digest of the sign-in.",
  session: "A browser is known by a digest of its cookie, and sessions end for all accounts.",
  "spending of an agent": "The budget of an agent is for all accounts that it may act for.",
} as const;

/** The database for a statement that is meant for the rows of all accounts. */
export function overAllAccounts(db: Kysely<Database>, _why: keyof typeof REASONS): Kysely<Database> {
  return db.withoutPlugins();
}

/** Every table whose rows belong to accounts. */
export const ACCOUNT_TABLES: ReadonlySet<string> = new Set([
  "action_counts",
  "approval_counts",
  "approval_edits",
  "approvals",
  "audit",
  "authors",
  "billed_resources",
  "caller_days",
  "discovered_posts",
  "draft_comments",
  "draft_news",
  "draft_revisions",
  "drafts",
  "follower_snapshots",
  "hour_scores",
  "learned_rules",
  "leases",
  "ledger",
  "limit_counters",
  "llm_days",
  "llm_usage",
  "loops",
  "measurements",
  "media",
  "notices",
  "publication_totals",
  "publications",
  "receipts",
  "scheduled_posts",
  "sign_ins",
  "snippets",
  "spend",
  "steps",
  "stops",
  "targets",
  "telemetry",
  "text_labels",
  "topic_days",
  "topic_scores",
  "usage_days",
  "web_passkeys",
  "web_people",
  "web_sessions",
  "web_texts",
  "web_tries",
]);

/** The parts of a statement that are checked; which exist depends on its kind. */
interface Scope extends OperationNode {
  readonly from?: OperationNode;
  readonly table?: OperationNode;
  readonly into?: OperationNode;
  readonly joins?: readonly (OperationNode & {
    readonly table: OperationNode;
    readonly on?: OperationNode;
  })[];
  readonly where?: OperationNode;
  readonly having?: OperationNode;
  readonly columns?: readonly OperationNode[];
}

function checkStatement(node: OperationNode): void {
  if (node.kind === "RawNode") checkRaw(node);
  else checkNested(node);
}

/** Checks nested statements. Raw fragments are part of a statement's conditions, which are checked with it. */
function checkNested(node: OperationNode): void {
  if (isScope(node)) checkScope(node);
  for (const part of partsOf(node)) checkNested(part);
}

function checkScope(scope: Scope): void {
  const tables = [scope.from, scope.table, scope.into, ...(scope.joins ?? []).map(({ table }) => table)]
    .flatMap((part) => (part === undefined ? [] : tablesIn(part)))
    .filter((name) => ACCOUNT_TABLES.has(name));
  if (tables.length === 0) return;
  const conditions = [
    scope.where,
    scope.having,
    ...(scope.kind === "InsertQueryNode" ? (scope.columns ?? []) : []),
    ...(scope.joins ?? []).map(({ on }) => on),
  ];
  if (conditions.some((condition) => condition !== undefined && saysAccount(condition))) return;
  throw new ForgottenAccount(tables[0] ?? "");
}

/** A bug: the caller gets a reference, and the operator's log gets this. */
export class ForgottenAccount extends Error {
  constructor(table: string) {
    super(`A statement on ${table} does not say of which account.`);
  }
}

/** The text of a statement that is written by hand. */
function checkRaw(node: OperationNode): void {
  const text = [...wordsIn(node)].join(" ");
  if (/\baccount\b/.test(text)) return;
  const words = text.match(/[a-z_]+/g) ?? [];
  const table = words.find(
    (word, at) =>
      ACCOUNT_TABLES.has(word) && ["from", "into", "update", "join"].includes(words[at - 1] ?? ""),
  );
  if (table !== undefined) throw new ForgottenAccount(table);
}

const SCOPES: ReadonlySet<string> = new Set([
  "SelectQueryNode",
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
]);

function isScope(node: OperationNode): node is Scope {
  return SCOPES.has(node.kind);
}

/** Names of the tables that a statement takes its rows from, without those of statements inside. */
function tablesIn(node: OperationNode): readonly string[] {
  if (isScope(node)) return [];
  if (node.kind === "TableNode") return [...wordsIn(node)].slice(-1);
  return [...partsOf(node)].flatMap(tablesIn);
}

/** Whether the column is named, outside of statements inside. */
function saysAccount(node: OperationNode): boolean {
  if (isScope(node)) return false;
  const { name, sqlFragments } = node as {
    readonly name?: string;
    readonly sqlFragments?: readonly string[];
  };
  if (node.kind === "IdentifierNode") return name === "account";
  if (sqlFragments?.some((text) => /\baccount\b/.test(text))) return true;
  return [...partsOf(node)].some(saysAccount);
}

/** Every name and every piece of text in a statement, in order. */
function* wordsIn(node: OperationNode): Generator<string> {
  const { name, sqlFragments } = node as {
    readonly name?: string;
    readonly sqlFragments?: readonly string[];
  };
  if (node.kind === "IdentifierNode") yield name ?? "";
  yield* sqlFragments ?? [];
  for (const part of partsOf(node)) yield* wordsIn(part);
}

function* partsOf(node: OperationNode): Generator<OperationNode> {
  for (const value of Object.values(node))
    if (Array.isArray(value)) yield* value.filter(isNode);
    else if (isNode(value)) yield value;
}

function isNode(value: unknown): value is OperationNode {
  return typeof value === "object" && value !== null && "kind" in value && typeof value.kind === "string";
}
