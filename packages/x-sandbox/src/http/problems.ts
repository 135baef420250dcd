import type { JsonObject } from "../json.ts";
import type { Answer } from "./answer.ts";

/** With X's status, `type`, title and key phrases. X uses two hosts in `type`. */

const oldHost = "https://api.twitter.com/2/problems";
const newHost = "https://api.x.com/2/problems";

function problem(status: number, body: JsonObject): Answer {
  return { status, body, contentType: "application/problem+json" };
}

export function forbidden(detail: string): Answer {
  return problem(403, { detail, type: "about:blank", title: "Forbidden", status: 403 });
}

// Authentication

export function unauthorized(): Answer {
  return problem(401, { title: "Unauthorized", type: "about:blank", status: 401, detail: "Unauthorized" });
}

export function unsupportedAuthentication(used: string, supported: readonly string[]): Answer {
  return problem(403, {
    title: "Unsupported Authentication",
    detail: `Authenticating with ${used} is forbidden for this endpoint. Supported authentication types are [${supported.join(", ")}].`,
    type: `${oldHost}/unsupported-authentication`,
    status: 403,
  });
}

/** X does not say which scope is missing. */
export function missingScope(): Answer {
  return forbidden("Forbidden");
}

export function clientNotEnrolled(clientId: string): Answer {
  return problem(403, {
    client_id: clientId,
    detail:
      "When authenticating requests, use the keys of an app that is attached to a project in the pay-per-use package.",
    registration_url: "https://developer.x.com/en/docs/projects/overview",
    title: "Client Forbidden",
    required_enrollment: "Appropriate Level of API Access",
    reason: "client-not-enrolled",
    type: `${oldHost}/client-forbidden`,
  });
}

export function notInPlan(clientId: string, what: string): Answer {
  return problem(403, {
    client_id: clientId,
    detail: `${what} is not part of your current access level; it needs enterprise access.`,
    registration_url: "https://developer.x.com/en/portal/products",
    title: "Client Forbidden",
    required_enrollment: "Appropriate Level of API Access",
    reason: "access-level-forbidden",
    type: `${oldHost}/client-forbidden`,
  });
}

export function accountSuspended(): Answer {
  return forbidden("Your account is suspended and is not permitted to access this feature.");
}

export function accountLocked(): Answer {
  return forbidden("To protect our users, your account is temporarily locked. Sign in to X to unlock it.");
}

// Rate limits and credits

export function rateLimited(): Answer {
  return problem(429, {
    title: "Too Many Requests",
    detail: "Too Many Requests",
    type: "about:blank",
    status: 429,
  });
}

export function usageCapped(accountId: string): Answer {
  return problem(429, {
    account_id: accountId,
    product_name: "pay-per-use",
    title: "UsageCapExceeded",
    period: "Monthly",
    scope: "Product",
    detail: "Usage cap exceeded: Monthly product cap",
    type: `${oldHost}/usage-capped`,
  });
}

export function tooManyConnections(): Answer {
  return problem(429, {
    title: "ConnectionException",
    detail: "This stream is at the maximum allowed connection limit.",
    connection_issue: "TooManyConnections",
    type: `${oldHost}/streaming-connection`,
  });
}

/** X writes the account id as a number too large for JavaScript, so the body is a string. */
export function creditsDepleted(accountId: string): Answer {
  const rest = JSON.stringify({
    title: "CreditsDepleted",
    detail: `Your enrolled account [${accountId}] does not have any credits to fulfill this request.`,
    type: `${oldHost}/credits`,
  });
  return {
    status: 402,
    body: `{"account_id":${accountId},${rest.slice(1)}`,
    contentType: "application/problem+json",
  };
}

export function paymentRequired(): Answer {
  return problem(402, {
    detail: "credits depleted",
    status: 402,
    title: "Payment Required",
    type: `${newHost}/credits-depleted`,
  });
}

// Invalid requests

export interface BadValue {
  readonly parameter: string;
  readonly values: readonly string[];
  readonly message: string;
}

