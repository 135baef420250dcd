import { referenced, wholeText } from "../../x/shapes/post.ts";
import { listIn, objectIn, textIn, type XObject } from "../../x/shapes/x-object.ts";

/** Compares a timeline's post with a request. */
export function isSamePost(request: XObject, post: XObject): boolean {
  return (
    referenced(post, "retweeted") === undefined &&
    referenced(post, "replied_to") === textIn(objectIn(request, "reply"), "in_reply_to_tweet_id") &&
    referenced(post, "quoted") === textIn(request, "quote_tweet_id") &&
    sameMedia(
      listIn(objectIn(request, "media"), "media_ids"),
      listIn(objectIn(post, "attachments"), "media_keys"),
    ) &&
    sameText(plain(textIn(request, "text") ?? ""), plain(asWritten(post)), referenced(post, "replied_to"))
  );
}

/** X adds names only in front of replies. */
function sameText(requested: string, shown: string, answered: string | undefined): boolean {
  if (answered === undefined || !shown.endsWith(requested)) return requested === shown;
  return /^(@\w{1,15}\s?)*$/.test(shown.slice(0, shown.length - requested.length));
}

/** `<kind>_<media id>` */
function sameMedia(ids: readonly unknown[], keys: readonly unknown[]): boolean {
  return ids.length === keys.length && ids.every((id, index) => String(keys[index]).endsWith(`_${id}`));
}

/** X shortens and adds links, and escapes three characters. */
function asWritten(post: XObject): string {
  const note = objectIn(post, "note_tweet");
  const entities = objectIn(textIn(note, "text") === undefined ? post : note, "entities");
  const links = listIn(entities, "urls").map((link) => objectIn(link));
  return links.reduce<string>((text, link) => {
    const short = textIn(link, "url") ?? "";
    const long = textIn(link, "expanded_url") ?? short;
    return short === "" ? text : text.replace(short, isAdded(link, long, post) ? "" : long);
  }, wholeText(post));
}

/** Links to media and quoted posts follow the text. */
function isAdded(link: XObject, long: string, post: XObject): boolean {
  const quoted = referenced(post, "quoted");
  return (
    link.media_key !== undefined ||
    /\/status\/\d+\/(photo|video)\/\d+$/.test(long) ||
    (quoted !== undefined && long.endsWith(`/status/${quoted}`))
  );
}

/** Escapes, Unicode form, spaces and spelling of links. */
function plain(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .normalize("NFC")
    .replace(/https?:\/\//gi, "")
    .replace(/\/+(?=\s|$)/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
