import * as z from "zod";
import { isThisMachine } from "./this-machine.ts";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/**
 * Every key of the configuration, once: types, defaults, checks, documentation, environment names and the masking
 * of secrets are all read from here.
 */
export const configSchema = z.strictObject({
  mode: z
    .enum(["autopilot", "composer"])
    .default("autopilot")
    .describe(
      "`composer` assists a person and sends nothing without approval; `autopilot` may act by itself.",
    ),
  approval_mode: z
    .boolean()
    .default(true)
    .describe("Send nothing before a person has approved it. Always on in composer mode."),
  max_batch_approve: z.int().min(1).max(500).default(25).describe("Most items one approval may release."),
  x_api: section({
    client_id: z
      .string()
      .default("")
      .describe("Client id of your app in X's developer console. Needed to sign in."),
    client_secret: secret("Client secret, for apps that X calls confidential."),
    bearer_token: secret(
      "App-only bearer token, for the operations that X does not offer to signed-in people.",
    ),
    plan: z
      .enum(["self_serve", "enterprise"])
      .default("self_serve")
      .describe("Your plan with X. What X refuses on it is answered without asking X."),
    ai_replies_agreed: z
      .boolean()
      .default(false)
      .describe("Whether X has agreed to replies that a model writes. Without it a person approves each."),
    premium: z.boolean().default(false).describe("Whether the account has X Premium: long posts and edits."),
    base_url: url()
      .default("https://api.x.com")
      .describe("Where X's API is: a proxy or a sandbox. Plain http only on this machine."),
    timeout_ms: z.int().min(100).max(600_000).default(30_000).describe("Longest wait for one answer of X."),
  }),
  ads: section({
    consumer_key: secret("API key of your app, for X's Ads API, which takes OAuth 1.0a alone."),
    consumer_secret: secret("Its secret."),
    access_token: secret("Access token of the advertising account's owner for that app."),
    access_token_secret: secret("Its secret."),
  }),
  auth: section({
    mode: z
      .enum(["local_callback", "manual"])
      .default("local_callback")
      .describe("How `auth login` gets X's answer: by a page on this machine, or pasted by hand."),
    callback_host: z
      .string()
      .default("127.0.0.1")
      .describe("Host of the callback address registered with X."),
    callback_port: port(8080).describe("Port of the callback address registered with X."),
    token_file: path("~/.tuitbot/tokens.json").describe("Where the sign-in is kept, readable by you alone."),
  }),
  media: section({
    roots: z
      .array(z.string().min(1))
      .default(["~/.tuitbot/media"])
      .describe("Folders that media may be uploaded from. Nothing outside them is read."),
  }),
  business: section({
    product_name: z.string().default("").describe("What you post about. Needed to generate content."),
    product_description: z.string().default("").describe("One line on it. Needed to generate content."),
    product_url: z.string().optional().describe("Its address. Loops leave it out: X takes extra for a link."),
    product_keywords: list("Words that make a post worth finding and scoring."),
    competitor_keywords: list("Names of others in the field; they count as keywords too."),
    industry_topics: list("Topics to write about; the product's keywords where empty."),
    target_audience: z.string().default("").describe("Whom you write for."),
    brand_voice: z.string().optional().describe("How you sound."),
    reply_style: z.string().optional().describe("How you reply."),
    content_style: z.string().optional().describe("How you post."),
    persona_opinions: list("Opinions you hold."),
    persona_experiences: list("Things you have lived through."),
    content_pillars: list("Themes you come back to."),
  }),
  scoring: section({
    threshold: z.number().min(0).max(100).default(60).describe("Score from which a post is worth a reply."),
    keyword_relevance_max: weight(25).describe("Most points for keywords."),
    follower_count_max: weight(15).describe("Most points for the size of the author's audience."),
    recency_max: weight(10).describe("Most points for being new."),
    engagement_rate_max: weight(15).describe("Most points for engagement."),
    reply_count_max: weight(15).describe("Most points for few replies."),
    content_type_max: weight(10).describe("Most points for being plain text."),
  }),
  limits: section({
    max_replies_per_day: count(5).describe("Most replies a day."),
    max_tweets_per_day: count(6).describe("Most posts a day."),
    max_threads_per_week: count(1).describe("Most threads a week."),
    min_action_delay_seconds: seconds(45).describe("Shortest pause between two actions."),
    max_action_delay_seconds: seconds(180).describe("Longest pause between two actions."),
    max_replies_per_author_per_day: count(1).describe("Most replies to one author a day."),
    banned_phrases: list("Phrases that no reply may contain.", [
      "check out",
      "you should try",
      "I recommend",
      "link in bio",
    ]),
    product_mention_ratio: z
      .number()
      .min(0)
      .max(1)
      .default(0.2)
      .describe("Share of replies that may mention the product."),
  }),
  intervals: section({
    mentions_check_seconds: seconds(300).describe("How often mentions are read."),
    discovery_search_seconds: seconds(900).describe("How often posts are searched."),
    content_post_window_seconds: seconds(10_800).describe("Shortest time between two posts."),
    thread_interval_seconds: seconds(604_800).describe("Shortest time between two threads."),
  }),
  llm: section({
    provider: z
      .enum(["", "openai", "anthropic", "groq", "ollama"])
      .default("")
      .describe("Who generates content; empty for nobody."),
    api_key: secret("Key for the provider; ollama needs none."),
    model: z.string().default("").describe("Model; the provider's usual one where empty."),
    base_url: url().optional().describe("Another address of the provider's API."),
    timeout_ms: z.int().min(100).max(600_000).default(60_000).describe("Longest wait for one text."),
    input_price: price("US dollars for a million tokens read; the list price where both prices are absent."),
    output_price: price("US dollars for a million tokens written."),
  }),
  targets: section({
    accounts: list("Accounts to follow up on, by name."),
    max_target_replies_per_day: count(3).describe("Most replies to them a day."),
  }),
  server: section({
    host: z.string().min(1).default("127.0.0.1").describe("Where `mcp serve --http` listens."),
    port: port(3001).describe("Port of `mcp serve --http` where the command names none."),
    token: secret("What HTTP callers must show. Needed to listen beyond this machine."),
  }),
  storage: section({
    db_path: path("~/.tuitbot/tuitbot.db").describe("The SQLite file."),
    url: secret("`postgres://…` to keep everything in PostgreSQL instead."),
    retention_days: z
      .int()
      .min(0)
      .max(3650)
      .default(90)
      .describe("Days that history is kept; 0 keeps it for ever."),
  }),
  logging: section({
    status_interval_seconds: z
      .int()
      .min(0)
      .default(0)
      .describe("How often `run` prints a line; 0 for never."),
  }),
  schedule: section({
    timezone: z
      .string()
      .refine(isTimeZone, "is not an IANA time zone such as Europe/Vienna")
      .default("UTC")
      .describe("Time zone of the hours below."),
    active_hours_start: hour(8).describe("First hour of the day in which anything is done."),
    active_hours_end: hour(22).describe(
      "Hour at which the day's work ends; before the start for a night shift.",
    ),
    active_days: z
      .array(day())
      .default([...DAYS])
      .describe("Days on which anything is done."),
    preferred_times: z
      .array(z.string().regex(/^(auto|([01]\d|2[0-3]):[0-5]\d)$/, "is neither HH:MM nor auto"))
      .default([])
      .describe("Times to post at; `auto` stands for 09:15, 12:30 and 17:00."),
    preferred_times_override: z
      .partialRecord(day(), z.array(time()))
      .default({})
      .describe("Times of single days; an empty list for no posts on that day."),
    thread_preferred_day: day().optional().describe("Day for threads."),
    thread_preferred_time: time().default("10:00").describe("Time for threads."),
  }),
  mcp_policy: section({
    enforce_for_mutations: z
      .boolean()
      .default(true)
      .describe("Whether the rules below apply. Safety rules always do."),
    require_approval_for: list("Tools that need a person's approval, whatever template and rules allow.", [
      "x_post_tweet",
      "x_reply_to_tweet",
      "x_follow_user",
      "x_like_tweet",
    ]),
    blocked_tools: list("Tools that may not be used, whatever template and rules allow."),
    dry_run_mutations: z
      .boolean()
      .default(false)
      .describe("Only say what would be done, whatever template and rules allow."),
    max_mutations_per_hour: count(20).describe("Most changes an hour."),
    template: z
      .enum(["safe_default", "growth_aggressive", "agency_mode"])
      .optional()
      .describe("A ready-made set of rules."),
    rules: z.array(policyRule()).default([]).describe("Rules of your own; the lowest priority decides."),
    rate_limits: z.array(policyLimit()).default([]).describe("Limits of your own."),
  }),
  approvals: section({
    allow_agent: z
      .boolean()
      .default(false)
      .describe("Let the agent approve what waits for a person. Whoever sets this answers for it."),
    expires_hours: z
      .number()
      .positive()
      .max(8_760)
      .default(24)
      .describe("Hours after which nobody can approve what waits."),
    key_file: path("~/.tuitbot/approval.key").describe(
      "The key that binds an approval to its content, readable by you alone.",
    ),
  }),
  budget: section({
    max_usd_per_call: dollars("Most that one call may cost at X, by X's price list."),
    max_usd_per_day: dollars("Most that an account may cost in a day, by UTC."),
    max_usd_per_month: dollars("Most that an account may cost in a month, by UTC."),
  }),
  circuit_breaker: section({
    error_threshold: count(5).describe("Errors after which posting stops for a while."),
    window_seconds: seconds(300).describe("Time in which they must happen."),
    cooldown_seconds: seconds(600).describe("How long posting then stops."),
  }),
});

