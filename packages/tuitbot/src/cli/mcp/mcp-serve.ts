import {
  type HttpExtension,
  httpOptions,
  processMetrics,
  prometheusText,
  type StartPage,
  type StartPageStep,
  serveApp,
} from "@toolpact/contract/internal/cli";
import { ok } from "@toolpact/outcome";
import { firstQuestion } from "../../app/first-steps.ts";
import { sandboxAsked } from "../../config/environment.ts";
import { isWorkflowProfile } from "../../profiles.ts";
import type { TuitbotServer } from "../../server/server.ts";
import { publicPlaceOf, readTls } from "../../web/public-place.ts";
import type { PageAddresses, ServedWeb } from "../../web/serve-web.ts";
import { type Context, loadedConfig } from "../context.ts";
import { command } from "../machine.ts";
import { isNobodyKnown, type OpenedServer, openServer } from "../open-server.ts";
import { serveDashboard } from "../serve-web.ts";
import { listOption, outputSchemasOption, servingOptions } from "../serving-options.ts";
import { isSignedIn } from "../signed-in.ts";
import { withShortList } from "../tool-selection.ts";
import { agentOnStdio } from "./agent-on-stdio.ts";
import { alreadyRunning } from "./already-running.ts";
import { backgroundTasks } from "./background-tasks.ts";
import { clientLines } from "./client-lines.ts";
import { oauthOf } from "./oauth.ts";

/** How fast the sandbox's clock runs where a variable asks for it: people react within minutes. */
const DEMO_SPEED = 60;

/** Delay of background work, to keep it from slowing down the handshake. */
const WAKE_AFTER_MS = 500;

