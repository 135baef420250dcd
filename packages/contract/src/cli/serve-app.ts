import {
  type CommandContext,
  type CommandFailure,
  type CommandOutcome,
  EXIT,
  untilStopped,
} from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { JsonObject } from "../json.ts";
import type { McpApp } from "../mcp/app.ts";
import type { DrainOptions, HttpOptions, HttpServing } from "../mcp/http.ts";
import type { HttpExtension } from "../mcp/http-options.ts";
import type { ProbeOptions } from "../mcp/probes.ts";
import type { Principal } from "../mcp/request.ts";
import type { Telemetry } from "../mcp/telemetry.ts";
import { maskSecrets } from "../redact.ts";

export const httpOptions = {
  http: {
    kind: "value",
    placeholder: "[HOST:]PORT",
    describe: "Serve over HTTP; host and port default to the configuration",
    whenBare: "",
  },
  "no-token": {
    kind: "flag",
    describe:
      "Accept HTTP callers on this machine without a token: every program and user on it can then call",
  },
} as const;

interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ServeAppOptions {
  readonly name: string;
  readonly app: McpApp;
  readonly close: () => Promise<void>;
  /** The values of `httpOptions`. Without `http`, it serves on stdin and stdout. */
  readonly options: { readonly http: string | undefined; readonly "no-token": boolean };
  /** The address to listen on if `--http` names no host or port. */
  readonly fallback: Address;
  readonly token: string | undefined;
  /** Identifies the owner of other tokens over HTTP. */
  readonly identify?: (token: string) => Promise<Principal | undefined>;
  /** An issuer whose tokens are accepted over HTTP. */
  readonly oauth?: HttpOptions["oauth"];
  /** Lets users sign clients in over HTTP. Beyond this machine it requires a public address. */
  readonly signIn?: HttpOptions["signIn"];
  /** The identity of the client on stdin and stdout, if it has its own token. */
  readonly principal?: Principal | undefined;
  /** The token file for callers on this machine, unless the operator has set a token. */
  readonly tokenFile: string;
  /** Web pages that may call, such as `http://localhost:3000`. */
  readonly allowedOrigins: readonly string[];
  /** The address of pages outside `/mcp` for browsers on other machines. */
  readonly publicOrigin?: string;
  /** Certificate and key in PEM. */
  readonly tls?: HttpOptions["tls"];
  /** How to fix a server that would be reachable from other machines without a token. */
  readonly fix: string;
  /** Printed when clients can connect over HTTP, with the options that `claude mcp add` needs without a sign-in. */
  readonly welcome: (
    url: string,
    claudeOptions: string,
    hasSignIn: boolean,
  ) => { readonly text: string; readonly json: JsonObject };
  /** The extension outside `/mcp`. `isLocal` is true if only this machine can reach it. */
  readonly extension?: (reach: { readonly isLocal: boolean }) => Promise<HttpExtension | undefined>;
  readonly log?: (message: string) => void;
  readonly probes?: ProbeOptions;
  readonly drain?: DrainOptions;
  readonly wake: () => Promise<void>;
}

/** Serves one client on stdio, or many over HTTP until stopped. */
export async function serveApp(
  {
    name,
    app,
    close,
    options,
    fallback,
    tokenFile,
    identify,
    oauth,
    signIn,
    principal,
    allowedOrigins,
    publicOrigin,
    tls,
    fix,
    welcome,
    extension,
    probes,
    drain = DRAIN,
    wake,
    ...set
  }: ServeAppOptions,
  { terminal, signal, isJson }: CommandContext<unknown, unknown>,
): Promise<CommandOutcome> {
  const log = set.log ?? ((message: string) => terminal.err(`${name}: ${message}\n`));
  const { http, "no-token": noToken } = options;
  const observed = await telemetryFrom(process.env, name, log);
  const telemetry = observed && { telemetry: observed.telemetry };
  const closeAll = async () => {
    await close();
    await observed?.close();
  };
  const onError = (error: Error) => log(maskSecrets(error.message));
  if (http === undefined) {
    const { serveStdio } = await import("../mcp/stdio.ts");
    serveStdio(app, {
      onEnd: closeAll,
      onError,
      drainMs: drain.deadlineMs,
      ...(principal !== undefined && { principal }),
      ...telemetry,
    });
    await wake();
    return ok(undefined);
  }
  const address = parseAddress(http, fallback);
  if (!address.ok) return address;
  const made =
    noToken || set.token !== undefined ? ok(undefined) : await tokenOf(address.value.host, tokenFile);
  if (!made.ok) return made;
  const token = noToken ? undefined : (set.token ?? made.value);
  const { isLoopback } = await import("../mcp/http-gate.ts");
  const isLocal = isLoopback(address.value.host);
  const hasSignIn = signIn !== undefined && (isLocal || signIn.publicUrl !== undefined);
  if (signIn !== undefined && !hasSignIn) log("Clients cannot sign in here: that needs a public address.");
  const besides = await extension?.({ isLocal });
  const listening = {
    ...address.value,
    ...(token !== undefined && { token }),
    ...(identify !== undefined && { identify }),
    ...(oauth !== undefined && { oauth }),
    ...(hasSignIn && { signIn }),
    ...(besides !== undefined && { extension: besides }),
    ...probes,
    ...telemetry,
    allowedOrigins,
    ...(publicOrigin !== undefined && { publicOrigin }),
    ...(tls !== undefined && { tls }),
    onError,
  };
  const served = await listen(app, listening, fix);
  if (!served.ok) return served;
  if (noToken) log("No token is asked for: every program and user on this machine may call.");
  try {
    // The operator knows a token they set; a generated one must be printed.
    const { text, json } = welcome(
      served.value.url,
      claudeOptions(made.value, noToken ? undefined : set.token),
      hasSignIn,
    );
    terminal.out(isJson ? `${JSON.stringify({ ...json, token: made.value })}\n` : text);
    await wake();
    await untilStopped(signal);
    await served.value.drain(drain);
  } finally {
    await served.value.close();
    await closeAll();
  }
  return ok({ text: "", json: { stopped: true }, exitCode: EXIT.ok });
}

