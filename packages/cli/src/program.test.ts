import { failed, ok } from "@toolpact/outcome";
import { describe, expect, test } from "vitest";
import { commandFor } from "./command.ts";
import { commonOptions, type Program } from "./program.ts";
import { runInMemory } from "./testing.ts";

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
  globalOptions: options,
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

function run(line: string, signal?: AbortSignal) {
  const words = line === "" ? [] : line.split(" ");
  return runInMemory(program, words, { greeting: "Hello" }, signal && { signal });
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
  ])("an option may have a value: %s", async (words, gift) => {
    const { out } = await run(`greet Ada --output json ${words}`);
    expect(JSON.parse(out)).toMatchObject({ whom: "Ada", gift });
  });

  test("options of the program may stand before the command", async () => {
    const { out } = await run("-c my.toml --output json greet Ada");
    expect(JSON.parse(out)).toMatchObject({ whom: "Ada", config: "my.toml" });
  });

  test.each([
    ["greet", "WHOM is missing. See hello greet --help."],
    ["greet Ada home Bo", 'Unexpected argument "Bo". See hello greet --help.'],
    ["greet Ada moon", 'WHERE cannot be "moon". It is one of home, work.'],
    ["greet Ada --tome warm", "There is no option --tome here. Did you mean --tone?"],
    ["greet Ada --tone warn", '--tone cannot be "warn". Did you mean warm? It is one of warm, cold.'],
    ["greet Ada --loud=yes", "--loud takes no value."],
    ["greet Ada --tone", "--tone needs a value: --tone TONE."],
    ["greet Ada --tone --loud", "--tone needs a value: --tone TONE."],
    ["gret Ada", 'There is no command "gret". Did you mean greet? hello has: greet, deep, completion.'],
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
  expect(await run("deep fail")).toMatchObject({
    code: 1,
    out: "",
    err: "hello: It cannot be done. Wait.\n",
  });
  const { code, out } = await run("deep fail --output json");
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({ error: { message: "It cannot be done.", fix: "Wait." } });
});

test("stopping a command exits with 130 and prints nothing", async () => {
  const stop = new AbortController();
  const running = run("deep wait", stop.signal);
  stop.abort();
  expect(await running).toMatchObject({ code: 130, out: "", err: "" });
});

test("every level has help with examples", async () => {
  expect((await run("--help")).out).toMatchInlineSnapshot(`
    "Greets people.

    Usage
      hello COMMAND

    Commands
      greet       Greet somebody
      deep        Further down
      completion  Print the shell script that completes commands and options

    Global options
      -c, --config FILE    Configuration
          --output FORMAT  Output format (text, json)
      -h, --help           Show help
          --version        Print the version

    Examples
      hello greet Ada  greets Ada

    Exit codes
      0    success
      1    the command failed, or found a problem
      2    the command line is wrong
      130  interrupted by Ctrl-C
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

    Global options
      -c, --config FILE    Configuration
          --output FORMAT  Output format (text, json)
      -h, --help           Show help
          --version        Print the version

    Examples
      hello greet Ada --tone warm  greets Ada warmly
    "
  `);
  expect((await run("")).out).toBe((await run("--help")).out);
  expect(await run("--version")).toMatchObject({ code: 0, out: "1.2.3\n", err: "" });
});

describe("a program that is a command itself", () => {
  const single: Program<Machine> = {
    ...command({
      name: "count",
      describe: "Count.",
      options: {
        to: { kind: "number", placeholder: "N", describe: "Last number", min: 1, max: 9 },
        step: {
          kind: "number",
          placeholder: "N",
          describe: "Distance",
          min: 0,
          max: 9,
          allowsFraction: true,
        },
      },
      examples: [{ line: "count --to 3", does: "counts to 3" }],
      run: async ({ to = 1, step = 1 }) =>
        to === 7 ? failed({ message: "Not 7." }) : ok({ text: `${to} ${step}`, json: { to, step } }),
    }),
    version: "1",
    globalOptions: { json: { kind: "flag", describe: "The same as --output json" }, ...options },
    exitCodes: [[3, "seven"]],
    failureCode: 3,
  };
  const count = (...words: string[]) => runInMemory(single, words, { greeting: "" });

  test("runs without a command's name, with numbers as numbers", async () => {
    expect(await count("--to", "3", "--step", "0.5")).toMatchObject({ code: 0, out: "3 0.5\n" });
    expect((await count("--json", "--to=4")).json()).toEqual({ to: 4, step: 1 });
  });

  test.each([
    [["--to", "0"], '--to cannot be "0". Give a whole number from 1 to 9. See count --help.'],
    [["--to", "1.5"], "Give a whole number from 1 to 9."],
    [["--to", ""], '--to cannot be "".'],
    [["--step", "x"], '--step cannot be "x". Give a number from 0 to 9.'],
    [["--to", "3", "fast"], 'There is no command "fast". count has: completion.'],
  ])("refuses %j", async (words, message) => {
    expect(await count(...words)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  test("may define exit codes, and has completion", async () => {
    expect(await count("--to", "7")).toMatchObject({ code: 3, err: "count: Not 7.\n" });
    expect((await count("--help")).out).toContain("  count [COMMAND] [OPTIONS]\n");
    expect((await count("--help")).out).toMatch(/Exit codes\n {2}3 {2}seven\n$/);
    expect((await count("completion", "bash")).out).toContain('":"*) offer="completion --json');
  });
});
