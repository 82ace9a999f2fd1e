import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../parts/button.tsx';
import { Field, Select } from '../parts/field.tsx';
import { counted } from '../parts/short.ts';
import { actionOptions } from './audit-actions.ts';
import { type FilterTexts, keyIdIn, otherKey } from './audit-filter.ts';

export type FilterSignals = Readonly<Record<keyof FilterTexts, Signal<string>>>;

interface AuditFiltersProps {
  readonly filter: FilterSignals;
  readonly keys: readonly (readonly [string, string])[];
  readonly allKeys: number;
  readonly onClear: () => void;
  readonly children: ComponentChildren;
}

export function AuditFilters({ filter, keys, allKeys, onClear, children }: AuditFiltersProps) {
  const isOther = filter.key.value === otherKey;
  const id = filter.otherKeyId.value;
  const others = allKeys > keys.length ? [[otherKey, 'Another key…'] as const] : [];
  const isSet = Object.values(filter).some(({ value }) => value !== '');
  return (
    <form class="filters" aria-label="Filter the entries" onSubmit={(event) => event.preventDefault()}>
      <Select label="Action" value={filter.action} options={actionOptions} />
      <Select label="Key" value={filter.key} options={[['', 'All keys'], ...keys, ...others]} />
      <Field label="From" type="datetime-local" value={filter.from} />
      <Field label="To" type="datetime-local" value={filter.to} />
      {isSet && (
        <Button kind="quiet" onClick={onClear}>
          Clear
        </Button>
      )}
      <div class="filters-end">{children}</div>
      {isOther && (
        <div class="filters-row">
          <Field
            label="Key id"
            value={filter.otherKeyId}
            hint={`The list has the newest ${keys.length} of ${counted(allKeys, 'key')}. The page of each key shows its id.`}
            error={
              id !== '' && keyIdIn(id) === undefined ? 'A key id is a UUID with 36 characters.' : undefined
            }
            maxLength={64}
            autocomplete="off"
            spellcheck={false}
          />
        </div>
      )}
    </form>
  );
}
