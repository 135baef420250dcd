import { failed, ok } from "@toolpact/outcome";
import { isLoopback } from "../../mcp/http-gate.ts";
import type { Message, Service } from "../channel.ts";

export interface EmailSetting {
  readonly smtpUrl: string;
  readonly from: string;
  /** A link that signs this person in once, if there is a page. */
  readonly signInLink: (email: string, message: Message) => Promise<string | undefined>;
}

const TIMEOUT_MS = 15_000;

/**
 * Plain text mail. A reply to it proves nothing about who wrote it, so no answer is taken: the link signs the person in
 * to the page, once. Its secret is behind the `#`, which programs that look at links before the person never send.
 */
export function emailChannel({ smtpUrl, from, signInLink }: EmailSetting): Service {
  return {
    async send(email, message, signal) {
      const { createTransport } = await import("nodemailer");
      const link = message.link === undefined ? undefined : await signInLink(email, message);
      const transport = createTransport({
        url: smtpUrl,
        // On its way to another machine, nobody else reads a link that signs in.
        requireTLS: !isLoopback(new URL(smtpUrl).hostname),
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        // No file or address that a text names is ever fetched into a mail.
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
          // The same for every try, by which mail programs know a repetition.
          messageId: `<${message.id}@${domainOf(from)}>`,
          headers: { "auto-submitted": "auto-generated" },
        });
        return ok(undefined);
      } catch (error) {
        // SMTP answers with 5xx what no repetition will change.
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
