import { ROLES } from '../../packages/server/src/embedded/cluster.ts';
import { migrate } from '../../packages/server/src/store/migrate.ts';
import { openPool } from '../../packages/server/src/store/sql.ts';
import type { Template } from './database.ts';

/** A database as `eaas migrate` leaves it. */
export const migrated: Template = {
  name: 'template_migrated',
  async prepare({ connection }) {
    const owner = openPool(connection('owner'), 1);
    await migrate(owner, ROLES.server);
    await owner.end();
  },
};
