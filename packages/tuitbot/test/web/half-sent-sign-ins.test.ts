import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
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
