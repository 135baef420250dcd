import type { JSX } from "preact";

const GROUNDS = ["#cfe3f5", "#f6d9c4", "#d9ecd2", "#eadcf2", "#f7e6b5", "#cdeae8", "#f3d3da"];
const SKINS = ["#f5d3bb", "#e8b48f", "#c98b62", "#9a6242", "#6b4430"];
const HAIR = ["#2b211c", "#5a3a22", "#8f5a2b", "#c99a4e", "#b8b2aa", "#7a2e1f"];
const CLOTHES = ["#2f5d8a", "#a8483f", "#3f7a5b", "#6a5394", "#c27a2c", "#3d4a57"];

/** Drawn on 40 by 40 pixels, with the head around 20, 18. */
const CUTS: readonly ((color: string) => JSX.Element)[] = [
  (fill) => <path fill={fill} d="M12 17c0-7 3-10 8-10s8 3 8 10c-1-3-3-5-8-5s-7 2-8 5Z" />,
  (fill) => <path fill={fill} d="M11 18c0-8 4-11 9-11 6 0 9 4 9 11-2-2-4-3-5-6-3 3-8 4-11 3-1 1-1 2-2 3Z" />,
  (fill) => <path fill={fill} d="M11 27V17c0-7 4-10 9-10s9 3 9 10v10l-2 1V17c-1-3-3-4-7-4s-6 1-7 4v11Z" />,
  (fill) => (
    <g fill={fill}>
      <circle cx="20" cy="6" r="3.5" />
      <path d="M12 17c0-7 3-9 8-9s8 2 8 9c-2-3-4-5-8-5s-6 2-8 5Z" />
    </g>
  ),
  (fill) => (
    <g fill={fill}>
      {[13, 16.5, 20, 23.5, 27].map((x) => (
        <circle key={x} cx={x} cy={x === 13 || x === 27 ? 13 : 10} r="3.2" />
      ))}
    </g>
  ),
  () => <g />,
];

/** A face that is always the same for a name. People of the sandbox have these; they do not exist. */
export function Portrait({ name }: { readonly name: string }): JSX.Element {
  let seed = hash(name);
  function pick<Value>(from: readonly Value[]): Value | undefined {
    const value = from[seed % from.length];
    seed = Math.floor(seed / from.length);
    return value;
  }
  const [ground, skin, hair, clothes] = [pick(GROUNDS), pick(SKINS), pick(HAIR) ?? "", pick(CLOTHES)];
  const cut = pick(CUTS);
  const [hasGlasses, hasBeard] = [pick([true, false, false]), pick([true, false, false])];
  return (
    <svg viewBox="0 0 40 40" aria-hidden="true" focusable="false">
      <path fill={ground} d="M0 0h40v40H0z" />
      <path fill={clothes} d="M5 40c1-8 7-11 15-11s14 3 15 11Z" />
      <path fill={skin} d="M17 24h6v6c-1 2-5 2-6 0Z" />
      <ellipse fill={skin} cx="20" cy="18" rx="7.5" ry="9" />
      {hasBeard === true && (
        <path fill={hair} d="M12.6 19c0 6 3 9 7.4 9s7.4-3 7.4-9c-1 3-4 4-7.4 4s-6.4-1-7.4-4Z" />
      )}
      {cut?.(hair)}
      <g fill="#241d1a">
        <circle cx="17" cy="18" r="0.9" />
        <circle cx="23" cy="18" r="0.9" />
      </g>
      <path
        fill="none"
        stroke={hasBeard === true ? "#fff" : "#7d4a3c"}
        stroke-width="1.1"
        stroke-linecap="round"
        d="M17.5 23q2.5 2 5 0"
      />
      {hasGlasses === true && (
        <g fill="none" stroke="#241d1a">
          <circle cx="17" cy="18" r="2.5" />
          <circle cx="23" cy="18" r="2.5" />
        </g>
      )}
    </svg>
  );
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}
