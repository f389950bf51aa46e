import type { Kind } from './objects.ts';

/** Every id that was ever seen, with the key of its object. */
export type IdRegistry = {
  /** Records the key of the object that has an id.
   * @throws if the id belonged to another object before */
  readonly record: (kind: Kind, id: number, key: string) => void;
  readonly size: () => number;
};

export const createIdRegistry = (): IdRegistry => {
  const owners = new Map<string, string>();
  return {
    record: (kind, id, key) => {
      const before = owners.get(`${kind}/${id}`);
      if (before !== undefined && before !== key) throw new Error(`${kind}/${id} was given to ${before} and then to ${key}.`);
      owners.set(`${kind}/${id}`, key);
    },
    size: () => owners.size,
  };
};
