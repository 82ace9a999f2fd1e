import type { Measurement } from './compare.ts';
import { type Cost, costColumns, costOf, warmUp } from './costs.ts';
import { connectDeferred, openOperator, startDeferred } from './open-operator.ts';
import { operationsOf } from './operations.ts';
import { openWire } from './wire.ts';

export const benchmark: Measurement = {
  name: 'costs',
  about: 'the CPU time, the bytes and the round trips of each call',
  async measure(defer, print) {
    const { postgres, ...operator } = await openOperator(defer, 'installed');
    print(`PostgreSQL ${postgres.binaries.version}`);
    const sql = connectDeferred(defer, postgres);
    const { host, port } = postgres.connection('server');
    const wire = await openWire(`${host}/.s.PGSQL.${port}`, defer);
    const server = await startDeferred(defer, operator.env);
    const throughWire = `postgres://eaas_server@127.0.0.1:${wire.port}/eaas`;
    const relayed = await startDeferred(defer, { ...operator.env, EAAS_DATABASE_URL: throughWire });
    const place = { sql, server, relayed, wire, postgresPid: postgres.pid };
    const rows: { name: string; values: Cost }[] = [];
    const operations = await operationsOf(operator, server);
    for (const operation of operations.slice(0, 3)) await warmUp(place, operation);
    for (const operation of operations) {
      const values = await costOf(place, operation);
      rows.push({ name: operation.name, values });
      print(`${operation.name}: ${values.map((value) => value.toFixed(1)).join(', ')}`);
    }
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where usename = 'eaas_server'`;
    return [
      { name: 'cost of an item', columns: costColumns, rows },
      {
        name: 'connections',
        columns: ['to the database'],
        rows: [{ name: 'a server after all operations', values: [(row?.count ?? 0) / 2] }],
      },
    ];
  },
};
