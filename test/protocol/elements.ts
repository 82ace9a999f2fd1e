import { createECDH } from 'node:crypto';
import { limits } from '@eaas/protocol/wire';

/** Random points on P-256, as a client of blind hashes sends them. */
export const randomElements = (count: number): string[] =>
  Array.from({ length: count }, () => createECDH('prime256v1').generateKeys('base64', 'compressed'));

export const manyElements = (): string[] => randomElements(limits.elements);
