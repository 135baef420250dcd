import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons.tsx";

interface Props {
  readonly icon: IconName;
  readonly title: string;
  /** The content that will appear here. */
  readonly what: string;
  /** The one command that makes it appear. */
  readonly command?: string;
  readonly children?: ComponentChildren;
}

/** An empty view: it describes the future content and how to get it. */
export function Empty({ icon, title, what, command, children }: Props): JSX.Element {
  return (
    <div class="empty fade">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p>{what}</p>
      {command !== undefined && <code class="command">{command}</code>}
      {children}
    </div>
  );
}
