/**
 * The API of the page: every request and answer. Types alone, so that the page can import them; what the server does
 * is checked against them where its commands are declared (`cli/web/commands.ts`).
 *
 * - `GET /api/session` answers `SessionAnswer`.
 * - `POST /api/sign-in` takes `SignInRequest` and answers `SignedIn`; `POST /api/sign-out` ends the session.
 * - `POST /api/tools/NAME` takes the arguments of the tool and answers its envelope, with all of its data.
 * - `GET /api/events?last_event_id=…` streams server-sent events whose name is an `EventKind`.
 * - `POST /api/commands/NAME` takes `Commands[NAME]["request"]` and answers `Commands[NAME]["answer"]`.
 * - `POST /api/media` takes a file as `application/octet-stream`, stores it and answers `StoredFile`;
 *   `GET /api/media?file=…` is a file that posts can show.
 *
 * Every POST but the sign-in has the header `x-tuitbot-csrf`. A request that is refused is answered with `Refused`.
 */
import type { PostSums, PublishedPost } from "../analytics/published-post.ts";
import type { Rehearsal } from "../rehearsal/rehearsal.ts";

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json | undefined };

/** Who may do what: a viewer looks at what is stored, an approver also decides about items, an owner does everything. */
export type Role = "viewer" | "approver" | "owner";

/** Every answer with a status of 400 or more. */
export interface Refused {
  readonly error: {
    /**
     * `signed_out` (401), `wrong_role`, `wrong_csrf_token`, `wrong_origin`, `wrong_host` (403), `not_found` (404), `refused` (409: the
     * command could not be carried out; `failure` says why), `too_many_tries` (429), `bad_request` (400, 413, 415),
     * `unavailable` (503), `internal` (500).
     */
    readonly code: string;
    readonly message: string;
    readonly fix?: string;
    /** One of tuitbot's error codes, with its reason. */
    readonly failure?: { readonly code: string; readonly reason?: string; readonly details?: JsonObject };
  };
}

export type SessionAnswer = SignedIn | SignedOut;

export interface SignedIn {
  readonly signed_in: true;
  readonly person: string;
  readonly role: Role;
  readonly expires_at: string;
  readonly csrf_token: string;
  readonly account: { readonly id: string; readonly username: string | null; readonly name: string | null };
  readonly is_sandbox: boolean;
  /** Of the server: the sandbox's clock may run faster than the browser's. */
  readonly now: string;
  /** How many times as fast as real time the clock runs. */
  readonly speed: number;
  readonly timezone: string;
  readonly mode: "autopilot" | "composer";
  readonly approval_mode: boolean;
  readonly version: string;
  readonly stop: Stop | null;
  /** Given to `GET /api/events`, it makes the stream begin with what changed since this answer. */
  readonly last_event_id: string;
}

export interface SignedOut {
  readonly signed_in: false;
  /** How a person signs in here: by the link that the server prints, by name and passphrase, or both. */
  readonly sign_in: readonly ("link" | "passphrase")[];
  readonly version: string;
}

export type SignInRequest =
  | { readonly link: string }
  | { readonly name: string; readonly passphrase: string };

/** A file in a folder that media may come from; `file_path` goes into the media of a draft. */
export interface StoredFile {
  readonly file_path: string;
  readonly media_type: string;
  readonly file_size_bytes: number;
}

/** A person stopped everything: nothing is sent to X until a person resumes. */
export interface Stop {
  readonly at: string;
  readonly by: string;
  readonly reason: string | null;
}

/** What can change, as `GET /api/events` names it. */
export type EventKind = "approvals" | "drafts" | "activity" | "runner" | "spend" | "stop";

/** The data of an event. The page reads again what it shows. */
export interface EventData {
  readonly kind: EventKind;
  /** What is left of it in a number: waiting items, open drafts (1,000 for more), calls in doubt, 1 while a runner is alive, micro-dollars of today, 1 while stopped. */
  readonly count: number;
  /** The newest item, draft or entry, where there is one. */
  readonly latest: number | string | null;
}

