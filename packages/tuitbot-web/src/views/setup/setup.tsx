import type { JSX } from "preact";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { callTool, runCommand, signOut } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Health, ShownConfig } from "../../api/shapes.ts";
import { price } from "../../format/numbers.ts";
import { Icon } from "../../parts/icons.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { may, RoleNote } from "../../parts/role-note.tsx";
import { words } from "../../text/words.ts";
import { Agents } from "../consent/agents.tsx";
import { Passkeys } from "../passkeys.tsx";
import { Sessions } from "../sessions.tsx";
import { Guide } from "./guide.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { ThisBrowser } from "./this-browser.tsx";

/** The completed and missing parts of the setup, and the command for each missing one. */
export function Setup({ here }: { readonly here: SignedIn }): JSX.Element {
  const health = useQuery("health", () => callTool<Health>("health_check"), ["runner", "stop"]);
  const config = useQuery("config", () => runCommand("config"));
  return (
    <Page
      title={words.views.setup}
      lead={words.setup.lead}
      actions={
        <>
          <span class="soft small">{words.shell.signedInAs(here.person, words.roles.names[here.role])}</span>
          <button type="button" onClick={() => void signOut()}>
            {words.shell.signOut}
          </button>
        </>
      }
    >
      <RoleNote here={here} needs="owner" what="setup" />
      <Guide
        canRun={may(here, "owner")}
        onDone={() => {
          void health.reload();
          void config.reload();
        }}
      />
      <Loaded query={health} height={320}>
        {(found) => <Steps health={found} config={config.value} here={here} />}
      </Loaded>
      <SettingsForm here={here} />
      <ThisBrowser />
      <Passkeys here={here} />
      <Agents here={here} />
      <Sessions here={here} />
      <Loaded query={config} height={200}>
        {(found) => <Settings found={found} />}
      </Loaded>
    </Page>
  );
}

interface StepsProps {
  readonly health: Health;
  readonly config: ShownConfig | undefined;
  readonly here: SignedIn;
}

interface Step {
  readonly name: keyof typeof words.setup.steps;
  readonly isDone: boolean;
  readonly says: string;
  readonly command: string;
}

function Steps({ health, config, here }: StepsProps): JSX.Element {
  const budget = config?.config.budget;
  const cap = typeof budget?.max_usd_per_day === "number" ? budget.max_usd_per_day : undefined;
  const business = config?.config.business as { readonly product_keywords?: readonly string[] } | undefined;
  const keywords = business?.product_keywords ?? [];
  const user = health.authenticated_user;
  const steps: readonly Step[] = [
    {
      name: "account",
      isDone: user !== null,
      says:
        user === null
          ? words.setup.nobody
          : here.is_sandbox
            ? words.setup.inSandbox(user.username)
            : words.setup.signedIn(user.username),
      command: "tuitbot init",
    },
    {
      name: "caps",
      isDone: cap !== undefined,
      says: cap === undefined ? words.setup.noCap : words.setup.cap(price(cap)),
      command: "tuitbot init",
    },
    {
      name: "voice",
      isDone: keywords.length > 0,
      says: keywords.length > 0 ? keywords.join(", ") : words.setup.noVoice,
      command: "tuitbot init",
    },
    {
      name: "model",
      isDone: health.llm.status === "configured" || health.llm.status === "ok",
      says: health.llm.message ?? words.setup.noModel,
      command: "tuitbot init",
    },
    {
      name: "runner",
      isDone: health.runner.alive,
      says: health.runner.alive ? words.setup.runnerAlive : words.setup.noRunner,
      command: "tuitbot run",
    },
  ];
  return (
    <ol class="panel steps">
      {steps.map(({ name, isDone, says, command }) => (
        <li key={name}>
          <span class={isDone ? "step-mark done" : "step-mark"}>
            {isDone && <Icon name="check" size={16} />}
            <span class="visually-hidden">{isDone ? words.setup.done : words.setup.missing}</span>
          </span>
          <div>
            <h2>{words.setup.steps[name]}</h2>
            <p class="soft">{says}</p>
            {!isDone && <code class="command">{command}</code>}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Every setting in force, as TOML. Secrets are masked by the server. */
function Settings({ found }: { readonly found: ShownConfig }): JSX.Element {
  const lines = Object.entries(found.config).flatMap(([section, values]) =>
    isTable(values)
      ? ["", `[${section}]`, ...Object.entries(values).map(([key, value]) => `${key} = ${toml(value)}`)]
      : [`${section} = ${toml(values)}`],
  );
  return (
    <details class="panel advanced">
      <summary>{words.setup.settings}</summary>
      <p class="soft small">
        {found.file === null ? words.setup.noFile : words.setup.file} <span class="mono">{found.file}</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre class="mono small" tabIndex={0}>
        {lines.join("\n").trim()}
      </pre>
    </details>
  );
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (!isTable(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, part]) => `${key} = ${toml(part)}`)
    .join(", ")} }`;
}
