import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { slackChannel } from "../../src/notify/channels/slack.ts";
import { webhookChannel } from "../../src/notify/channels/webhook.ts";

const message = { id: "m1", kind: "test", title: "Hello", text: "A secret plan" } as const;
const never = new AbortController().signal;

test.each([301, 302, 303, 307, 308])(
  "a webhook that redirects with %i takes no message elsewhere",
  async (status) => {
    const asked: string[] = [];
    const inside = await listening((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"]) {
      const location = `http://${host}:${inside}/inside`;
      const hook = await listening((_, response) => void response.writeHead(status, { location }).end());
      const channel = webhookChannel({ secret: "whsec_AAAA", product: "gate", fetch, now: () => 0 });
      expect(await channel.send(`http://127.0.0.1:${hook}/`, message, never)).toMatchObject({
        ok: false,
        failure: { message: "The webhook could not be reached." },
      });
    }
    expect(asked).toEqual([]);
  },
);

test("an endless answer of a webhook is not read to its end", async () => {
  let sent = 0;
  const hook = await listening((_, response) => {
    const chunk = Buffer.alloc(100_000, "x");
    const more = () => {
      while (!response.destroyed && sent < 500_000_000) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
    };
    more();
  });
  const channel = webhookChannel({ secret: "whsec_AAAA", product: "gate", fetch, now: () => 0 });
  expect(await channel.send(`http://127.0.0.1:${hook}/`, message, never)).toMatchObject({ ok: true });
  expect(sent).toBeLessThan(100_000_000);
});

test.each(["ws://127.0.0.1:1/", "http://127.0.0.1/", "file:///etc/passwd", ""])(
  "a socket that Slack names at %s is not opened",
  async (url) => {
    const channel = slackChannel({
      botToken: "xoxb-1",
      appToken: "xapp-1",
      apiUrl: "https://slack.com/api/",
      product: "gate",
      fetch: async () => Response.json({ ok: true, url }),
    });
    await expect(channel.listen?.(async () => ({ text: "" }), never)).rejects.toThrow("no socket of Slack's");
  },
);

async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
