import { changesSince, idOf, type Snapshot, type Versions, versionsIn } from "../app/changes.ts";

export interface EventSetting {
  readonly snapshot: () => Promise<Snapshot>;
  /** Calls back after every change, until the returned function is called. */
  readonly watch: (onChange: () => void) => () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Pages that listen to what changes. While none does, nothing is watched. */
export interface EventStreams {
  /** A stream for one visitor. */
  readonly open: (visitor: StreamVisitor, signal: AbortSignal) => Promise<Response>;
  /**
   * Sends a state that one page has just received in an answer to the pages that have not. Otherwise they would miss a
   * state that changes back before the next check, and the page that saw it would keep it.
   */
  readonly publish: (state: Snapshot) => void;
  readonly close: () => Promise<void>;
}

export interface StreamVisitor {
  readonly person: string;
  /** The last event that the page has seen. */
  readonly seenId: string | undefined;
  /** Checked after every change of the database and with every heartbeat: the stream ends when it is false. */
  readonly isAllowed: () => Promise<boolean>;
}

/** Proxies cut what is silent for a minute, and some things change by time alone. */
const HEARTBEAT_MS = 15_000;

const MAX_UNREAD = 1_000;
/** Streams per user. A new one ends the oldest, which keeps one user from taking all of the server's connections. */
const MAX_STREAMS = 24;

interface Listener {
  readonly person: string;
  /** The versions that the page has seen. */
  seen: Partial<Versions>;
  readonly send: (text: string) => void;
  readonly end: () => void;
  readonly isAllowed: () => Promise<boolean>;
}

export function eventStreams({ snapshot, watch, onError }: EventSetting): EventStreams {
  const listeners = new Set<Listener>();
  let stopWatching: (() => Promise<void>) | undefined;
  let telling: Promise<void> | undefined;
  let isStale = false;

  /** Sends every page the changes it has not seen. Changes during the run are sent right after. */
  function tell(): Promise<void> {
    if (listeners.size === 0) return Promise.resolve();
    isStale = true;
    telling ??= (async () => {
      try {
        do {
          isStale = false;
          await endDisallowed();
          const now = await snapshot();
          for (const listener of listeners) sendChanges(listener, now);
        } while (isStale && listeners.size > 0);
      } catch (error) {
        // A database that cannot be used is asked again with the next heartbeat.
        onError(error);
      } finally {
        // In the same step as the last check of `isStale`, so no change falls between the two.
        telling = undefined;
      }
    })();
    return telling;
  }

  /** Ends the streams of people who were signed out or removed. */
  async function endDisallowed(): Promise<void> {
    // A database that cannot be asked whether the session lasts has no news for it either: the page stays.
    for (const listener of [...listeners])
      if (!(await listener.isAllowed().catch(() => true))) listener.end();
  }

  async function beat(): Promise<void> {
    await tell();
    for (const listener of listeners) listener.send(":\n\n");
  }

  function start(): void {
    const watched = watch(() => void tell());
    const timer = setInterval(() => void beat(), HEARTBEAT_MS);
    timer.unref();
    stopWatching = () => {
      clearInterval(timer);
      return watched();
    };
  }

  function remove(listener: Listener): void {
    if (!listeners.delete(listener) || listeners.size > 0) return;
    void stopWatching?.();
    stopWatching = undefined;
  }

  return {
    async open({ person, seenId, isAllowed }, signal) {
      const own = [...listeners].filter((one) => one.person === person);
      own.at(-MAX_STREAMS)?.end();
      const encoder = new TextEncoder();
      let leave = () => {};
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          // A tab may be closed before its stream begins.
          if (signal.aborted) return controller.close();
          const listener: Listener = {
            person,
            seen: versionsIn(seenId),
            send: (text) => {
              // The page may have closed while its session was looked up.
              if (!listeners.has(listener)) return;
              // A browser that reads nothing is let go; it asks again with what it has seen.
              if ((controller.desiredSize ?? 0) < -MAX_UNREAD) listener.end();
              else controller.enqueue(encoder.encode(text));
            },
            end: () => {
              if (!listeners.has(listener)) return;
              remove(listener);
              controller.close();
            },
            isAllowed,
          };
          leave = () => remove(listener);
          listeners.add(listener);
          signal.addEventListener("abort", listener.end, { once: true });
          // Browsers reconnect this soon after the server is gone.
          listener.send("retry: 1000\n\n");
          if (stopWatching === undefined) start();
          void tell();
        },
        cancel: () => leave(),
      });
      return new Response(body, {
        headers: {
          "content-type": "text/event-stream; charset=utf-8",
          "cache-control": "no-store",
          "x-accel-buffering": "no",
        },
      });
    },
    publish(state) {
      for (const listener of listeners) sendChanges(listener, state);
    },
    async close() {
      const stopped = stopWatching?.();
      for (const listener of [...listeners]) listener.end();
      await stopped;
      await telling;
    },
  };
}

/** Each event id encodes the state the page has seen with it, so a reconnecting page gets the next changes. */
function sendChanges(listener: Listener, now: Snapshot): void {
  for (const { version, ...event } of changesSince(now, listener.seen)) {
    listener.seen = { ...listener.seen, [event.kind]: version };
    listener.send(`event: ${event.kind}\nid: ${idOf(listener.seen)}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}