/** When an item goes out, and everything that goes out with it. */
export interface ItemSchedule {
  readonly at: string;
  /** Its files: `post`, `file_path`, and `alt_text` where there is one. */
  readonly media: readonly JsonObject[];
  /** All the posts, where the item is for recurring ones. One approval is for every one of them. */
  readonly series?: {
    readonly repeats: string;
    readonly until: string;
    readonly posts: readonly {
      readonly at: string;
      readonly args: JsonObject;
      readonly media: readonly JsonObject[];
    }[];
  };
}

/** An item that waits for a person. */
export interface PendingItem {
  readonly id: number;
  readonly tool: string;
  readonly args: JsonObject;
  /** SHA-256 of its files. */
  readonly media: readonly string[];
  readonly schedule?: ItemSchedule;
  readonly context: ItemContext | null;
  /** What the person approves; the approval names it, so that what changed meanwhile is refused. */
  readonly digest: string;
  /** `releasing`: it was approved and sent without an answer, and only a look at X tells (`settle`). */
  readonly status: "pending" | "approved" | "releasing" | "executed" | "failed" | "rejected" | "expired";
  readonly reason: string;
  /** How many different people have to approve it. */
  readonly people_needed: number;
  /** Who of them has approved what it says now. */
  readonly approved_by: readonly string[];
  readonly rule_id: string;
  readonly estimated_usd: number;
  readonly created_at: string;
  readonly expires_at: string;
  /** The texts that it publishes, counted as X counts. */
  readonly posts: readonly { readonly text: string; readonly length: number; readonly limit: number }[];
  /** The files that it publishes. */
  readonly files: readonly ShownFile[];
  /** Who made the call: name of the client and how it is connected; null where that is not known yet. */
  readonly asked_by: { readonly client: string | null; readonly transport: string } | null;
}

/** A file that an item publishes; `GET /api/media?file=…` is its content. */
export interface ShownFile {
  /** Which post of a thread, from 1. */
  readonly post: number;
  /** Null if it was not uploaded here, or is no longer what was uploaded. */
  readonly file_path: string | null;
  readonly alt_text?: string;
  /** Its upload; missing before it is uploaded. */
  readonly media_id?: string;
}

export interface ItemContext {
  readonly account: string | null;
  readonly role: "answers" | "quotes" | "about" | null;
  readonly post: ShownPost | null;
  readonly thread: readonly ShownPost[];
  readonly people: readonly {
    readonly id: string | null;
    readonly username: string | null;
    readonly name: string | null;
  }[];
  readonly unknown: readonly string[];
  readonly read_at: string;
}

/** Somebody's post, as X showed it. What is not known is missing. */
export interface ShownPost {
  readonly id: string;
  readonly author?: string | undefined;
  readonly author_followers?: number | undefined;
  readonly text?: string | undefined;
  readonly created_at?: string | undefined;
  readonly likes?: number | undefined;
  readonly reposts?: number | undefined;
  readonly replies?: number | undefined;
  readonly quotes?: number | undefined;
  readonly views?: number | undefined;
  readonly url?: string | undefined;
}

export interface Spending {
  readonly day_usd: number;
  readonly day_cap_usd: number | null;
  readonly month_usd: number;
  readonly month_cap_usd: number | null;
}

export interface Runner {
  readonly alive: boolean;
  readonly last_worked_at: string | null;
  readonly fix?: string | undefined;
}

