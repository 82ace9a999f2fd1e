import type { Caller } from '../../packages/server/src/state/caller.ts';
import { readConfig } from '../../packages/cli/src/config.ts';
import { createApp } from '../../packages/server/src/http/app.ts';
import { type Doors, openDoors } from '../../packages/server/src/http/doors.ts';
import { openService } from '../../packages/server/src/app/open-service.ts';
import { wrapWithoutLog } from './wrap-without-log.ts';

const { service } = await openService(readConfig(process.env), 'command');
const wrap = wrapWithoutLog(service);
const run = async (_: unknown, caller: Caller, input: { key_id: string; dek: string }) => wrap(caller, input);
const doors = openDoors(service, { jobs: [], verified: undefined });
const app = createApp({ ...doors, run: run as unknown as Doors['run'] }, { logLevel: 'error' });
app.post('/empty', async () => ({}));
process.stdout.write(`Eaas listens on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
