import { failed, ok } from "@toolpact/outcome";
import { isLoopback } from "../../mcp/http-gate.ts";
import type { Message, Service } from "../channel.ts";

export interface EmailSetting {
  readonly smtpUrl: string;
  readonly from: string;
  /** Signs this person in once; undefined without a dashboard. */
  readonly signInLink: (email: string, message: Message) => Promise<string | undefined>;
}

const TIMEOUT_MS = 15_000;

/**
 * A reply proves nothing about its author, so answers are ignored and the link signs the person in. Its
 * secret follows the `#`, which link scanners never send.
 */
export function emailChannel({ smtpUrl, from, signInLink }: EmailSetting): Service {
  return {
    async send(email, message, signal) {
      const { createTransport } = await import("nodemailer");
      const link = message.link === undefined ? undefined : await signInLink(email, message);
      const transport = createTransport({
        url: smtpUrl,
        // Nobody else may read a link that signs in.
        requireTLS: !isLoopback(new URL(smtpUrl).hostname),
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        // A text must not pull files or addresses into a mail.
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const stop = () => transport.close();
      signal.addEventListener("abort", stop, { once: true });
      try {
        await transport.sendMail({
          from,
          to: email,
          subject: message.title,
          text: [message.text, ...(link === undefined ? [] : ["", `Open: ${link}`, LINK_NOTE])].join("\n"),
          // Equal for every attempt, so mail programs recognize a repeat.
          messageId: `<${message.id}@${domainOf(from)}>`,
          headers: { "auto-submitted": "auto-generated" },
        });
        return ok(undefined);
      } catch (error) {
        // SMTP answers with 5xx if retrying does not help.
        const code = Number(Object(error).responseCode);
        return failed({
          message: Number.isNaN(code)
            ? "The mail server could not be reached or refused the sign-in."
            : `The mail server answered with ${code}.`,
          isFinal: code >= 500 && code < 600,
        });
      } finally {
        signal.removeEventListener("abort", stop);
        transport.close();
      }
    },
  };
}

const LINK_NOTE = "The link works once, for a day, and signs you in. Do not forward this mail.";

function domainOf(from: string): string {
  return /@([^>\s]+)/.exec(from)?.[1] ?? "localhost";
}
