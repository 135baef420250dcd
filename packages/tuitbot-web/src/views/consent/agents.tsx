import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Answer, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import { runSigned } from "../../api/passkeys.ts";
import type { Problem } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { dateTime } from "../../format/dates.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may } from "../../parts/role-note.tsx";
import { words } from "../../text/words.ts";
import { ProfileSelect } from "./profile-select.tsx";

type AgentList = Answer<"agents">;
type ListedAgent = AgentList["agents"][number];

/** The agents with their last use and spending. Owners change their profile or revoke them. */
export function Agents({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("agents", () => runCommand("agents"), ["activity"]);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const texts = words.clients.agents;
  async function change(run: () => ReturnType<typeof revoke>) {
    setBusy(true);
    setProblem(undefined);
    const done = await run();
    setBusy(false);
    if (!done.ok) setProblem(done.failure);
    await query.reload();
  }
  return (
    <section class="panel" aria-labelledby="agents">
      <header>
        <div>
          <h2 id="agents">{texts.title}</h2>
          <p class="soft small">{texts.lead}</p>
        </div>
      </header>
      {problem !== undefined && <ProblemBox problem={problem} />}
      <Loaded query={query} height={48}>
        {({ agents, profiles }) =>
          agents.length === 0 ? (
            <p class="soft">{texts.none}</p>
          ) : (
            <ul class="passkeys">
              {agents.map((agent) => (
                <AgentRow
                  key={agent.name}
                  agent={agent}
                  profiles={profiles}
                  canChange={may(here, "owner") && !isBusy}
                  change={change}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

const revoke = (name: string) => runCommand("agent_revoke", { name });

interface RowProps {
  readonly agent: ListedAgent;
  readonly profiles: AgentList["profiles"];
  readonly canChange: boolean;
  readonly change: (run: () => ReturnType<typeof revoke>) => Promise<void>;
}

function AgentRow({ agent, profiles, canChange, change }: RowProps): JSX.Element {
  const { name, client, profile, is_active } = agent;
  const texts = words.clients.agents;
  const known = profiles.find((one) => one === profile);
  const { calls_per_day, usd_per_day } = agent;
  return (
    <li>
      <div>
        <p>
          {name} {!is_active && <span class="chip">{texts.ended}</span>}
        </p>
        <p class="soft small">
          {client === null ? texts.token : texts.signedInBy(client.person, client.host)}{" "}
          {agent.last_used_at === null ? texts.never : texts.used(dateTime(agent.last_used_at))} ·{" "}
          {texts.spent(agent.spent_usd_today)}
        </p>
      </div>
      {is_active && canChange && known !== undefined && calls_per_day !== null && usd_per_day !== null && (
        <ProfileSelect
          label={texts.profileOf(name)}
          profiles={profiles}
          value={known}
          onChange={(chosen) => {
            const permitted = { name, profile: chosen, calls_per_day, usd_per_day };
            void change(() => runSigned("agent_permit", permitted, { purpose: "permit", agent: permitted }));
          }}
        />
      )}
      {is_active && (
        <button
          type="button"
          class="small"
          disabled={!canChange}
          aria-label={texts.revokeOf(name)}
          onClick={() => void change(() => revoke(name))}
        >
          {texts.revoke}
        </button>
      )}
    </li>
  );
}