/** Long enough for most proxies to notice, and short enough for every supervisor. */
const DRAIN: DrainOptions = { delayMs: 5_000, deadlineMs: 10_000 };

/** The stored token, for callers on this machine only. Loaded lazily to keep stdio starts fast. */
async function tokenOf(host: string, file: string): Promise<Outcome<string | undefined, CommandFailure>> {
  const { isLoopback } = await import("../mcp/http-gate.ts");
  if (!isLoopback(host)) return ok(undefined);
  const { storedToken } = await import("./token-file.ts");
  return storedToken(file);
}

function claudeOptions(made: string | undefined, set: string | undefined): string {
  if (made !== undefined) return ` --header "Authorization: Bearer ${made}"`;
  return set === undefined ? "" : ' --header "Authorization: Bearer YOUR_TOKEN"';
}

async function listen(
  app: McpApp,
  options: HttpOptions,
  fix: string,
): Promise<Outcome<HttpServing, CommandFailure>> {
  const { serveHttp } = await import("../mcp/http.ts");
  try {
    return ok(await serveHttp(app, options));
  } catch (error) {
    // Node throws with a code if it cannot listen; serveHttp throws without one for a public host without a token.
    const { code, message } = error as NodeJS.ErrnoException;
    return failed(
      code === undefined
        ? { message, fix }
        : { message: `${listenProblem(code, options)}.`, fix: "Name another: --http [HOST:]PORT." },
    );
  }
}

function listenProblem(code: string, { host, port }: HttpOptions): string {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} is taken`;
    case "EACCES":
      return `This user may not listen on port ${port}`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `This machine has no address ${host}`;
    default:
      return `${host}:${port} cannot be listened on (${code})`;
  }
}

/** Parses `PORT`, `HOST:PORT` or `[IPV6]:PORT`. */
function parseAddress(text: string, fallback: Address): Outcome<Address, CommandFailure> {
  if (text === "") return ok(fallback);
  const found = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text);
  const port = Number(found?.[2]);
  if (found === null || port > 65_535)
    return failed({
      message: `${JSON.stringify(text)} is not an address: give PORT or HOST:PORT.`,
      exitCode: EXIT.usage,
    });
  return ok({ host: found[1]?.replace(/^\[|\]$/g, "") ?? fallback.host, port });
}

interface RunningTelemetry {
  readonly telemetry: Telemetry;
  readonly close: () => Promise<void>;
}

const SWITCHES = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_TRACES_EXPORTER",
  "OTEL_METRICS_EXPORTER",
] as const;

/** Starts OpenTelemetry if its environment variables ask for it and its SDK is installed. */
async function telemetryFrom(
  env: NodeJS.ProcessEnv,
  service: string,
  log: (message: string) => void,
): Promise<RunningTelemetry | undefined> {
  const isOn = SWITCHES.find((name) => env[name] !== undefined && env[name] !== "" && env[name] !== "none");
  if (isOn === undefined || env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return undefined;
  try {
    const { NodeSDK } = await import("@opentelemetry/sdk-node");
    const { openTelemetry } = await import("../otel/index.ts");
    const isNamed =
      env.OTEL_SERVICE_NAME !== undefined || env.OTEL_RESOURCE_ATTRIBUTES?.includes("service.name=");
    const sdk = new NodeSDK(isNamed ? {} : { serviceName: service });
    sdk.start();
    const failed = (error: Error) => log(`The last telemetry could not be sent: ${error.message}`);
    return { telemetry: openTelemetry(), close: () => sdk.shutdown().catch(failed) };
  } catch (error) {
    // Node throws with a code where a package is not installed.
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    log(
      `${isOn} is set, but there is no telemetry without OpenTelemetry's SDK: install @opentelemetry/api and @opentelemetry/sdk-node next to ${service}.`,
    );
    return undefined;
  }
}
