import { ordersStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { checkLog } from '../check-log.ts';
import { someInstallation } from '../testing/some-export.ts';
import { send, useTarget } from '../testing/some-target.ts';
import { createImporter } from './import.ts';

const target = useTarget();

describe('an import', () => {
  it('accepts the events that the next release writes', async () => {
    const source = someInstallation('source-1');
    source.populate(4, 1);
    const { changeset } = sampleEvents.ChangesetOpened;
    for (const [stream, fact] of [
      ['application-app', { ...sampleEvents.ApplicationScopesChanged, application: 'app' }],
      [`changeset-${changeset}`, sampleEvents.ChangesetOpened],
      [ordersStream('acme'), sampleEvents.HoldPlaced],
      [ordersStream('acme'), sampleEvents.HoldReleased],
      [`undo-${changeset}`, sampleEvents.UndoStarted],
      [resourceStream('pinpoint', 2), { ...sampleEvents.PinpointRestored, pinpoint: 2, fields: sampleEvents.PinpointCreated.fields }],
      [resourceStream('list', 1), { ...sampleEvents.ListMembersRestated, list: 1, members: [1, 2, 3, 4] }],
      [`undo-${changeset}`, sampleEvents.UndoReported],
      [`undo-${changeset}`, sampleEvents.UndoEnded],
    ] as const) {
      source.append(stream, fact);
    }
    const streams = { account: 1, application: 1, changeset: 1, list: 1, orders: 1, pinpoint: 4, undo: 1 };
    expect(await send(source, createImporter(target.options()))).toMatchObject({ equal: true, ended: true, imported: { streams } });
    expect((await checkLog(target.log(), { origin: 'none', keys: [], published: null, before: 0 })).faults).toEqual([]);
  });
});