export interface Status {
  readonly account: { readonly id: string; readonly username: string | null };
  readonly mode: "autopilot" | "composer";
  readonly approval_mode: boolean;
  readonly pending_approvals: number;
  readonly unknown_outcomes: number;
  readonly posts_today: { readonly used: number; readonly max: number | null };
  readonly replies_today: { readonly used: number; readonly max: number | null };
  readonly spending: Spending;
  readonly followers: {
    readonly current: number | null;
    readonly change_7d: number | null;
    readonly trend: readonly { readonly date: string; readonly follower_count: number }[];
  };
  readonly scheduled: number;
  readonly next_scheduled: { readonly draft: number; readonly at: string; readonly text: string } | null;
  /** The latest request to X, of any process, that got an answer or failed. Null where nothing was asked yet. */
  readonly x: { readonly asked_at: string | null; readonly failed: boolean };
  readonly runner: Runner;
  readonly stop: Stop | null;
  /** Loops that a person has switched off. */
  readonly loops_off: readonly string[];
}

export interface Stats {
  readonly followers: {
    readonly current: number | null;
    readonly change_7d: number | null;
    readonly change_30d: number | null;
    readonly trend: readonly { readonly date: string; readonly follower_count: number }[];
  };
  readonly kinds: readonly {
    readonly content_type: string;
    readonly count: number;
    readonly measured: number;
    readonly avg_performance: number | null;
    readonly total_impressions: number;
  }[];
  readonly topics: readonly {
    readonly topic: string;
    readonly format: string;
    readonly total_posts: number;
    readonly avg_performance: number | null;
  }[];
  readonly best_times: readonly {
    readonly weekday: string;
    readonly hour: number;
    readonly posts: number;
    readonly avg_performance: number | null;
  }[];
  readonly timezone: string;
}

export interface Performance {
  /** The newest first. */
  readonly posts: readonly PublishedPost[];
  /** Each day of UTC from the first post on, by when the posts went out. */
  readonly days: readonly (PostSums & { readonly date: string })[];
  /** The last seven days beside the seven before. */
  readonly week: {
    readonly from: string;
    readonly to: string;
    readonly now: PostSums;
    readonly before: PostSums;
    readonly followers: number | null;
    readonly followers_change: number | null;
    readonly followers_change_30d: number | null;
    /** Id of the post with the best score. */
    readonly best: string | null;
  };
  readonly timezone: string;
}

export interface Spend extends Spending {
  readonly summary: Readonly<Record<`${"cost" | "calls"}_${"today" | "7d" | "30d" | "all_time"}`, number>>;
  /** One for each day that was asked for, the oldest first. */
  readonly daily: readonly { readonly date: string; readonly calls: number; readonly cost: number }[];
  readonly operations: readonly {
    readonly endpoint: string;
    readonly calls: number;
    readonly cost: number;
    readonly error_count: number;
  }[];
  /** Clients, people and loops; the empty name is what was asked before callers were recorded. */
  readonly callers: readonly {
    readonly caller: string;
    readonly calls: number;
    readonly cost: number;
    readonly error_count: number;
  }[];
  readonly next_week: PlannedWeek;
}

/** What the seven days to come will cost. */
export interface PlannedWeek {
  readonly scheduled_usd: number;
  readonly posts: readonly {
    readonly draft: number | null;
    readonly at: string;
    readonly text: string;
    /** More than one for a thread. */
    readonly posts: number;
    readonly cost_usd: number;
    /** Nobody has approved it yet. */
    readonly waits: boolean;
  }[];
  /** The mean of the last whole days that are recorded, at most seven; null where there is none. */
  readonly loops_usd_per_day: number | null;
  readonly loop_days: number;
  readonly total_usd: number | null;
}

/** What was sent to X, failed, or waits. */
export interface LogEntry {
  readonly correlation_id: string;
  readonly tool_name: string;
  readonly status: string;
  readonly decision: string;
  readonly params: Json;
  readonly result: Json;
  readonly error_message: string | null;
  readonly receipt_id: string | null;
  readonly approval_id: number | null;
  readonly elapsed_ms: number | null;
  readonly created_at: string;
}

/** Who made a call, by which rule it was decided, and the state of its receipt; null where there is none. */
export interface CallFacts {
  readonly client: string | null;
  readonly transport: string | null;
  readonly rule_id: string | null;
  readonly receipt_state: "pending" | "confirmed" | "failed" | "unknown" | null;
}

