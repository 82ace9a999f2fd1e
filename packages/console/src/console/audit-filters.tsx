import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../parts/button.tsx';
import { Field, Select } from '../parts/field.tsx';
import { actionOptions } from './audit-actions.ts';

export type FilterSignals = Readonly<Record<'action' | 'keyId' | 'from' | 'to', Signal<string>>>;

interface AuditFiltersProps {
  readonly filter: FilterSignals;
  readonly keys: readonly (readonly [string, string])[];
  readonly canClear: boolean;
  readonly onClear: () => void;
  readonly children: ComponentChildren;
}

export function AuditFilters({ filter, keys, canClear, onClear, children }: AuditFiltersProps) {
  return (
    <form class="filters" aria-label="Filter the entries" onSubmit={(event) => event.preventDefault()}>
      <Select label="Action" value={filter.action} options={actionOptions} />
      <Select label="Key" value={filter.keyId} options={[['', 'All keys'], ...keys]} />
      <Field label="From" type="datetime-local" value={filter.from} />
      <Field label="To" type="datetime-local" value={filter.to} />
      {canClear && (
        <Button kind="quiet" onClick={onClear}>
          Clear
        </Button>
      )}
      <div class="filters-end">{children}</div>
    </form>
  );
}
