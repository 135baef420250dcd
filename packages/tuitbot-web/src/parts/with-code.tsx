import type { JSX } from "preact";
import { Plain } from "./post-text.tsx";

/** A text in which `backticks` mark what to type. */
export function WithCode({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {text
        .split("`")
        .map((part, index) =>
          index % 2 === 0 ? <Plain key={index} text={part} /> : <code key={index}>{part}</code>,
        )}
    </>
  );
}
