// What is thrown for a row, a head or an entry that is not as the service wrote it. Its answer names no row; whoever runs the
// service is told (`Listener.tampered` in service.ts).
import { Refusal } from './refusal.ts';

/** A row of the database failed its integrity check. */
export class Tampered extends Refusal {
  readonly row: { readonly table: string; readonly id: string; readonly tenantId: string };

  constructor(table: string, id: string, tenantId: string) {
    super(
      'unavailable',
      'The stored data did not pass its integrity check. The operator can find the row with `eaas audit verify`.',
    );
    this.row = { table, id, tenantId };
  }
}
