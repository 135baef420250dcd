import { homedir } from "node:os";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import * as z from "zod";
import type { UpstreamPlace } from "./upstream-place.ts";

/** How a section of the policy names its server: a program or an address. */
export const serverPlace = {
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().min(1).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  token_env: z.string().min(1).optional(),
};

/** A section's place. */
export interface ServerSection {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly token_env?: string | undefined;
}

/** The server of a section. `${NAME}` stands for a variable of the environment, and `~/` for the home folder. */
export function sectionPlace(
  { command, args = [], env: own = {}, cwd, url, headers = {}, token_env: tokenEnv }: ServerSection,
  env: NodeJS.ProcessEnv,
): Outcome<UpstreamPlace, string> {
  const { filled, value, missing } = environmentFiller(env);
  const filledAll = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text)]));
  if ((command === undefined) === (url === undefined)) return failed("give either command or url.");
  const place: UpstreamPlace =
    command !== undefined
      ? {
          command: filled(command),
          args: args.map(filled),
          env: filledAll(own),
          ...(cwd !== undefined && { cwd: filled(cwd) }),
        }
      : {
          url: filled(url ?? ""),
          headers: filledAll(headers),
          ...(tokenEnv !== undefined && { token: value(tokenEnv) }),
        };
  const problem = missing();
  return problem === undefined ? ok(place) : failed(problem);
}

/** Replaces `${NAME}` by a variable of the environment, and `~/` by the home folder. */
export function environmentFiller(env: NodeJS.ProcessEnv) {
  const unset = new Set<string>();
  const value = (name: string) => {
    const found = env[name];
    if (found === undefined) unset.add(name);
    return found ?? "";
  };
  return {
    value,
    filled: (text: string) =>
      text
        .replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => value(name))
        .replace(/^~(?=\/|$)/, homedir()),
    /** A sentence about the variables that are not set. */
    missing: () =>
      unset.size === 0 ? undefined : `the environment variable ${[...unset].join(", ")} is not set.`,
  };
}
