// `eaas-files encrypt`, under a key of the service, or with a public key and no credentials. The original files stay.
import { WrongUsage } from './kit.ts';
import { createIntake, type Intake } from '@eaas/sdk/intake';
import { encryptStream, type StreamWriter } from '@eaas/sdk/stream';
import { type FileCommand, option, type Options, type Run } from './command.ts';
import {
  contextIn,
  contextOption,
  insecureHttp,
  keyIdsIn,
  quiet,
  recursive,
  subjectOption,
  withClient,
} from './connection.ts';
import { expectAll, forEachFile } from './each.ts';
import { CannotStart } from './failure.ts';
import { findInputs, isEncryptedName, standard, suffix } from './inputs.ts';
import { planOutputs } from './output-paths.ts';
import { readKeyFile, streamOf } from './read.ts';
import { writePieces } from './write.ts';

export const encrypt: FileCommand = {
  name: 'encrypt',
  about:
    'Encrypt files, folders or standard input. Writes report.pdf.eaas beside report.pdf, and keeps report.pdf. Reads ' +
    'standard input if no path is named, and then writes to standard output. In folders, skips links, ' +
    'and files that end in .eaas.',
  options: [
    option('-o, --out <path>', 'write to this file or folder, or to standard output (-)'),
    recursive,
    option('-f, --force', 'overwrite existing files'),
    option('--key <id>', 'encrypt under this key instead of EAAS_KEY_ID'),
    option(
      '--public-key <text or path>',
      'encrypt with the public key of an intake key, without the service and without an API key',
    ),
    contextOption,
    subjectOption,
    insecureHttp,
    quiet,
  ],
  examples: [
    'eaas-files encrypt report.pdf',
    'eaas-files encrypt --recursive photos --out photos-encrypted',
    'tar c project | eaas-files encrypt > project.tar.eaas',
    'eaas-files encrypt report.pdf --public-key forms.pub',
  ],
  takesPaths: true,
  run: encryptFiles,
};

async function encryptFiles(run: Run): Promise<number> {
  const { options, stop } = run;
  const context = contextIn(options);
  const { out, force = false, subject } = options;
  const { inputs, unreadable } = await findInputs(run, (name) => !isEncryptedName(name));
  const rename = (name: string): string => name + suffix;
  const jobs = await planOutputs(inputs, { out, force, rename });
  if (process.stdout.isTTY && jobs.some(({ output }) => output === standard)) {
    throw new WrongUsage(
      'A terminal cannot show binary ciphertext: redirect standard output, or pass an output file with --out.',
    );
  }
  const intake = await intakeIn(options);
  expectAll(run, inputs);
  const { signal } = stop;
  const encryptAll = async (writer: StreamWriter, keyId: string): Promise<number> => {
    const more = { keyId, context, signal, ...(subject !== undefined && { subject }) };
    const failures = await forEachFile(run, jobs, ({ pieces, file }, { output }) => {
      const ciphertext = streamOf(pieces).pipeThrough(encryptStream(writer, more));
      return writePieces(output, ciphertext, { force, mode: file?.mode });
    });
    return unreadable + failures;
  };
  if (intake) return encryptAll(intake, intake.keyId);
  return withClient(options, (client) => {
    const [keyId = client.keyId] = keyIdsIn(options);
    if (keyId === undefined) {
      throw new CannotStart('The id of the key is missing: set EAAS_KEY_ID, or pass --key.');
    }
    return encryptAll(client, keyId);
  });
}

async function intakeIn(options: Options): Promise<Intake | undefined> {
  const { publicKey: given } = options;
  if (given === undefined) return undefined;
  if (keyIdsIn(options).length > 0) {
    throw new WrongUsage(
      '--public-key already contains the id of the key: pass --key or --public-key, not both.',
    );
  }
  if (options.subject !== undefined) {
    throw new WrongUsage(
      'A public key encrypts for nobody in particular: pass --subject later, to `rewrap`, and not with --public-key.',
    );
  }
  const text = given.startsWith('eaas_pk_') ? given : await readKeyFile(given);
  return createIntake({ publicKey: text.trim() });
}