export const mcpServe = command({
  name: "serve",
  describe: "Serve an MCP client on stdin and stdout, or many over HTTP",
  options: {
    ...servingOptions,
    list: listOption(
      "Tools in the list: everyday by default in write and admin, where find_tools finds the rest",
    ),
    "output-schemas": outputSchemasOption,
    ...httpOptions,
  },
  examples: [
    { line: "tuitbot mcp serve --profile readonly", does: "an agent can read and nothing else" },
    { line: "tuitbot mcp serve --sandbox --http", does: "try it without an account, over HTTP" },
    {
      line: "tuitbot mcp serve --list all",
      does: "every tool of the profile in the list, for clients that search it themselves",
    },
    {
      line: "tuitbot mcp serve --toolsets everyday",
      does: "only the most used tools",
    },
    { line: "tuitbot mcp serve --toolsets read,write", does: "only these categories of the profile" },
    { line: "tuitbot mcp serve --exclude-tools x_delete_tweet", does: "everything but this tool" },
  ],
  async run(given, context) {
    const asked = withShortList(given);
    const options = (await startsOnSandbox(context))
      ? { ...asked, sandbox: true, speed: asked.speed ?? DEMO_SPEED }
      : asked;
    const opened = await openServer(options, context, { isHost: true, servesAll: true });
    if (!opened.ok) return opened;
    const { app, config, close, core, identify, isSandbox, log, profile } = opened.value;
    const { host, port, token, token_file, allowed_origins, metrics_token } = config.values.server;
    if (given.list === "everyday" && !isWorkflowProfile(profile))
      log.write(`--list everyday has no effect: the profile ${profile} has a short list.`);
    const publicPlace = publicPlaceOf(config.values.server);
    const tls = options.http === undefined ? ok(undefined) : await readTls(config.values.server);
    if (!tls.ok) {
      await close();
      return tls;
    }
    const principal = await agentOnStdio(opened.value, options.http, context);
    if (!principal.ok) {
      await close();
      return principal;
    }
    const oauth = options.http === undefined ? ok(undefined) : await oauthOf(opened.value);
    if (!oauth.ok) {
      await close();
      return oauth;
    }
    const isOpen = options.http === undefined || options["no-token"];
    const clients = isOpen ? undefined : await signInOf(opened.value);
    const { drain_delay_seconds, drain_seconds } = config.values.server;
    const approve = isSandbox && (await isAnybodySignedIn(context)) ? "approve --sandbox" : "approve";
    const tasks = backgroundTasks(opened.value, options.speed ?? 1, context);
    let page: ServedWeb | undefined;
    const served = await serveApp(
      {
        name: "tuitbot",
        app,
        async close() {
          await tasks.stop();
          await close();
        },
        options,
        fallback: { host, port },
        token,
        tokenFile: token_file,
        ...(isWorkflowProfile(profile) && { identify: (given: string) => identify({ token: given }) }),
        ...(oauth.value !== undefined && { oauth: oauth.value }),
        ...(clients !== undefined && { signIn: clients.signIn }),
        principal: principal.value,
        allowedOrigins: allowed_origins,
        ...(publicPlace !== undefined && { publicOrigin: publicPlace.origin }),
        ...(tls.value !== undefined && { tls: tls.value }),
        fix: "Set server.token, or serve on 127.0.0.1.",
        welcome: (url, claudeOptions, hasSignIn) => ({
          text: [
            `tuitbot serves the profile ${profile} at ${url}${isSandbox ? ` on ${sandboxText(options.speed)}` : "."}`,
            "",
            ...nextSteps(`${url}${claudeOptions}`, opened.value, approve, page?.addresses(url)).flatMap(
              stepLines,
            ),
            "",
            ...(!hasSignIn ? [] : clientLines(publicPlace ? `${publicPlace.origin}/mcp` : url)),
            ...(asksFirst(opened.value) ? [ASKS_FIRST] : []),
            "Stop with Ctrl-C.\n",
          ].join("\n"),
          json: { url, profile },
        }),
        log: log.write,
        probes: {
          notReady: async () => (await core()).notReady(),
          metrics: async () =>
            prometheusText([...log.calls.read(), ...(await (await core()).metrics()), ...processMetrics()]),
          ...(metrics_token !== undefined && { metricsToken: metrics_token }),
        },
        drain: { delayMs: drain_delay_seconds * 1_000, deadlineMs: drain_seconds * 1_000 },
        async extension({ isLocal }) {
          if (!isLocal && publicPlace === undefined) {
            log.write("The web app is not served beyond this machine: that needs server.public_url.");
            return undefined;
          }
          const access = { isHere: true, asksForToken: !options["no-token"] };
          page = await serveDashboard(opened.value, options.speed ?? 1, access, context, clients);
          return webExtension(page, (url) => startPage(url, options, opened.value, approve));
        },
        async wake() {
          await wakeSoon(opened.value, context);
          await tasks.start();
        },
      },
      context,
    );
    if (served.ok) return served;
    // A server that could not start is closed here; a running one closes itself.
    await close();
    return (await alreadyRunning(options.http, { host, port }, context)) ?? served;
  },
});

/** Loaded for HTTP only: on stdio there is nobody to sign in. */
async function signInOf(server: OpenedServer) {
  const { clientSignIn } = await import("../../web/client-sign-in.ts");
  return clientSignIn(server);
}

function sandboxText(speed = 1): string {
  const pace = speed === 1 ? "" : ` Its clock runs ${speed} times as fast as yours.`;
  return `the sandbox, a simulated X.${pace}`;
}

const ASKS_FIRST = "Nothing is posted before you approve it.";

function asksFirst({ config, profile }: TuitbotServer): boolean {
  return config.approvalMode && isWorkflowProfile(profile);
}

