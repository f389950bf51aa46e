import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { erase } from '@waymark/event-log/erasure/erase.ts';
import { someFact } from '@waymark/event-log/testing/some-events.ts';
import { signerOf } from '@waymark/proof-store/testing/notary.ts';
import { account, edits, fetchPages, openProofHistory, type ProofHistory, verified } from '../../testing/proof-history.ts';
import { pageEventsMax } from '../limits.ts';
import type { ProofOptions } from '../options.ts';

let history: ProofHistory;
beforeEach(async () => {
  history = await openProofHistory();
});
afterEach(() => history.close());

const get: ProofHistory['get'] = (...of) => history.get(...of);

const fetched = (path: string) => fetchPages(get, path);
const notFound = expect.objectContaining({ status: 404 });

describe('an export', () => {
  it('of an account has all its events, in several pages of one checkpoint', async () => {
    await history.record(...edits(2 * pageEventsMax + 10), { pinpoint: 500, name: 'x', of: 'another' });
    await history.follow();
    await history.notary.sign();
    const first = await get('/audit/v1/export');
    await history.record(...edits(30));
    await history.follow();
    await history.notary.sign();
    const next = /^<(.*)>/.exec(first.headers?.['Link'] ?? '')?.[1] ?? '';
    const { text, pages } = await fetched(next);
    expect(pages).toBe(2);
    expect(await verified(`${first.body}${text}`)).toMatchObject({
      ...{ sound: true, findings: [], account, object: null, events: 2 * pageEventsMax + 10 },
      checkpoint: { number: 1 },
    });
    await expect(get(next, { as: 'another' })).rejects.toEqual(notFound);
    await expect(get(next.replace('export', 'pinpoints/1/export'))).rejects.toEqual(notFound);
  });

  it('of an object has its events, in several pages', async () => {
    await history.record(...edits(3 * pageEventsMax, 2));
    await history.follow();
    await history.notary.sign();
    const { text, pages } = await fetched('/audit/v1/pinpoints/1/export');
    expect(pages).toBe(2);
    expect(await verified(text)).toMatchObject({ sound: true, findings: [], object: 'pinpoint-1', events: 1.5 * pageEventsMax });
  });

  it('ends a page early if its contents are large, and exports what was recorded at the checkpoint only', async () => {
    await history.record(...edits(20));
    await history.follow();
    await history.notary.sign();
    await history.record(...edits(20));
    await history.follow();
    const read: ProofOptions['log']['read'] = async (...of) => (await history.log.read(...of)).map(padded);
    const { headers, body } = await get('/audit/v1/export', { over: { log: { ...history.log, read } } });
    expect((body as string).split('\n').length).toBeLessThan(8);
    expect(headers?.['Link']).toContain('cursor=');
    expect(await verified((await fetched('/audit/v1/export')).text)).toMatchObject({ sound: true, events: 20 });
  });

  it('shows that it continues checkpoints, announced keys and a former origin', async () => {
    const { notary } = history;
    const notes: string[] = [];
    const grow = async (...signed: Parameters<typeof notary.sign>) => {
      await history.record(...edits(40));
      await history.follow();
      notes.push((await notary.sign(...signed)).note);
    };
    await grow();
    await grow({ key: signerOf(2).verifierKey });
    notary.startOver('second');
    const by = signerOf(2);
    for (let nth = 0; nth < 3; nth += 1) await grow({ by });
    for (const path of ['export', 'pinpoints/2/export']) {
      const { text } = await fetched(`/audit/v1/${path}?checkpoint=2,1&checkpoint=3`);
      const given = [1, 2, 3, 4].map((nth) => notes[nth] ?? '');
      expect(await verified(text, given)).toMatchObject({ sound: true, findings: [], checkpoint: { number: 3 } });
      expect((await verified(text, [notes[0] ?? ''])).sound).toBe(false);
      const newKeyOnly = await fetched(`/audit/v1/${path}?announcements=none`);
      expect(await verified(newKeyOnly.text, [], 2)).toMatchObject({ sound: true, findings: [] });
      expect((await verified(text, [], 2)).sound).toBe(false);
    }
  });

  it('lacks erased contents, and verifies once a checkpoint covers the erasure', async () => {
    await history.record(...edits(12));
    await history.follow();
    await history.notary.sign();
    await erase(history.log, 'pinpoint-2');
    const early = await verified((await fetched('/audit/v1/export')).text);
    expect(early).toMatchObject({ sound: false, findings: [expect.stringContaining('export again')] });
    await history.follow();
    await history.notary.sign();
    for (const path of ['export', 'pinpoints/2/export'])
      expect(await verified((await fetched(`/audit/v1/${path}`)).text)).toMatchObject({ sound: true, erased: 4 });
  });

  it('has applications as envelopes, without their contents', async () => {
    await history.record(...edits(2));
    const { ApplicationRegistered } = sampleEvents;
    await history.log.append('application-app-1', [someFact({ ...ApplicationRegistered })], 'none');
    await history.follow();
    await history.notary.sign();
    expect(await verified((await fetched('/audit/v1/export')).text)).toMatchObject({ sound: true, events: 3, contents: 2, withheld: 1 });
    const { text } = await fetched('/audit/v1/applications/app-1/export');
    expect(await verified(text)).toMatchObject({ sound: true, events: 1, withheld: 1 });
    expect(text).not.toContain(sampleEvents.ApplicationRegistered.name);
  });
});

/** Returns an event with a large content. The leaf covers the commitment only. */
const padded = (event: RecordedEvent): RecordedEvent => ({ ...event, content: 'x'.repeat(1_000_000) });
