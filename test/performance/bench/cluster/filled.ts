import { call } from '../client.ts';
import { limits } from '../limits.ts';
import type { Target } from '../load.ts';
import { pinpointPath } from '../loads.ts';
import { firstNumber, pinpointParts } from '../pinpoint.ts';
import type { Account, Installation } from './installation.ts';
import { clusterLimits } from './limits.ts';

/** The pinpoints from which reads and updates choose, each with the token of its account. */
export type Filled = readonly Target[];

/** Creates `clusterLimits.pinpointsPerAccount` pinpoints in each account, through the edge. */
export const filled = ({ base, accounts }: Pick<Installation, 'base' | 'accounts'>): Promise<Filled> =>
  createdIn(base, accounts, clusterLimits.pinpointsPerAccount);

/** Creates `each` pinpoints in every account. */
export const createdIn = async (base: string, accounts: readonly Pick<Account, 'token'>[], each: number): Promise<readonly Target[]> => {
  const wanted = Array.from({ length: each }, () => accounts).flat();
  const made: Target[] = [];
  let number = firstNumber();
  const creator = async (): Promise<void> => {
    for (let account = wanted.pop(); account; account = wanted.pop()) {
      number += 1;
      const body = pinpointParts.join(String(number));
      const { id } = (await call(`${base}/v3.0/pinpoints`, { method: 'POST', token: account.token, body })) as { readonly id: number };
      made.push({ path: pinpointPath(id), token: account.token });
    }
  };
  await Promise.all(Array.from({ length: limits.connections }, creator));
  return made;
};