/** The next steps for the user, in order. */
function nextSteps(
  client: string,
  { isSandbox, profile }: TuitbotServer,
  approve: string,
  page?: PageAddresses,
): readonly Step[] {
  const connect = { title: "Connect", copy: `claude mcp add --transport http tuitbot ${client}` };
  if (!isWorkflowProfile(profile)) {
    const posts = isSandbox ? "posts about sourdough" : "posts";
    return [connect, { title: "Ask", copy: `Find ${posts} worth a reply.` }];
  }
  return [
    connect,
    { title: "Ask", copy: firstQuestion(isSandbox) },
    {
      title: "Approve",
      copy: `npx tuitbot ${approve}`,
      note: "in a second terminal",
      pages: [
        ...(page?.publicUrl === undefined ? [] : [`open ${page.publicUrl}    # with a name and passphrase`]),
        ...(page?.link === undefined ? [] : [`open ${page.link}    # works once, for 15 minutes`]),
      ],
    },
  ];
}

interface Step extends StartPageStep {
  /** The address of the same step in a browser. */
  readonly pages?: readonly string[];
}

function stepLines({ title, copy, note, pages = [] }: Step, index: number): readonly string[] {
  const words = title === "Ask" ? `"${copy}"` : copy;
  const line = `${words}${note === undefined ? "" : `    # ${note}`}`;
  const [first, ...others] = [...pages, line].map((one, at) => (at === 0 ? one : `or ${one}`));
  return [
    `  ${index + 1}. ${title.padEnd(10)} ${first}`,
    ...others.map((other) => `${" ".repeat(16)}${other}`),
  ];
}

/** The page, and while it is not built what to do next. */
async function webExtension(
  page: ServedWeb | undefined,
  about: (url: string) => StartPage,
): Promise<HttpExtension> {
  const { startPageExtension } = await import("@toolpact/contract/http");
  const start = startPageExtension(about);
  return page === undefined
    ? start
    : {
        answer: async (...given) => (await page.extension.answer(...given)) ?? start.answer(...given),
        close: page.extension.close,
      };
}

/** The same for a browser, which anybody on this machine may open: without the token. */
function startPage(
  url: string,
  options: { readonly "no-token": boolean; readonly speed?: number | undefined },
  server: TuitbotServer,
  approve: string,
): StartPage {
  const token = options["no-token"] ? "" : ' --header "Authorization: Bearer YOUR_TOKEN"';
  const [connect, ...more] = nextSteps(`${url}${token}`, server, approve);
  const where = server.isSandbox ? `It works on ${sandboxText(options.speed)}` : "It works for your account.";
  return {
    title: "tuitbot is running",
    lead: `This is an MCP server, for Claude Code and other agents; the profile is ${server.profile}. ${where}${asksFirst(server) ? ` ${ASKS_FIRST}` : ""}`,
    steps: [
      ...(connect === undefined
        ? []
        : [
            {
              ...connect,
              ...(token !== "" && { note: "The token is in the terminal in which the server was started." }),
            },
          ]),
      ...more,
    ],
  };
}

/** True if an environment variable turns on the sandbox. */
async function startsOnSandbox(context: Context): Promise<boolean> {
  const asked = sandboxAsked(context.terminal.env);
  if (asked !== "until_signed_in") return asked;
  const isSandbox = await isNobodyKnown(context);
  if (isSandbox)
    context.terminal.err(
      "tuitbot: Nobody is signed in to X, so this is a sandbox, a simulated X. Sign in with `npx tuitbot init`, then start this again.\n",
    );
  return isSandbox;
}

/** True if commands use an account of X by default. */
async function isAnybodySignedIn(context: Context): Promise<boolean> {
  const config = await loadedConfig(context);
  return config.ok && (await isSignedIn(config.value.values, context));
}

/**
 * A sign-in that X refuses, or a database that cannot be used, is worth a line where the operator looks; tools say
 * the same when they are called. Of several accounts, each is looked at when it is first used.
 */
async function wakeSoon({ accounts, core, log }: OpenedServer, { machine, signal }: Context): Promise<void> {
  await machine.pause(WAKE_AFTER_MS, signal);
  if (signal.aborted || accounts.length > 1) return;
  const trouble = await (await core()).startBackgroundWork(signal);
  if (trouble !== undefined && !signal.aborted) log.write(trouble);
}
