import type { Prompts } from "../../app/prompts.ts";
import type { KeyValues } from "../../config/config-file.ts";
import { isTimeZone } from "../../config/schema.ts";
import type { Setup } from "./setup-file.ts";

const USUAL_SLOTS = ["09:30", "17:00"];
const SLOT = /^((Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?([01]\d|2[0-3]):[0-5]\d$/;

/** Asks for the time zone, the times of posts and the hours of automation. */
export async function askForSchedule({ config }: Setup, prompts: Prompts): Promise<KeyValues> {
  const {
    timezone,
    posting_slots: slots,
    active_hours_start: start,
    active_hours_end: end,
  } = config.schedule;
  const zone = await prompts.text({
    message: "Your time zone",
    initial: timezone === "UTC" ? Intl.DateTimeFormat().resolvedOptions().timeZone : timezone,
    check: (answer) =>
      isTimeZone(answer.trim()) ? undefined : "Enter a time zone such as Europe/Vienna or America/New_York.",
  });
  const times = await prompts.text({
    message: "Times for posts that take the next free slot, with commas between them",
    initial: (slots.length > 0 ? slots : USUAL_SLOTS).join(", "),
    check: (answer) =>
      listIn(answer).every((slot) => SLOT.test(slot))
        ? undefined
        : "Enter times such as 09:30, or Mon 17:00.",
  });
  const hours = await prompts.text({
    message: "Hours of the day in which automation may work",
    initial: `${start}-${end}`,
    check: (answer) => (hoursIn(answer) === undefined ? "Enter two hours such as 8-22." : undefined),
  });
  const [from = start, until = end] = hoursIn(hours) ?? [];
  return {
    "schedule.timezone": zone.trim(),
    "schedule.posting_slots": listIn(times),
    "schedule.active_hours_start": from,
    "schedule.active_hours_end": until,
  };
}

function listIn(text: string): string[] {
  return text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}

function hoursIn(text: string): readonly number[] | undefined {
  const [, from, until] = /^\s*(\d{1,2})\s*-\s*(\d{1,2})\s*$/.exec(text) ?? [];
  const hours = [Number(from), Number(until)];
  return hours.every((hour) => hour >= 0 && hour <= 23) ? hours : undefined;
}

/** Asks how the owner is notified. People who are in the file already stay as they are. */
export async function askForNotices({ config }: Setup, prompts: Prompts): Promise<KeyValues> {
  const { people } = config.notify;
  if (people.length > 0) return {};
  const how = await prompts.choose(
    "Notify you when something needs your approval",
    [
      { value: "none", label: "No", hint: "the inbox and the browser show it" },
      { value: "ntfy", label: "ntfy", hint: "an app for your phone, without an account" },
      { value: "telegram", label: "Telegram", hint: "with a bot of yours; its buttons decide" },
      { value: "email", label: "E-mail", hint: "with your mail server" },
    ],
    "none",
  );
  if (how === "none") return {};
  const name = await prompts.text({ message: "Your name, as decisions show it", initial: "Owner" });
  const person = { name: name.trim() || "Owner", role: "owner" };
  const ask = async (message: string, pattern: RegExp, problem: string) =>
    (
      await prompts.text({ message, check: (answer) => (pattern.test(answer.trim()) ? undefined : problem) })
    ).trim();
  if (how === "ntfy") {
    const message = "ntfy topic. Choose one that nobody guesses, and subscribe to it in the app";
    const topic = await ask(message, /^[A-Za-z0-9_-]{8,64}$/, "Enter 8 to 64 letters, digits, _ or -.");
    return { "notify.people": [{ ...person, ntfy_topic: topic }] };
  }
  if (how === "telegram") {
    const token = (await prompts.secret("Token of your bot, from @BotFather")).trim();
    const id = await ask("Your numeric Telegram id", /^\d+$/, "Enter the number, not the name.");
    return { "notify.telegram_bot_token": token, "notify.people": [{ ...person, telegram_id: id }] };
  }
  const server = (
    await prompts.secret("Address of your mail server, such as smtps://user:password@mail.example")
  ).trim();
  const address = await ask(
    "Your e-mail address",
    /^\S+@\S+\.\S+$/,
    "Enter an address such as ana@mail.example.",
  );
  return {
    "notify.smtp_url": server,
    "notify.email_from": address,
    "notify.people": [{ ...person, email: address }],
  };
}