/** The configuration with every key filled. */
export type Config = DeepReadonly<z.output<typeof configSchema>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

function section<Shape extends z.ZodRawShape>(shape: Shape) {
  // An absent section is an empty one, so that its keys have the same defaults either way.
  return z.strictObject(shape).prefault({} as never);
}

function secret(describe: string) {
  return z.string().min(1).meta({ secret: true }).optional().describe(describe);
}

function path(fallback: string) {
  return z.string().min(1).default(fallback);
}

function list(describe: string, fallback: string[] = []) {
  return z.array(z.string().min(1)).default(fallback).describe(describe);
}

function url() {
  return z.string().refine(isTrustedUrl, "must be an https address, or http on this machine");
}

function isTrustedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isThisMachine(hostname));
}

function price(describe: string) {
  return z.number().min(0).optional().describe(describe);
}

function port(fallback: number) {
  return z.int().min(0).max(65_535).default(fallback);
}

function weight(fallback: number) {
  return z.number().min(0).max(100).default(fallback);
}

function count(fallback: number) {
  return z.int().min(1).default(fallback);
}

function dollars(describe: string) {
  return z.number().min(0).optional().describe(describe);
}

function seconds(fallback: number) {
  return z.int().min(0).default(fallback);
}

function hour(fallback: number) {
  return z.int().min(0).max(23).default(fallback);
}

