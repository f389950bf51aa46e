import { readFileSync } from 'node:fs';
import { mine, numbers, pinpointCreated, pinpointFields } from '../testing/facts.ts';
import { applyAll, recorder } from '../testing/recorder.ts';
import { temporaryFiles } from '../testing/temporary-files.ts';
import { openSqliteReadModels, sqliteRebuild } from './read-models.ts';

const newFile = temporaryFiles();

describe('a rebuild of SQLite read models', () => {
  it('writes documents with small edits before they fill the memory, also within a batch', async () => {
    const file = newFile();
    const { record } = recorder();
    const ids = numbers(1, 60);
    const fields = { ...pinpointFields, description: 'x'.repeat(100_000) };
    const created = ids.map((id) => record(mine, { ...pinpointCreated(id), fields }));
    const edited = ids.map((id) => record(mine, { type: 'PinpointEdited', pinpoint: id, fields: { name: `Edited ${id}.` } }));
    const rebuild = sqliteRebuild({ file });
    await applyAll(rebuild.apply, [...created, ...edited], [ids.length]);
    const written = readFileSync(file);
    expect(ids.filter((id) => written.includes(`Edited ${id}.`)).length).toBeGreaterThan(40);
    rebuild.finish();
    const models = openSqliteReadModels({ file, mode: 'reader' });
    for (const id of ids) expect((await models.find('pinpoint', id))?.text).toContain(`Edited ${id}.`);
    models.close();
  });
});
