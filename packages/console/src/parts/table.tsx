import type { ComponentChildren, RefObject } from 'preact';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly kind?: 'number' | 'end';
  /** Shows the title to screen readers only. */
  readonly isQuiet?: boolean;
}

interface TableProps<Row> {
  /** The title of the table, for screen readers. */
  readonly caption: string;
  /** The first column names its row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly classOf?: (row: Row) => string;
  /** Whether newer rows are being loaded. */
  readonly isStale?: boolean;
  /** Whether a row is a few lines without titles on a narrow screen. */
  readonly isDense?: boolean;
  /** The key of one row, and the reference that receives its element. */
  readonly marked?: { readonly key: string | number; readonly place: RefObject<HTMLTableRowElement | null> };
}

/**
 * A table that becomes a list of cards on a narrow screen. Its roles are spelled out, because a changed layout would hide
 * them from some screen readers.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  classOf = () => '',
  isStale = false,
  isDense = false,
  marked,
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
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            role="row"
            class={classOf(row)}
            {...(marked?.key === keyOf(row) && { ref: marked.place })}
          >
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
