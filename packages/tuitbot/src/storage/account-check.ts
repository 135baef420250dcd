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
 * Rejects statements on accounts' rows without a filter by account. `overAllAccounts` marks exceptions, with
 * the reason.
 */
export const accountCheck: KyselyPlugin = {
  transformQuery({ node }) {
    checkStatement(node);
    return node;
  },
  // Rows are unchanged.
  transformResult: ({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> =>
    Promise.resolve(result),
};

/** With the reason. */
const REASONS = {
  migration: "Tables are changed for all accounts at once.",
  inspection: "The doctor looks at the database, before it is known whose account this is.",
  "left undone": "A look whether anything is open in any account, before it is known whose account this is.",
  receipt: "A receipt was found in its account, and is known by its id, which nobody can guess.",
  "sign-in": "Whose data it is is known once the row is found, by a digest of the sign-in.",
  session: "A browser is known by a digest of its cookie, and sessions end for all accounts.",
  "spending of an agent": "The budget of an agent is for all accounts that it may act for.",
} as const;

export function overAllAccounts(db: Kysely<Database>, _why: keyof typeof REASONS): Kysely<Database> {
  return db.withoutPlugins();
}

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

/** By kind of statement. */
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

/** Raw fragments are checked with their statement. */
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

/** A bug, for the operator's log; the caller gets a reference. */
export class ForgottenAccount extends Error {
  constructor(table: string) {
    super(`A statement on ${table} does not say of which account.`);
  }
}

/** Handwritten. */
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

/** Without nested statements. */
function tablesIn(node: OperationNode): readonly string[] {
  if (isScope(node)) return [];
  if (node.kind === "TableNode") return [...wordsIn(node)].slice(-1);
  return [...partsOf(node)].flatMap(tablesIn);
}

/** Outside of nested statements. */
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

/** In order. */
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
