import fc from 'fast-check';
import { canonicalJson } from '../canonical-json.ts';
import { anyHistory, randomTamperings } from '../testing/random-tamperings.ts';
import { withReplacedValue } from '../testing/replaced-value.ts';
import { exportOf, laterSigner, otherSigner, provenRoot, signer, signerOf, verified } from '../testing/some-export.ts';
import { someAccount } from '../testing/some-history.ts';
import { at, atPinpoint, changed, history, tamperings, withEnvelope } from '../testing/tamperings.ts';

const head = provenRoot(history, history.length);
const account = exportOf({ events: history, head });
const pinpoint = exportOf({ events: history, head, object: 'pinpoint-1' });
const erased = exportOf({ events: history, head, object: 'pinpoint-2' });

const ofAccount = tamperings.map(([kind, events, finding]) => [kind, events, finding] as const);
const ofObject = tamperings.flatMap(([kind, events, , finding]) => (finding === undefined ? [] : [[kind, events, finding] as const]));

describe('an export', () => {
  it('of an account proves that nothing is left out, and counts what it has', async () => {
    expect(await verified(account)).toEqual({
      sound: true,
      findings: [],
      account: someAccount,
      object: null,
      checkpoint: {
        origin: expect.stringMatching(/^waymark\/.*\/first$/),
        number: 14,
        time: '2026-11-25T10:14:00.000Z',
        key: signer.verifierKey,
      },
      ...{ events: 14, contents: 8, erased: 4, withheld: 2 },
      proves: 'These are all events of the account up to the checkpoint: nothing is changed, added or left out.',
    });
  });

  it('of an object proves each event, and that no revision in between is missing', async () => {
    expect(await verified(pinpoint)).toMatchObject({
      ...{ sound: true, object: 'pinpoint-1', events: 4, contents: 4, erased: 0, withheld: 0 },
      proves: expect.stringContaining('none of the revisions 0 to 3 is missing. There may be later revisions.'),
    });
    expect(await verified(erased)).toMatchObject({ sound: true, events: 3, contents: 1, erased: 2 });
    expect(await verified(exportOf({ events: history, head, object: 'list-1' }))).toMatchObject({ sound: true, events: 5, erased: 2 });
    expect(await verified(exportOf({ events: history, head, object: 'application-app-1' }))).toMatchObject({ sound: true, withheld: 1 });
  });

  it.each(ofAccount)('of an account shows %s', async (_, events, finding) => {
    const { sound, findings, proves } = await verified(exportOf({ events, head }));
    expect({ sound, proves, findings }).toEqual({
      sound: false,
      proves: null,
      findings: expect.arrayContaining([expect.stringContaining(finding)]),
    });
  });

  it.each(ofObject)('of an object shows %s', async (_, events, finding) => {
    const { sound, findings } = await verified(exportOf({ events, head, object: 'pinpoint-1' }));
    expect({ sound, findings }).toEqual({ sound: false, findings: expect.arrayContaining([expect.stringContaining(finding)]) });
  });

  it.each([
    ['an account', account],
    ['an object', pinpoint],
    ['an erased object', erased],
  ])('of %s shows every changed, removed or added byte', async (_, lines) => {
    const bytes = lines.map((line) => Buffer.from(line));
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 1), fc.nat(), fc.integer({ min: 1, max: 255 }), async (line, place, difference) => {
        const before = bytes[line] as Buffer;
        const position = place % before.length;
        const flipped = Buffer.from(before);
        flipped[position] = (flipped[position] ?? 0) ^ difference;
        const longer = Buffer.concat([before.subarray(0, position), Buffer.from([difference]), before.subarray(position)]);
        const shorter = Buffer.concat([before.subarray(0, position), before.subarray(position + 1)]);
        for (const changedLine of [flipped, longer, shorter]) {
          if (!changedLine.equals(before))
            expect(await verified(bytes.with(line, changedLine))).toMatchObject({ sound: false, proves: null });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('shows every value that is replaced by another one, of whatever kind', async () => {
    await fc.assert(
      fc.asyncProperty(withReplacedValue([account, pinpoint, erased]), async (lines) => {
        const isChanged = ![account, pinpoint, erased].some((original) => original.every((line, nth) => line === lines[nth]));
        expect((await verified(lines)).sound).toBe(!isChanged);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['an account', account],
    ['an object', pinpoint],
  ])('of %s shows lines that are removed, repeated or swapped', async (_, lines) => {
    for (const [nth, line] of lines.entries()) {
      if (nth > 0 && (lines === account || nth < lines.length - 1)) expect((await verified(lines.toSpliced(nth, 1))).sound).toBe(false);
      expect((await verified(lines.toSpliced(nth, 0, line))).sound).toBe(false);
      if (nth > 0) expect((await verified(lines.with(nth, lines[nth - 1] ?? '').with(nth - 1, line))).sound).toBe(false);
    }
  });

  it('of an object does not prove that no revision is newer: without its end, it is sound', async () => {
    expect(await verified(pinpoint.slice(0, -1))).toMatchObject({ sound: true, proves: expect.stringContaining('revisions 0 to 2') });
  });

  it('may lack the erased contents of an object only before the erasure', async () => {
    const later = changed(at('pinpoint-2', 2), (one) => ({ ...one, stream: 'pinpoint-1', revision: 1 }));
    expect((await verified(exportOf({ events: later }))).findings).toContainEqual(
      expect.stringContaining('pinpoint-2: the contents of the first 2'),
    );
  });

  it('of an object that a newer release erased names the release that is needed', async () => {
    const newer = changed(at('pinpoint-2', 2), withEnvelope({ version: 9, release: '9.1.0' }));
    expect((await verified(exportOf({ events: newer }))).findings).toEqual([
      'pinpoint-2, revision 2: Waymark 9.1.0 wrote it. That release or a later one is needed to check the erasure.',
    ]);
  });

  it('has at most 100 findings', async () => {
    const many = Array.from({ length: 300 }, () => account[5] ?? '');
    expect((await verified([...account.slice(0, 5), ...many])).findings).toHaveLength(100);
  });

  it.each([
    ['nothing', []],
    ['no header', account.slice(1)],
    ['another format', [account[0]?.replace('export-1', 'export-2') ?? '', ...account.slice(1)]],
    ['a header with a member more', [account[0]?.replace('"format"', '"extra":1,"format"') ?? '']],
    ['a header nested too deeply', ['['.repeat(100_000) + ']'.repeat(100_000)]],
  ])('that has %s is refused', async (_, lines) => {
    expect(await verified(lines)).toMatchObject({ sound: false, findings: ['The first line is no header of an export.'] });
  });

  it('has only events after its header', async () => {
    const { index: __, path: ___, ...event } = JSON.parse(pinpoint[1] ?? '{}');
    for (const line of ['', '{}', ' {}', canonicalJson(event), '\ufeff{}', '['.repeat(100_000)]) {
      expect((await verified([pinpoint[0] ?? '', line])).findings).toContain('Line 2 is no event of an export.');
    }
  });
});

describe('an export of any history', () => {
  it('is sound as it is', async () => {
    await fc.assert(fc.asyncProperty(anyHistory, async (events) => (await verified(exportOf({ events }))).sound));
  });

  it.each(Object.entries(randomTamperings))('shows %s', async (_, tamper) => {
    let tampered = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.nat(), fc.nat(), async (events, one, other) => {
        const head = provenRoot(events, events.length);
        const changed = tamper(events, one % events.length, other % events.length);
        const isSame = canonicalJson(changed) === canonicalJson(events);
        expect((await verified(exportOf({ events: changed, head }))).sound).toBe(isSame);
        if (!isSame) tampered += 1;
        for (const object of ['pinpoint-1', 'pinpoint-2']) {
          const [before, after] = [events, changed].map((all) => all.filter(({ stream }) => stream === object));
          const isBeginning = after?.length === 0 || canonicalJson(before?.slice(0, after?.length)) === canonicalJson(after);
          // An object's export does not prove that no revision is newer.
          if (!isBeginning) expect((await verified(exportOf({ events: changed, head, object }))).sound).toBe(false);
        }
      }),
    );
    expect(tampered).toBeGreaterThan(10);
  });
});

describe('the checkpoints of an export', () => {
  it('count only under a trusted key', async () => {
    expect(await verified(account, { keys: [laterSigner.verifierKey] })).toMatchObject({
      sound: false,
      checkpoint: null,
      findings: [expect.stringMatching(/^The export's checkpoint is not valid. No trusted key has signed it, only waymark\//)],
    });
    const forged = provenRoot(history.slice(0, 5), 5, { by: signerOf(3) });
    expect((await verified(exportOf({ events: history.slice(0, 5), head: forged }))).sound).toBe(false);
  });

  it('count under a key that a checkpoint announces, and not under one that an untrusted one announces', async () => {
    const announcement = provenRoot(history, 5, { key: laterSigner.verifierKey }).checkpoint;
    const later = provenRoot(history, history.length, { by: laterSigner });
    const rotated = exportOf({ events: history, head: later, announcements: [announcement] });
    expect(await verified(rotated)).toMatchObject({ sound: true, checkpoint: { key: laterSigner.verifierKey } });
    const forged = provenRoot(history, 5, { key: laterSigner.verifierKey, by: signerOf(3) }).checkpoint;
    const { findings } = await verified(exportOf({ events: history, head: later, announcements: [forged] }));
    expect(findings[0]).toContain('Announcement 1 of a key is not valid. No trusted key has signed it');
    const silent = exportOf({ events: history, head: later, announcements: [provenRoot(history, 5).checkpoint] });
    expect((await verified(silent)).findings).toContainEqual(expect.stringMatching(/^Checkpoint 5 of .* announces no key\.$/));
  });

  it('count only under a key of their installation, although keys of several are trusted', async () => {
    const both = { keys: [signer.verifierKey, otherSigner.verifierKey] };
    const foreign = exportOf({ events: history, head: provenRoot(history, history.length, { by: otherSigner }) });
    expect((await verified(foreign, both)).findings[0]).toContain('signs for the origin of another');
    const announcement = provenRoot(history, 5, { key: laterSigner.verifierKey, by: otherSigner }).checkpoint;
    const head = provenRoot(history, history.length, { by: laterSigner });
    const announced = exportOf({ events: history, head, announcements: [announcement] });
    expect((await verified(announced, both)).findings[0]).toContain('signs for the origin of another');
    const renamed = provenRoot(history, 5, { key: otherSigner.verifierKey }).checkpoint;
    const { findings } = await verified(exportOf({ events: history, announcements: [renamed] }));
    expect(findings).toEqual([expect.stringMatching(/^Announcement 1 of a key is not valid\. .* announces a key of another\.$/)]);
  });

  it('cover the account with its size and root', async () => {
    const { findings } = await verified(exportOf({ events: history, head: { ...head, size: 13 } }));
    expect(findings[0]).toMatch(/^Checkpoint 14 of .* does not cover the account .* with this size and root\.$/);
  });

  it('that are earlier are the beginning of the history, also those of a former origin and key', async () => {
    const final = provenRoot(history, 6, { incarnation: 'zeroth', by: laterSigner });
    const earlier = [final, provenRoot(history, 9)];
    const given = { keys: [signer.verifierKey, laterSigner.verifierKey], checkpoints: [final.checkpoint] };
    expect((await verified(exportOf({ events: history, head, earlier }), given)).findings).toEqual([]);
    expect((await verified(exportOf({ events: history, head, object: 'pinpoint-1', earlier }), given)).findings).toEqual([]);

    const rewritten = changed(atPinpoint(1), withEnvelope({ actor: 'app-2' }));
    const other = exportOf({ events: rewritten, head: provenRoot(rewritten, 14), earlier });
    expect((await verified(other, given)).findings).toEqual([
      expect.stringMatching(/^Checkpoint 6 of .*zeroth covers a history that is not the beginning of the exported one\.$/),
      expect.stringMatching(/^Checkpoint 9 of .*first covers a history that is not the beginning of the exported one\.$/),
      expect.stringMatching(/^The first 6 events are not those that checkpoint 6 of .*zeroth covers\.$/),
    ]);
  });

  it('show an old database that was restored, compared with a given checkpoint', async () => {
    const old = exportOf({ events: history.slice(0, 13) });
    expect((await verified(old)).sound).toBe(true);
    const { findings } = await verified(old, { checkpoints: [head.checkpoint] });
    expect(findings).toEqual([expect.stringMatching(/^The export is older than the given one: Checkpoint 14 of .*first\.$/)]);
  });

  it('show two checkpoints with the same number, and a given one that the export does not continue', async () => {
    const rewritten = changed(atPinpoint(1), withEnvelope({ actor: 'app-2' }));
    const twice = await verified(account, { checkpoints: [provenRoot(rewritten, 14).checkpoint] });
    expect(twice.findings).toEqual([expect.stringMatching(/^Checkpoint 14 of .* was signed twice, with different texts\.$/)]);
    const unrelated = await verified(account, { checkpoints: [provenRoot(history, 9).checkpoint] });
    expect(unrelated.findings).toEqual([
      expect.stringMatching(/^The export has no proof that it continues the given one: Checkpoint 9 of/),
    ]);
    expect((await verified(account, { checkpoints: [head.checkpoint] })).sound).toBe(true);
  });
});
