// What packages of this repository need of the SDK, and apps do not. It can change in any version.
export { type OptionNames, requireNames } from '@eaas/protocol/internal';
export { Bounded } from './bounded.ts';
export { personColumns } from './fields/core.ts';
export { inField } from './fields/field-error.ts';
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
export { isNamed } from './fields/raw-sql.ts';
export type { InputOf, NameOf } from './fields/row-types.ts';
export { unwrapBy } from './stream/streams.ts';
export { abortable } from './http/abortable.ts';
export { aborted } from './errors.ts';