function day() {
  return z.enum(DAYS);
}

function time() {
  return z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "is not a time such as 09:30");
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function policyRule() {
  return z.strictObject({
    id: z.string().min(1),
    priority: z.int().min(0).default(200),
    label: z.string().default(""),
    enabled: z.boolean().default(true),
    conditions: z
      .strictObject({
        tools: z.array(z.string()).default([]),
        categories: z.array(z.string()).default([]),
        modes: z.array(z.enum(["autopilot", "composer"])).default([]),
        schedule_window: z
          .strictObject({
            start_hour: z.int().min(0).max(23),
            end_hour: z.int().min(0).max(23),
            timezone: z.string().refine(isTimeZone, "is not an IANA time zone").default("UTC"),
            days: z.array(z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])).default([]),
          })
          .optional(),
      })
      .prefault({}),
    action: z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("allow") }),
      z.strictObject({ type: z.literal("deny"), reason: z.string().default("") }),
      z.strictObject({ type: z.literal("require_approval"), reason: z.string().default("") }),
      z.strictObject({ type: z.literal("dry_run") }),
    ]),
  });
}

function policyLimit() {
  return z.strictObject({
    key: z.string().min(1),
    dimension: z.enum(["tool", "category", "engagement_type", "global"]),
    match_value: z.string().default(""),
    max_count: z.int().min(1),
    period_seconds: z.int().min(1),
  });
}
