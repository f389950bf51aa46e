import { allocatorStream, installationStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import { sealReservation } from '@waymark/event-log/id-allocator.ts';
import { newEventId } from '@waymark/event-log/seal.ts';
import { type SomeInstallation, someInstallation } from '../testing/some-export.ts';
import { accountsIn, batch, batchesOf, refusalOf, send, someBytes, useTarget } from '../testing/some-target.ts';
import { type Batch, createImporter } from './import.ts';

const target = useTarget();
let source: SomeInstallation;
beforeEach(() => {
  source = someInstallation('source-1');
  source.populate(4, 1);
});

const pinpoint = (id: number): string => resourceStream('pinpoint', id);
const began = async (run = 'run') => {
  const to = createImporter(target.options());
  await to.begin(run, source.manifest());
  return to;
};
const everything = (run?: string): Batch => batch(batchesOf(source, 1_000)[0], run);
const headOf = async (): Promise<number> => (await target.log().state()).head;

describe('an import is refused', () => {
  it('if another event exists at the revision of one of its own, which stays unchanged', async () => {
    const to = await began();
    const other = someInstallation('other');
    other.append(pinpoint(2), { ...sampleEvents.PinpointCreated, pinpoint: 2 });
    const [{ envelope, salt, content } = { envelope: undefined }] = other.events;
    if (!envelope || salt == null || content == null) throw new Error('There is no event.');
    await target.log().append(pinpoint(2), [{ envelope, salt, content }], 'none');
    expect(await refusalOf(to.addEvents(everything()))).toEqual([
      409,
      'pinpoint-2 has another event at revision 0 than the export has. Nothing was overwritten.',
    ]);
    expect((await target.log().read(pinpoint(2), 0)).map((event) => event.envelope.id)).toEqual([envelope.id]);
  });

  it('if it contains the stream that names the installation of the log', async () => {
    const to = await began();
    const own = everything();
    const events = own.events.map((event) => ({ ...(event as object), stream: installationStream }));
    expect(await refusalOf(to.addEvents({ ...own, events }))).toEqual([400, 'events: not all are events']);
    expect(await target.log().lastRevisions([installationStream])).toEqual(['none']);
  });

  it('if the cluster may have given out one of its ids', async () => {
    await target.log().append(allocatorStream('pinpoint'), [sealReservation(newEventId(), 2)], 'none');
    const to = await began();
    expect(await refusalOf(to.addEvents(everything()))).toEqual([
      409,
      'The cluster may have given out pinpoint-1 itself: it has content of its own.',
    ]);
    expect(await target.log().lastRevisions([pinpoint(1), pinpoint(3)])).toEqual(['none', 'none']);
  });

  it('if the installation now has ids that the cluster may have given out since', async () => {
    await send(source, createImporter(target.options()), { final: false });
    const [last] = await target.log().lastRevisions([allocatorStream('pinpoint')]);
    await target.log().append(allocatorStream('pinpoint'), [sealReservation(newEventId(), 5_000_000)], last ?? 'none');
    source.populate(1, 900_000);
    expect(await send(source, createImporter(target.options()), { final: false })).toMatchObject({ equal: true });
    source.populate(1, 2_000_000);
    expect(await refusalOf(createImporter(target.options()).begin('run', source.manifest()))).toEqual([
      409,
      expect.stringContaining('given out ids'),
    ]);
  });

  it('if its export is older than the imported events, or is a different one', async () => {
    await send(source, createImporter(target.options()), { final: false });
    const older = someInstallation('source-1');
    older.populate(2, 1);
    expect(await refusalOf(createImporter(target.options()).begin('run', older.manifest()))).toEqual([
      409,
      expect.stringContaining('older'),
    ]);
    const other = someInstallation('source-1');
    other.populate(6, 1);
    expect(await refusalOf(send(other, createImporter(target.options())))).toEqual([
      409,
      expect.stringContaining('not those of this export'),
    ]);
  });

  it('once it has ended, if the installation has grown since', async () => {
    await send(source, createImporter(target.options()));
    source.populate(1, 5);
    expect(await refusalOf(createImporter(target.options()).begin('run', source.manifest()))).toEqual([
      409,
      expect.stringContaining('has ended'),
    ]);
  });

  it('if it leaves out events, and at its end if events are missing', async () => {
    const to = await began();
    const [first, second] = batchesOf(source, 3);
    expect(await refusalOf(to.addEvents(batch(second)))).toEqual([409, 'The import has reached event 0, which is before 3.']);
    await to.addEvents(batch(first));
    expect(await refusalOf(to.end('run', source.manifest({ final: true }), accountsIn(source)))).toEqual([
      409,
      expect.stringContaining('3 events were imported'),
    ]);
  });

  it('if its events were damaged in transit, or are not events', async () => {
    const [event] = source.events;
    if (event === undefined) throw new Error('There is no event.');
    const to = await began();
    const damaged = [
      { ...event, content: `${event.content} ` },
      { ...event, salt: null },
      { ...event, stream: 'token-1' },
      { ...event, stream: 'pinpoint-0' },
      { ...event, stream: pinpoint(2_000_000) },
      { ...event, envelope: { ...event.envelope, id: '../..' } },
      { ...event, envelope: { ...event.envelope, account: '' } },
      { ...event, revision: -1 },
      null,
    ];
    const head = await headOf();
    for (const one of damaged) expect((await refusalOf(to.addEvents({ ...everything(), events: [one] })))[0]).toBe(400);
    const newer = { ...event, envelope: { ...event.envelope, version: 2, release: '9.9.0' } };
    expect(await refusalOf(to.addEvents({ ...everything(), events: [newer] }))).toEqual([409, expect.stringContaining('9.9.0')]);
    expect(await headOf()).toBe(head);
  });

  it('if the beginning of a stream is missing', async () => {
    const to = await began();
    const events = source.events.filter(({ stream, revision }) => stream !== pinpoint(1) || revision > 0);
    expect(await refusalOf(to.addEvents({ ...everything(), events }))).toEqual([
      409,
      expect.stringContaining('pinpoint-1 has no revision 0'),
    ]);
  });

  it('for a file whose name another file has, or whose name is not valid', async () => {
    const to = await began();
    await to.addFile(sampleFile.name, someBytes);
    await to.addFile(sampleFile.name, someBytes);
    expect((await refusalOf(to.addFile(sampleFile.name, Buffer.from('other'))))[0]).toBe(409);
    expect((await refusalOf(to.addFile('../../etc/passwd', someBytes)))[0]).toBe(400);
  });

  it('if another one has begun since', async () => {
    const to = await began('one');
    await to.begin('two', source.manifest());
    expect(await refusalOf(to.addEvents(everything('one')))).toEqual([409, 'Another import has begun meanwhile.']);
    expect(await to.addEvents(everything('two'))).toMatchObject({ events: source.events.length });
    const elsewhere = await began('three');
    source.populate(1, 5);
    const [rest] = batchesOf(source, 1_000, 21 - 4);
    await elsewhere.addEvents(batch(rest, 'three'));
    source.populate(1, 6);
    const [more] = batchesOf(source, 1_000, source.events.length - 4);
    expect((await refusalOf(to.addEvents(batch(more, 'two'))))[0]).toBe(409);
  });
});

describe('the comparison at the end of an import', () => {
  it('detects missing files, and leaves the import open until they are imported', async () => {
    const to = await began();
    await to.addEvents(everything());
    const missing = await to.end('run', source.manifest({ final: true }), accountsIn(source));
    expect(missing).toMatchObject({ equal: false, ended: false, exported: { missing: 0 }, imported: { missing: 1 } });
    await to.addFile(sampleFile.name, someBytes);
    expect(await to.end('run', source.manifest({ final: true }), accountsIn(source))).toMatchObject({ equal: true, ended: true });
  });

  it('detects events that other clients have written to imported accounts', async () => {
    const to = await began();
    const [first, second] = batchesOf(source, 9);
    await to.addEvents(batch(first));
    const other = someInstallation('other');
    other.append(resourceStream('category', 2_000_000), { ...sampleEvents.CategoryCreated, category: 2_000_000 });
    const [{ envelope, salt, content } = { envelope: undefined }] = other.events;
    if (!envelope || salt == null || content == null) throw new Error('There is no event.');
    await target.log().append(resourceStream('category', 2_000_000), [{ envelope, salt, content }], 'none');
    await to.addEvents(batch(second));
    await to.addFile(sampleFile.name, someBytes);
    const found = await to.end('run', source.manifest({ final: true }), accountsIn(source));
    expect(found).toMatchObject({ equal: false, ended: false, imported: { streams: { category: 1 } } });
    expect(found.imported.events).toBe(found.exported.events + 1);
  });
});
