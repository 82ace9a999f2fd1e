// Inputs, choices and checkboxes of all forms, with their hints and errors where a screen reader finds them.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Prose } from './prose.tsx';

/** A signal, or a member of one. */
interface Editable<Value> {
  value: Value;
}

interface Texts {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

interface Inputs extends Texts {
  readonly value: Editable<string>;
  readonly type?: 'text' | 'password' | 'number' | 'datetime-local';
  /** How many lines it shows. One line if it is undefined. */
  readonly rows?: number;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
}

/** What is typed is an id, a name or an address, and no prose. */
const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const;

export function Field({ label, hint, error, value, type = 'text', rows, ...input }: Inputs) {
  const id = useId();
  const shared = {
    ...plain,
    ...input,
    id,
    value: value.value,
    'aria-invalid': error !== undefined,
    'aria-describedby': describedBy(id, hint, error),
  };
  // Preact's type of `<input>` accepts one literal such as 'text' as `type`, but no union.
  const literal = type as 'text';
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      {rows === undefined ? (
        <input
          {...shared}
          type={literal}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
        />
      ) : (
        <textarea
          {...shared}
          rows={rows}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
        />
      )}
    </Labelled>
  );
}

interface CheckProps {
  readonly isChecked: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ComponentChildren;
}

export function Check({ isChecked, isDisabled = false, onChange, children }: CheckProps) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}

interface RadiosProps<Value> {
  readonly name: string;
  readonly value: Editable<Value>;
  readonly options: readonly (readonly [Value, string])[];
  readonly isDisabled?: boolean;
}

export function Radios<Value>({ name, value, options, isDisabled = false }: RadiosProps<Value>) {
  return (
    <>
      {options.map(([option, text]) => (
        <label key={text} class="choice">
          <input
            type="radio"
            name={name}
            checked={value.value === option}
            disabled={isDisabled && value.value !== option}
            onChange={() => {
              value.value = option;
            }}
          />
          <span>{text}</span>
        </label>
      ))}
    </>
  );
}

interface Choices extends Texts {
  readonly value: Editable<string>;
  readonly options: readonly (readonly [string, string])[];
}

export function Select({ label, hint, error, value, options }: Choices) {
  const id = useId();
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <select
        id={id}
        value={value.value}
        aria-describedby={describedBy(id, hint, error)}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value.value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Labelled({ id, label, hint, error, children }: Texts & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <p class="soft" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError error={error} id={`${id}-error`} />
    </div>
  );
}

interface FieldErrorProps {
  readonly error: string | undefined;
  readonly id?: string;
}

/** What is wrong with a field, or with a group of choices. */
export function FieldError({ error, id }: FieldErrorProps) {
  if (error === undefined) return null;
  return (
    <p class="error notice bad" id={id} role="alert">
      <Prose text={error} />
    </p>
  );
}

function describedBy(id: string, hint: unknown, error: string | undefined): string | undefined {
  const ids = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`];
  return ids.filter(Boolean).join(' ') || undefined;
}
