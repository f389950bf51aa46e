import { aPinpoint, unknownId } from '../api/samples.ts';
import { creating } from './clients.ts';
import type { Calls } from './undo.ts';

/** Requests each kind of proof and export, including those that the last checkpoint does not cover.
 * @param sign lets the notary sign a checkpoint that covers everything */
export const readProofs = async ({ edit, audit }: Calls, sign: () => Promise<void>): Promise<void> => {
  const pinpoint = await creating(edit)('POST', '/pinpoints', aPinpoint({ name: 'To be proven' }));
  const inclusion = `/proofs/inclusion?kind=pinpoints&id=${pinpoint}&revision=`;
  const object = `/pinpoints/${pinpoint}/export`;
  for (const path of ['/checkpoints/latest', '/export', object]) await audit('GET', path);
  await sign();
  const { checkpoint } = (await audit('GET', '/checkpoints/latest')).body as { readonly checkpoint: string };
  const number = /^number (\d+)$/m.exec(checkpoint)?.[1] ?? '';
  for (const path of [`${inclusion}0`, `${inclusion}1`, '/proofs/inclusion']) await audit('GET', path);
  for (const query of [`from=${number}`, `from=${number}&to=999`, 'from=999', 'from=x']) await audit('GET', `/proofs/consistency?${query}`);
  for (const path of ['/export', '/export?checkpoint=x', '/export?cursor=x', `/pinpoints/${unknownId}/export`]) await audit('GET', path);
  await audit('GET', `${object}?checkpoint=${number}&announcements=none`);
  await edit('PUT', `/pinpoints/${pinpoint}`, aPinpoint({ name: 'Not yet proven' }));
  await audit('GET', `${inclusion}1`);
};
