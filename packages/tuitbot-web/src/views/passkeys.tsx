import type { Outcome } from "@toolpact/outcome";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Passkey, SignedIn } from "tuitbot/src/web/api.ts";
import { runCommand } from "../api/client.ts";
import { addPasskey, runSigned } from "../api/passkeys.ts";
import type { Problem } from "../api/problem.ts";
import { useQuery } from "../api/query.ts";
import { dateTime } from "../format/dates.ts";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { may, RoleNote } from "../parts/role-note.tsx";
import { words } from "../text/words.ts";

/** Who approves with a passkey, and a way to begin. */
export function Passkeys({ here }: { readonly here: SignedIn }): JSX.Element {
  const query = useQuery("passkeys", () => runCommand("passkeys"));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  async function act(work: () => Promise<Outcome<unknown, Problem>>) {
    setBusy(true);
    setProblem(undefined);
    const done = await work();
    setBusy(false);
    if (!done.ok) setProblem(done.failure);
    await query.reload();
  }
  const remove = ({ id }: Passkey) =>
    act(() => runSigned("passkey_remove", { id }, { purpose: "remove", id }));
  return (
    <section class="panel" aria-labelledby="passkeys">
      <header>
        <div>
          <h2 id="passkeys">{words.passkeys.title}</h2>
          <p class="soft small">{words.passkeys.what}</p>
        </div>
      </header>
      {problem !== undefined && <ProblemBox problem={problem} />}
      <Loaded query={query} height={48}>
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <p class="soft">{words.passkeys.none}</p>
          ) : (
            <ul class="passkeys">
              {passkeys.map((passkey) => (
                <li key={passkey.id}>
                  <div>
                    <p>{words.passkeys.of(passkey.person, passkey.site)}</p>
                    <p class="soft small">{words.passkeys.since(dateTime(passkey.created_at))}</p>
                  </div>
                  {may(here, "approver") && (
                    <button
                      type="button"
                      class="small"
                      disabled={isBusy}
                      onClick={() => void remove(passkey)}
                    >
                      {words.passkeys.remove}
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <RoleNote here={here} needs="approver" what="passkeys" />
      {may(here, "approver") && (
        <div class="row">
          <button type="button" disabled={isBusy} onClick={() => void act(addPasskey)}>
            {words.passkeys.add}
          </button>
        </div>
      )}
    </section>
  );
}
