import * as z from "zod";
import { person, postId } from "../x/ids.ts";

// Parameters that many tools have, in the same words everywhere.

export const aPost = postId.describe("Post: id or address");

export const aPerson = person.describe("Person: id, @name or me");

export const somebodyElse = person.describe("Person: id or @name");

export const myself = person.default("me").describe("Your own account");

export const since_id = postId.optional().describe("Only posts after this one");

export const pagination_token = z.string().optional().describe("From meta.pagination");
