import { findOpportunities, queryOf } from "../discovery/find-opportunities.ts";
import { scoringKeywords } from "../discovery/score.ts";
import { broken, completed, type Loop, skipped } from "./pass.ts";
import { moveCursor, progressOf } from "./progress.ts";
import { openCandidates, replyToAll, whyRepliesAreOff } from "./replies.ts";

export const discovery: Loop = {
  name: "discovery",
  does: "searches for the next keyword, scores what it finds, and replies in autopilot",
  everyMs: ({ intervals }) => intervals.discovery_search_seconds * 1_000,
  keepsHours: true,
  publishes: true,
  reads: true,
  writes: true,
  async run(pass) {
    const { config, x, now, signal } = pass;
    const keywords = scoringKeywords(config);
    if (keywords.length === 0) return skipped("business.product_keywords is empty");
    const { cursor } = await progressOf(pass, "discovery");
    const at = Number(cursor ?? 0) % keywords.length;
    const query = queryOf(keywords.slice(at, at + 1));
    const searching = { ...pass, client: x.client, access: x.access, now };
    const found = await findOpportunities(searching, { query, limit: PAGE }, signal);
    if (!found.ok) return broken(found);
    await moveCursor(pass, "discovery", String(at + 1));
    const seen = { searched: found.value.searched, worth_a_reply: found.value.candidates.length };
    if (whyRepliesAreOff(pass) !== undefined) return completed(seen);
    const candidates = await openCandidates(pass, "search", config.scoring.threshold);
    const { counts, codes } = await replyToAll(pass, candidates, "loop:discovery", MAX_REPLIES);
    return completed({ ...seen, ...counts }, codes);
  },
};

const PAGE = 20;
const MAX_REPLIES = 3;
