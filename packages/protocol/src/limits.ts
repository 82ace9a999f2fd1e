/** The sizes that the byte formats fix, in bytes; of text, in bytes of UTF-8. */
export const dekLength = 32;
export const ivLength = 12;
export const commitmentLength = 32;
export const tagLength = 16;
/** Of an envelope: magic, version and key_id, the part that is always authenticated. */
export const prefixLength = 20;
/** … key_version and n, the length of wrapped_key. */
export const fixedLength = 26;
export const maxWrappedKey = 1_024;
export const maxContextName = 128;
export const maxContext = 4_096;
export const streamChunkLength = 65_536;
