// The numbers of the byte formats: lengths in bytes, how an envelope begins, and the limits that writers and readers check.
export const dekLength = 32;
/** The first three bytes of every envelope. In base64 they are `eaas`. */
export const magic: readonly number[] = [0x79, 0xa6, 0xac];
export const ivLength = 12;
export const commitmentLength = 32;
export const tagLength = 16;
export const prefixLength = 20;
export const fixedLength = 26;
export const maxWrappedKey = 2_048;
export const maxContextName = 128;
export const maxContext = 4_096;
export const streamChunkLength = 65_536;
