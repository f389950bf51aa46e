import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { release } from '@waymark/domain/release.ts';
import { parse } from 'yaml';
import { valuesSchema } from './values/schema.ts';
import { chartServices } from './values/services.ts';
import { servicesFile } from './values/services-file.ts';
import { settingsComments } from './values/settings-comments.ts';
import { sourceOf } from './values/sources.ts';

const chart = join(import.meta.dirname, '../../deploy/helm/waymark');
const inChart = (name: string): string => join(chart, name);
const isWriting = process.env['WAYMARK_WRITE'] === '1';

describe('The chart (WAYMARK_WRITE=1 updates it)', () => {
  it.each([
    ['values.schema.json', valuesSchema],
    ['files/services.json', servicesFile],
  ])('has in %s what the settings of the services say', (name, made) => {
    const text = `${JSON.stringify(made(), null, 1)}\n`;
    if (isWriting) writeFileSync(inChart(name), text);
    expect(readFileSync(inChart(name), 'utf8')).toBe(text);
  });

  it('describes every setting in values.yaml', () => {
    const marked = /( {2}# settings: begin\n)([\s\S]*?)(\n? {2}# settings: end)/;
    const file = inChart('values.yaml');
    if (isWriting) {
      const written = readFileSync(file, 'utf8').replace(marked, (_, begin) => `${begin}${settingsComments()}\n  # settings: end`);
      writeFileSync(file, written);
    }
    expect(marked.exec(readFileSync(file, 'utf8'))?.[2]).toBe(settingsComments());
  });

  it('is of this release', () => {
    const { version, appVersion } = parse(readFileSync(inChart('Chart.yaml'), 'utf8'));
    expect([version, appVersion]).toEqual([release, release]);
  });

  it('refuses to leave out a secret that it has no Secret for', () => {
    const { relay } = chartServices;
    if (relay === undefined) throw new Error('no relay');
    expect(() => sourceOf('WAYMARK_NEW_KEY', { ...relay, secrets: ['WAYMARK_NEW_KEY'] })).toThrow('WAYMARK_NEW_KEY');
  });
});
