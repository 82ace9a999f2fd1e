import { createECDH } from 'node:crypto';
import { limits } from '@eaas/protocol/wire';

export const randomElements = (count: number): string[] =>
  Array.from({ length: count }, () => createECDH('prime256v1').generateKeys('base64', 'compressed'));

export const manyElements = (): string[] => randomElements(limits.elements);
