import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eaasImporting } from '../conformance/program.ts';
import { root } from '../docs/markdown.ts';
import { requireTools } from '../setup/tools.ts';

export async function telemetryFolder() {
  const modules = await requireTools('otel');
  const folder = await mkdtemp(join(tmpdir(), 'eaas-telemetry-'));
  await cp(join(root, 'examples/observability'), folder, { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(modules, '@opentelemetry'), join(folder, 'node_modules/@opentelemetry'));
  await symlink(join(root, 'node_modules/@eaas'), join(folder, 'node_modules/@eaas'));
  return {
    folder,
    program: eaasImporting(join(folder, 'telemetry.mjs')),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20 }),
  };
}
