export async function replacing<T>(
  object: object,
  name: string,
  value: unknown,
  work: () => Promise<T>,
): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true });
  try {
    return await work();
  } finally {
    if (before) Object.defineProperty(object, name, before);
    else Reflect.deleteProperty(object, name);
  }
}
