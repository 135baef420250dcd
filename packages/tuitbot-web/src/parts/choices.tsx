import type { JSX } from "preact";

interface Props<Value> {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A few exclusive choices. */
export function Choices<Value extends string | number>(props: Props<Value>): JSX.Element {
  const { label, options, value, onChange } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be drawn with its own border and legend
    <div class="choices" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
