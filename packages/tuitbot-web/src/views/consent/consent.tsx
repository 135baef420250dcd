import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Answer, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../../api/client.ts";
import { runSigned } from "../../api/passkeys.ts";
import type { Problem } from "../../api/problem.ts";
import { useQuery } from "../../api/query.ts";
import { Mark } from "../../parts/icons.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { may } from "../../parts/role-note.tsx";
import { useFilter } from "../../parts/route.ts";
import { words } from "../../text/words.ts";
import { ProfileSelect } from "./profile-select.tsx";

/** The page on which an owner decides about a client that connects: what it gets, and where it sends the browser. */
export function Consent({ here }: { readonly here: SignedIn }): JSX.Element {
  const [request] = useFilter("request");
  const texts = words.clients;
  if (!may(here, "owner")) return <Frame>{texts.ownerOnly}</Frame>;
  if (request === "") return <Frame>{texts.missing}</Frame>;
  return <Waiting request={request} />;
}

function Frame({ children }: { readonly children: string }): JSX.Element {
  return (
    <main class="gate">
      <section>
        <Mark />
        <p role="status">{children}</p>
      </section>
    </main>
  );
}

function Waiting({ request }: { readonly request: string }): JSX.Element {
  const query = useQuery(`client ${request}`, () => runCommand("client_request", { request }));
  const { value, problem } = query;
  // Another attempt would not bring it back.
  if (value === undefined && problem?.code === "refused")
    return <Frame>{`${problem.message} ${problem.fix ?? ""}`}</Frame>;
  return (
    <main class="gate">
      <section>
        <Mark />
        <Loaded query={query} height={320}>
          {(waiting) => <Decision request={request} waiting={waiting} />}
        </Loaded>
      </section>
    </main>
  );
}

interface DecisionProps {
  readonly request: string;
  readonly waiting: Answer<"client_request">;
}

function Decision({ request, waiting }: DecisionProps): JSX.Element {
  const { client, accounts, profiles, proposed, agents } = waiting;
  const texts = words.clients;
  const [agent, setAgent] = useState(agents[0] ?? null);
  const [profile, setProfile] = useState(proposed.profile);
  const [chosen, setChosen] = useState(accounts.slice(0, 1).map(({ name }) => name));
  const [calls, setCalls] = useState(String(proposed.calls_per_day));
  const [dollars, setDollars] = useState(String(proposed.usd_per_day));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  async function decide(isApproved: boolean) {
    setBusy(true);
    const allowed = {
      ...{ request, agent, accounts: [...chosen], profile },
      ...{ calls_per_day: Number(calls), usd_per_day: Number(dollars) },
    };
    const done = isApproved
      ? await runSigned(
          "client_decide",
          { approve: true, ...allowed },
          { purpose: "connect", client: allowed },
        )
      : await runCommand("client_decide", { approve: false, request });
    setBusy(false);
    if (done.ok) location.assign(done.value.location);
    else setProblem(done.failure);
  }
  function submit(event: Event) {
    event.preventDefault();
    void decide(true);
  }
  return (
    <>
      <h1>{texts.title(client.name)}</h1>
      <dl class="pairs">
        <div>
          <dt>{texts.name}</dt>
          <dd>
            {client.name}{" "}
            <span class={`chip ${client.verified_by === null ? "warn" : "ok"}`}>
              {client.verified_by === null ? texts.unverified : texts.verified(client.verified_by)}
            </span>
          </dd>
        </div>
        <div>
          <dt>{texts.sendsTo}</dt>
          <dd>
            {client.host}
            {client.is_on_device && ` (${texts.onDevice})`}
          </dd>
        </div>
        {accounts.length === 1 && (
          <div>
            <dt>{texts.account}</dt>
            <dd>{accounts.map(accountText)}</dd>
          </div>
        )}
      </dl>
      <p class="banner warn">{texts.warning}</p>
      {problem !== undefined && <ProblemBox problem={problem} />}
      <form onSubmit={submit}>
        {agents.length > 0 && (
          <label>
            {texts.signsInAs}
            <select
              value={agent ?? ""}
              onChange={(event) =>
                setAgent(event.currentTarget.value === "" ? null : event.currentTarget.value)
              }
            >
              {agents.map((name) => (
                <option key={name} value={name} selected={name === agent}>
                  {name}
                </option>
              ))}
              <option value="">{texts.newAgent}</option>
            </select>
            <span>{agent === null ? texts.newAgentWhat : texts.replaces}</span>
          </label>
        )}
        {accounts.length > 1 && (
          <fieldset>
            <legend>{texts.account}</legend>
            {accounts.map(({ name, username }) => (
              <label key={name} class="check">
                <input
                  type="checkbox"
                  checked={chosen.includes(name)}
                  onChange={() =>
                    setChosen(
                      chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name],
                    )
                  }
                />
                {accountText({ name, username })}
              </label>
            ))}
          </fieldset>
        )}
        <p class="soft small">{texts.profile}</p>
        <ProfileSelect
          label={texts.profile}
          profiles={profiles}
          value={profile}
          onChange={setProfile}
          isBare
        />
        <p class="soft small">{texts.profiles[profile]}</p>
        <label>
          {texts.calls}
          <input
            type="number"
            required
            min={1}
            max={100_000}
            value={calls}
            onInput={(event) => setCalls(event.currentTarget.value)}
          />
        </label>
        <label>
          {texts.dollars}
          <input
            type="number"
            required
            min={0}
            step={0.01}
            value={dollars}
            onInput={(event) => setDollars(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={isBusy || chosen.length === 0}>
          {texts.approve}
        </button>
        <button type="button" disabled={isBusy} onClick={() => void decide(false)}>
          {texts.refuse}
        </button>
      </form>
    </>
  );
}

/** An account by its name in the configuration, and its handle on X if that is known. */
function accountText({ name, username }: Answer<"client_request">["accounts"][number]): string {
  return username === null ? name : `${name} (@${username})`;
}
