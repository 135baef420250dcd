import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
  readonly text: string;
}

/** RFC 5321 with AUTH PLAIN (RFC 4954), without TLS. */
export async function smtpStandIn(user: string, password: string) {
  const mails: Mail[] = [];
  /** For the next mails; then 250. */
  const answers: string[] = [];
  const server = createServer((socket) => {
    socket.setEncoding("utf8");
    let [buffer, from, source] = ["", "", ""];
    let to: string[] = [];
    let [isData, isKnown] = [false, false];
    const say = (line: string) => socket.write(`${line}\r\n`);
    const take = (line: string) => {
      if (isData) {
        if (line !== ".") {
          source += `${line.replace(/^\./, "")}\n`;
          return;
        }
        isData = false;
        const answer = answers.shift() ?? "250 OK";
        if (answer.startsWith("250")) mails.push({ from, to, source, text: textIn(source) });
        [source, to] = ["", []];
        return say(answer);
      }
      const [verb = "", ...rest] = line.split(" ");
      switch (verb.toUpperCase()) {
        case "EHLO":
          return say("250-localhost\r\n250-SMTPUTF8\r\n250-8BITMIME\r\n250 AUTH PLAIN");
        case "AUTH": {
          isKnown = Buffer.from(rest[1] ?? "", "base64").toString() === `\0${user}\0${password}`;
          return say(isKnown ? "235 Accepted" : "535 5.7.8 Credentials invalid");
        }
        case "MAIL":
          from = line;
          return say(isKnown ? "250 OK" : "530 5.7.0 Authentication required");
        case "RCPT":
          to.push(/<(.+)>/.exec(line)?.[1] ?? "");
          return say("250 OK");
        case "DATA":
          isData = true;
          return say("354 End with .");
        case "QUIT":
          say("221 Bye");
          return socket.end();
        default:
          return say("502 Not implemented");
      }
    };
    socket.on("data", (bytes: string) => {
      buffer += bytes;
      for (let end = buffer.indexOf("\r\n"); end >= 0; end = buffer.indexOf("\r\n")) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        take(line);
      }
    });
    socket.on("error", () => {});
    say("220 localhost ESMTP");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://${user}:${password}@127.0.0.1:${port}`,
    mails,
    answers,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function textIn(source: string): string {
  const [head = "", ...body] = source.split("\n\n");
  const text = body.join("\n\n");
  if (/content-transfer-encoding: base64/i.test(head)) return Buffer.from(text, "base64").toString();
  if (!/content-transfer-encoding: quoted-printable/i.test(head)) return text;
  const bytes = text
    .replace(/=\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
