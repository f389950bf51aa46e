import type { Lease } from '../ports.ts';

export const newLease = (held: boolean): Lease & { readonly set: (held: boolean) => void } => {
  let now = held;
  return {
    holds: () => now,
    set: (to) => {
      now = to;
    },
  };
};
