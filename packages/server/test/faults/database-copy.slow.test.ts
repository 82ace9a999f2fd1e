import { join } from 'node:path';
import { afterAll, describe, inject } from 'vitest';
import type { Environment } from '@eaas/test-kit/program';
import { whereAvailable } from '@eaas/test-kit/available';
import { citusIsInstalled } from '@eaas/test-kit/citus';
import { createDatabase, migrated, type PostgresAddress, type TestDatabase } from '@eaas/test-kit/database';
import { requested } from '@eaas/test-kit/on-demand';
import { testMove } from './move-under-load.ts';

describe('from the embedded database to PostgreSQL', () => {
  testMove(
    (folder) => ({ EAAS_DATA_DIR: join(folder, '.eaas') }),
    () => undefined,
  );
});

whereAvailable('Citus', await citusIsInstalled(), () => {
  describe('from PostgreSQL to Citus', () => {
    let plain: TestDatabase | undefined;
    afterAll(() => plain?.drop());
    const open = async (): Promise<Environment> => {
      plain = await createDatabase(migrated);
      return { EAAS_DATABASE_URL: plain.url('server') };
    };
    testMove(open, () => requested<PostgresAddress>(inject('citus')));
  });
});