/** Something that was done on X and can be taken back. */
export interface Undoable {
  readonly id: string;
  readonly tool: string;
  readonly params: Json;
  readonly result: Json;
  readonly at: string;
  readonly client: string | null;
  /** The item that a person approved for it. */
  readonly approval_id: number | null;
  /** The calls that take it back. */
  readonly undo: readonly { readonly tool: string; readonly args: JsonObject }[];
}

/** What the page does beyond tools: the command of the same name, with `--output json`. */
export interface Commands {
  status: { request: object; answer: Status };
  /** `days` of followers; 30 where it is missing. */
  stats: { request: { readonly days?: number | undefined }; answer: Stats };
  /** Every post of the last `days`, 30 where it is missing, with its figures and what they add up to. */
  performance: { request: { readonly days?: number | undefined }; answer: Performance };
  /** `days` of spending; 14 where it is missing. */
  spend: { request: { readonly days?: number | undefined }; answer: Spend };
  /** The newest first, 20 where `limit` is missing. */
  log: {
    request: {
      readonly limit?: number | undefined;
      readonly tool?: string | undefined;
      readonly status?: "pending" | "success" | "failure" | "duplicate" | "routed" | "asked" | undefined;
      /** Who made the calls, as `client` of an entry says it. */
      readonly client?: string | undefined;
    };
    answer: { readonly entries: readonly (LogEntry & CallFacts)[] };
  };
  /** Without `id`, what can be taken back, the newest first; with it, takes this one back. */
  undo: {
    request: { readonly list?: true | undefined; readonly id?: string | undefined };
    answer: { readonly undone: boolean; readonly undoable: readonly Undoable[] };
  };
  /** The settings in force, with secrets masked. */
  config: { request: object; answer: { readonly file: string | null; readonly config: JsonObject } };
  /** What waits, the oldest first, each with what it is about. */
  pending: {
    request: object;
    answer: {
      readonly account: { readonly id: string; readonly username: string; readonly name: string };
      readonly items: readonly PendingItem[];
    };
  };
  /** With passkeys, refused with the reason `needs_passkey` unless one has signed these. So are the two below. */
  approve: {
    request: SeenItem & { readonly signature?: PasskeySignature | undefined };
    answer: { readonly id: number; readonly status: string; readonly result: Json };
  };
  reject: {
    request: { readonly id: number; readonly digest: string; readonly reason?: string | undefined };
    answer: { readonly id: number; readonly status: string };
  };
  /** Replaces the arguments of a waiting item; it then has another digest. */
  edit: {
    request: { readonly id: number; readonly digest: string; readonly args: JsonObject };
    answer: PendingItem;
  };
  /** One after the other; `message` says why one was not carried out. One signature is for all of them. */
  approve_many: {
    request: { readonly items: readonly SeenItem[]; readonly signature?: PasskeySignature | undefined };
    answer: { readonly results: readonly { readonly id: number; readonly message: string | null }[] };
  };
  passkeys: { request: object; answer: Passkeys };
  /** What is to be signed to approve these `items`, to add a passkey to others, or to remove the one with this `id`. */
  passkey_challenge: {
    request: {
      readonly purpose: "approve" | "next_slot" | "register" | "remove";
      readonly items?: readonly SeenItem[] | undefined;
      readonly id?: string | undefined;
    };
    answer: PasskeyOptions;
  };
  passkey_new: { request: object; answer: PasskeyOptions };
  /** What a device has made with the options of `passkey_new`; with a signature of another where there is one. */
  passkey_add: {
    request: PasskeySignature & { readonly signature?: PasskeySignature | undefined };
    answer: Passkeys;
  };
  passkey_remove: {
    request: { readonly id: string; readonly signature?: PasskeySignature | undefined };
    answer: Passkeys;
  };
  /** Approves a waiting post for the next free posting slot instead of now. It becomes a scheduled draft. */
  next_slot: {
    request: SeenItem & { readonly signature?: PasskeySignature | undefined };
    answer: { readonly id: number; readonly status: string; readonly draft: Draft };
  };
  /** Closes an item that was sent without an answer, by what the person found on X. */
  settle: {
    request: { readonly id: number; readonly is_out: boolean };
    answer: { readonly id: number; readonly status: string };
  };
  /** Closes a call of the log that was sent without an answer, by what the person found on X. Sends nothing. */
  settle_call: {
    request: {
      readonly id: string;
      readonly is_out: boolean;
      /** Of the post, if it is one and the person knows it. */
      readonly post_id?: string | undefined;
    };
    answer: { readonly id: string; readonly state: string };
  };
  /** Drafts that are not settled, or those with a status; with `id` this one, and its revisions. */
  drafts: {
    request: { readonly id?: number | undefined; readonly status?: DraftStatus | undefined };
    answer: { readonly drafts: readonly Draft[]; readonly revisions: readonly Revision[] };
  };
  /** What the loops would do in so many days, 7 where it is missing, on a copy. Takes some seconds for each day. */
  rehearse: { request: { readonly days?: number | undefined }; answer: Rehearsal };
  /** What would become of a call of an agent, and why. Nothing is sent or used up. */
  test_call: {
    request: { readonly tool: string; readonly args: JsonObject };
    answer: {
      readonly policy_decision: "allow" | "deny" | "require_approval" | "dry_run";
      readonly matched_rule_id: string | null;
      readonly reason?: string;
      readonly estimated_usd: number;
      readonly budget?: { readonly code: string; readonly reason: string; readonly message: string };
      readonly earlier_call?: string;
      readonly limits: readonly { readonly key: string; readonly used: number; readonly max: number }[];
    };
  };
  /** Switches a loop on or off, in every process from its next pass on. */
  loop_switch: {
    request: { readonly name: LoopName; readonly on: boolean };
    answer: RunnerState;
  };
  /** What each loop would do now, as `tuitbot tick --dry-run`: sends, queues and measures nothing. */
  dry_run: { request: object; answer: { readonly loops: readonly DryLoop[]; readonly is_active: boolean } };
  /** What somebody does who has no agent yet, and how far they are. */
  first_steps: {
    request: object;
    answer: {
      /** A line for a shell, without the token. */
      readonly connect: string;
      /** Words for the agent. */
      readonly ask: string;
      /** Whether an agent has asked anything of X yet. */
      readonly is_connected: boolean;
      readonly has_proposed: boolean;
    };
  };
  /** What the loops do now and next. */
  runner: { request: object; answer: RunnerState };
  /**
   * The guided set-up of `tuitbot init`: begins or stops it, or answers its question. The answer comes when the state
   * is newer than the version `after`, where one is given.
   */
  setup: {
    request: {
      readonly do?: "begin" | "stop" | undefined;
      readonly answer?: { readonly question: number; readonly value: string | boolean } | undefined;
      readonly after?: number | undefined;
    };
    answer: SetupState;
  };
  stop: { request: { readonly reason?: string | undefined }; answer: { readonly stop: Stop } };
  resume: { request: object; answer: { readonly stop: null; readonly resumed: boolean } };
}

