/** The sizes that the byte formats fix, in bytes; of text, in bytes of UTF-8. */
export const dekLength = 32;
export const maxWrappedKey = 1_024;
export const maxContextName = 128;
export const maxContext = 4_096;
export const streamChunkLength = 65_536;
