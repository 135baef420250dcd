import { signal } from "@preact/signals";
import { base, readSession, session } from "./client.ts";
import { changed } from "./query.ts";

/** The topics of `GET /api/events`. */
const TOPICS = ["approvals", "drafts", "activity", "runner", "spend", "stop"] as const;

type Topic = (typeof TOPICS)[number];

/** Whether the server answers. */
export const connection = signal<"connecting" | "open" | "lost">("connecting");

let source: EventSource | undefined;
let wasLost = false;

/** Listens to the server until the page is closed, and reads everything again after a gap. */
export function startLive(): void {
  source?.close();
  source = new EventSource(`${base}/api/events`);
  source.onopen = () => {
    connection.value = "open";
    // Changes during the gap were not sent.
    if (wasLost) void readSession().then(() => changed());
    wasLost = false;
  };
  source.onerror = () => {
    wasLost = true;
    connection.value = "lost";
    if (source?.readyState === EventSource.CLOSED) setTimeout(retry, RETRY_MS);
  };
  for (const topic of TOPICS) source.addEventListener(topic, () => later(topic));
}

// A browser that is back online does not wait for its next try, and reads again what failed in between.
addEventListener("online", () => (connection.peek() === "lost" ? void retry() : changed()));

const RETRY_MS = 2_000;

/** EventSource gives up if the answer is not a stream, for example after the session has ended. */
async function retry(): Promise<void> {
  await readSession();
  if (session.peek()?.signed_in !== false) startLive();
}

const TOGETHER_MS = 30;
const waiting = new Set<Topic>();

/** Several events in a row become one reading. */
function later(topic: Topic): void {
  if (waiting.size === 0)
    setTimeout(async () => {
      const topics = [...waiting];
      waiting.clear();
      if (topics.includes("stop")) await readSession();
      changed(topics);
    }, TOGETHER_MS);
  waiting.add(topic);
}
