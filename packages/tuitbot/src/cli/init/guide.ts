import type { CommandOutcome } from "@toolpact/cli";
import { ok } from "@toolpact/outcome";
import type { Prompts } from "../../app/prompts.ts";
import { numberIn, objectIn, textIn } from "../../x/shapes/x-object.ts";
import { signIn } from "../auth-login.ts";
import type { Context } from "../context.ts";
import { dollars } from "../daily/daily-session.ts";
import { mcpSetup } from "../mcp/mcp-setup.ts";
import { isSignedIn, whoIsSignedIn } from "../signed-in.ts";
import { withCore } from "../with-services.ts";
import { askForNotices, askForSchedule } from "./ask-schedule.ts";
import { askForApp, askForCaps, askForModel } from "./ask-settings.ts";
import { askForVoice } from "./ask-voice.ts";
import { openSetup, type Setup, save } from "./setup-file.ts";

/** Leads a person through the set-up. Each step keeps what is set, and each file is written whole or not at all. */
export async function guide(context: Context): Promise<CommandOutcome> {
  const prompts = await context.machine.prompts(context.signal);
  prompts.intro("Set up tuitbot");
  const opened = await openSetup(context);
  if (!opened.ok) return opened;

  const withApp = await save(opened.value, await askForApp(opened.value, prompts, context), prompts, context);
  if (!withApp.ok) return withApp;
  const isSignedIn = await askForSignIn(withApp.value, prompts, context);

  const caps = await askForCaps(withApp.value, prompts);
  const schedule = await askForSchedule(withApp.value, prompts);
  const model = await askForModel(withApp.value, prompts);
  const voice = await askForVoice(withApp.value, { isSignedIn, model }, prompts, context);
  const notices = await askForNotices(withApp.value, prompts);
  const answers = { ...caps, ...schedule, ...model, ...voice, ...notices };
  const whole = await save(withApp.value, answers, prompts, context);
  if (!whole.ok) return whole;

  await askForClient(prompts, context);
  if (isSignedIn) await previewFirstPost(prompts, context);
  prompts.outro(
    isSignedIn
      ? "Done. Next: run tuitbot run --web. It opens the dashboard, and publishes what you schedule. Then ask your MCP client for a post, and approve it there."
      : "Done, but nobody is signed in yet: tuitbot auth login. Then tuitbot doctor checks everything.",
  );
  return ok(undefined);
}

/** Whether somebody is signed in at the end. */
async function askForSignIn({ config }: Setup, prompts: Prompts, context: Context): Promise<boolean> {
  if (await isSignedIn(config, context)) {
    const who = await whoIsSignedIn(config, context);
    if (who.ok && who.value.exitCode === undefined) {
      const lines = who.value.text.split("\n");
      prompts.step(lines.filter((line, at) => at === 0 || line.startsWith("X charged")).join(" "));
      if (await prompts.confirm("Stay signed in as this account?", true)) return true;
    } else prompts.warn(who.ok ? who.value.text : who.failure.message);
  }
  if (config.x_api.client_id === "") {
    prompts.warn("Without a client id nobody can sign in. Run tuitbot init again when you have one.");
    return false;
  }
  for (;;) {
    const how = await prompts.choose(
      "Sign in to X",
      [
        { value: "browser", label: "In the browser of this machine" },
        {
          value: "manual",
          label: "By hand",
          hint: "for a machine without a browser: open a link, paste an address",
        },
        { value: "later", label: "Later", hint: "tuitbot auth login" },
      ],
      "browser",
    );
    if (how === "later") return false;
    const done = await signIn(config, { profile: undefined, manual: how === "manual" }, context);
    if (done.ok && done.value?.exitCode === undefined) {
      prompts.step(done.value?.text.split("\n")[0] ?? "Signed in.");
      return true;
    }
    const why = done.ok ? done.value?.text : [done.failure.message, done.failure.fix].join(" ").trim();
    prompts.warn(why ?? "It did not work.");
    if (context.signal.aborted) throw context.signal.reason;
  }
}

async function askForClient(prompts: Prompts, context: Context): Promise<void> {
  const tools = await prompts.choose(
    "Add tuitbot to the MCP clients on this machine?",
    [
      {
        value: "everyday",
        label: "Yes, with a short list",
        hint: "the everyday tools; it finds the rest itself",
      },
      { value: "all", label: "Yes, with all tools in the list", hint: "over 120 for a model to read" },
      { value: "later", label: "Later", hint: "tuitbot mcp setup" },
    ],
    "everyday",
  );
  if (tools === "later") return;
  const list = tools === "all" ? tools : "everyday";
  const done = await mcpSetup.run?.({ list, sandbox: false, yes: false }, context);
  if (done === undefined || (done.ok && done.value === undefined)) return;
  if (done.ok) prompts.step(done.value?.text ?? "");
  else prompts.warn([done.failure.message, done.failure.fix].join(" ").trim());
}

/** Shows what would become of a first post, and sends nothing. */
async function previewFirstPost(prompts: Prompts, context: Context): Promise<void> {
  const text = await prompts.text({
    message: "A first post, to see what would happen. Nothing is sent (empty to leave it out)",
    initial: "Hello from my terminal",
  });
  if (text.trim() === "") return;
  const done = await withCore(["db"], { profile: "write" }, context, async (_, { pipeline }) => {
    const answer = await pipeline.call({
      tool: "x_post_tweet_dry_run",
      args: { text },
      caller: { transport: "cli", client: "init" },
      signal: context.signal,
    });
    if (answer.kind !== "rendered") return ok(undefined);
    const { outcome } = answer;
    if (!outcome.ok) return { ok: false, failure: { message: outcome.failure.message } };
    prompts.note("Dry run: nothing was sent", verdict(objectIn(outcome.value)));
    return ok(undefined);
  });
  if (!done.ok) prompts.warn(done.failure.message);
}

function verdict(preview: ReturnType<typeof objectIn>): string {
  const decision = textIn(preview, "policy_decision") ?? "";
  const budget = textIn(objectIn(preview, "budget"), "message");
  return [
    `${numberIn(preview, "text_length") ?? 0} of 280 characters, ${dollars(numberIn(preview, "estimated_usd") ?? 0)} at X.`,
    DECISIONS[decision] ?? decision,
    ...(budget === undefined ? [] : [budget]),
  ].join("\n");
}

const DECISIONS: Readonly<Record<string, string>> = {
  allow: "It would be sent immediately.",
  require_approval: "It would wait until you approve it with tuitbot approve.",
  deny: "Your rules would refuse it.",
  dry_run: "Your rules would only simulate it.",
};
