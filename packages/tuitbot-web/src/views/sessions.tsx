import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import type { Problem } from "../api/problem.ts";
import { useQuery } from "../api/query.ts";
import { dateTime } from "../format/dates.ts";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may } from "../parts/role-note.tsx";
import { words } from "../text/words.ts";

/** The browsers that are signed in: your own, or for owners everybody's. Each can be signed out. */
export function Sessions({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("sessions", () => runCommand("sessions"));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const texts = words.sessions;
  async function end(id: string) {
    setBusy(true);
    setProblem(undefined);
    const done = await runCommand("session_end", { id });
    setBusy(false);
    if (!done.ok) setProblem(done.failure);
    await query.reload();
  }
  return (
    <section class="panel" aria-labelledby="sessions">
      <header>
        <div>
          <h2 id="sessions">{texts.title}</h2>
          <p class="soft small">{may(here, "owner") ? texts.all : texts.own}</p>
        </div>
      </header>
      {problem !== undefined && <ProblemBox problem={problem} />}
      <Loaded query={query} height={48}>
        {({ sessions }) => (
          <ul class="passkeys">
            {sessions.map(({ id, person, role, signed_in_by, since, expires_at, is_this }) => (
              <li key={id}>
                <div>
                  <p>
                    {texts.of(person, role)} {is_this && <span class="chip ok">{texts.here}</span>}
                  </p>
                  <p class="soft small">
                    {texts.since(
                      texts.by[signed_in_by] ?? signed_in_by,
                      dateTime(since),
                      dateTime(expires_at),
                    )}
                  </p>
                </div>
                {!is_this && (
                  <button
                    type="button"
                    class="small"
                    disabled={isBusy}
                    aria-label={texts.endOf(person)}
                    onClick={() => void end(id)}
                  >
                    {texts.end}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
