import { undoStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { createOpenUndos } from '@waymark/history/undo-jobs/open-jobs.ts';
import { someInstallation } from '../testing/some-export.ts';
import { send, useTarget } from '../testing/some-target.ts';
import { createImporter } from './import.ts';

const target = useTarget();
const [running, ended] = ['00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000a2'] as const;
const { UndoStarted, UndoReported, UndoEnded } = sampleEvents;

/** Returns the undo jobs that a process that starts now continues, with their accounts. */
const openJobs = async (): Promise<readonly (readonly [string, string])[]> => {
  const open = createOpenUndos(target.log());
  await open.update();
  return [...open.jobs].map(([id, { account }]) => [id, account]);
};

describe('an undo job of an installation that is imported', () => {
  it('continues once the import has ended, unless it had ended before', async () => {
    const source = someInstallation('source-1');
    source.populate(4, 1);
    for (const undo of [running, ended]) source.append(undoStream(undo), { ...UndoStarted, undo });
    source.append(undoStream(running), { ...UndoReported, undo: running });
    source.append(undoStream(ended), { ...UndoEnded, undo: ended });
    const importer = createImporter(target.options());
    expect(await send(source, importer, { final: false })).toMatchObject({ equal: true, ended: false });
    expect(await openJobs()).toEqual([]);
    for (const run of ['run', 'again']) {
      expect(await send(source, importer, { run })).toMatchObject({ equal: true, ended: true });
      expect(await openJobs()).toEqual([[running, 'acme']]);
    }
  });
});