export function invalidRequest(errors: readonly BadValue[]): Answer {
  return problem(400, {
    errors: errors.map(({ parameter, values, message }) => ({
      parameters: { [parameter]: values },
      message,
    })),
    title: "Invalid Request",
    detail: "One or more parameters to your request was invalid.",
    type: `${oldHost}/invalid-request`,
  });
}

export function badValue(parameter: string, value: string, message: string): Answer {
  return invalidRequest([{ parameter, values: [value], message }]);
}

export function notTheCaller(parameter: string, value: string, callerId: string): Answer {
  const message = `The \`${parameter}\` query parameter value [${value}] must be the same as the authenticating user [${callerId}]`;
  return badValue(parameter, value, message);
}

export function noSuchPath(path: string): Answer {
  return problem(404, {
    title: "Not Found",
    detail: `There is nothing at ${path}.`,
    type: "about:blank",
    status: 404,
  });
}

export function notServed(operation: string): Answer {
  return problem(501, {
    title: "Not Implemented",
    detail: `X has the operation ${operation}; this sandbox does not serve it.`,
    operation,
    type: "urn:toolpact:x-sandbox:operation-not-served",
    status: 501,
  });
}

export function tooLarge(limit: number): Answer {
  return problem(413, {
    title: "Payload Too Large",
    detail: `The request body is larger than ${limit} bytes.`,
    type: "about:blank",
    status: 413,
  });
}

export function unsupportedContent(expected: string): Answer {
  return problem(415, {
    title: "Unsupported Media Type",
    detail: `The request body must be sent as ${expected}.`,
    type: "about:blank",
    status: 415,
  });
}

export type ResourceType = "tweet" | "user" | "list" | "space" | "dm_event" | "media" | "compliance_job";

export interface Missing {
  readonly type: ResourceType;
  readonly parameter: string;
  readonly value: string;
}

/** In `errors`, next to `data`. */
export function notFound({ type, parameter, value }: Missing): JsonObject {
  return {
    value,
    detail: `Could not find ${type} with ${parameter}: [${value}].`,
    title: "Not Found Error",
    resource_type: type,
    parameter,
    resource_id: value,
    type: `${newHost}/resource-not-found`,
  };
}

export function suspended({ type, parameter, value }: Missing): JsonObject {
  return {
    ...notFound({ type, parameter, value }),
    detail: `User has been suspended: [${value}].`,
    title: "Forbidden",
  };
}

export function notVisible({ type, parameter, value }: Missing): JsonObject {
  return {
    value,
    detail: `Sorry, you are not authorized to see the ${type} with ${parameter}: [${value}].`,
    title: "Authorization Error",
    section: "data",
    resource_type: type,
    parameter,
    resource_id: value,
    type: `${newHost}/not-authorized-for-resource`,
  };
}

export function notAuthorizedForField(field: string, postId: string): JsonObject {
  return {
    resource_type: "tweet",
    field,
    parameter: "id",
    resource_id: postId,
    value: postId,
    section: "data",
    title: "Field Authorization Error",
    detail: `Sorry, you are not authorized to access '${field}' on the Tweet with id: [${postId}].`,
    type: `${newHost}/not-authorized-for-field`,
  };
}

export function missing(what: Missing): Answer {
  return problem(404, { ...notFound(what), status: 404 });
}

// Posting

export function duplicateContent(): Answer {
  return forbidden("You are not allowed to create a Tweet with duplicate content.");
}

export function replyNotAllowed(): Answer {
  return forbidden(
    "Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.",
  );
}

export function tooManyCashtags(): Answer {
  return forbidden("You are not allowed to create a Tweet with more than one cashtag.");
}

export function textTooLong(text: string): Answer {
  return badValue("text", text, "Your Tweet text is too long.");
}

// Failures of X

/** A string instead of the documented list of objects, as X has sent it. */
export function internalError(status: number): Answer {
  return { status, body: { errors: ["internal server error"] }, contentType: "application/json" };
}

export function htmlPage(status: number): Answer {
  return {
    status,
    body: `<!DOCTYPE html><html><head><title>X / ?</title></head><body><h1>Something is technically wrong.</h1><p>${status}</p></body></html>`,
    contentType: "text/html; charset=utf-8",
  };
}
