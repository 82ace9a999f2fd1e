// What packages of this repository need of the SDK, and apps do not. It can change in any version.
export { type OptionRules, requireOptions } from '@eaas/protocol/internal';
export { Bounded } from './bounded.ts';
export { inside } from './client/inside.ts';
export { reportColumns, reportCsv, reportRow } from './audit/report.ts';
export * from './fields/core.ts';
export { refuseStatement } from './fields/encrypted-table-error.ts';
export type { Bound, Index, LowEntropyField, SearchableField, TextField } from './fields/field.ts';
export {
  inField,
  type SubstituteOf,
  type Throwing,
  type ThrowingUnlessErased,
} from './fields/field-error.ts';
export type { Row } from './fields/internals.ts';
export {
  type FieldPlan,
  planOf,
  requireField,
  requireTable,
  rowIdOf,
  subjectOfRow,
  type TablePlan,
} from './fields/plan.ts';
export type { PartComparison, PartIndexes } from './fields/part-index.ts';
export type { RangeIndex } from './fields/range-rules.ts';
export { isNamed } from './fields/raw-sql.ts';
export { type ColumnPlace, holdsCiphertext } from './fields/recognize-ciphertext.ts';
export type { FieldName, Guessable, IndexColumns, InputOf, NameOf } from './fields/row-types.ts';
export type { FieldsQuery } from './fields/with-fields.ts';
export { unwrapBy } from './stream/streams.ts';
export { abortable } from './http/abortable.ts';
export type { Call } from './http/transport.ts';
export { aborted } from './errors.ts';
