import { actionTexts } from '@eaas/protocol/internal';
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../parts/button.tsx';
import { Field, Select } from '../parts/field.tsx';
import { memberOf } from '../parts/form.ts';
import { Prose } from '../parts/prose.tsx';
import { counted } from '../parts/short.ts';
import { type FilterTexts, idIn, noFilter, otherKey } from './audit-filter.ts';
import { lastMonths, monthName } from './months.ts';
import type { Named } from './names.ts';
import { looksLikeId } from './people-find.ts';

const actions = Object.entries(actionTexts).map(([action, text]) => [action, `${action}: ${text}`] as const);

interface AuditFiltersProps {
  readonly filter: Signal<FilterTexts>;
  readonly keys: Named;
  readonly actors: Named;
  readonly children: ComponentChildren;
}

export function AuditFilters({ filter, keys, actors, children }: AuditFiltersProps) {
  const others = keys.total > keys.names.length ? [[otherKey, 'Another key…'] as const] : [];
  const named = actors.names.map(([id, name]) => [id, `${name} (${id.slice(0, 8)})`] as const);
  const isSet = Object.values(filter.value).some((text) => text !== '');
  return (
    <form
      class="filters page-head"
      aria-label="Filter the entries"
      onSubmit={(event) => event.preventDefault()}
    >
      <Select label="Action" value={memberOf(filter, 'action')} options={[['', 'All actions'], ...actions]} />
      <Select
        label="Key"
        value={memberOf(filter, 'key')}
        options={[['', 'All keys'], ...keys.names, ...others]}
      />
      <Select
        label="Actor"
        value={memberOf(filter, 'actor')}
        options={[...fixedActors, ...named, anotherActor]}
      />
      <Select label="Month" value={memberOf(filter, 'month')} options={[['', 'Any time'], ...months]} />
      <Field label="From" type="datetime-local" value={memberOf(filter, 'from')} />
      <Field label="To" type="datetime-local" value={memberOf(filter, 'to')} />
      {isSet && (
        <Button kind="quiet" onClick={() => (filter.value = noFilter)}>
          Clear
        </Button>
      )}
      {children}
      <div class="row">
        <PersonField label="Person" value={memberOf(filter, 'subject')} />
        <PersonField label="User" value={memberOf(filter, 'user')} />
      </div>
      {filter.value.key === otherKey && (
        <OtherId
          label="Key id"
          fault="A key id is a UUID with 36 characters."
          value={memberOf(filter, 'otherKeyId')}
          hint={`The list has the newest ${keys.names.length} of ${counted(keys.total, 'key')}. The page of each key shows its id.`}
        />
      )}
      {filter.value.actor === otherKey && (
        <OtherId
          label="API key id"
          fault="An API key id is a UUID with 36 characters."
          value={memberOf(filter, 'otherActorId')}
          hint="The actor in an entry of the audit log. An operator sees the ids with `eaas api-key list`."
        />
      )}
    </form>
  );
}

function PersonField({ label, value }: { readonly label: string; readonly value: { value: string } }) {
  return (
    <Field
      label={label}
      value={value}
      placeholder="the id in an entry"
      error={
        value.value === '' || looksLikeId(value.value)
          ? undefined
          : 'An id has 32 or 64 characters of 0 to 9 and a to f.'
      }
      maxLength={80}
    />
  );
}

const months = lastMonths(13)
  .toReversed()
  .map((month) => [month, monthName(month)] as const);
const fixedActors = [
  ['', 'All actors'],
  ['operator', 'operator'],
  ['system', 'system'],
] as const;
const anotherActor = [otherKey, 'Another API key…'] as const;

interface OtherIdProps {
  readonly label: string;
  readonly fault: string;
  readonly value: { value: string };
  readonly hint: string;
}

function OtherId({ fault, hint, ...field }: OtherIdProps) {
  const { value } = field.value;
  const error = value !== '' && idIn(value) === undefined ? fault : undefined;
  return (
    <div class="row">
      <Field {...field} hint={<Prose text={hint} />} error={error} maxLength={64} />
    </div>
  );
}
