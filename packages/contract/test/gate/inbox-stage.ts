import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { serveInbox } from "../../src/gate/inbox.ts";
import { type GuardStorage, openSqlite, openSqlStorage } from "../../src/guards/index.ts";
import type { JsonObject } from "../../src/json.ts";

/** An inbox on loopback, with the test's items. */
export interface InboxStage extends AsyncDisposable {
  readonly storage: GuardStorage;
  readonly folder: string;
  readonly policy: string;
  /** Works once. */
  readonly link: string;
  readonly propose: (
    args: JsonObject,
    tool?: string,
    reason?: string,
  ) => Promise<{ readonly id: number; readonly digest: string }>;
  readonly lose: (tool: string, args: JsonObject) => Promise<void>;
}

export async function inboxStage(gate: string): Promise<InboxStage> {
  const folder = mkdtempSync(join(tmpdir(), "toolpact-inbox-"));
  const database = await openSqlite(join(folder, "gate.db"));
  const storage = await openSqlStorage(database, { scope: "files", key: Buffer.alloc(32, 7) });
  const policy = join(folder, "gate.toml");
  writeFileSync(policy, "");
  const served = await serveInbox({
    port: 0,
    sources: [{ name: gate, storage, readsFiles: () => true, policy }],
    clock: systemClock,
  });
  return {
    storage,
    folder,
    policy,
    link: served.link,
    async propose(args, tool = "write_file", reason = `The policy requires approval of ${tool}.`) {
      const now = Date.now();
      const item = await storage.propose({
        tool,
        args,
        reason,
        client: "claude-code",
        expiresAt: now + 86_400_000,
        heldUntil: 0,
        now,
      });
      if (!item.ok) throw new Error(item.failure.kind);
      return item.value;
    },
    async lose(tool, args) {
      const claimed = await storage.claim({
        tool,
        args,
        receiptId: `lost ${tool}`,
        needs: { costMicros: 0, caps: {}, limits: [] },
        sameCallMs: 0,
        leaseMs: 0,
        now: Date.now(),
      });
      if (!claimed.ok) throw new Error("It could not be claimed.");
    },
    async [Symbol.asyncDispose]() {
      await served.close();
      await storage.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The page's requests, from the printed link. */
export function inboxAt(link: string) {
  const { origin, hash } = new URL(link);
  const ticket = hash.slice(1);
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, {
      method: "POST",
      headers: { origin, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const signIn = async () => {
    const cookie = ((await post("/session", { ticket })).headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const waiting = async () =>
      (await (await fetch(`${origin}/waiting`, { headers: { cookie } })).json()) as {
        readonly csrf: string;
        readonly waiting: readonly JsonObject[];
        readonly in_doubt: readonly JsonObject[];
      };
    const { csrf } = await waiting();
    return { cookie, waiting, headers: { cookie, "x-gate-csrf": csrf } };
  };
  return { origin, ticket, post, signIn };
}