/** An item with the content that the person saw. */
export interface SeenItem {
  readonly id: number;
  readonly digest: string;
}

export interface Passkeys {
  readonly passkeys: readonly Passkey[];
  /** Whether approvals need a signature. */
  readonly required: boolean;
}

/** A key of somebody's device. While an account has one, approvals count only with its signature. */
export interface Passkey {
  readonly id: string;
  readonly person: string;
  /** The host name of the page that it is for. */
  readonly site: string;
  readonly created_at: string;
}

/** For `navigator.credentials`: what it is to sign, and what comes back with the signature. */
export interface PasskeyOptions {
  readonly ticket: string;
  readonly options: JsonObject;
}

/** What a passkey answers, as `PublicKeyCredential.toJSON` gives it, with the ticket of its challenge. */
export interface PasskeySignature {
  readonly ticket: string;
  readonly response: JsonObject;
}

export type DraftStatus = "draft" | "scheduled" | "publishing" | "queued" | "published" | "discarded";

export interface Draft {
  readonly draft_id: number;
  readonly content_type: "tweet" | "thread";
  readonly texts: readonly string[];
  readonly char_counts: readonly number[];
  readonly media: readonly {
    readonly post: number;
    readonly file_path: string;
    readonly alt_text?: string | undefined;
  }[];
  readonly topic: string | null;
  readonly format: string | null;
  readonly status: DraftStatus;
  readonly revision: number;
  readonly scheduled_for: string | null;
  readonly approval_queue_id: number | null;
  readonly approval: "waiting" | "approved" | null;
  /** Which of recurring posts it is. */
  readonly series: {
    readonly id: number;
    readonly number: number;
    readonly of: number;
    readonly repeats: string;
    readonly until: string;
  } | null;
  readonly tweet_ids: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly by: string;
  readonly what: string;
  readonly texts: readonly string[];
  readonly scheduled_for: string | null;
  readonly status: string;
  readonly note: string | null;
}

