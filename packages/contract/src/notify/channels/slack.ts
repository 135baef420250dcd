import { failed, type Outcome, ok } from "@toolpact/outcome";
import { parseJson } from "../../json.ts";
import { ACTIONS, isOffered, LABELS, type Message, type SendFailure, type Service } from "../channel.ts";
import { sendJson } from "./send-http.ts";

export interface SlackSetting {
  readonly botToken: string;
  /** For Socket Mode; without it there are no buttons. */
  readonly appToken: string | undefined;
  readonly apiUrl: string;
  /** The sender's name, for notifications of messages with several parts. */
  readonly product: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Characters of a section; Slack rejects longer ones. */
const MAX_TEXT = 3_000;

/**
 * Direct messages of a Slack app. Answers arrive through Socket Mode, so no port is open. They count by
 * Slack's user id and the button's secret.
 */
export function slackChannel(setting: SlackSetting): Service {
  const { appToken } = setting;
  const blocksOf = (message: Message) => blocks(message, appToken !== undefined);
  return {
    async send(user, message, signal) {
      const sent = await call(setting, "chat.postMessage", { channel: user, ...blocksOf(message) }, signal);
      if (!sent.ok) return sent;
      // Each message is in a direct conversation with its recipient.
      return ok(`${String(sent.value.channel)}/${String(sent.value.ts)}`);
    },
    update(_user, sent, message, signal) {
      const [channel, ts] = sent.split("/");
      return call(setting, "chat.update", { channel, ts, ...blocksOf(message) }, signal);
    },
    ...(appToken !== undefined && {
      listen: (take: Parameters<NonNullable<Service["listen"]>>[0], signal: AbortSignal) =>
        listen(setting, appToken, take, signal),
    }),
  };
}

async function listen(
  setting: SlackSetting,
  appToken: string,
  take: Parameters<NonNullable<Service["listen"]>>[0],
  signal: AbortSignal,
): Promise<void> {
  const opened = await call({ ...setting, botToken: appToken }, "apps.connections.open", {}, signal);
  if (!opened.ok) throw new Error(opened.failure.message);
  // An aborted signal would not close the socket.
  if (signal.aborted) return;
  const address = String(opened.value.url);
  // Only a Slack on this machine, which tests may configure, works without TLS.
  const scheme = new URL(setting.apiUrl).protocol === "https:" ? "wss://" : "ws://";
  if (!address.startsWith(scheme)) throw new Error("Slack named an address that is no socket of Slack's.");
  const socket = new WebSocket(address);
  const stop = () => socket.close();
  signal.addEventListener("abort", stop, { once: true });
  const taking = new Set<Promise<void>>();
  try {
    await new Promise<void>((resolve) => {
      socket.addEventListener("close", () => resolve());
      socket.addEventListener("error", () => resolve());
      socket.addEventListener("message", ({ data }) => {
        const envelope = objectIn(String(data));
        // Slack closes this connection and expects the next one.
        if (envelope.type === "disconnect") return socket.close();
        if (typeof envelope.envelope_id !== "string") return;
        // Within three seconds, or Slack sends it again.
        socket.send(JSON.stringify({ envelope_id: envelope.envelope_id }));
        if (envelope.type !== "interactive") return;
        const answering = answer(setting, Object(envelope.payload), take, signal).finally(() =>
          taking.delete(answering),
        );
        taking.add(answering);
      });
    });
  } finally {
    signal.removeEventListener("abort", stop);
    await Promise.allSettled(taking);
  }
}

interface BlockActions {
  readonly type?: unknown;
  readonly user?: { readonly id?: unknown };
  readonly actions?: readonly { readonly action_id?: unknown; readonly value?: unknown }[];
}

async function answer(
  setting: SlackSetting,
  { type, user, actions }: BlockActions,
  take: Parameters<NonNullable<Service["listen"]>>[0],
  signal: AbortSignal,
): Promise<void> {
  const [pressed] = actions ?? [];
  const action = ACTIONS.find((one) => one === pressed?.action_id);
  const [id = "", token = ""] = String(pressed?.value).split(":");
  if (type !== "block_actions" || action === undefined || typeof user?.id !== "string") return;
  const reply = await take({ userId: user.id, action, item: Number(id), token });
  const said = reply.shows ?? { text: reply.text };
  // Plain text: elsewhere a stranger's words could be links or mention everybody.
  for (const text of pieces(said.text))
    await call(
      setting,
      "chat.postMessage",
      { channel: user.id, text: setting.product, blocks: [section(text)], unfurl_links: false },
      signal,
    );
  if (reply.shows !== undefined)
    await call(
      setting,
      "chat.postMessage",
      { channel: user.id, ...blocks({ ...reply.shows, text: "" }, true) },
      signal,
    );
}

/** Content that does not fit cannot be approved here: users approve only what they see. */
function blocks({ title, text, item, link }: Message, takesAnswers: boolean) {
  const fits = text.length <= MAX_TEXT;
  const shown = fits ? text : `${text.slice(0, MAX_TEXT - CUT.length)}${CUT}`;
  const { tokens } = item ?? {};
  const buttons = [
    ...(tokens === undefined || item === undefined || !takesAnswers
      ? []
      : ACTIONS.filter((action) => tokens[action] !== undefined && isOffered(action, fits)).map((action) => ({
          type: "button",
          action_id: action,
          text: { type: "plain_text", text: LABELS[action] },
          value: `${item.id}:${tokens[action]}`,
        }))),
    ...(link === undefined
      ? []
      : [
          {
            type: "button",
            action_id: "open",
            text: { type: "plain_text", text: "Open dashboard" },
            url: link,
          },
        ]),
  ];
  return {
    text: title,
    blocks: [
      section(title),
      ...(shown === "" ? [] : [section(shown)]),
      ...(buttons.length === 0 ? [] : [{ type: "actions", elements: buttons }]),
    ],
    unfurl_links: false,
  };
}

function section(text: string) {
  return { type: "section", text: { type: "plain_text", text } };
}

const CUT = "\n… It goes on. Press Show for all of it.";

function pieces(text: string): readonly string[] {
  const characters = [...text];
  const size = MAX_TEXT / 2;
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}

async function call(
  { apiUrl, botToken, fetch }: SlackSetting,
  method: string,
  args: object,
  signal: AbortSignal,
): Promise<Outcome<Readonly<Record<string, unknown>>, SendFailure>> {
  const url = new URL(method, apiUrl.endsWith("/") ? apiUrl : `${apiUrl}/`).href;
  const headers = {
    authorization: `Bearer ${botToken}`,
    "content-type": "application/json; charset=utf-8",
  };
  const sent = await sendJson(fetch, "Slack", { url, headers, body: JSON.stringify(args) }, signal);
  if (!sent.ok) return sent;
  const answered = Object(sent.value) as Readonly<Record<string, unknown>>;
  if (answered.ok === true) return ok(answered);
  const error = String(answered.error).slice(0, 80);
  return failed({ message: `Slack answered: ${error}.`, isFinal: !TRANSIENT.has(error) });
}

const TRANSIENT: ReadonlySet<string> = new Set([
  "ratelimited",
  "internal_error",
  "service_unavailable",
  "fatal_error",
]);

function objectIn(text: string): Readonly<Record<string, unknown>> {
  return Object(parseJson(text));
}
