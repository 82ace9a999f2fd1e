// Every list of the console: its pages, its table, and what stands there when it is empty or refused.
import type { Permission } from '@eaas/protocol/wire';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Loaded, useLoaded } from '../load.ts';
import { Once } from './once.tsx';
import { Pager } from './pager.tsx';
import { Table } from './table.tsx';

const pageSize = 50;

/** A page of a list, as the service sends it. */
export interface Page {
  readonly count: number;
  readonly offset: number;
  readonly total: number | null;
}

/** Reads a page of a list. */
export type LoadPage<Of> = (
  query: { readonly limit: number; readonly offset: number },
  options: { readonly signal: AbortSignal },
) => Promise<Of>;

/** The page of a list that is shown. */
export interface Pages<Of> extends Loaded<Of> {
  readonly offset: Signal<number>;
}

/** Loads a list page by page. It begins with the newest, and again when one of the inputs changes. */
export function usePages<Of>(load: LoadPage<Of>, inputs: readonly unknown[] = []): Pages<Of> {
  const offset = useSignal(0);
  const loaded = useLoaded(
    (signal) => load({ limit: pageSize, offset: offset.value }, { signal }),
    [...inputs, offset.value],
  );
  useEffect(() => {
    offset.value = 0;
  }, inputs);
  return { ...loaded, offset };
}

interface ListingProps<Of, Row> extends Omit<ComponentProps<typeof Table<Row>>, 'caption' | 'rows'> {
  readonly list: Pages<Of>;
  readonly rowsOf: (page: Of) => readonly Row[];
  /** What the rows are, such as "API keys". */
  readonly of: string;
  readonly caption?: string;
  readonly needs: Permission;
  /** What is shown instead of a list without a row. */
  readonly empty: ComponentChildren;
}

/** A list in pages, or what keeps it from being shown. */
export function Listing<Of extends Page, Row>({
  list,
  rowsOf,
  of,
  caption,
  needs,
  empty,
  ...table
}: ListingProps<Of, Row>) {
  const title = caption ?? `${of.charAt(0).toUpperCase()}${of.slice(1)}, newest first`;
  return (
    <Once loaded={list} text={`Loading the ${of}`} needs={needs}>
      {(page) =>
        page.count === 0 ? (
          empty
        ) : (
          <>
            <Table isStale={list.isLoading} {...table} caption={title} rows={rowsOf(page)} />
            <Pager
              {...page}
              size={pageSize}
              of={of}
              onMove={(to) => {
                list.offset.value = to;
              }}
            />
          </>
        )
      }
    </Once>
  );
}
