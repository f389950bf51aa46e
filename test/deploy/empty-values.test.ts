import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart, cluster, describeWithHelm, renderText, type Values } from './helm.ts';
import { chartServices } from './values/services.ts';

const peer = [{ namespaceSelector: {} }];
const engines = Object.fromEntries(['eventStore', 'kafka', 'mongodb', 'redis', 'media'].map((name) => [name, { to: peer }]));
const given: Values = {
  ...cluster,
  commands: { perResource: true },
  networkPolicy: { enabled: true, gateway: { from: peer }, scraper: { from: peer }, engines },
};

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
const mapsOf = (values: Values, parents: readonly string[] = []): readonly (readonly string[])[] =>
  Object.entries(values).flatMap(([name, value]) => (isMap(value) ? [[...parents, name], ...mapsOf(value, [...parents, name])] : []));
const withNull = (values: Values, [name = '', ...others]: readonly string[]): Values => {
  const value = values[name];
  return { ...values, [name]: others.length === 0 ? null : withNull(isMap(value) ? value : {}, others) };
};

describeWithHelm('A map of values without a line, which YAML reads as null,', () => {
  const all = mapsOf(parse(readFileSync(join(chart, 'values.yaml'), 'utf8'), { merge: true }));
  // The maps of two services stand for those of the others.
  const tried = all.filter(
    ([first = '', ...others]) => others.length === 0 || !(first in chartServices) || ['auth', 'notary'].includes(first),
  );

  it.each(['settings', 'commonLabels', 'commonAnnotations', 'redis.entries', 'networkPolicy.operator.from', 'auth.settings', 'httpRoute'])(
    'is empty: %s',
    async (path) => {
      expect(await renderText(withNull(given, path.split('.')))).toContain('kind: Deployment');
    },
  );

  it.each(tried.map((path) => path.join('.')))('is empty, or is refused by its name: %s', async (path) => {
    const names = path.split('.');
    const message = await renderText(withNull(given, names)).then(
      () => '',
      (error: Error) => error.message,
    );
    if (message !== '') expect(message).toMatch(/missing property|is required|: it must /);
    if (message !== '') expect(message).toContain(names.at(-1));
  });
});
