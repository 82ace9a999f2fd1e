// What the nights of a server bring: the verification of every audit log, and checkpoint files beside the database.
import type { Extra } from '@eaas/server/internal';
import { requireCheckpointDirectory } from './checkpoint-files.ts';
import { keepCheckpoints } from './keep-checkpoints.ts';
import { lastVerification, nightlyVerify } from './nightly-verify.ts';

export {
  listCheckpointFiles,
  readCheckpointFile,
  removeFilesOfTenant,
  requireCheckpointDirectory,
} from './checkpoint-files.ts';

/** Verifies the audit log of each tenant once a night, on one of the replicas. */
export const nightlyVerification: Extra = {
  jobs: ({ service, log, state, leased }) => [
    leased('verify', 600, (lease) =>
      nightlyVerify(service, lease, (tenantId, findings) => {
        log.error({ tenant_id: tenantId, findings }, 'the audit chain of a tenant is broken');
      }),
    ),
    {
      name: 'verified',
      everySeconds: 60,
      run: async () => {
        state.verified = await lastVerification(service);
      },
    },
  ],
};

/** Keeps a signed checkpoint of each audit log in the directory. */
export function checkpointFiles(directory: string): Extra {
  return {
    check: () => requireCheckpointDirectory(directory),
    jobs: ({ service, worker = 1 }) => {
      // Only the first worker writes, so that two workers never write the same file.
      if (worker !== 1) return [];
      const run = (signal: AbortSignal): Promise<void> => keepCheckpoints(service, directory, signal);
      return [{ name: 'checkpoints', everySeconds: 3_600, run }];
    },
  };
}
