import type { Permission } from '@eaas/protocol/wire';
import type { ComponentChildren, ComponentProps } from 'preact';
import type { Loaded } from '../load.ts';
import { Once } from './once.tsx';
import { Pager } from './pager.tsx';
import { Table } from './table.tsx';

export const pageSize = 50;

/** A page of a list, as the service sends it, with its rows under one name. */
export interface Paged<Row> {
  readonly rows: readonly Row[];
  readonly count: number;
  readonly offset: number;
  readonly total: number | null;
}

interface ListingProps<Row> extends Omit<ComponentProps<typeof Table<Row>>, 'caption' | 'rows'> {
  readonly loaded: Loaded<Paged<Row>>;
  /** What the rows are, such as "API keys". */
  readonly of: string;
  readonly caption?: string;
  readonly needs: Permission;
  /** What is shown instead of a list without a row. */
  readonly empty: ComponentChildren;
  readonly onMove: (offset: number) => void;
}

/** A list in pages, or what keeps it from being shown. */
export function Listing<Row>({ loaded, of, caption, needs, empty, onMove, ...table }: ListingProps<Row>) {
  const title = caption ?? `${of.charAt(0).toUpperCase()}${of.slice(1)}, newest first`;
  return (
    <Once loaded={loaded} text={`Loading the ${of}`} needs={needs}>
      {({ rows, ...page }) =>
        page.count === 0 ? (
          empty
        ) : (
          <>
            <Table isStale={loaded.isLoading} {...table} caption={title} rows={rows} />
            <Pager {...page} size={pageSize} of={of} onMove={onMove} />
          </>
        )
      }
    </Once>
  );
}
