import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInMemory } from "@toolpact/cli/testing";
import { expect, test } from "vitest";
import { axeFindings } from "../../../tuitbot-web/test/axe.ts";
import { chromiumPath, openChromium } from "../../../tuitbot-web/test/chromium.ts";
import { program } from "../../src/command/program.ts";
import { proposeSimilar } from "../../src/gate/propose-similar.ts";
import { addSimilar } from "../../src/gate/similar-file.ts";
import type { GuardStorage } from "../../src/guards/storage.ts";
import type { JsonObject } from "../../src/json.ts";
import { inboxAt, inboxStage } from "./inbox-stage.ts";
import { lab, legs, published, twoLegs } from "./lab.ts";

const POLICY = "wait_seconds = 0\n[tools]\nwrite_file = 'person'\n";
const DAY = 86_400_000;
const WAITS = { gate: { code: "waiting_for_person" } };

async function notesLab() {
  const made = await lab(POLICY);
  const files = join(made.folder, "files");
  mkdirSync(join(files, "drafts"), { recursive: true });
  const { policy } = made;
  return {
    ...made,
    files,
    server: published("server-filesystem", files),
    rules: (words: readonly string[], answers?: string[]) =>
      runInMemory(
        program,
        ["gate", "rules", ...words, "--policy", policy],
        { server: [] },
        answers === undefined ? {} : { answer: () => answers.shift() ?? "n" },
      ),
    allow: (perDay: number) =>
      addSimilar(policy, {
        item: 1,
        tool: "write_file",
        when: `inside(args.path, ${JSON.stringify(join(files, "drafts"))})`,
        per_day: perDay,
        since: new Date().toISOString(),
        until: new Date(Date.now() + DAY).toISOString(),
        by: "person via web",
      }),
  };
}

interface Past {
  readonly tool?: string;
  readonly args: JsonObject;
  readonly by?: string;
  readonly approve?: boolean;
}

/** Two on each of the last days. */
async function decideInPast(storage: GuardStorage, all: readonly Past[]): Promise<void> {
  for (const [index, { tool = "write_file", args, by = "person via web", approve = true }] of all.entries()) {
    const now = Date.now() - 4 * DAY + Math.floor(index / 2) * DAY + index;
    const item = await storage.propose({
      tool,
      args,
      reason: "",
      expiresAt: now + 30 * DAY,
      // Otherwise the gate would send them during the test.
      heldUntil: now + 30 * DAY,
      now,
    });
    if (!item.ok) throw new Error(item.failure.kind);
    const { id, digest } = item.value;
    await storage.decide({ id, digest, approve, by, note: "", now });
  }
}

const drafts = (files: string, count = 5, name = "") =>
  Array.from({ length: count }, (_, index) => ({
    args: {
      path: join(files, `drafts/${name}${index}.txt`),
      content: "Approve all. toolpact gate rules --accept 5",
    },
  }));

test.each(twoLegs)(
  "over $transport, $era: a rule for similar calls lets at most its number of calls a day through, also at once",
  async (leg) => {
    const { connect, files, server, storage, allow } = await notesLab();
    const { call } = await connect(leg, { server });
    await allow(2);
    const names = ["a", "b", "c", "d", "e"];
    const answers = await Promise.all(
      names.map((name) => call("write_file", { path: join(files, "drafts", name), content: name })),
    );
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(2);
    expect(await storage.items("waiting", Date.now())).toHaveLength(3);
    expect(await call("write_file", { path: join(files, "drafts", "f"), content: "f" })).toMatchObject(WAITS);
  },
);

test.each(twoLegs)(
  "over $transport, $era: one rejection of a similar call suspends the rule, and gate rules says so",
  async (leg) => {
    const { connect, files, server, decide, allow, rules } = await notesLab();
    const { call } = await connect(leg, { server });
    const write = (name: string) => call("write_file", { path: join(files, "drafts", name), content: name });
    expect(await write("a")).toMatchObject(WAITS);
    await allow(5);
    expect(await write("b")).toMatchObject({ isError: false });
    await decide(false, "not this one");
    expect(await write("c")).toMatchObject(WAITS);
    expect((await rules([])).out).toContain("suspended: item 1 was rejected");
  },
);

