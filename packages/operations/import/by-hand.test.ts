import { accountStream, applicationStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { type SomeInstallation, someInstallation } from '../testing/some-export.ts';
import { batch, batchesOf, refusalOf, useTarget } from '../testing/some-target.ts';
import { createImporter } from './import.ts';

const target = useTarget();
let source: SomeInstallation;
const pinpoint = (id: number): string => resourceStream('pinpoint', id);

describe('an import is refused if a handmade export', () => {
  const { AccountOpened, ApplicationRegistered, SecretAdded, PinpointCreated } = sampleEvents;
  /** Opens an account with an application in the target. */
  beforeEach(async () => {
    source = someInstallation('by-hand');
    const here = someInstallation('here');
    here.append(accountStream('theirs'), AccountOpened, 'theirs');
    here.append(applicationStream('their-app'), { ...ApplicationRegistered, application: 'their-app' }, 'theirs');
    await appendHere(here);
  });
  const appendHere = async ({ events }: SomeInstallation): Promise<void> => {
    for (const { stream, envelope, salt, content } of events)
      if (salt !== null && content !== null) await target.log().append(stream, [{ envelope, salt, content }], 'none');
  };
  const refused = async (): Promise<readonly [number, string]> => {
    const before = await target
      .log()
      .lastRevisions([accountStream('theirs'), applicationStream('their-app'), applicationStream('planted')]);
    const to = createImporter(target.options());
    await to.begin('run', source.manifest());
    const refusal = await refusalOf(to.addEvents(batch(batchesOf(source, 1_000)[0])));
    expect(
      await target.log().lastRevisions([accountStream('theirs'), applicationStream('their-app'), applicationStream('planted')]),
    ).toEqual(before);
    return refusal;
  };

  it('adds an application to an account of the target', async () => {
    source.append(applicationStream('planted'), { ...ApplicationRegistered, application: 'planted' }, 'theirs');
    expect(await refused()).toEqual([409, 'The account theirs was not opened by this import.']);
  });

  it('opens the account with the same event as in the target, and adds an application', async () => {
    const [opening] = await target.log().read(accountStream('theirs'), 0);
    if (opening) source.events.push({ ...opening, position: 1 });
    source.append(applicationStream('planted'), { ...ApplicationRegistered, application: 'planted' }, 'theirs');
    expect(await refused()).toEqual([409, 'The account theirs was not opened by this import.']);
  });

  it('adds an application to an account that the target has opened since the import began', async () => {
    source.append(accountStream('acme'), AccountOpened);
    const to = createImporter(target.options());
    await to.begin('run', source.manifest());
    await to.addEvents(batch(batchesOf(source, 1_000)[0]));
    const here = someInstallation('here');
    here.append(accountStream('later'), AccountOpened, 'later');
    await appendHere(here);
    source.append(applicationStream('planted'), { ...ApplicationRegistered, application: 'planted' }, 'later');
    const planted = batch(batchesOf(source, 1_000, 1)[0]);
    expect(await refusalOf(to.addEvents(planted))).toEqual([409, 'The account later was not opened by this import.']);
    source.append(accountStream('later'), AccountOpened, 'later');
    const opened = batch(batchesOf(source, 1_000, 1)[0]);
    expect(await refusalOf(to.addEvents(opened))).toEqual([409, 'The account later was not opened by this import.']);
    expect(await target.log().lastRevisions([applicationStream('planted')])).toEqual(['none']);
  });

  it('adds a secret to an application of the target', async () => {
    source.append(accountStream('acme'), AccountOpened);
    source.append(applicationStream('their-app'), { ...SecretAdded, application: 'their-app' });
    for (const event of source.events) if (event.stream === applicationStream('their-app')) Object.assign(event, { revision: 1 });
    expect(await refused()).toEqual([409, 'application-their-app was not registered by this import.']);
  });

  it('has an event whose content names another object than its stream', async () => {
    source.append(accountStream('acme'), AccountOpened);
    source.append(pinpoint(1), { ...PinpointCreated, pinpoint: 2 });
    expect(await refused()).toEqual([400, 'pinpoint-1, revision 0: the content contradicts its type, its stream or its account']);
  });

  it('has objects of an account that the export does not open', async () => {
    source.append(pinpoint(1), { ...PinpointCreated, pinpoint: 1 });
    expect(await refused()).toEqual([409, 'The export does not open the account acme, which its events belong to.']);
  });

  it('has a stream with events of two accounts', async () => {
    source.append(accountStream('acme'), AccountOpened);
    source.append(accountStream('other'), AccountOpened, 'other');
    source.append(pinpoint(1), { ...PinpointCreated, pinpoint: 1 });
    source.append(pinpoint(1), { ...sampleEvents.PinpointEdited, pinpoint: 1 }, 'other');
    expect(await refused()).toEqual([400, 'pinpoint-1, revision 1: it belongs to another account than the event before it']);
  });
});
