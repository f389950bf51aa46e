import { randomNotaryKey } from '@waymark/checkpoints/notary-directory.ts';
import type { MovingCluster } from '@waymark/cluster/moving.ts';
import { randomKey } from '@waymark/runtime/private-files.ts';

/** The names of an installation's keys: the entries of their Secret, and the names of their files. */
export const keyNames = ['operator', 'status', 'cursor', 'signing', 'idempotency', 'request-id', 'edge', 'notary'] as const;

/** The keys of an installation, each as the value of its setting. */
export type InstallationKeys = Readonly<Record<(typeof keyNames)[number], string>>;

export const newKeys = (): InstallationKeys => ({
  operator: randomKey(),
  status: randomKey(),
  cursor: randomKey(),
  signing: randomKey(),
  idempotency: randomKey(),
  'request-id': randomKey(),
  edge: randomKey(),
  notary: randomNotaryKey(),
});

/** Returns the keys of a cluster that moves. The keys that it lacks are new: nothing that is stored depends on them. */
export const keysOf = ({ secrets, notaryKey }: MovingCluster): InstallationKeys => ({
  ...newKeys(),
  operator: secrets.operatorToken,
  status: secrets.statusToken,
  edge: secrets.edgeKey,
  cursor: secrets.cursorKey,
  signing: secrets.signingKey,
  idempotency: secrets.idempotencyKey,
  'request-id': secrets.requestIdKey,
  notary: notaryKey,
});
