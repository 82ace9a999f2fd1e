// The fields that the forms of this console share, each as data: see parts/form.ts.
import type { IssuerPermission, Permission } from '@eaas/protocol/wire';
import { Check, Field as Input, FieldError, Radios, Select } from '../parts/field.tsx';
import { type Field, type Form, memberOf } from '../parts/form.ts';
import { counted } from '../parts/texts.ts';
import { dateTime } from '../parts/times.ts';
import { KeyChoice, type KeyChoiceProps } from './key-choice.tsx';

/** Which keys a record is for. Where all keys is a choice, it is null, and the first. */
export function keyIds<Ids extends string[] | null>(
  first: Ids,
): Field<Ids, Ids, { readonly key_ids: readonly string[] | null }> {
  return {
    start: (record) => (record ? (record.key_ids as Ids) : first),
    read: (shown) => shown,
    fault: (shown) => (shown?.length === 0 ? 'Choose at least one key.' : undefined),
    says: (before, after) => saysOfCalls(keyDifference(before, after), (keys) => `with ${keys}`),
    View: (props) => <KeyChoice {...(props as object as KeyChoiceProps)} mustChoose={first !== null} />,
  };
}

/** What a change takes away, and what it adds. */
type Difference<T> = readonly [readonly T[], readonly T[]];

function difference<T>(before: readonly T[], after: readonly T[]): Difference<T> {
  return [before.filter((one) => !after.includes(one)), after.filter((one) => !before.includes(one))];
}

/** The same for keys, in words. */
function keyDifference(
  before: readonly string[] | null,
  after: readonly string[] | null,
): Difference<string> {
  if (before === after) return [[], []];
  if (after === null) return [[], ['every other key']];
  if (before === null) return [[`keys other than ${counted(after.length, 'key')}`], []];
  const [fewer, more] = difference(before, after);
  const some = (keys: readonly string[], noun: string) =>
    keys.length > 0 ? [counted(keys.length, noun)] : [];
  return [some(fewer, 'key'), some(more, 'more key')];
}

/** What it means for the calls of those who use a record, and `which` of them. */
const saysOfCalls = <T,>([taken, given]: Difference<T>, which: (one: T) => string) => ({
  losses: taken.map((one) => `Calls ${which(one)} are refused.`),
  gains: given.map((one) => `Calls ${which(one)} are allowed.`),
});

interface Origins {
  readonly isForPages: boolean;
  readonly lines: string;
}

/** The web pages that may use a record: none is null. */
export function origins(
  none: string,
  some: string,
  hint: string,
): Field<string[] | null, Origins, { readonly allowed_origins: readonly string[] | null }> {
  return {
    start: (record) => ({
      isForPages: (record?.allowed_origins ?? null) !== null,
      lines: record?.allowed_origins?.join('\n') ?? '',
    }),
    read: ({ isForPages, lines }) => (isForPages ? originsIn(lines) : null),
    fault: ({ isForPages, lines }) =>
      isForPages && originsIn(lines).length === 0
        ? 'Name at least one origin, such as https://app.example.'
        : undefined,
    says: (before, after) =>
      saysOfCalls(difference(before ?? [], after ?? []), (origin) => `from web pages of ${origin}`),
    View: ({ value, error }) => (
      <fieldset>
        <legend>Web pages</legend>
        <Radios
          name="pages"
          value={memberOf(value, 'isForPages')}
          options={[
            [false, none],
            [true, some],
          ]}
        />
        {value.value.isForPages && (
          <Input
            label="Allowed origins"
            hint={hint}
            error={error}
            placeholder="https://app.example"
            rows={3}
            required
            value={memberOf(value, 'lines')}
          />
        )}
      </fieldset>
    ),
  };
}

/** Reduces addresses to their origins, and keeps other text, for the service to refuse. */
function originsIn(typed: string): string[] {
  const lines = typed.split(/[\s,]+/).filter((line) => line !== '');
  const isAddress = (line: string) => /^https?:/i.test(line) && URL.canParse(line);
  return [...new Set(lines.map((line) => (isAddress(line) ? new URL(line).origin : line)))];
}

export const permissionTexts: Readonly<Record<Permission, string>> = {
  encrypt: 'Wrap data keys, compute fingerprints, and see public keys',
  decrypt: 'Unwrap data keys',
  'keys.read': 'See keys and their versions',
  'keys.manage': 'Create, rotate, disable and enable keys',
  'keys.destroy': 'Destroy keys, and restore them',
  'keys.export': 'Export the material of exportable keys',
  'audit.read': 'Read and verify the audit log',
  'api_keys.manage': 'Create, edit and revoke API keys',
  'usage.read': 'See the usage by month',
  'subjects.erase': 'Erase the data of a person, for ever',
};

