import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fileAddress } from "../api/client.ts";
import { words } from "../text/words.ts";
import { Plain } from "./post-text.tsx";

interface Shown {
  readonly file_path: string;
  readonly alt_text?: string | undefined;
}

/** The files of one post, as X arranges them. */
export function MediaGrid({ files }: { readonly files: readonly Shown[] }): JSX.Element | null {
  if (files.length === 0) return null;
  return (
    <ul class="media-grid" data-files={files.length}>
      {files.map(({ file_path, alt_text }, index) => (
        <li key={`${index} ${file_path}`}>
          <Medium path={file_path} altText={alt_text} />
        </li>
      ))}
    </ul>
  );
}

interface Props {
  readonly path: string;
  readonly altText: string | undefined;
}

/** Shows the file as a picture or video, or else by name. */
export function Medium({ path, altText }: Props): JSX.Element {
  const [shownAs, setShownAs] = useState<"picture" | "film" | "name">(
    /\.(mp4|mov|m4v)$/i.test(path) ? "film" : "picture",
  );
  const address = fileAddress(path);
  if (shownAs === "picture")
    return <img src={address} alt={altText ?? words.media.noAltText} onError={() => setShownAs("film")} />;
  if (shownAs === "film")
    return (
      // biome-ignore lint/a11y/useMediaCaption: X shows none either; the alt text describes it
      <video
        src={address}
        controls
        preload="metadata"
        aria-label={altText ?? words.media.noAltText}
        onError={() => setShownAs("name")}
      />
    );
  return (
    <span class="soft small">
      {words.media.cannotShow} <Plain text={path} />
    </span>
  );
}
