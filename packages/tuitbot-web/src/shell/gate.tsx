import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SignedOut } from "tuitbot/src/web/api.ts";
import { readSession, signIn, signInProblem } from "../api/client.ts";
import { Mark } from "../parts/icons.tsx";
import { ProblemBox } from "../parts/problem-box.tsx";
import { words } from "../text/words.ts";

/** The view of a browser that is not signed in: how to sign in. */
export function Gate({ here }: { readonly here: SignedOut }): JSX.Element {
  const problem = signInProblem.value;
  // Tabs share the cookie: once another has signed in, this one is signed in too.
  useEffect(() => {
    const look = () => void readSession();
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, []);
  return (
    <main class="gate">
      <section>
        <Mark />
        <h1>{words.signIn.title}</h1>
        <p class="soft">{words.signIn.what}</p>
        {problem !== undefined && <ProblemBox problem={problem} />}
        {here.sign_in.includes("passphrase") && <PassphraseForm />}
        {here.sign_in.includes("link") && (
          <>
            <p class="soft">{words.signIn.link}</p>
            <code class="command">{words.signIn.command}</code>
          </>
        )}
      </section>
    </main>
  );
}

function PassphraseForm(): JSX.Element {
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [isBusy, setBusy] = useState(false);
  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    const done = await signIn({ name, passphrase });
    setBusy(false);
    signInProblem.value = done.ok ? undefined : done.failure;
    if (done.ok) await readSession();
  }
  return (
    <form onSubmit={submit}>
      <label>
        {words.signIn.name}
        <input
          autocomplete="username"
          required
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        {words.signIn.passphrase}
        <input
          type="password"
          autocomplete="current-password"
          required
          value={passphrase}
          onInput={(event) => setPassphrase(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={isBusy}>
        {words.signIn.submit}
      </button>
    </form>
  );
}
