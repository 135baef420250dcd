import * as z from "zod";
import { isThisMachine } from "./this-machine.ts";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

const NOTICE_KINDS = [
  "approval_waiting",
  "sign_in_lost",
  "cap_reached",
  "breaker_open",
  "nothing_ran",
  "learned_rule",
] as const;

/** Types, defaults, checks, docs, environment names and masking all derive from this. */
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
    .describe(
      "Send nothing before a person has approved it, except bookmarks and mutes, which only you see. Always on in composer mode.",
    ),
  max_batch_approve: z
    .int()
    .min(1)
    .max(500)
    .default(25)
    .describe("Maximum number of items that one approval may release."),
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
      .describe("Your plan with X. Calls that X refuses on this plan are refused without asking X."),
    ai_replies_agreed: z
      .boolean()
      .default(false)
      .describe(
        "Whether X has agreed to replies written by a model. Without that, a person approves each one.",
      ),
    premium: z
      .boolean()
      .default(false)
      .describe("Whether the account has X Premium, which allows long posts and edits."),
    owns_app: z
      .boolean()
      .default(true)
      .describe(
        "Whether the account that signs in also owns the app. X charges it less for reading its own data.",
      ),
    base_url: url()
      .default("https://api.x.com")
      .describe("Address of X's API, or of a proxy or sandbox. Plain http only on this machine."),
    timeout_ms: z
      .int()
      .min(100)
      .max(600_000)
      .default(30_000)
      .describe("Timeout of one request to X, in milliseconds."),
    read_timeout_ms: z
      .int()
      .min(100)
      .max(600_000)
      .default(9_000)
      .describe(
        "Timeout of one attempt at a read, in milliseconds, if it is less than timeout_ms. A call has 30 seconds in total, which leaves time to retry a read.",
      ),
    read_retries: z
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe(
        "How often a read is repeated after a network or server error of X. Writes and rate limits are never repeated by themselves.",
      ),
    retry_first_wait_ms: z
      .int()
      .min(0)
      .max(60_000)
      .default(500)
      .describe("Pause before the first repetition of a read, in milliseconds; it doubles each time."),
    retry_longest_wait_ms: z
      .int()
      .min(0)
      .max(60_000)
      .default(5_000)
      .describe("The longest pause before a repetition, in milliseconds."),
    late_effect_ms: z
      .int()
      .min(60_000)
      .max(3_600_000)
      .default(300_000)
      .describe(
        "Milliseconds for which X may still carry out a request after tuitbot stopped waiting for the answer. Until then its outcome is unknown and the call is not sent again. If X takes longer, something may be done twice.",
      ),
  }),
  ads: section({
    consumer_key: secret("API key of your app, for X's Ads API, which accepts only OAuth 1.0a."),
    consumer_secret: secret("Secret of the API key."),
    access_token: secret("Access token of the advertising account's owner for that app."),
    access_token_secret: secret("Secret of the access token."),
  }),
  auth: section({
    mode: z
      .enum(["local_callback", "manual"])
      .default("local_callback")
      .describe("How `auth login` gets X's answer: on a callback page of this machine, or pasted by hand."),
    callback_host: z
      .string()
      .default("127.0.0.1")
      .describe("Host of the callback address registered with X."),
    callback_port: port(8080).describe("Port of the callback address registered with X."),
    token_file: path("~/.tuitbot/tokens.json").describe(
      "File that stores the sign-in, readable only by you.",
    ),
    keep_in: z
      .enum(["file", "database"])
      .default("file")
      .describe(
        "Where the sign-in is kept: in `token_file`, or for several machines in the database, encrypted with a key that is derived from `approvals.key` or the content of `approvals.key_file`.",
      ),
  }),
  media: section({
    roots: z
      .array(z.string().min(1))
      .default(["~/.tuitbot/media"])
      .describe("Folders that media may be uploaded from. Nothing outside them is read."),
  }),
  business: section({
    product_name: z
      .string()
      .default("")
      .describe("Name of the product you post about. Needed to generate content."),
    product_description: z
      .string()
      .default("")
      .describe("The product in one sentence. Needed to generate content."),
    product_url: z
      .string()
      .optional()
      .describe(
        "Web address of the product. The autopilot leaves it out, because X charges extra for a link.",
      ),
    product_keywords: list("Keywords to search for and to score posts by."),
    competitor_keywords: list("Names of competitors; they count as keywords too."),
    industry_topics: list("Topics to write about. If empty, the product keywords."),
    target_audience: z.string().default("").describe("The audience you write for, such as `home bakers`."),
    brand_voice: z
      .string()
      .optional()
      .describe("Tone of everything that is written, such as `friendly, precise`."),
    reply_style: z.string().optional().describe("Tone and form of replies."),
    content_style: z.string().optional().describe("Tone and form of posts."),
    persona_opinions: list("Opinions that generated posts may express."),
    persona_experiences: list("Experiences that generated posts may mention."),
    content_pillars: list("Recurring themes of your posts."),
  }),
  scoring: section({
    threshold: z
      .number()
      .min(0)
      .max(100)
      .default(60)
      .describe("Lowest score at which a post is worth a reply."),
    keyword_relevance_max: weight(35).describe("Maximum points for matching keywords."),
    follower_count_max: weight(15).describe("Maximum points for the number of the author's followers."),
    recency_max: weight(10).describe("Maximum points for being recent."),
    engagement_rate_max: weight(15).describe("Maximum points for engagement."),
    reply_count_max: weight(15).describe("Maximum points for having few replies."),
    content_type_max: weight(10).describe("Maximum points for being plain text."),
  }),
  limits: section({
    max_replies_per_day: count(5).describe("Maximum number of replies to others per day."),
    max_tweets_per_day: count(10).describe(
      "Maximum number of posts per day, with quotes, replies to oneself and every post of a thread.",
    ),
    max_threads_per_week: count(1).describe("Maximum number of threads per week."),
    min_action_delay_seconds: seconds(45).describe("Minimum pause between two actions."),
    max_action_delay_seconds: seconds(180).describe("Maximum pause between two actions."),
    max_replies_per_author_per_day: count(1).describe("Maximum number of replies to one author per day."),
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
    mentions_check_seconds: seconds(300).describe("Seconds between two reads of mentions."),
    discovery_search_seconds: seconds(900).describe("Seconds between two searches for posts."),
    content_post_window_seconds: seconds(10_800).describe("Minimum seconds between two posts."),
    thread_interval_seconds: seconds(604_800).describe("Minimum seconds between two threads."),
    runner_lease_seconds: z
      .number()
      .min(2)
      .max(600)
      .default(10)
      .describe(
        "Seconds after which another runner takes over from one that was killed. Use more if machines or the database often pause for seconds.",
      ),
  }),
  llm: section({
    provider: z
      .enum(["", "openai", "anthropic", "groq", "ollama"])
      .default("")
      .describe("Provider of the language model; empty for none."),
    api_key: secret("API key of the provider; ollama needs none."),
    model: z.string().default("").describe("Name of the model. If empty, the provider's default."),
    judge_model: z
      .string()
      .default("")
      .describe(
        "Name of a second model of this provider that judges every reply before it is sent. Replies that it does not clear wait for approval. If empty, no model judges.",
      ),
    base_url: url().optional().describe("Address of the provider's API, if not the usual one."),
    timeout_ms: z
      .int()
      .min(100)
      .max(600_000)
      .default(60_000)
      .describe("Timeout of one request to the model, in milliseconds."),
    input_price: dollars("US dollars per million input tokens. If both prices are absent, the list price."),
    output_price: dollars("US dollars per million output tokens."),
  }),
  targets: section({
    accounts: list("Usernames of accounts whose posts to reply to."),
    max_target_replies_per_day: count(3).describe("Maximum number of replies to these accounts per day."),
  }),
  server: section({
    host: z.string().min(1).default("127.0.0.1").describe("Host that `mcp serve --http` listens on."),
    port: port(3001).describe("Port of `mcp serve --http`, if the command names none."),
    token: secret(
      "Bearer token that HTTP clients must send. Needed to listen beyond this machine; on this machine, one is made if none is set.",
    ),
    token_file: path("~/.tuitbot/server.token").describe(
      "File that stores the token that is made, readable only by you.",
    ),
    runner: z
      .boolean()
      .default(false)
      .describe(
        "Whether `mcp serve` also does the work of `tuitbot run`: it publishes what is scheduled and runs the other loops. One runner of an account works at a time.",
      ),
    drain_delay_seconds: z
      .number()
      .min(0)
      .max(300)
      .default(5)
      .describe(
        "Seconds for which a stopping server still accepts calls after `/readyz` starts to return 503, to let a proxy notice. It does not wait if nothing polls `/readyz`.",
      ),
    drain_seconds: z
      .number()
      .min(0)
      .max(600)
      .default(25)
      .describe(
        "Seconds that running calls then have before they are canceled. Together with the delay, stay below the supervisor's kill timeout: 30 with Kubernetes, 90 with systemd.",
      ),
    public_url: url()
      .refine((text) => new URL(text).pathname === "/", "must be a host without a path")
      .optional()
      .describe(
        "Address of the dashboard for browsers on other machines, such as `https://bot.example`: a proxy that does TLS and sets X-Forwarded-For, or with `server.tls_cert` this server. If absent, only this machine can open the dashboard.",
      ),
    tls_cert: z
      .string()
      .min(1)
      .optional()
      .describe("File with the certificate chain, in PEM, if this server does TLS itself."),
    tls_key: z.string().min(1).optional().describe("File with the key of that certificate, in PEM."),
    metrics_token: secret(
      "Bearer token for `/metrics` only. If absent, readers of the metrics send `server.token`.",
    ),
    allowed_origins: list(
      "Origins of web pages that may call over HTTP, such as `http://localhost:3000`. All others are refused, even on this machine.",
    ),
  }),
  oauth: section({
    issuer: url()
      .optional()
      .describe(
        "OAuth 2.1 authorization server whose access tokens `mcp serve --http` accepts, in addition to `server.token` and those of `tuitbot agents`. They are JWTs, and its metadata names its keys.",
      ),
    resource: url()
      .optional()
      .describe(
        "Public address of the MCP server, such as `https://bot.example/mcp`, the required audience of these tokens. By default `server.public_url` and `/mcp`.",
      ),
    scopes: z
      .array(z.string().regex(/^[!#-<>-[\]-~]+=(readonly|api-readonly|write|admin)$/, "is not SCOPE=PROFILE"))
      .min(1)
      .default(["tuitbot.read=api-readonly", "tuitbot.write=write"])
      .describe(
        "Profile that each scope of a token allows, as SCOPE=PROFILE. An agent, named by `--subject` of `tuitbot agents add`, is offered no more than its own profile.",
      ),
  }),
  storage: section({
    db_path: path("~/.tuitbot/tuitbot.db").describe("Path of the SQLite file."),
    url: secret("`postgres://…` to use PostgreSQL instead of SQLite."),
    pool_size: z
      .int()
      .min(2)
      .max(200)
      .default(10)
      .describe(
        "Maximum number of connections of one process to PostgreSQL. All processes together must stay below its `max_connections`.",
      ),
    statement_timeout_ms: z
      .int()
      .min(0)
      .max(3_600_000)
      .default(60_000)
      .describe(
        "Milliseconds after which PostgreSQL gives up a statement, or a transaction in which nothing happens; 0 for never. Migrations may take longer.",
      ),
    retention_days: z
      .int()
      .min(0)
      .max(3650)
      .default(90)
      .describe("Days for which history is stored; 0 for ever."),
  }),
  analytics: section({
    measure_after_hours: z
      .number()
      .min(1)
      .max(168)
      .default(24)
      .describe("Age at which a post is measured, once. Younger posts have few views."),
  }),
  logging: section({
    format: z
      .enum(["text", "json"])
      .default("text")
      .describe(
        "Format of the lines that `mcp serve` writes to stderr. `json` writes each as JSON, and one per call, with the reference of the call and without its arguments.",
      ),
    status_interval_seconds: z
      .int()
      .min(0)
      .default(0)
      .describe("Seconds between two status lines of `run`; 0 for none."),
  }),
  schedule: section({
    timezone: z
      .string()
      .refine(isTimeZone, "is not an IANA time zone such as Europe/Vienna")
      .default("UTC")
      .describe("Time zone of the hours below."),
    active_hours_start: hour(8).describe("First hour of the day in which the autopilot works."),
    active_hours_end: hour(22).describe(
      "Hour at which the autopilot stops. If before the start, it works overnight.",
    ),
    active_days: z
      .array(day())
      .default([...DAYS])
      .describe("Days on which the autopilot works."),
    preferred_times: z
      .array(z.string().regex(/^(auto|([01]\d|2[0-3]):[0-5]\d)$/, "is neither HH:MM nor auto"))
      .default([])
      .describe("Times to post at, such as `09:30`; `auto` stands for 09:15, 12:30 and 17:00."),
    preferred_times_override: z
      .partialRecord(day(), z.array(time()))
      .default({})
      .describe("Times to post at on single days; an empty list for no posts on that day."),
    posting_slots: z
      .array(
        z
          .string()
          .regex(
            /^((Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?([01]\d|2[0-3]):[0-5]\d$/,
            "is neither HH:MM nor such as Mon 09:30",
          ),
      )
      .default(["09:15", "12:30", "17:00"])
      .describe(
        "Times for drafts that are scheduled for the next free slot, such as `09:30` for every day or `Mon 17:00`.",
      ),
    thread_preferred_day: day().optional().describe("Day on which threads are posted."),
    thread_preferred_time: time().default("10:00").describe("Time at which threads are posted."),
  }),
  mcp_policy: section({
    enforce_for_mutations: z
      .boolean()
      .default(true)
      .describe("Whether the rules below apply. Safety rules always apply."),
    require_approval_for: list("Tools that need a person's approval, whatever template and rules allow.", [
      "x_post_tweet",
      "x_reply_to_tweet",
      "x_quote_tweet",
      "x_post_thread",
      "x_retweet",
      "x_follow_user",
      "x_like_tweet",
    ]),
    blocked_tools: list("Tools that are denied, whatever template and rules allow."),
    dry_run_mutations: z
      .boolean()
      .default(false)
      .describe(
        "Answer mutations with what would be done and send nothing, whatever template and rules allow.",
      ),
    max_mutations_per_hour: count(20).describe("Maximum number of mutations per hour."),
    template: z
      .enum(["safe_default", "growth_aggressive", "agency_mode"])
      .optional()
      .describe("A predefined set of rules."),
    rules: z
      .array(policyRule())
      .default([])
      .describe("Your own rules. Of those that match, the one with the lowest priority decides."),
    rate_limits: z.array(policyLimit()).default([]).describe("Your own rate limits."),
  }),
  approvals: section({
    allow_agent: z
      .boolean()
      .default(false)
      .describe("Let the agent approve calls that wait for a person. Use at your own risk."),
    allow_without_terminal: z
      .boolean()
      .default(false)
      .describe(
        "Let `tuitbot approve --yes` approve without a terminal, for scripts of yours. Any program that runs as you can then approve. Without it a program has to imitate a terminal or change this setting; only a passkey, or another user for the agent, prevents that.",
      ),
    http_client_asks_person: z
      .boolean()
      .default(false)
      .describe(
        "Take an answer over HTTP for a person's if it comes with the token. Set it only if the one client that has the token shows questions to a person.",
      ),
    expires_hours: z
      .number()
      .positive()
      .max(8_760)
      .default(24)
      .describe("Hours after which a waiting call expires."),
    key: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, "is not 64 hexadecimal digits")
      .meta({ secret: true })
      .optional()
      .describe(
        "The key that binds an approval to its content, as 64 hexadecimal digits, in place of the file. Servers on several machines that share a database need the same key. It also signs questions to users, so any of the servers can accept the answer.",
      ),
    key_file: path("~/.tuitbot/approval.key").describe(
      "File with the key that binds an approval to its content, readable only by you.",
    ),
  }),
  budget: section({
    max_usd_per_call: dollars("Maximum cost of one call at X, by X's price list."),
    max_usd_per_day: z.number().min(0).default(5).describe("Maximum cost of an account per day (UTC)."),
    max_usd_per_month: z.number().min(0).default(50).describe("Maximum cost of an account per month (UTC)."),
    unlimited: z
      .boolean()
      .default(false)
      .describe("Spend without the caps per day and month. Use at your own risk."),
  }),
  circuit_breaker: section({
    error_threshold: count(5).describe("Number of errors after which posting pauses."),
    window_seconds: seconds(300).describe("Seconds within which these errors must occur."),
    cooldown_seconds: seconds(600).describe("Seconds for which posting then pauses."),
  }),
  notify: section({
    people: z
      .array(notifiedPerson())
      .default([])
      .describe("Recipients, events, and channels for their answers. By default nobody is notified."),
    digest_times: z
      .array(time())
      .min(1)
      .default(["09:00"])
      .describe("Times of day, by `schedule.timezone`, at which digests are sent."),
    telegram_bot_token: secret("Token of your Telegram bot, from @BotFather."),
    telegram_api_url: url()
      .default("https://api.telegram.org")
      .describe("Address of Telegram's Bot API, or of your own server."),
    slack_bot_token: secret("Bot token of your Slack app (`xoxb-…`), with the scope `chat:write`."),
    slack_app_token: secret(
      "App-level token of your Slack app (`xapp-…`), with the scope `connections:write`, for the buttons.",
    ),
    slack_api_url: url().default("https://slack.com/api/").describe("Address of Slack's Web API."),
    ntfy_url: url().default("https://ntfy.sh").describe("Address of the ntfy server."),
    ntfy_token: secret("Access token for the ntfy server, where it needs one."),
    smtp_url: z
      .string()
      .refine((text) => /^smtps?:/.test(text) && URL.canParse(text), "is not such as smtps://mail.example")
      .meta({ secret: true })
      .optional()
      .describe(
        "Mail server, such as `smtps://user:password@mail.example`. Without TLS only on this machine.",
      ),
    email_from: z.string().optional().describe("Sender of e-mails, such as `tuitbot <bot@mail.example>`."),
    webhook_secret: secret(
      "Key that signs webhooks: base64, with or without the prefix `whsec_`, as Standard Webhooks has it.",
    ),
  }),
});

/** With all defaults. */
export type Config = DeepReadonly<z.output<typeof configSchema>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

function section<Shape extends z.ZodRawShape>(shape: Shape) {
  // An absent section equals an empty one.
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
  return z
    .string()
    .refine(isTrustedUrl, "must be an https address, or http on this machine")
    .refine(hasNoCredentials, "must not contain a user name or password: requests cannot carry them there");
}

function hasNoCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

function isTrustedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && isThisMachine(hostname));
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

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function notifiedPerson() {
  return z
    .strictObject({
      name: z.string().min(1).max(80).describe("Unique name, which the queue shows for their decisions."),
      role: z
        .enum(["viewer", "approver", "owner"])
        .default("approver")
        .describe("Viewers are notified but cannot decide."),
      kinds: z
        .array(z.enum(NOTICE_KINDS))
        .default([...NOTICE_KINDS])
        .describe("Events to notify them of."),
      when: z
        .enum(["at_once", "digest"])
        .default("at_once")
        .describe("Send each message immediately, or all of them at `digest_times`."),
      quiet_hours: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, "is not such as 22:00-07:00")
        .optional()
        .describe("Hours in which nothing is sent, by `schedule.timezone`; it is sent when they end."),
      telegram_id: z
        .string()
        .regex(/^\d+$/, "is not a numeric id")
        .optional()
        .describe(
          "Their numeric Telegram id. They have to write to the bot once before it can write to them.",
        ),
      slack_id: z
        .string()
        .regex(/^[UW][A-Z0-9]+$/, "is not a member id such as U012AB3CD")
        .optional()
        .describe("Their Slack member id."),
      email: z.email().optional().describe("Their e-mail address."),
      ntfy_topic: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/, "is not a topic of letters, digits, _ and -")
        .meta({ secret: true })
        .optional()
        .describe(
          "Their ntfy topic. Anyone who knows it can read the messages, so choose one that is hard to guess.",
        ),
      webhook_url: url()
        .meta({ secret: true })
        .optional()
        .describe("Address that gets the messages as JSON."),
    })
    .meta({
      example: `[[notify.people]]
name = "Ana"
role = "owner"
telegram_id = "123456789"
quiet_hours = "22:00-07:00"

[[notify.people]]
name = "Ben"
email = "ben@mail.example"
kinds = ["sign_in_lost", "cap_reached"]
when = "digest"
`,
    });
}

