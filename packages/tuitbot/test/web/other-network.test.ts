import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Sandbox } from "@toolpact/x-sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Refused, SessionAnswer } from "../../src/web/api.ts";
import { testApp } from "../command-line.ts";
import { signedInEnv } from "../signed-in-env.ts";
import { selfSigned } from "./self-signed.ts";
import { type Served, serve } from "./served.ts";

/** Two machines in one: a network namespace has its own addresses, and reaches this one by a cable only. */
const NAMESPACE = `tuitbot-${process.pid}`;
const [HERE, THERE] = ["10.213.77.1", "10.213.77.2"] as const;
const WORDS = "four words nobody joins";

const ip = (...words: readonly string[]) => execFileSync("ip", words, { stdio: "pipe" });

function hasNamespaces(): boolean {
  const made = spawnSync("ip", ["netns", "add", NAMESPACE]);
  if (made.status === 0) return true;
  console.warn(
    "SKIPPED: the web app is not tried from another network, because this user cannot make a network namespace.",
  );
  return false;
}

interface Wanted {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Another port, or without TLS. */
  readonly at?: { readonly port: string; readonly isPlain?: boolean };
}

interface Got {
  readonly status: number;
  readonly cookie: string;
  readonly body: SessionAnswer & Refused;
  readonly problem?: string;
}

/** Sends requests one after the other, and prints the answers. It runs in the other namespace. */
const CLIENT = `
const [http, https] = [require("node:http"), require("node:https")];
const { ca, host, port, requests } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
(async () => {
  const answers = [];
  for (const { path, headers, body, at } of requests)
    answers.push(await new Promise((resolve) => {
      const options = {
        host, port: at?.port ?? port, path, ca, servername: "bot.example", timeout: 5000,
        method: body === undefined ? "GET" : "POST",
        headers: { host: "bot.example", "content-type": "application/json", ...headers },
      };
      const request = (at?.isPlain ? http : https).request(options, (answer) => {
        let text = "";
        answer.on("data", (part) => { text += part; });
        answer.on("end", () => {
          let body; try { body = JSON.parse(text); } catch { body = { text }; }
          resolve({ status: answer.statusCode, cookie: String(answer.headers["set-cookie"]), body });
        });
      });
      request.on("timeout", () => request.destroy(new Error("timeout")));
      request.on("error", ({ code, message }) => resolve({ status: 0, problem: code ?? message }));
      request.end(body && JSON.stringify(body));
    }));
  console.log(JSON.stringify(answers));
})();
`;

