#!/usr/bin/env node
// Plays the programs `aws`, `gcloud`, `az`, `bao` and `vault`, by the name under which it runs. A ciphertext is
// `sealed:`, the names to which it is bound, and the plaintext in other bits.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const name = basename(process.argv[1]);
const args = process.argv.slice(2);
if (process.env.SERVICE_IS_DOWN) {
  process.stderr.write(`${name}: the service does not answer\n`);
  process.exit(255);
}

const encrypts = args.some((word) => /^(?:transit\/)?encrypt/.test(word));
const after = (option) => args[args.indexOf(option) + 1].replace(/^(?:fileb:\/\/|@)/, '');
const bound = ['--encryption-context', '--key', '--name'].filter((option) => args.includes(option));
const path = args.find((word) => word.startsWith('transit/'))?.split('/')[2] ?? '';
const label = `sealed:${bound.map(after).join()}${path}:`;
const hidden = (bytes) => bytes.map((byte) => byte ^ 90);
const seal = (bytes) => Buffer.concat([Buffer.from(label), hidden(bytes)]);
const open = (bytes) => {
  if (!bytes.toString('latin1').startsWith(label)) throw new Error('not a ciphertext of this key');
  return hidden(bytes.subarray(label.length));
};
const inputAt = (option) => readFileSync(after(option) === '-' ? 0 : after(option));
const lineOf = (bytes) => `${bytes.toString('base64')}\n`;
const needs = (...words) => {
  for (const word of words) if (!args.includes(word)) throw new Error(`${name} needs ${word}`);
};

const services = {
  aws() {
    needs('kms', '--encryption-context', '--query', '--output', 'text');
    if (!encrypts) return lineOf(open(readFileSync(after('--ciphertext-blob'))));
    needs('--key-id');
    return lineOf(seal(readFileSync(after('--plaintext'))));
  },
  gcloud() {
    needs('kms', '--location', '--keyring', '--key');
    if (!encrypts) {
      needs('--plaintext-file', '-');
      return open(inputAt('--ciphertext-file'));
    }
    const sealed = seal(inputAt('--plaintext-file'));
    if (after('--ciphertext-file') === '-') return sealed;
    writeFileSync(after('--ciphertext-file'), sealed);
    return '';
  },
  az() {
    needs('keyvault', 'key', '--vault-name', 'company', '--algorithm', '--data-type', 'base64', 'tsv');
    const bytes = Buffer.from(inputAt('--value').toString().trim(), 'base64');
    return lineOf(encrypts ? seal(bytes) : open(bytes));
  },
  bao() {
    needs('write', encrypts ? '-field=ciphertext' : '-field=plaintext');
    if (encrypts) return `vault:v1:${lineOf(seal(Buffer.from(readFileSync(0, 'utf8'), 'base64')))}`;
    const [, given] = /^ciphertext=(.+)$/.exec(args.at(-1));
    // The real program reads files, too.
    const text = /^[-@]/.test(given) ? readFileSync(given === '-' ? 0 : given.slice(1), 'utf8') : given;
    return lineOf(open(Buffer.from(/^vault:v1:(.+)$/m.exec(text)[1], 'base64')));
  },
};
process.stdout.write(services[name in services ? name : 'bao']());