export type LoopName =
  | "scheduled"
  | "mentions"
  | "targets"
  | "discovery"
  | "content"
  | "threads"
  | "analytics"
  | "retention";

/** What a loop would do in a dry run. */
export interface DryLoop {
  readonly name: LoopName;
  readonly status: "completed" | "skipped" | "failed";
  readonly counts: Readonly<Record<string, number>>;
  /** Why it does nothing, or what would fail. */
  readonly reason: string | null;
}

export interface RunnerState {
  readonly runner: Runner;
  readonly stop: Stop | null;
  readonly mode: "autopilot" | "composer";
  readonly approval_mode: boolean;
  /** Whether now is within the active hours. */
  readonly is_active: boolean;
  readonly loops: readonly {
    readonly name: string;
    readonly does: string;
    /** Seconds between two runs; 0 where it looks in every pass. */
    readonly every_seconds: number;
    readonly last_ran_at: string | null;
    /** Failed runs since the last that did not fail. */
    readonly failures: number;
    /** Null where it has no interval or is switched off; in the past where it is due. */
    readonly next_at: string | null;
    /** Who switched it off, and when; null while it is on. */
    readonly off: { readonly at: string; readonly by: string } | null;
    /** What its last run came to: counts, or why it failed; null where that is not known. */
    readonly last: {
      readonly status: "completed" | "failed";
      readonly counts: Readonly<Record<string, number>>;
      readonly message: string | null;
    } | null;
    /** Whether it writes texts or answers, for which it needs a language model. */
    readonly writes: boolean;
  }[];
  /** A pass is under way. */
  readonly at_work: boolean;
  /** Whether a language model is set up. */
  readonly has_writer: boolean;
}

export interface SetupState {
  /** Grows with every change. */
  readonly version: number;
  readonly status: "none" | "running" | "done" | "stopped" | "failed";
  readonly lines: readonly SetupLine[];
  /** Null while something is done, or nothing runs. */
  readonly question: SetupQuestion | null;
}

/** Something that was said or done; a `page` is an address to open, an `answer` has its question as the title. */
export interface SetupLine {
  readonly kind: "title" | "note" | "step" | "warn" | "page" | "answer";
  readonly title: string | null;
  readonly text: string;
}

export interface SetupQuestion {
  readonly number: number;
  readonly kind: "text" | "secret" | "confirm" | "choice";
  readonly message: string;
  readonly initial: string | boolean;
  readonly options?: readonly {
    readonly value: string;
    readonly label: string;
    readonly hint?: string;
  }[];
  /** What is wrong with the last answer. */
  readonly problem: string | null;
}
export type { PublishedPost, Rehearsal };

export type CommandName = keyof Commands;
