import type { Json, JsonObject } from "@toolpact/contract";

interface Meaning {
  /** Declared by tools; a call may send any. */
  readonly parameters: readonly string[];
  /** Also tried by callers. */
  readonly also: readonly string[];
}

const MEANINGS: readonly Meaning[] = [
  {
    parameters: ["tweet_id", "in_reply_to_id", "quoted_tweet_id", "candidate_id", "id of a post"],
    also: ["id", "post_id", "status_id", "post", "tweet", "url"],
  },
  {
    parameters: ["in_reply_to_id"],
    also: ["reply_to_id", "reply_to", "in_reply_to", "in_reply_to_tweet_id"],
  },
  { parameters: ["quoted_tweet_id"], also: ["quote_tweet_id", "quote_of"] },
  {
    parameters: ["user_id", "target_user_id", "participant_id", "identifier"],
    also: ["username", "user", "handle", "screen_name", "person"],
  },
  // Digits may be a name, so ids are not accepted.
  { parameters: ["username", "author_username", "tweet_author"], also: ["user", "handle", "screen_name"] },
  { parameters: ["list_id", "id of a list"], also: ["id", "list"] },
  { parameters: ["id of a Space"], also: ["space_id"] },
  { parameters: ["id of a conversation"], also: ["conversation_id", "dm_conversation_id"] },
  { parameters: ["id of a draft"], also: ["draft_id"] },
  { parameters: ["id of an item"], also: ["item_id", "approval_id", "approval_queue_id"] },
  { parameters: ["ids of posts", "tweet_ids"], also: ["ids", "post_ids"] },
  { parameters: ["user_ids", "participant_ids"], also: ["ids"] },
  { parameters: ["usernames"], also: ["handles", "users"] },
  { parameters: ["pagination_token", "cursor"], also: ["next_token", "page_token"] },
  { parameters: ["limit", "max_results", "count"], also: ["page_size", "per_page"] },
  { parameters: ["texts", "tweets"], also: ["text", "posts"] },
  { parameters: ["text"], also: ["content", "message"] },
  { parameters: ["file_path"], also: ["path", "file"] },
  { parameters: ["alt_text"], also: ["alt"] },
  { parameters: ["scheduled_for"], also: ["scheduled_at", "schedule_at", "when"] },
  { parameters: ["poll_options"], also: ["poll"] },
  { parameters: ["poll_minutes"], also: ["poll_duration_minutes", "duration_minutes"] },
];

interface Named {
  readonly name: string;
  readonly category: string;
  /** Without hidden ones. */
  readonly properties: JsonObject;
}

/** Ambiguous names are left out. */
export function aliasesOf(tool: Named): ReadonlyMap<string, string> {
  const offered = Object.keys(tool.properties);
  const claims = offered.flatMap((parameter) =>
    MEANINGS.filter(({ parameters }) => parameters.includes(meaningOf(tool, parameter))).flatMap(
      ({ parameters, also }) => [...parameters, ...also].map((alias) => [alias, parameter] as const),
    ),
  );
  const isClear = (alias: string) =>
    new Set(claims.filter(([one]) => one === alias).map(([, to]) => to)).size === 1;
  return new Map(
    claims.filter(([alias]) => !offered.includes(alias) && !alias.includes(" ") && isClear(alias)),
  );
}

/** `id` and `ids` depend on the tool. */
function meaningOf({ name, category }: Named, parameter: string): string {
  if (parameter === "ids") return name.startsWith("x_v2_tweets_") ? "ids of posts" : parameter;
  if (parameter !== "id") return parameter;
  if (name.startsWith("x_v2_tweets_")) return "id of a post";
  if (name.startsWith("x_v2_spaces_")) return "id of a Space";
  if (name.endsWith("_draft")) return "id of a draft";
  if (name.endsWith("_item")) return "id of an item";
  if (category === "list") return "id of a list";
  return category === "direct_message" ? "id of a conversation" : parameter;
}

/** Renames arguments, and splits lists of ids that came as text. */
export function argumentReader(tool: Named): (args: JsonObject) => JsonObject {
  const aliases = aliasesOf(tool);
  const named = (is: (schema: JsonObject) => boolean) =>
    Object.keys(tool.properties).filter((name) => is(Object(tool.properties[name]) as JsonObject));
  const arrays = named(isListOfTexts);
  const separated = named(isCommaSeparated);
  return (args) => {
    if (!Object.keys(args).some((name) => aliases.has(name) || [...arrays, ...separated].includes(name)))
      return args;
    const renamed = Object.entries(args).map(([name, value]): [string, Json | undefined] => {
      const own = aliases.get(name);
      const isFree = own !== undefined && !Object.hasOwn(args, own);
      // A hidden parameter keeps its value if the other is given too.
      return [isFree ? own : name, value];
    });
    // Two names for one thing stay, and the unknown one is rejected.
    const names = renamed.map(([name]) => name);
    const read = new Set(names).size === names.length ? renamed : Object.entries(args);
    return Object.fromEntries(
      read.map(([name, value]) => {
        if (arrays.includes(name)) return [name, listIn(name, value)];
        return [name, separated.includes(name) ? textIn(value) : value];
      }),
    );
  };
}

function isListOfTexts({ type, items }: JsonObject): boolean {
  return type === "array" && (Object(items) as JsonObject).type === "string";
}

function isCommaSeparated({ type, description }: JsonObject): boolean {
  return type === "string" && /comma-separated/i.test(String(description));
}

function textIn(value: Json | undefined): Json | undefined {
  // Joining nested values would recurse as deep as a caller likes.
  const isFlat =
    Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number");
  return isFlat ? value.join(",") : value;
}

function listIn(name: string, value: Json | undefined): Json | undefined {
  if (typeof value !== "string") return value;
  // Only ids cannot have commas.
  return name.endsWith("ids") ? value.split(",").map((part) => part.trim()) : [value];
}
