import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callTool } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { Icon } from "../../parts/icons.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { words } from "../../text/words.ts";

/** Has the configured language model write a first version. */
export function Assistance({ onText }: { readonly onText: (texts: readonly string[]) => void }): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [topic, setTopic] = useState("");
  async function write(event: Event) {
    event.preventDefault();
    setBusy(true);
    const answer = await callTool<{ readonly tweet: string }>(
      "generate_tweet",
      topic.trim() === "" ? {} : { topic: topic.trim() },
    );
    setBusy(false);
    setProblem(answer.ok ? undefined : answer.failure);
    if (answer.ok) onText([answer.value.tweet]);
  }
  return (
    <form class="row assistance" onSubmit={write}>
      <input
        aria-label={words.compose.topic}
        placeholder={words.compose.topic}
        value={topic}
        onInput={(event) => setTopic(event.currentTarget.value)}
      />
      <button type="submit" class="small" disabled={isBusy}>
        <Icon name="spark" size={16} />
        {words.compose.write}
      </button>
      {problem !== undefined && <ProblemBox problem={problem} />}
    </form>
  );
}
