import type { JSX } from "preact";
import { differences } from "../format/differences.ts";
import { Plain } from "./post-text.tsx";

/** The removals and additions of an edit. */
export function Difference({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): JSX.Element {
  return (
    <p class="difference">
      {differences(before, after).map(({ kind, text }, index) => {
        const Tag = kind === "same" ? "span" : kind === "added" ? "ins" : "del";
        return (
          <Tag key={index}>
            <Plain text={text} />
          </Tag>
        );
      })}
    </p>
  );
}
