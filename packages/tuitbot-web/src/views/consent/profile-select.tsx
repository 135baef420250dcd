import type { JSX } from "preact";
import { words } from "../../text/words.ts";

interface Props<Profile> {
  readonly profiles: readonly Profile[];
  readonly value: Profile;
  readonly onChange: (profile: Profile) => void;
  readonly label?: string;
  /** The page says itself what the chosen one allows. */
  readonly isBare?: boolean;
}

/** The profiles that an agent can have, each with what it allows. */
export function ProfileSelect<Profile extends string>(props: Props<Profile>): JSX.Element {
  const { profiles, value, onChange, label, isBare = false } = props;
  return (
    <select
      value={value}
      aria-label={label}
      onChange={({ currentTarget }) => {
        const chosen = profiles.find((profile) => profile === currentTarget.value);
        if (chosen !== undefined) onChange(chosen);
      }}
    >
      {profiles.map((profile) => (
        <option key={profile} value={profile} selected={profile === value}>
          {isBare ? profile : `${profile}: ${words.clients.profiles[profile] ?? profile}`}
        </option>
      ))}
    </select>
  );
}
