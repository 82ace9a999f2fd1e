/** The sizes of the byte formats, in bytes. Sizes of text are in bytes of UTF-8. */
export const dekLength = 32;
/** The bytes with which every envelope begins. In base64 these bytes are `eaas`. */
export const magic: readonly number[] = [0x79, 0xa6, 0xac];
export const ivLength = 12;
export const commitmentLength = 32;
export const tagLength = 16;
/** The length of the header's prefix (magic, version and key_id), which the encryption authenticates. */
export const prefixLength = 20;
/** The length of the fixed part of a header: the prefix, key_version, and the length field of wrapped_key. */
export const fixedLength = 26;
export const maxWrappedKey = 1_024;
export const maxContextName = 128;
export const maxContext = 4_096;
export const streamChunkLength = 65_536;
