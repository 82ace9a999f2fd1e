import { rootKey } from '../../packages/server/src/crypto/key-hierarchy.ts';
import { openDoors } from '../../packages/server/src/doors.ts';
import { createApp } from '../../packages/server/src/http/app.ts';
import { createService } from '../../packages/server/src/service.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { wrapInTransaction } from './wrap-in-transaction.ts';

// A server of its own process: `bench-server.ts grouped|transactions <socket directory> <port>`. Its root key is zeros.
// It prints the port that it listens on, and ends with its standard input.
const [way, host = '', port] = process.argv.slice(2);

const database = new Database({ host, port: Number(port), database: 'eaas', username: 'eaas_server' });
const service = createService({ database, roots: [rootKey(new Uint8Array(32))] });
const doors = openDoors(service, { draining: false, jobs: [], verified: undefined });
const wrap = 'POST /v1/keys/:key_id/wrap';
const operations = { ...doors.operations, [wrap]: wrapInTransaction(service) };
const app = createApp(way === 'grouped' ? doors : { ...doors, operations }, { logLevel: 'error' });
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
process.stdin.on('end', () => process.exit()).resume();
