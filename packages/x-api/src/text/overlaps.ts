import type { Entities, Range } from "./entities.ts";

/** Where a link and another entity overlap, the one that starts first stays. Other kinds never overlap. */
export function withoutOverlaps(entities: Entities): Entities {
  const { urls, mentions, hashtags, cashtags } = entities;
  if (!overlap(urls, mentions) && !overlap(urls, hashtags) && !overlap(urls, cashtags)) return entities;
  const hidden = new Set<Range>();
  let end = 0;
  for (const entity of [...urls, ...mentions, ...hashtags, ...cashtags].sort((a, b) => a.start - b.start)) {
    if (entity.start < end) hidden.add(entity);
    else end = entity.end;
  }
  const stays = (entity: Range): boolean => !hidden.has(entity);
  return {
    urls: urls.filter(stays),
    mentions: mentions.filter(stays),
    hashtags: hashtags.filter(stays),
    cashtags: cashtags.filter(stays),
  };
}

/** Both are in order and free of overlaps within. */
function overlap(urls: readonly Range[], others: readonly Range[]): boolean {
  if (urls.length === 0 || others.length === 0) return false;
  let at = 0;
  for (const url of urls) {
    while ((others[at]?.end ?? Number.POSITIVE_INFINITY) <= url.start) at++;
    if ((others[at]?.start ?? Number.POSITIVE_INFINITY) < url.end) return true;
  }
  return false;
}
