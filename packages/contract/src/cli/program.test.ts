import { describe, expect, test } from "vitest";
import { failed, ok } from "../outcome.ts";
import { commandFor } from "./command.ts";
import { commonOptions, type Program, runProgram } from "./program.ts";
import type { Terminal } from "./terminal.ts";

interface Machine {
  readonly greeting: string;
}

const options = {
  config: { kind: "value", short: "c", placeholder: "FILE", describe: "Configuration" },
  ...commonOptions,
} as const;

const command = commandFor<Machine, typeof options>();

const program: Program<Machine> = {
  name: "hello",
  version: "1.2.3",
  describe: "Greets people.",
  options,
  examples: [{ line: "hello greet Ada", does: "greets Ada" }],
  commands: [
    command({
      name: "greet",
      describe: "Greet somebody",
      args: {
        whom: { describe: "Who is greeted", required: true },
        where: { describe: "Where", required: false, choices: ["home", "work"] },
      },
      options: {
        loud: { kind: "flag", short: "l", describe: "With force" },
        tone: { kind: "value", placeholder: "TONE", describe: "How", choices: ["warm", "cold"] },
        with: { kind: "list", placeholder: "NAMES", describe: "Others" },
        gift: { kind: "value", placeholder: "THING", describe: "What is brought", whenBare: "flowers" },
      },
      examples: [{ line: "hello greet Ada --tone warm", does: "greets Ada warmly" }],
      async run({ whom, where, loud, tone, with: others, gift }, { machine, globals }) {
        const json = {
          whom,
          where: where ?? null,
          loud,
          tone: tone ?? null,
          others: others ?? [],
          gift: gift ?? null,
        };
        return ok({
          text: `${machine.greeting} ${whom}`,
          json: { ...json, config: globals.config ?? null },
        });
      },
    }),
    {
      name: "deep",
      describe: "Further down",
      examples: [{ line: "hello deep fail", does: "fails" }],
      commands: [
        command({
          name: "fail",
          describe: "Fail",
          examples: [],
          run: async () => failed({ message: "It cannot be done.", fix: "Wait." }),
        }),
        command({
          name: "wait",
          describe: "Wait to be stopped",
          examples: [],
          run: (_, { signal }) =>
            new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        }),
      ],
    },
  ],
};

async function run(line: string, stopping = new AbortController()) {
  let out = "";
  let err = "";
  const terminal: Terminal = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env: {},
    isInteractive: false,
    hasColor: false,
    ask: async () => undefined,
  };
  const words = line === "" ? [] : line.split(" ");
  const running = runProgram(program, words, terminal, { greeting: "Hello" }, stopping.signal);
  const code = await running;
  return { code, out, err };
}

describe("words", () => {
  test("arguments, options and choices reach the command by name", async () => {
    const { out, code } = await run("greet Ada work -l --tone=warm --with Bo,Cy --with Di --output json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      whom: "Ada",
      where: "work",
      loud: true,
      tone: "warm",
      others: ["Bo", "Cy", "Di"],
      gift: null,
      config: null,
    });
  });

  test.each([
    ["--gift", "flowers"],
    ["--gift --loud", "flowers"],
    ["--gift books", "books"],
    ["--gift=books", "books"],
  ])("an option may have a value of its own: %s", async (words, gift) => {
    const { out } = await run(`greet Ada --output json ${words}`);
    expect(JSON.parse(out)).toMatchObject({ whom: "Ada", gift });
  });

  test("options of the program may stand before the command", async () => {
    const { out } = await run("-c my.toml --output json greet Ada");
    expect(JSON.parse(out)).toMatchObject({ whom: "Ada", config: "my.toml" });
  });

  test.each([
    ["greet", "WHOM is missing. See hello greet --help."],
    ["greet Ada home Bo", '"Bo" is one word too many. See hello greet --help.'],
    ["greet Ada moon", 'WHERE cannot be "moon". It is one of home, work.'],
    ["greet Ada --tome warm", "There is no option --tome here. Did you mean --tone?"],
    ["greet Ada --tone warn", '--tone cannot be "warn". Did you mean warm? It is one of warm, cold.'],
    ["greet Ada --loud=yes", "--loud takes no value."],
    ["greet Ada --tone", "--tone needs a value: --tone TONE."],
    ["gret Ada", 'There is no command "gret". Did you mean greet? hello has: greet, deep.'],
    ["--verison", "There is no option --verison here. Did you mean --version? See hello --help."],
    ["deep --lod", "There is no option --lod here. See hello deep --help."],
    ["--confg my.toml greet Ada", "There is no option --confg here. Did you mean --config?"],
    ["deep fai", 'There is no command "fai". Did you mean fail? hello deep has: fail, wait.'],
  ])("%s", async (line, message) => {
    const { code, err, out } = await run(line);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(out).toBe("");
    const asJson = await run(`${line} --output json`);
    expect(asJson.code).toBe(2);
    expect(asJson.err).toBe("");
    expect(JSON.parse(asJson.out).error.message).toBeTruthy();
  });
});

test("a failure is one line on stderr, or an object on stdout for programs", async () => {
  expect(await run("deep fail")).toEqual({ code: 1, out: "", err: "hello: It cannot be done. Wait.\n" });
  const { code, out } = await run("deep fail --output json");
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({ error: { message: "It cannot be done.", fix: "Wait." } });
});

test("stopping a command ends with 130 and says nothing", async () => {
  const stopping = new AbortController();
  const running = run("deep wait", stopping);
  stopping.abort();
  expect(await running).toEqual({ code: 130, out: "", err: "" });
});

test("every level explains itself, with examples", async () => {
  expect((await run("--help")).out).toMatchInlineSnapshot(`
    "Greets people.

    Usage
      hello COMMAND

    Commands
      greet  Greet somebody
      deep   Further down

    Everywhere
      -c, --config FILE    Configuration
          --output FORMAT  How answers are written (text, json)
      -h, --help           Explain a command
          --version        Print the version

    Examples
      hello greet Ada  greets Ada

    Exit codes
      0    done
      1    what was asked for failed, or something is wrong with the set-up
      2    the command line was not understood
      130  interrupted with Ctrl-C
    "
  `);
  expect((await run("deep --help")).out).toContain("hello deep COMMAND");
  expect((await run("greet --help")).out).toMatchInlineSnapshot(`
    "Greet somebody

    Usage
      hello greet WHOM [WHERE] [OPTIONS]

    Arguments
      WHOM   Who is greeted
      WHERE  Where (home, work)

    Options
      -l, --loud          With force
          --tone TONE     How (warm, cold)
          --with NAMES    Others
          --gift [THING]  What is brought

    Everywhere
      -c, --config FILE    Configuration
          --output FORMAT  How answers are written (text, json)
      -h, --help           Explain a command
          --version        Print the version

    Examples
      hello greet Ada --tone warm  greets Ada warmly
    "
  `);
  expect((await run("")).out).toBe((await run("--help")).out);
  expect(await run("--version")).toEqual({ code: 0, out: "1.2.3\n", err: "" });
});
