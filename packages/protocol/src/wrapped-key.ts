/** A form of wrapped keys. Each begins with its format and suite (2 bytes) and the key version (4 bytes). */
export interface WrappedForm {
  readonly formatAndSuite: number;
  readonly length: number;
}

/** Where the key version ends. */
export const versionEnd = 6;
/** Where the salt ends, which follows the key version if the service wrapped the DEK. */
export const saltEnd = 30;
/** The length of a DEK that the service wrapped: the encrypted DEK and its tag follow the salt. */
export const serviceWrappedLength = 78;

export const serviceForm: WrappedForm = { formatAndSuite: 0x0101, length: serviceWrappedLength };

/** Returns undefined for bytes of another form. The returned key version is not authenticated. */
export function versionIn(form: WrappedForm, wrapped: Uint8Array): number | undefined {
  return wrapped.length === form.length ? versionAtStart(form, wrapped) : undefined;
}

/** Like `versionIn`, for the first bytes of a wrapped key. */
export function versionAtStart({ formatAndSuite }: WrappedForm, start: Uint8Array): number | undefined {
  const view = new DataView(start.buffer, start.byteOffset, start.length);
  return view.getUint16(0) === formatAndSuite ? view.getUint32(2) : undefined;
}
