// What becomes of a handle in a row that is written: it is refused, but for an update of its own row, which leaves its column.
import { kindOf } from '@eaas/protocol/internal';
import { concealedText, heldIn } from './concealed.ts';
import type { CoreTable } from './adapter.ts';
import { refuseStatement } from './encrypted-table-error.ts';
import type { Row } from './internals.ts';
import { type FieldPlan, rowIdOf, type TablePlan } from './plan.ts';
import { type ColumnPlace, withMembers } from './recognize-ciphertext.ts';
import type { RecordId } from './row-types.ts';

/** Returns what is sent. Throws for a handle in it, at any depth, whose text would be stored. `place` is where it is sent to. */
export function withoutHandles<Sent>(sent: Sent, place?: ColumnPlace): Sent {
  for (const value of withMembers([sent])) {
    const own = heldIn(value)?.plan;
    const remedy = 'reveal it first, as in `await row.column.reveal()`';
    if (own) {
      refuseStatement(
        'concealed',
        place ?? { table: own.table, column: own.name },
        'it is concealed',
        remedy,
      );
    }
  }
  return sent;
}

/** Throws for a handle in a row, and for what becomes of one in a row that went through JSON, a form or a copy. */
export function requireWritten({ table, fields }: TablePlan, values: Row, isRevealed: boolean): void {
  for (const column in values) withoutHandles(values[column], { table, column });
  for (const { name: column, field } of isRevealed ? [] : fields) {
    const value = values[column];
    const isCopy = kindOf(value) === 'an Object' && Object.keys(Object(value)).length === 0;
    if (!field.isConcealed || (value !== concealedText && !isCopy)) continue;
    const remedy = 'leave the column out, or reveal it first (to store this, use a database of `revealed()`)';
    refuseStatement('concealed', { table, column }, 'the value is a copy of a concealed one', remedy);
  }
}

/**
 * For adapters: the values of an update of the row with this id, without those that are handles of the row itself: their columns
 * stay as they are. Throws for any other handle.
 */
export function withoutOwn({ name: table, plan }: CoreTable, values: Row, id: RecordId | undefined): Row {
  const isWritten = ({ name }: FieldPlan): boolean => values[name] !== undefined && !heldIn(values[name]);
  const indexes = plan.fields
    .flatMap((field) => field.indexes)
    .filter(({ fields }) => fields.some(isWritten));
  const left = plan.fields.filter((field) => {
    const own = heldIn(values[field.name]);
    const isOfRow = own?.id !== undefined && own.id === rowIdOf(id) && own.plan.field === field.field;
    const isOfColumn = own?.plan.place === field.place && field.field.context !== 'field';
    return isOfRow && isOfColumn && !indexes.some(({ fields }) => fields.includes(field));
  });
  const kept = Object.entries(values).filter(([column]) => !left.some(({ name }) => name === column));
  for (const [column, value] of kept) withoutHandles(value, { table, column });
  return Object.fromEntries(kept);
}
