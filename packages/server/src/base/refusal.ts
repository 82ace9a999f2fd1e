import { Refusal } from '@eaas/protocol/service';

export { Refusal } from '@eaas/protocol/service';

export interface NamedRow {
  readonly table: string;
  readonly id: string;
  readonly tenantId: string;
}

/**
 * Thrown if a row of the database fails its integrity check. The response to the client must not name the row.
 */
export class Tampered extends Refusal {
  readonly row: NamedRow;

  constructor(table: string, id: string, tenantId: string) {
    super(
      'unavailable',
      'The stored data did not pass its integrity check. The operator can find the row with `eaas audit verify`.',
    );
    this.row = { table, id, tenantId };
  }
}

/** An error of the service itself. Its message has no secret, so the log contains the message. */
export class Explained extends Error {}