function policyRule() {
  return z
    .strictObject({
      id: z.string().min(1).describe("Unique name, which the policy's answers and the audit log show."),
      priority: z
        .int()
        .min(0)
        .default(200)
        .describe("Of the rules that match, the lowest decides. Templates use 100 to 150."),
      label: z.string().default("").describe("What the rule is for, in your words."),
      enabled: z.boolean().default(true).describe("false keeps the rule without applying it."),
      conditions: z
        .strictObject({
          tools: z.array(z.string()).default([]).describe("Tools it applies to; empty for all."),
          categories: z
            .array(z.string())
            .default([])
            .describe("Categories of mutations it applies to; empty for all."),
          modes: z
            .array(z.enum(["autopilot", "composer"]))
            .default([])
            .describe("Modes it applies in; empty for both."),
          schedule_window: z
            .strictObject({
              start_hour: z.int().min(0).max(23).describe("First hour in which it applies."),
              end_hour: z
                .int()
                .min(0)
                .max(23)
                .describe("Hour at which it stops. If before the start, it applies overnight."),
              timezone: z
                .string()
                .refine(isTimeZone, "is not an IANA time zone")
                .default("UTC")
                .describe("Time zone of the hours."),
              days: z
                .array(z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]))
                .default([])
                .describe("Days on which it applies; empty for all."),
            })
            .optional()
            .describe("Hours in which it applies; always if absent."),
        })
        .prefault({})
        .describe("All of them must hold. Without conditions the rule applies to every mutation."),
      action: z
        .discriminatedUnion("type", [
          z.strictObject({ type: z.literal("allow") }),
          z.strictObject({ type: z.literal("deny"), reason: z.string().default("") }),
          z.strictObject({
            type: z.literal("require_approval"),
            reason: z.string().default(""),
            approvals_needed: z.int().min(1).max(10).optional(),
          }),
          z.strictObject({ type: z.literal("dry_run") }),
        ])
        .describe(
          "What happens: `allow`, `deny`, `require_approval` or `dry_run`. `deny` and `require_approval` may have a `reason`, which the agent reads. `require_approval` may have `approvals_needed`: how many different people have to approve it, 1 by default.",
        ),
    })
    .meta({
      example: `[[mcp_policy.rules]]
id = "no-deletes-at-night"
label = "Nothing is deleted while nobody watches"
priority = 50
conditions = { tools = ["x_delete_tweet"], schedule_window = { start_hour = 22, end_hour = 7, timezone = "Europe/Vienna" } }
action = { type = "deny", reason = "Deleting waits until the morning." }

[[mcp_policy.rules]]
id = "ask-before-follows"
conditions = { categories = ["engage"], modes = ["autopilot"] }
action = { type = "require_approval", reason = "A person decides whom we follow." }

[[mcp_policy.rules]]
id = "two-for-threads"
conditions = { categories = ["thread"] }
action = { type = "require_approval", reason = "Two people read every thread.", approvals_needed = 2 }
`,
    });
}

function policyLimit() {
  return z
    .strictObject({
      key: z.string().min(1).describe("Unique name, under which calls are counted."),
      dimension: z
        .enum(["tool", "category", "engagement_type", "global"])
        .describe("What is counted together: calls of one tool, of one category, of one kind, or all."),
      match_value: z
        .string()
        .default("")
        .describe("The tool, category or kind that is counted; empty or `*` for all of them together."),
      max_count: z.int().min(1).describe("Maximum number of mutations within the period."),
      period_seconds: z.int().min(1).describe("Length of the period: 3600 is an hour, 86400 a day."),
    })
    .meta({
      example: `[[mcp_policy.rate_limits]]
key = "follows-per-day"
dimension = "tool"
match_value = "x_follow_user"
max_count = 10
period_seconds = 86400

[[mcp_policy.rate_limits]]
key = "everything-per-hour"
dimension = "global"
max_count = 12
period_seconds = 3600
`,
    });
}
