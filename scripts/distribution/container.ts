import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser, type Instruction } from "dockerfile-ast";
import { parse } from "yaml";

/** Contents and start command of an image, read without a container engine. */
export interface Image {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  /** The copied paths, by build folder. */
  readonly copied: readonly { readonly from: string; readonly to: string }[];
}

/** The parts of a compose service that affect its start. */
export interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export function imageOf(dockerfile: string): Image {
  const instructions = DockerfileParser.parse(dockerfile).getInstructions();
  const last = (keyword: string) => instructions.findLast((found) => found.getKeyword() === keyword);
  return {
    entrypoint: jsonIn(last("ENTRYPOINT")),
    command: jsonIn(last("CMD")),
    healthCheck: jsonIn(last("HEALTHCHECK"), "CMD"),
    environment: Object.fromEntries(
      instructions
        .filter((found) => found.getKeyword() === "ENV")
        .flatMap((found) => wordsOf(found).map((pair) => pair.split("=", 2) as [string, string])),
    ),
    user: wordsOf(last("USER"))[0] ?? "root",
    copied: instructions
      .filter((found) => found.getKeyword() === "COPY")
      .flatMap((found) => {
        const words = wordsOf(found);
        const to = words.at(-1) ?? ".";
        return words.slice(0, -1).map((from) => ({ from, to: to.endsWith("/") ? join(to, from) : to }));
      }),
  };
}

/** Arguments in JSON form, which bypasses the shell. */
function jsonIn(instruction: Instruction | undefined, after = ""): readonly string[] {
  const text = instruction?.getRawArgumentsContent() ?? "[]";
  return JSON.parse(text.slice(text.indexOf("[", text.indexOf(after))));
}

function wordsOf(instruction: Instruction | undefined): readonly string[] {
  return instruction?.getArguments().map((argument) => argument.getValue()) ?? [];
}

/** Copies an image's files into a folder, as its build would. */
export function layOut({ copied }: Image, context: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { from, to } of copied)
    cpSync(join(context, from), join(folder, to), { recursive: true, dereference: true });
}

/** A compose file with its variables substituted; a missing required variable is an error. */
export function composeOf(file: string, variables: Readonly<Record<string, string>>): Compose {
  const text = readFileSync(file, "utf8").replace(
    /\$\{(\w+):([?-])([^}]*)\}/g,
    (_match, name: string, kind: string, rest: string) => {
      const value = variables[name] ?? (kind === "-" ? rest : undefined);
      if (value === undefined) throw new Error(`${name}: ${rest}`);
      return value;
    },
  );
  return parse(text, { merge: true });
}