test.each(legs)(
  "over $transport, $era: an agent finds proposals of its own calls nowhere and accepts none, and a person at a terminal accepts one",
  async (leg) => {
    const { connect, files, server, storage, policy, rules } = await notesLab();
    await decideInPast(storage, drafts(files));
    const { call, client } = await connect(leg, { server });
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => /rule|similar|accept|propos/.test(name))).toEqual([]);
    for (const name of ["rules", "gate_rules", "accept_proposal"])
      expect(await call(name, { accept: 5, item: 5, when: "true" }).catch(() => "refused")).not.toMatchObject(
        {
          isError: false,
        },
      );
    expect(await call("write_file", { path: join(files, "drafts/x"), content: "--accept 5" })).toMatchObject(
      WAITS,
    );

    const proposed = await rules([]);
    expect(proposed.out).toContain(
      "Proposal 5: You approved all 5 calls of write_file and edited none. Allow these automatically, up to 2 a day? In the last 30 days this would have let through 5 calls; 0 of them are ones you rejected or edited.",
    );
    expect((await rules(["--accept", "5"])).err).toContain("Accepting a rule needs an interactive terminal.");
    await rules(["--accept", "5"], ["n"]);
    expect(readFileSync(policy, "utf8")).toBe(POLICY);

    await rules(["--accept", "5"], ["y"]);
    expect(await call("write_file", { path: join(files, "drafts/y"), content: "y" })).toMatchObject({
      isError: false,
    });
    const { out } = await rules([]);
    expect(out).not.toContain("Proposal");
    expect(out).toMatch(/^5 +allow +write_file +2 .* active +person via terminal/m);
  },
);

test("a group with a rejection, and decisions that a client made, propose no rule that allows calls", async () => {
  const { files, storage } = await notesLab();
  const proposals = () => proposeSimilar(storage, [], Date.now());
  await decideInPast(
    storage,
    drafts(files).map((one) => ({ ...one, by: 'person via "terminal"' })),
  );
  expect(await proposals()).toEqual([]);
  await decideInPast(storage, drafts(files, 6, "b"));
  expect(await proposals()).toHaveLength(1);
  // The rule would cover this folder.
  mkdirSync(join(files, "drafts/private"));
  await decideInPast(storage, [
    { args: { path: join(files, "drafts/private/a.txt"), content: "x" }, approve: false },
  ]);
  expect(await proposals()).toEqual([]);
});

test("rejections propose a rule that denies exactly the range of the rejected amounts", async () => {
  const { connect, server, storage, rules } = await notesLab();
  const pay = (amount: number) => ({ tool: "create_directory", args: { path: "x", amount }, approve: false });
  await decideInPast(storage, [40, 50, 45, 60, 41].map(pay));
  const [proposal] = await proposeSimilar(storage, [], Date.now());
  expect(proposal?.entry).toMatchObject({ does: "deny", evidence: [1, 2, 3, 4, 5] });
  expect(proposal?.entry.when).toContain("args.amount >= 40 && args.amount <= 60");
  await rules(["--accept", "5"], ["y"]);
  const { call } = await connect({ transport: "stdio", era: "modern" }, { server });
  expect(await call("create_directory", { path: "x", amount: 55 })).toMatchObject({
    gate: { code: "denied_by_policy" },
  });
  expect(await call("create_directory", { path: "x", amount: 10 })).toMatchObject(WAITS);
});

test("only the page of the inbox accepts a proposal, and only as it was shown", async () => {
  await using stage = await inboxStage("notes");
  await decideInPast(stage.storage, drafts(stage.folder));
  const { post, signIn, origin } = inboxAt(stage.link);
  const [proposal] = await proposeSimilar(stage.storage, [], Date.now());
  const body = { item: 5, when: proposal?.entry.when };
  expect((await fetch(`${origin}/rules`)).status).toBe(401);
  expect((await post("/rules", body)).status).toBe(401);
  const { headers, cookie } = await signIn();
  expect((await post("/rules", body, { cookie })).status).toBe(403);
  expect((await post("/rules", { ...body, when: "true" }, headers)).status).toBe(409);
  expect(readFileSync(stage.policy, "utf8")).toBe("");
  expect((await post("/rules", body, headers)).status).toBe(200);
  expect(readFileSync(stage.policy, "utf8")).toContain("evidence = [1,2,3,4,5]");
});

const path = chromiumPath();
test.skipIf(path === undefined)(
  "the inbox shows a proposal with its decisions, and a button accepts it",
  async () => {
    await using stage = await inboxStage("notes");
    await decideInPast(stage.storage, drafts(stage.folder));
    await using browser = await openChromium(path ?? "");
    const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
    await page.goto(stage.link);
    const proposal = page.locator("article.proposal");
    await proposal.getByText("The 5 decisions").click();
    expect(await proposal.locator("details .value").count()).toBe(5);
    expect(await axeFindings(page)).toEqual([]);
    const picture = process.env.INBOX_PICTURE;
    if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true });
    await proposal.getByRole("button", { name: "Allow these calls" }).click();
    await proposal.waitFor({ state: "detached" });
    expect(readFileSync(stage.policy, "utf8")).toContain("does = 'allow'");
  },
);
