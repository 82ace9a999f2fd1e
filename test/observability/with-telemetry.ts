import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eaas } from '../conformance/program.ts';
import { root } from '../docs/markdown.ts';
import { requireTools } from '../setup/tools.ts';

/** A folder like that of an operator, with the OpenTelemetry SDK and the files of the example. */
export async function telemetryFolder() {
  const modules = await requireTools('otel');
  const folder = await mkdtemp(join(tmpdir(), 'eaas-telemetry-'));
  await symlink(modules, join(folder, 'node_modules'));
  for (const name of ['telemetry.mjs', 'traced-client.mjs']) {
    await copyFile(join(root, 'examples/observability', name), join(folder, name));
  }
  const [node = '', ...rest] = eaas;
  return {
    folder,
    program: [node, '--import', join(folder, 'telemetry.mjs'), ...rest],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
