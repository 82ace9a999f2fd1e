// The form that filters the audit log: keys and actors by their names, people by the id that entries show.
import { actionTexts } from '@eaas/protocol/internal';
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../parts/button.tsx';
import { Field, Select } from '../parts/field.tsx';
import { memberOf } from '../parts/form.ts';
import { Prose } from '../parts/prose.tsx';
import { counted } from '../parts/texts.ts';
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
  const at = (name: keyof FilterTexts) => memberOf(filter, name);
  return (
    <form
      class="filters page-head"
      aria-label="Filter the entries"
      onSubmit={(event) => event.preventDefault()}
    >
      <Select label="Action" value={at('action')} options={[['', 'All actions'], ...actions]} />
      <Select label="Key" value={at('key')} options={[['', 'All keys'], ...keys.names, ...others]} />
      <Select label="Actor" value={at('actor')} options={[...fixedActors, ...named, anotherActor]} />
      <Select label="Month" value={at('month')} options={[['', 'Any time'], ...months]} />
      <Field label="From" type="datetime-local" value={at('from')} />
      <Field label="To" type="datetime-local" value={at('to')} />
      {isSet && (
        <Button
          kind="quiet"
          onClick={() => {
            filter.value = noFilter;
          }}
        >
          Clear
        </Button>
      )}
      <div class="row">
        <IdField {...person} label="Person" value={at('subject')} />
        <IdField {...person} label="User" value={at('user')} />
        {children}
      </div>
      {filter.value.key === otherKey && (
        <div class="row">
          <IdField
            label="Key id"
            fault="A key id is a UUID with 36 characters."
            value={at('otherKeyId')}
            hint={`The list has the newest ${keys.names.length} of ${counted(keys.total, 'key')}. The page of each key shows its id.`}
          />
        </div>
      )}
      {filter.value.actor === otherKey && (
        <div class="row">
          <IdField
            label="API key id"
            fault="An API key id is a UUID with 36 characters."
            value={at('otherActorId')}
            hint="The actor in an entry of the audit log. An operator sees the ids with `eaas api-key list`."
          />
        </div>
      )}
    </form>
  );
}

const person = {
  placeholder: 'the id in an entry',
  fault: 'An id has 32 or 64 characters of 0 to 9 and a to f.',
  isId: looksLikeId,
};

interface IdProps {
  readonly label: string;
  readonly value: { value: string };
  readonly isId?: (text: string) => boolean;
  readonly fault: string;
  readonly hint?: string;
  readonly placeholder?: string;
}

const isUuid = (text: string): boolean => idIn(text) !== undefined;

function IdField({ isId = isUuid, fault, hint, ...field }: IdProps) {
  const { value: text } = field.value;
  return (
    <Field
      {...field}
      {...(hint && { hint: <Prose text={hint} /> })}
      error={text === '' || isId(text) ? undefined : fault}
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
