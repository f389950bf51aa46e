import { setTimeout as pause } from 'node:timers/promises';
import { accountStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { createAccountsDigest } from '@waymark/transfer/digest.ts';
import { type SomeInstallation, someInstallation } from '../testing/some-export.ts';
import { batch, batchesOf, send, someBytes, useTarget } from '../testing/some-target.ts';
import { createImporter } from './import.ts';

const target = useTarget();
let source: SomeInstallation;
beforeEach(() => {
  source = someInstallation('source-1');
  source.populate(4, 1);
});

describe('an import', () => {
  it('has never two appends of one account in progress, and appends several accounts at the same time', async () => {
    source.append(accountStream('other'), sampleEvents.AccountOpened, 'other');
    for (let id = 101; id <= 104; id += 1)
      source.append(resourceStream('pinpoint', id), { ...sampleEvents.PinpointCreated, pinpoint: id }, 'other');
    const inProgress: string[] = [];
    let together = 0;
    const watched: EventLog = {
      ...target.log(),
      append: async (stream, events, ...order) => {
        const account = events[0]?.envelope.account ?? '';
        if (account !== '') expect(inProgress).not.toContain(account);
        inProgress.push(account);
        together = Math.max(together, new Set(inProgress).size);
        await pause(1);
        return target
          .log()
          .append(stream, events, ...order)
          .finally(() => inProgress.splice(inProgress.indexOf(account), 1));
      },
    };
    expect(await send(source, createImporter({ ...target.options(), log: watched }), { size: 100 })).toMatchObject({
      inOrder: true,
      ended: true,
    });
    expect(together).toBe(2);
  });

  it('is equal, but does not end, where an earlier release has imported the events of an account in another order', async () => {
    const to = createImporter(target.options());
    await to.begin('run', source.manifest({ final: true }));
    await to.addFile(sampleFile.name, someBytes);
    const reversed = createAccountsDigest();
    for (const event of [...source.events].reverse()) reversed.add(event);
    for (const one of batchesOf(source, 100)) await to.addEvents(batch(one));
    expect(await to.end('run', source.manifest({ final: true }), reversed.value())).toMatchObject({
      equal: true,
      inOrder: false,
      ended: false,
    });
  });
});