interface Exclusion {
  readonly permissions: readonly string[];
  readonly reason: string;
}

interface PermissionsProps<Name extends string> {
  readonly legend: string;
  readonly fault: string;
  readonly texts: (form: Form) => Readonly<Partial<Record<Name, string>>>;
  readonly exclusionsIn?: (form: Form) => readonly Exclusion[];
}

/** Permissions that the other fields of the form exclude are neither shown as chosen nor sent. */
export function permissionsOf<Name extends Permission | IssuerPermission>({
  legend,
  fault,
  texts,
  exclusionsIn = () => [],
}: PermissionsProps<Name>): Field<Name[], readonly Name[], { readonly permissions: readonly Name[] }> {
  const read = (shown: readonly Name[], form: Form): Name[] => {
    const excluded = new Set(exclusionsIn(form).flatMap(({ permissions }) => permissions));
    return shown.filter((name) => name in texts(form) && !excluded.has(name));
  };
  return {
    start: (record) => record?.permissions ?? (['encrypt', 'decrypt'] as Name[]),
    read,
    fault: (shown, form) => (read(shown, form).length === 0 ? fault : undefined),
    says: (before, after) => saysOfCalls(difference(before, after), (name) => `that need ${name}`),
    View: ({ value, error, form }) => {
      const exclusions = exclusionsIn(form);
      const chosen = read(value.value, form);
      return (
        <fieldset>
          <legend>{legend}</legend>
          {Object.entries<string | undefined>(texts(form)).map(([name, meaning]) => (
            <Check
              key={name}
              isChecked={chosen.includes(name as Name)}
              isDisabled={exclusions.some(({ permissions }) => permissions.includes(name))}
              onChange={(isChecked) => {
                value.value = isChecked
                  ? [...value.value, name as Name]
                  : chosen.filter((one) => one !== name);
              }}
            >
              <code>{name}</code> <span class="soft">{meaning}</span>
            </Check>
          ))}
          {exclusions.map(({ reason }) => (
            <p key={reason} class="soft small">
              {reason}
            </p>
          ))}
          <FieldError error={error} />
        </fieldset>
      );
    },
  };
}

const lives = [
  ['1', 'After a day'],
  ['30', 'After 30 days'],
  ['90', 'After 90 days'],
  ['365', 'After a year'],
  ['date', 'On a date'],
  ['', 'Never'],
] as const;

interface Expiry {
  readonly choice: string;
  readonly on: string;
  /** The expiry of the record. Undefined for a new one. */
  readonly now: string | null | undefined;
}

export function expiry(first: string): Field<string | null, Expiry, { readonly expires_at: string | null }> {
  return {
    start: (record) => ({ choice: record ? 'unchanged' : first, on: '', now: record?.expires_at }),
    read: ({ choice, on, now }) => {
      if (choice === 'unchanged' || (choice === 'date' && on === '')) return now ?? null;
      if (choice === 'date') return new Date(on).toISOString();
      return choice === '' ? null : new Date(Date.now() + Number(choice) * 86_400_000).toISOString();
    },
    fault: ({ choice, on }) => (choice === 'date' && on === '' ? 'Choose a date and a time.' : undefined),
    says: (before, after) => {
      const end = after === null ? '' : dateTime(after);
      const isSooner = timeOf(after) < timeOf(before);
      if (isSooner) return { losses: [`All calls are refused from ${end}.`] };
      return { gains: [end === '' ? 'It does not expire.' : `It expires later: ${end}.`] };
    },
    View: ({ value, error }) => {
      const { choice, now } = value.value;
      const kept = now === undefined ? [] : [['unchanged', asNow(now)] as const];
      return (
        <>
          <Select
            label="Expires"
            value={memberOf(value, 'choice')}
            options={[...kept, ...lives]}
            error={choice === 'date' ? undefined : error}
          />
          {choice === 'date' && (
            <Input
              label="Date and time"
              type="datetime-local"
              required
              error={error}
              value={memberOf(value, 'on')}
            />
          )}
        </>
      );
    },
  };
}

const asNow = (time: string | null): string => `As now: ${time === null ? 'never' : dateTime(time)}`;
const timeOf = (time: string | null): number => (time === null ? Infinity : Date.parse(time));
