import { expect, onTestFinished, test } from "vitest";
import { telegramChannel } from "../../src/notify/channels/telegram.ts";
import { httpStandIn } from "./stand-ins.ts";

test.each(["getMe", "deleteWebhook", "getUpdates"])(
  "a bot that is stopped during its request %s receives no more answers",
  async (during) => {
    const stopping = new AbortController();
    let polls = 0;
    const telegram = await httpStandIn((path) => {
      const method = path.split("/").at(-1);
      if (method === during) stopping.abort();
      if (method === "getUpdates") polls++;
      const bot = { id: 123, is_bot: true, first_name: "toolpact", username: "toolpact_test_bot" };
      return { body: { ok: true, result: method === "getMe" ? bot : method === "getUpdates" ? [] : true } };
    });
    onTestFinished(() => telegram.close());
    const { listen } = telegramChannel({ token: "123:secret", apiUrl: telegram.url });
    await listen?.(async () => ({ text: "" }), stopping.signal);
    // The last request confirms the received updates.
    expect(polls).toBeLessThanOrEqual(2);
  },
);
