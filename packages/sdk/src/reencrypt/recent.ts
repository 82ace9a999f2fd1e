const most = 10_000;

/** A map of the 10,000 entries that were set or asked for last. */
export function recent<T>(): Pick<Map<string, T>, 'get' | 'set' | 'delete'> {
  const entries = new Map<string, T>();
  const set = (name: string, value: T): Map<string, T> => {
    entries.delete(name);
    entries.set(name, value);
    const [oldest] = entries.keys();
    if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    return entries;
  };
  return {
    set,
    delete: (name) => entries.delete(name),
    get: (name) => {
      const value = entries.get(name);
      if (value !== undefined) set(name, value);
      return value;
    },
  };
}
