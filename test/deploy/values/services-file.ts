import { resourceKinds } from '@waymark/domain/streams.ts';
import { stopSecondsDefault } from '@waymark/runtime/stop-times.ts';
import { chartServices } from './services.ts';
import { engineSettings, sourceOf } from './sources.ts';

/** Returns what the templates know of the services: files/services.json of the chart. A list holds names of settings; a map leads from the
 * name of a setting to an entry of the Secret with the keys, or from a field of an engine's values to the name of a setting. */
export const servicesFile = () => ({
  resources: resourceKinds,
  stopSeconds: stopSecondsDefault,
  graceSeconds: chartServices['projector']?.schema.properties['WAYMARK_GRACE_SECONDS']?.default,
  engineSecrets: Object.fromEntries(
    Object.entries(engineSettings()).map(([engine, settings]) => [
      engine,
      settings.flatMap(({ field, isSecret }) => (isSecret ? [field] : [])),
    ]),
  ),
  services: Object.fromEntries(
    Object.entries(chartServices).map(([key, service]) => {
      const sources = Object.keys(service.schema.properties).map((name) => ({ name, source: sourceOf(name, service) }));
      const from = (place: string) => sources.flatMap(({ name, source }) => (source.from === place ? [name] : []));
      const engines: Record<string, Record<string, string>> = {};
      for (const { name, source } of sources) {
        if (source.from === 'engine') engines[source.engine] = { ...engines[source.engine], [source.field]: name };
      }
      const keys = Object.fromEntries(sources.flatMap(({ name, source }) => (source.from === 'key' ? [[name, source.entry]] : [])));
      return [key, { name: service.name, settings: from('settings'), chart: from('chart'), keys, engines }];
    }),
  ),
});
