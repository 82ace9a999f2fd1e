import { encryptStream } from '@eaas/sdk/stream';
import type { Command, Run } from './command.ts';
import {
  contextIn,
  contextOptions,
  keyIdsIn,
  fileOptions,
  progressOptions,
  serviceOptions,
  withClient,
} from './connection.ts';
import { expectAll, forEachFile } from './each.ts';
import { CannotStart, WrongUsage } from './failure.ts';
import { findInputs, isEncryptedName, standard, suffix } from './inputs.ts';
import { planOutputs } from './outputs.ts';
import { streamOf, withPieces } from './read.ts';
import { writePieces } from './write.ts';

export const encrypt: Command = {
  name: 'encrypt',
  operand: ' [path...]',
  about:
    'Encrypt files, folders or standard input. Writes report.pdf.eaas beside report.pdf, and keeps report.pdf. Reads ' +
    'standard input if no path is named, and then writes to standard output. In folders, skips files that end in .eaas.',
  options: {
    out: { short: 'o', value: 'path', about: 'write to this file or folder, or to standard output (-)' },
    ...fileOptions,
    force: { short: 'f', about: 'overwrite existing files' },
    key: { value: 'id', about: 'encrypt under this key instead of EAAS_KEY_ID' },
    ...contextOptions,
    ...serviceOptions,
    ...progressOptions,
  },
  examples: [
    'eaas-files encrypt report.pdf',
    'eaas-files encrypt --recursive photos --out photos-encrypted',
    'tar c project | eaas-files encrypt > project.tar.eaas',
  ],
  run: encryptFiles,
};

async function encryptFiles(run: Run): Promise<number> {
  const { parsed, stop } = run;
  const context = contextIn(parsed);
  const force = parsed.isSet('force');
  const inputs = await findInputs(parsed.paths, {
    isRecursive: parsed.isSet('recursive'),
    isWanted: (name) => !isEncryptedName(name),
  });
  const rename = (name: string): string => name + suffix;
  const jobs = await planOutputs(inputs, { out: parsed.one('out'), force, rename });
  if (process.stdout.isTTY && jobs.some(({ output }) => output === standard)) {
    throw new WrongUsage(
      'A terminal cannot show binary ciphertext: redirect standard output, or pass an output file with --out.',
    );
  }
  expectAll(run, inputs);
  return withClient(parsed, (client) => {
    const [keyId = client.keyId] = keyIdsIn(parsed);
    if (keyId === undefined)
      throw new CannotStart('The id of the key is missing: set EAAS_KEY_ID, or pass --key.');
    const { signal } = stop;
    return forEachFile(
      run,
      jobs,
      ({ input }) => input,
      ({ input, output }) =>
        withPieces(run, input, (pieces) => {
          const encrypting = encryptStream(client, { keyId, context, signal });
          return writePieces(output, streamOf(pieces).pipeThrough(encrypting), { force, mode: input.mode });
        }),
    );
  });
}
