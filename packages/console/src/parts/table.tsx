// The table of all lists: columns say how a cell looks, and a screen reader finds rows and columns in any layout.
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly kind?: 'number' | 'end';
  readonly isQuiet?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string | number;
  readonly classOf?: (row: Row) => string;
  readonly isStale?: boolean;
  readonly isDense?: boolean;
}

/**
 * A table with explicit ARIA roles, because some browsers drop the implicit roles if CSS changes the table's layout.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  classOf = () => '',
  isStale = false,
  isDense = false,
}: TableProps<Row>) {
  return (
    <table class={`list ${isDense ? 'dense' : ''}`} role="table" aria-busy={isStale}>
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, kind, isQuiet = false }) => (
            <th key={title} role="columnheader" scope="col" class={kind}>
              {isQuiet ? <span class="unseen">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, at) => (
          <tr key={keyOf(row, at)} role="row" class={classOf(row)}>
            {columns.map(({ title, cell, kind, isQuiet = false }, index) =>
              index === 0 ? (
                <th key={title} role="rowheader" scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={title} role="cell" class={kind} data-title={isQuiet ? undefined : title}>
                  <div>{cell(row)}</div>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
