// What everyone can read of the log: its newest checkpoint and its tiles, as C2SP's tlog-tiles says.
import { parseTilePath } from '@eaas/protocol/internal-log';
import { type Service, SharedRead } from '@eaas/server/internal';
import { currentLog, newestMoment } from './rows.ts';
import { publicTile } from './tiles.ts';

const year = 31_536_000;

/** Returns how the log is read. The checkpoint is read from the database at most once a second. */
export function publicReader({ reads }: Service) {
  const newest = new SharedRead(
    () =>
      reads.run(async (sql) => {
        const log = await currentLog(sql);
        return log && (await newestMoment(sql, log.origin));
      }),
    1_000,
  );
  return async (path: string) => {
    if (path === 'checkpoint') {
      const note = (await newest.recent())?.note;
      return note === undefined ? undefined : { bytes: note, type: 'text/plain; charset=utf-8', maxAge: 5 };
    }
    const name = parseTilePath(path);
    const bytes = name && (await reads.run((sql) => publicTile(sql, name)));
    // Even a partial tile never changes, because its width is in its path.
    return bytes && { bytes, type: 'application/octet-stream', maxAge: year };
  };
}
