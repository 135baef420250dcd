import type { ComponentChildren, JSX } from "preact";

interface Props {
  readonly title: string;
  readonly lead: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A view with a heading, what it shows in a sentence, and what can be changed about it. */
export function Page({ title, lead, actions, children }: Props): JSX.Element {
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <p class="title" aria-hidden="true">
            {title}
          </p>
          <p class="soft">{lead}</p>
        </div>
        {actions !== undefined && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
