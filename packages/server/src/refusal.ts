import { Refusal } from '@eaas/protocol/service';

export { Refusal } from '@eaas/protocol/service';

/** Names a row of the database. */
export interface NamedRow {
  readonly table: string;
  readonly id: string;
  readonly tenantId: string;
}

/** Thrown if the MAC of a row is wrong, so something other than the service wrote the row. */
export class Tampered extends Refusal {
  readonly row: NamedRow | undefined;

  constructor(detail: string, row?: NamedRow) {
    super('unavailable', detail);
    this.row = row;
  }
}

/** Creates the refusal of a request that needs a tampered row. The client does not see which row it is. */
export const tampered = (table: string, id: string, tenantId: string): Tampered =>
  new Tampered(
    'The stored data did not pass its integrity check. The operator can find the row with `eaas audit verify`.',
    { table, id, tenantId },
  );
