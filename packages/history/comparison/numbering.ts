/** Gives equal keys the same number, so that comparing long keys is as cheap as comparing short ones. */
export type Numbering = (key: string) => number;

export const createNumbering = (): Numbering => {
  const numbers = new Map<string, number>();
  return (key) => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  };
};