describe.skipIf(!hasNamespaces())("the web app with TLS, from another network", () => {
  const desk = testApp();
  const { cert, key } = selfSigned("bot.example");
  let sandbox: Sandbox;
  let served: Served;
  let local: Served;
  let port: string;

  const from = (command: readonly string[], requests: readonly Wanted[]): readonly Got[] => {
    const [program = "", ...words] = [...command, process.execPath, "-e", CLIENT];
    const input = JSON.stringify({ ca: cert, host: HERE, port, requests });
    return JSON.parse(execFileSync(program, words, { input, encoding: "utf8" }));
  };
  const there = (...requests: readonly Wanted[]) => from(["ip", "netns", "exec", NAMESPACE], requests);
  const here = (...requests: readonly Wanted[]) => from(["env"], requests);
  const signIn = (passphrase: string): Wanted => ({
    path: "/api/sign-in",
    headers: { origin: "https://bot.example" },
    body: { name: "Ann", passphrase },
  });

  beforeAll(async () => {
    const cable = [`tt${process.pid}a`, `tt${process.pid}b`] as const;
    ip("link", "add", cable[0], "type", "veth", "peer", "name", cable[1], "netns", NAMESPACE);
    ip("addr", "add", `${HERE}/30`, "dev", cable[0]);
    ip("link", "set", cable[0], "up");
    ip("-n", NAMESPACE, "addr", "add", `${THERE}/30`, "dev", cable[1]);
    ip("-n", NAMESPACE, "link", "set", cable[1], "up");
    ip("-n", NAMESPACE, "link", "set", "lo", "up");
    sandbox = new Sandbox({ plan: "enterprise", start: Date.now(), realTime: Date.now });
    const env = await signedInEnv(desk.home, sandbox);
    for (const [name, text] of Object.entries({ cert, key })) writeFileSync(join(desk.home, name), text);
    // The command asks for secrets alone.
    const prompts = async () => ({ secret: async () => WORDS }) as never;
    await desk.run(["people", "add", "Ann", "--role", "owner"], {
      ...{ env, typed: () => "", machine: { prompts } },
    });
    local = await serve(desk.home, { words: ["web", "--no-open"], env });
    served = await serve(desk.home, {
      words: ["web", "--no-open", "--host", "0.0.0.0"],
      env: {
        ...env,
        TUITBOT_SERVER__TOKEN: "a-long-and-secret-token-for-agents",
        TUITBOT_SERVER__PUBLIC_URL: "https://bot.example",
        TUITBOT_SERVER__TLS_CERT: join(desk.home, "cert"),
        TUITBOT_SERVER__TLS_KEY: join(desk.home, "key"),
      },
    });
    ({ port } = new URL(/listens at (\S+)/.exec(served.printed)?.[1] ?? ""));
  }, 60_000);

  afterAll(async () => {
    await served?.stop();
    await local?.stop();
    await sandbox?.close();
    await desk[Symbol.asyncDispose]();
    // The cable ends with it.
    ip("netns", "del", NAMESPACE);
  });

  test("signs people in with their passphrase, by a secure cookie that works there", () => {
    const [health, session, signedIn] = there({ path: "/healthz" }, { path: "/api/session" }, signIn(WORDS));
    expect([health?.status, session?.status]).toEqual([200, 200]);
    expect(signedIn).toMatchObject({ status: 200, body: { person: "Ann", role: "owner" } });
    expect(signedIn?.cookie).toMatch(/HttpOnly; SameSite=Strict; Path=\/api; Max-Age=\d+; Secure/);
    const cookie = signedIn?.cookie.split(";")[0] ?? "";
    const csrf = Object(signedIn?.body).csrf_token;
    const headers = { cookie, "x-tuitbot-csrf": csrf, origin: "https://bot.example" };
    const [stopped, resumed] = there(
      { path: "/api/commands/stop", headers, body: {} },
      { path: "/api/commands/resume", headers, body: {} },
    );
    expect([stopped?.status, resumed?.status]).toEqual([200, 200]);
  });

  test("takes nobody for somebody at this machine, whatever host they name", () => {
    for (const host of ["localhost", "127.0.0.1", "[::1]", `localhost:${port}`]) {
      const [session, link] = there(
        { path: "/api/session", headers: { host } },
        { path: "/api/sign-in", headers: { host }, body: { link: local.link } },
      );
      expect(session?.body, host).toMatchObject({ signed_in: false, sign_in: ["passphrase"] });
      expect(link?.status, host).toBe(401);
    }
    const [foreign] = there({ path: "/api/session", headers: { host: HERE } });
    expect(foreign?.status).toBe(403);
  });

  test("answers neither without TLS nor at a port that is for this machine", () => {
    const [plain, loopback] = there(
      { path: "/api/session", at: { port, isPlain: true } },
      { path: "/api/session", at: { port: new URL(local.url).port, isPlain: true } },
    );
    expect(plain).toMatchObject({ status: 0 });
    expect(loopback).toMatchObject({ status: 0, problem: "ECONNREFUSED" });
  });

  test("counts wrong passphrases of that network, and lets the person in from another", () => {
    const guesses = there(...Array.from({ length: 7 }, () => signIn("a wrong passphrase")), signIn(WORDS));
    expect(guesses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    // Its address is that of the cable's other end.
    const [signedIn] = here(signIn(WORDS));
    expect(signedIn).toMatchObject({ status: 200 });
  });
});
