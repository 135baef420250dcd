import * as z from "zod";
import { person, postId } from "../x/ids.ts";

// Parameters that many tools have, in the same words everywhere.

export const aPost = postId.describe("Post id or URL, such as 20");

export const aPerson = person.describe("User id, @name or `me`");

export const somebodyElse = person.describe("User id or @name");

export const myself = person.default("me").describe("Always your own account");

export const since_id = postId.optional().describe("Only posts newer than this id");

export const pagination_token = z.string().optional().describe("next_token of the page before");
