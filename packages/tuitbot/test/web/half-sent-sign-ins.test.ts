import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "./self-signed.ts";
import { Browser, newHome, serve } from "./served.ts";

test("520 half-sent sign-ins keep out neither owners nor agents nor probes nor people who want to sign in", async () => {
  const { home, remove } = newHome();
  onTestFinished(remove);
  const served = await serve(home);
  onTestFinished(() => served.stop());
  const owner = new Browser(served.url);
  expect((await owner.signIn(served.link)).status).toBe(200);

  const { hostname, port, host } = new URL(served.url);
  const half = `POST /api/sign-in HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{`;
  const senders = Array.from({ length: 520 }, () => {
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write(half);
    return socket;
  });
  onTestFinished(() => {
    for (const socket of senders) socket.destroy();
  });
  await Promise.all(senders.map((socket) => once(socket, "connect")));
  // A stranger whose link is wrong is refused for that alone.
  const signIn = async () => {
    const body = JSON.stringify({ link: "wrong" });
    const headers = { "content-type": "application/json" };
    return (await fetch(new URL("/api/sign-in", served.url), { method: "POST", headers, body })).status;
  };
  expect(await signIn()).toBe(401);
  expect((await fetch(new URL("/healthz", served.url))).status).toBe(200);
  expect(await served.call("get_policy_status")).toMatchObject({ success: true });
  expect(await owner.session()).toMatchObject({ signed_in: true });
  expect(await owner.tool("get_policy_status")).toMatchObject({ status: 200, body: { success: true } });
  expect(await signIn()).toBe(401);
}, 90_000);

test("600 connections that never finish their TLS handshake keep nobody out, and only so many stay", async () => {
  const { home, remove } = newHome();
  onTestFinished(remove);
  const { cert, key } = selfSigned("bot.example");
  for (const [name, text] of Object.entries({ cert, key })) writeFileSync(join(home, name), text);
  const served = await serve(home, {
    words: ["web", "--no-open"],
    env: {
      TUITBOT_SERVER__PUBLIC_URL: "https://bot.example",
      TUITBOT_SERVER__TLS_CERT: join(home, "cert"),
      TUITBOT_SERVER__TLS_KEY: join(home, "key"),
    },
  });
  onTestFinished(() => served.stop());
  const { hostname, port } = new URL(/listens at (\S+)/.exec(served.printed)?.[1] ?? "");
  const asked = (path: string) =>
    new Promise<number>((resolve, reject) => {
      const options = { host: hostname, port, path, ca: cert, servername: "bot.example" };
      const sent = request({ ...options, headers: { host: "bot.example" } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.once("error", reject).end();
    });
  const silent = Array.from({ length: 600 }, () => connect(Number(port), hostname).on("error", () => {}));
  onTestFinished(() => {
    for (const socket of silent) socket.destroy();
  });
  await Promise.all(silent.map((socket) => once(socket.resume(), "connect")));
  for (const path of ["/healthz", "/api/session", "/"]) expect(await asked(path), path).toBe(200);
  const open = () => silent.filter((socket) => !socket.destroyed).length;
  await expect.poll(open, { timeout: 20_000 }).toBeLessThanOrEqual(512);
}, 60_000);
