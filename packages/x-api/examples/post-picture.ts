import { uploadMedia, type XClient } from "@toolpact/x-api";
import { parsePost } from "@toolpact/x-api/text";

export async function postPicture(
  client: XClient,
  text: string,
  path: string,
  altText: string,
): Promise<string> {
  const { valid, weighted_length, billable_as } = parsePost(text);
  if (!valid) return `${weighted_length} of 280: too long, or empty.`;

  const uploaded = await uploadMedia(client, { path, altText });
  if (!uploaded.ok) return uploaded.failure.message;

  const posted = await client.call<{ id: string }>("createPosts", {
    body: { text, media: { media_ids: [uploaded.value.mediaId] } },
  });
  return posted.ok ? `${posted.value.data?.id}, billed as a ${billable_as}` : posted.failure.message;
}
