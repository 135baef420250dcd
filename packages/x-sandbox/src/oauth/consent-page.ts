import type { Answer } from "../answer.ts";
import { cast } from "../world/seed/cast.ts";
import type { World } from "../world/world.ts";
import type { AuthorizeRequest } from "./authorize.ts";

/** A plain page that asks whether the app may act for a user of the sandbox. */
export function consentPage(request: AuthorizeRequest, query: URLSearchParams, world: World): Answer {
  const users = Object.values(cast).filter(
    (username) => world.personNamed(username)?.accountStatus === "active",
  );
  return page(
    200,
    `<h1>Let ${escaped(request.app.clientId)} use a sandbox account?</h1>
<p>It asks for:</p>
<ul>${request.scopes.map((scope) => `<li>${escaped(scope)}</li>`).join("")}</ul>
<form method="post" action="?${escaped(query.toString())}">
<label>Account <select name="user">${users.map((name) => `<option>${escaped(name)}</option>`).join("")}</select></label>
<button name="decision" value="approve">Authorize app</button>
<button name="decision" value="deny">Cancel</button>
</form>`,
  );
}

export function errorPage(complaint: string): Answer {
  return page(
    400,
    `<h1>Something went wrong</h1><p>You weren't able to give access to the App.</p><p>${escaped(complaint)}</p>`,
  );
}

function page(status: number, content: string): Answer {
  const body = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>X sandbox</title></head><body>${content}</body></html>`;
  return { status, body, contentType: "text/html; charset=utf-8" };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
