import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { build as apiKey } from './cases/api-key.mjs';
import { build as auditChain } from './cases/audit-chain.mjs';
import { build as base64 } from './cases/base64.mjs';
import { build as checkpoint } from './cases/checkpoint.mjs';
import { build as envelopeV1 } from './cases/envelope-v1.mjs';
import { build as envelopeV2 } from './cases/envelope-v2.mjs';
import { build as hash } from './cases/hash.mjs';
import { build as intake } from './cases/intake.mjs';
import { build as logProof } from './cases/log-proof.mjs';
import { buildLogTree, buildMoments } from './cases/log-tree.mjs';
import { assertLiterals } from './cases/literals.mjs';
import { buildContext, buildPae } from './cases/pae-and-context.mjs';
import { build as people } from './cases/people.mjs';
import { build as sealedSecret } from './cases/sealed-secret.mjs';

const builders = {
  'api-key.json': apiKey,
  'audit-chain.json': auditChain,
  'base64.json': base64,
  'checkpoint.json': checkpoint,
  'context.json': buildContext,
  'envelope-v1.json': envelopeV1,
  'envelope-v2.json': envelopeV2,
  'hash.json': hash,
  'intake.json': intake,
  'log-moment.json': buildMoments,
  'log-proof.json': logProof,
  'log-tree.json': buildLogTree,
  'pae.json': buildPae,
  'people.json': people,
  'sealed-secret.json': sealedSecret,
};

const location = (file) => new URL(file, import.meta.url);

/** Prints JSON in ASCII, so that editors and checkouts do not change a character. */
function print(value) {
  const text = JSON.stringify(value, null, 2);
  return `${text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

function onDisk(file) {
  try {
    return readFileSync(location(file), 'utf8');
  } catch {
    return undefined;
  }
}

function check(files) {
  const differing = Object.keys(files).filter((file) => onDisk(file) !== files[file]);
  const unknown = readdirSync(location('.')).filter((file) => file.endsWith('.json') && !(file in files));
  for (const file of differing) console.error(`${file} differs from what generate.mjs writes`);
  for (const file of unknown) console.error(`${file} is not written by generate.mjs`);
  process.exitCode = differing.length + unknown.length > 0 ? 1 : 0;
}

assertLiterals();
const files = Object.fromEntries(Object.entries(builders).map(([file, build]) => [file, print(build())]));
if (process.argv.includes('--check')) check(files);
else for (const [file, text] of Object.entries(files)) writeFileSync(location(file), text);
