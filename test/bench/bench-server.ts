// A server for the benchmark of latency: all of a wrap is done, but no link reaches the database. `/empty` answers at once.
import { readConfig } from '../../packages/cli/src/config.ts';
import { openService } from '../../packages/server/src/app/open-service.ts';
import { serveHttp } from '../../packages/server/src/app/serve.ts';

const { service } = await openService(readConfig(process.env), 'command');
service.store.append = async (_, { now }) => ({ outcome: 'written', time: now });
const { app } = serveHttp(service, { jobs: [], verified: undefined }, { log: { write: () => {} } });
app.post('/empty', async () => ({}));
process.stdout.write(`Eaas listens on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
