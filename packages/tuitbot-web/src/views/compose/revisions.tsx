import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { runCommand } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { Draft } from "../../api/shapes.ts";
import { now } from "../../format/clock.ts";
import { when } from "../../format/dates.ts";
import { Difference } from "../../parts/difference.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { words } from "../../text/words.ts";

/** Earlier versions of a draft. */
export function Revisions({
  draft,
  onRestore,
}: {
  readonly draft: Draft;
  readonly onRestore: (texts: readonly string[]) => void;
}): JSX.Element {
  const query = useQuery(`draft-${draft.draft_id}`, () => runCommand("drafts", { id: draft.draft_id }), [
    "drafts",
  ]);
  const { reload } = query;
  useEffect(() => void reload(), [draft.revision]);
  return (
    <details>
      <summary>{words.compose.revisions(query.value?.revisions.length ?? 0)}</summary>
      <Loaded query={query} height={60}>
        {({ revisions }) => (
          <ol class="revisions">
            {revisions.toReversed().map((revision, index, all) => (
              <li key={revision.revision}>
                <p class="row">
                  <b>{words.compose.revision(revision.revision)}</b>
                  <span class="soft small">
                    {revision.what}, {revision.by}, {when(revision.at, now.value)}
                  </span>
                  <span class="grow" />
                  <button type="button" class="quiet small" onClick={() => onRestore(revision.texts)}>
                    {words.compose.restore}
                  </button>
                </p>
                <Difference
                  before={all[index + 1]?.texts.join("\n\n") ?? ""}
                  after={revision.texts.join("\n\n")}
                />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </details>
  );
}
