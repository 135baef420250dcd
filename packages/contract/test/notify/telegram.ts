import { httpStandIn, type StandIn } from "./stand-ins.ts";

export interface Chatted {
  readonly chat: string;
  readonly messageId: number;
  text: string;
  /** Without links. */
  buttons: readonly { readonly text: string; readonly callback_data?: string }[];
  links: readonly string[];
  /** Parameters that change the text's look, such as `parse_mode`. */
  format: readonly string[];
}

export interface Telegram extends StandIn {
  readonly token: string;
  /** Oldest first. */
  readonly chats: readonly Chatted[];
  /** Oldest first. */
  readonly notes: readonly { readonly id: string; readonly text: string }[];
  /** Resolves with the bot's answer. `data` may be forged. */
  readonly press: (from: string, data: string | undefined) => Promise<string>;
  /** Resolves with the bot's reply. */
  readonly write: (from: string, replyTo: number, text: string) => Promise<string>;
  /** Telegram repeats it if the bot was killed before its next poll. */
  readonly repeatLast: () => void;
}

type Update = { readonly update_id: number } & Readonly<Record<string, unknown>>;

/** Telegram holds an empty `getUpdates` as long as the bot asks. */
const MAX_HOLD_MS = 2_000;

/** As documented: one poller, offsets, limits of texts and buttons. */
export async function telegramStandIn(token = "123:telegram-secret"): Promise<Telegram> {
  const chats: Chatted[] = [];
  const notes: { id: string; text: string }[] = [];
  let updates: Update[] = [];
  let confirmed = 0;
  let last = 100;
  let lastUpdate: Update | undefined;
  const waiters = new Set<() => void>();
  const noted = new Map<string, (text: string) => void>();
  const written: ((text: string) => void)[] = [];

  function deliver(update: Omit<Update, "update_id">): void {
    lastUpdate = { update_id: ++last, ...update };
    updates.push(lastUpdate);
    for (const wake of waiters) wake();
  }

  const refuse = (code: number, description: string) => ({
    status: code,
    body: {
      ok: false,
      error_code: code,
      description: `${code === 400 ? "Bad Request: " : ""}${description}`,
    },
  });
  const done = (result: unknown) => ({ body: { ok: true, result } });

  function buttonsIn(markup: unknown): Chatted["buttons"] | string {
    const rows = (Object(markup).inline_keyboard ?? []) as {
      text: string;
      callback_data?: string;
      url?: string;
    }[][];
    for (const { callback_data, url } of rows.flat()) {
      if (callback_data !== undefined && Buffer.byteLength(callback_data) > 64) return "BUTTON_DATA_INVALID";
      if (url !== undefined && !url.startsWith("https://")) return "wrong HTTP URL specified";
    }
    return rows.flat().filter(({ callback_data }) => callback_data !== undefined);
  }

  function linksIn(markup: unknown): readonly string[] {
    const rows = (Object(markup).inline_keyboard ?? []) as { text: string; url?: string }[][];
    return rows.flat().flatMap(({ text, url }) => (url === undefined ? [] : [text]));
  }

  const standIn = await httpStandIn(async (path, body) => {
    const [, bot, method] = path.split("/");
    if (bot !== `bot${token}`) return refuse(401, "Unauthorized");
    switch (method) {
      case "getMe":
        return done({ id: 123, is_bot: true, first_name: "tuitbot", username: "tuitbot_test_bot" });
      case "deleteWebhook":
        return done(true);
      case "getUpdates": {
        const offset = Number(body.offset ?? 0);
        // Updates before the offset are confirmed, and not sent again.
        if (offset > 0) confirmed = Math.max(confirmed, offset - 1);
        updates = updates.filter(({ update_id }) => update_id > confirmed);
        if (updates.length === 0)
          await new Promise<void>((resolve) => {
            const wake = () => {
              waiters.delete(wake);
              clearTimeout(timer);
              resolve();
            };
            const timer = setTimeout(wake, Math.min(MAX_HOLD_MS, Number(body.timeout ?? 0) * 1_000));
            waiters.add(wake);
          });
        return done(updates.slice(0, Number(body.limit ?? 100)));
      }
      case "sendMessage":
      case "editMessageText": {
        const text = String(body.text);
        if (text === "") return refuse(400, "message text is empty");
        if (text.length > 4_096) return refuse(400, "message is too long");
        const buttons = buttonsIn(body.reply_markup);
        if (typeof buttons === "string") return refuse(400, buttons);
        const chat = String(body.chat_id);
        if (method === "sendMessage") {
          const links = linksIn(body.reply_markup);
          const format = Object.keys(body).filter((name) => ["parse_mode", "entities"].includes(name));
          const message = { chat, messageId: ++last, text, buttons, links, format };
          chats.push(message);
          written.shift()?.(text);
          return done({
            message_id: message.messageId,
            date: 0,
            chat: { id: Number(chat), type: "private" },
            text,
          });
        }
        const message = chats.find((one) => one.chat === chat && one.messageId === Number(body.message_id));
        if (message === undefined) return refuse(400, "message to edit not found");
        if (message.text === text && JSON.stringify(message.buttons) === JSON.stringify(buttons))
          return refuse(400, "message is not modified");
        Object.assign(message, { text, buttons, links: linksIn(body.reply_markup) });
        return done({
          message_id: message.messageId,
          date: 0,
          chat: { id: Number(chat), type: "private" },
          text,
        });
      }
      case "answerCallbackQuery": {
        const [id, text] = [String(body.callback_query_id), String(body.text ?? "")];
        if (text.length > 200) return refuse(400, "MESSAGE_TOO_LONG");
        notes.push({ id, text });
        noted.get(id)?.(text);
        return done(true);
      }
      default:
        return refuse(404, "Not Found");
    }
  });

  const user = (from: string) => ({ id: Number(from), is_bot: false, first_name: "Somebody" });
  return {
    ...standIn,
    token,
    chats,
    notes,
    press(from, data) {
      const id = String(++last);
      const answered = new Promise<string>((resolve) => noted.set(id, resolve));
      deliver({ callback_query: { id, from: user(from), chat_instance: "1", data } });
      return answered;
    },
    write(from, replyTo, text) {
      const answered = new Promise<string>((resolve) => written.push(resolve));
      const chat = { id: Number(from), type: "private", first_name: "Somebody" };
      deliver({
        message: {
          message_id: ++last,
          date: 0,
          chat,
          from: user(from),
          text,
          reply_to_message: { message_id: replyTo, date: 0, chat, text: "" },
        },
      });
      return answered;
    },
    repeatLast() {
      if (lastUpdate === undefined) return;
      const { update_id: _, ...update } = lastUpdate;
      deliver(update);
    },
  };
}
