import { failed, type Outcome, ok } from "@toolpact/outcome";
import { type Api, Bot, GrammyError, InlineKeyboard } from "grammy/web";
import {
  ACTIONS,
  type Answer,
  isOffered,
  LABELS,
  type Message,
  type Reply,
  type SendFailure,
  type Service,
} from "../channel.ts";

export interface TelegramSetting {
  readonly token: string;
  readonly apiUrl: string;
}

/** Telegram rejects longer messages. */
const MAX_TEXT = 4_096;
/** For the note that answers a button press. */
const MAX_NOTE = 200;
const POLL_SECONDS = 25;

/** A bot that polls for answers, so no port is open. They count by Telegram's user id and the button's secret. */
export function telegramChannel({ token, apiUrl }: TelegramSetting): Service {
  const newBot = () => new Bot(token, { client: { apiRoot: apiUrl.replace(/\/$/, ""), timeoutSeconds: 40 } });
  const { api } = newBot();
  return {
    send: (chat, message, signal) => {
      const [text, keyboard] = parts(message);
      return attempt(async () => {
        const sent = await api.sendMessage(chat, text, optionsWith(keyboard), abortable(signal));
        return String(sent.message_id);
      });
    },
    update: (chat, sent, message, signal) => {
      const [text, keyboard] = parts(message);
      return attempt(() =>
        api.editMessageText(chat, Number(sent), text, optionsWith(keyboard), abortable(signal)),
      );
    },
    async listen(take, signal) {
      const bot = newBot();
      bot.on("callback_query:data", async ({ callbackQuery }) => {
        const { id, data, from } = callbackQuery;
        const answer = answerIn(data);
        const reply = answer === undefined ? UNKNOWN : await take({ ...answer, userId: String(from.id) });
        // It may be too late to answer the press, but the decision counts.
        await attempt(() =>
          bot.api.answerCallbackQuery(id, { text: reply.text.slice(0, MAX_NOTE), show_alert: true }),
        );
        if (reply.shows !== undefined) await showWhole(bot.api, String(from.id), reply.shows);
      });
      bot.on("message:text", async ({ message }) => {
        const replied = message.reply_to_message;
        // In a private chat, the chat's id is the person's.
        if (replied === undefined || message.chat.id !== message.from.id) return;
        const [, reason] = /^\/reject\b\s*([\s\S]*)$/.exec(message.text) ?? [];
        const reply = await take({
          userId: String(message.from.id),
          message: String(replied.message_id),
          ...(reason === undefined
            ? { action: "edit", text: message.text }
            : { action: "refuse", text: reason }),
        });
        await attempt(() => bot.api.sendMessage(message.chat.id, reply.text));
      });
      // A handler's error must not end the polling. The user can press again.
      bot.catch(() => {});
      let stopped: Promise<unknown> = Promise.resolve();
      // Stopping confirms the last updates, which fails if Telegram is unreachable.
      const stop = () => {
        stopped = attempt(() => bot.stop());
      };
      signal.addEventListener("abort", stop, { once: true });
      try {
        if (!signal.aborted)
          await bot.start({ timeout: POLL_SECONDS, allowed_updates: ["callback_query", "message"] });
      } catch (error) {
        if (!signal.aborted) throw new Error(failureOf(error).message);
      } finally {
        signal.removeEventListener("abort", stop);
        await stopped;
      }
    },
  };
}

const UNKNOWN: Reply = { text: "This button is not one of ours." };

/** Content that does not fit cannot be approved: users approve only what they see. */
function parts({ title, text, item, link }: Message): readonly [text: string, keyboard: InlineKeyboard] {
  const whole = `${title}\n\n${text}`;
  const fits = whole.length <= MAX_TEXT;
  const keyboard = new InlineKeyboard();
  const { tokens } = item ?? {};
  for (const action of ACTIONS.filter((one) => isOffered(one, fits))) {
    const token = tokens?.[action];
    if (token === undefined) continue;
    // Long labels are cut if they share a line.
    const isLong = LABELS[action].length > MAX_LABEL;
    if (isLong) keyboard.row();
    keyboard.text(LABELS[action], `${action}:${item?.id}:${token}`);
    if (isLong) keyboard.row();
  }
  if (link !== undefined && isPublic(link)) keyboard.row().url("Open dashboard", link);
  return [fits ? whole : `${whole.slice(0, MAX_TEXT - CUT.length)}${CUT}`, keyboard];
}

const MAX_LABEL = 10;

const CUT = "\n… It goes on. Press Show for all of it.";

/** Telegram rejects buttons with local addresses. */
function isPublic(link: string): boolean {
  return new URL(link).protocol === "https:";
}

/** As many messages as it takes; the last has the buttons. */
async function showWhole(api: Api, chat: string, message: Message): Promise<void> {
  const characters = [...message.text];
  const size = MAX_TEXT / 4;
  for (let from = 0; from < characters.length; from += size) {
    const text = characters.slice(from, from + size).join("");
    const isLast = from + size >= characters.length;
    const keyboard = isLast ? parts({ ...message, text: "" })[1] : new InlineKeyboard();
    const sent = await attempt(() => api.sendMessage(chat, text, optionsWith(keyboard)));
    if (!sent.ok) return;
  }
}

function optionsWith(keyboard: InlineKeyboard) {
  return { reply_markup: keyboard, link_preview_options: { is_disabled: true } } as const;
}

function answerIn(
  data: string,
): Pick<Extract<Answer, { token: string }>, "action" | "item" | "token"> | undefined {
  const [name, id, token = ""] = data.split(":");
  const action = ACTIONS.find((one) => one === name);
  const item = Number(id);
  return action === undefined || !Number.isSafeInteger(item) ? undefined : { action, item, token };
}

async function attempt<T>(call: () => Promise<T>): Promise<Outcome<T, SendFailure>> {
  try {
    return ok(await call());
  } catch (error) {
    return failed(failureOf(error));
  }
}

/** A network error's text contains the address, and so the token. */
function failureOf(error: unknown): SendFailure {
  if (!(error instanceof GrammyError)) return { message: "Telegram could not be reached.", isFinal: false };
  const { error_code: code, parameters, description } = error;
  // The message already shows this state.
  const retry = parameters.retry_after;
  return {
    message: `Telegram answered with ${code}: ${description.slice(0, 200)}`,
    isFinal: code >= 400 && code < 500 && code !== 429 && code !== 409,
    ...(retry !== undefined && { retryAfterMs: retry * 1_000 }),
  };
}

/** grammY types the signal by an older library with the same members. */
function abortable(signal: AbortSignal): NonNullable<Parameters<Api["getMe"]>[0]> {
  return signal as never;
}
