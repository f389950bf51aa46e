import { hashFrom } from '@waymark/proof/hashes.ts';
import { type EventInTree, eventLeaf } from '@waymark/proof/leaf.ts';
import { verifiesConsistency, verifiesInclusion } from '@waymark/proof/proofs.ts';
import { covered, coveredJson, exported, notaryKey, numberOf, type Tree } from './evidence.ts';
import { openAuditor } from './history.ts';
import { aPinpoint } from './samples.ts';
import { describeWith } from './target.ts';
import { edit, forget } from './undo.ts';

type Inclusion = { readonly head: Tree; readonly event: EventInTree; readonly index: number; readonly path: readonly string[] };
type Consistency = { readonly from: Tree; readonly to: Tree; readonly consistency: readonly string[] };

const hashOf = (text: string): Buffer => hashFrom(text) ?? Buffer.alloc(0);

describeWith('evidence', { WAYMARK_NOTARY_KEY: notaryKey.toString('base64'), WAYMARK_NOTARY_SECONDS: '1' }, (waymark) => {
  it('proves with a signed checkpoint that a change is in the history, and that the history was only added to', async () => {
    const me = await openAuditor(waymark);
    const { id } = await me.create('/pinpoints', aPinpoint());
    const path = `/proofs/inclusion?kind=pinpoints&id=${id}&revision=0`;
    const { head, event, index, path: hashes } = await coveredJson<Inclusion>(me, path);
    const proven = { leaf: eventLeaf(event), index, size: head.size, root: hashOf(head.root), proof: hashes.map(hashOf) };
    expect(event).toMatchObject({ stream: `pinpoint-${id}`, revision: 0, envelope: { type: 'PinpointCreated' } });
    expect(verifiesInclusion(proven)).toBe(true);
    const first = numberOf(head);
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'Renamed' }));
    await covered(me, `/proofs/inclusion?kind=pinpoints&id=${id}&revision=1`);
    const { from, to, consistency } = await coveredJson<Consistency>(me, `/proofs/consistency?from=${first}`);
    expect([from.size, to.size]).toEqual([head.size, head.size + 1]);
    expect(verifiesConsistency(sized(from), sized(to), consistency.map(hashOf))).toBe(true);
  });

  it('is an export of the account or of an object, which verifies offline, also after an erasure', async () => {
    const me = await openAuditor(waymark);
    const { id } = await me.create('/pinpoints', aPinpoint());
    for (const name of ['A', 'B', 'C']) await edit(me, 'pinpoints', id, aPinpoint({ name }));
    await covered(me, `/proofs/inclusion?kind=pinpoints&id=${id}&revision=3`);
    expect(await exported(me, '/export')).toMatchObject({ sound: true, findings: [], object: null, erased: 0 });
    expect(await exported(me, `/pinpoints/${id}/export`)).toMatchObject({ sound: true, findings: [], events: 4, erased: 0 });
    const last = numberOf(await coveredJson<Tree>(me, '/checkpoints/latest'));
    await forget(waymark, me, 'pinpoint', id);
    await covered(me, `/proofs/inclusion?kind=pinpoints&id=${id}&revision=4`);
    expect(await exported(me, '/export')).toMatchObject({ sound: true, findings: [], erased: 4 });
    expect(await exported(me, `/pinpoints/${id}/export?checkpoint=${last}&announcements=none`)).toMatchObject({
      sound: true,
      events: 5,
      erased: 4,
    });
  });

  it('is the own account only', async () => {
    const [me, other] = [await openAuditor(waymark), await openAuditor(waymark)];
    const { id } = await me.create('/pinpoints', aPinpoint());
    await covered(me, `/pinpoints/${id}/export`);
    await covered(other, '/checkpoints/latest');
    for (const path of [`/pinpoints/${id}/export`, `/proofs/inclusion?kind=pinpoints&id=${id}&revision=0`])
      expect((await other.get(`/audit/v1${path}`)).status).toBe(403);
  });

  it('needs the scope audit', async () => {
    const me = await waymark.account();
    for (const path of ['/export', '/checkpoints/latest', '/proofs/consistency?from=1', '/pinpoints/1/export'])
      expect((await me.get(`/audit/v1${path}`)).status).toBe(403);
  });
});

const sized = ({ size, root }: Tree) => ({ size, root: hashOf(root) });
